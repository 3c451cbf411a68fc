package sampling

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"time"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/atomicfile"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/learn"
)

// Refined trains the frequencies themselves and begins with those of Metric. It is gradient
// descent on the squared error of a ridge regression on the features, jointly in
// frequencies and coefficients, as one trains a network with one layer of sines. Only the
// frequencies are kept: a model on the features is an exact ridge regression all the same.
//
// The frequencies that suit a ridge regression best are too small to train from. So the
// training starts from the frequencies of Metric times a factor, 1, √2, 2, … The factor
// grows for as long as a short training of a quarter of the frequencies ends with a smaller
// error on held-out rows.
//
// An exact ridge regression judges the frequencies on held-out rows before the training and
// after a quarter, half and all of the epochs. A training that does worse after a quarter
// begins again at half its rate, at most twice. The best trained frequencies are the result
// if they do better than those of Metric. If Metric returned plain features, they must do
// so beyond noise. Gradients are taken at inputs clipped to the 0.5 and 99.5 % quantiles of
// their columns.
//
// The map approximates no kernel, unless it has plain features.
type Refined struct {
	// Metric is where the training starts. Its Base draws pairs (rff.CosSin).
	Metric
	// Epochs of the training. 0: 20, but no more than 2000 steps of 256 rows.
	Epochs int
	// MetricRows is the largest number of rows that the search for the metric sees. It
	// needs fewer than the training of the frequencies, which gains from every row. 0: all
	// that are held.
	MetricRows int
	// Checkpoint is a file for the state of the training. It is replaced after the first
	// epoch that ends when Every has passed, and at the end. A training that finds the file
	// goes on from it and returns the bits of a training that was not stopped. The search
	// for the metric and the short trainings are made again.
	// A file of another training, or of something else, is a *rff.ParameterError. The
	// file stays: remove it when the map is safe. "": none.
	Checkpoint string
	// Every is the time between two checkpoints. 0: one minute.
	Every time.Duration
}

// Sample implements rff.Sampler.
func (s Refined) Sample(ctx context.Context, r rff.Request) (*rff.Map, error) {
	return learnedMap(s.learn(ctx, r, nil))
}

func (s Refined) learn(ctx context.Context, r rff.Request, from *Learned) (*Learned, error) {
	l, err := s.Metric.begin(ctx, "refined", r)
	if err != nil {
		return nil, err
	}
	if s.Every < 0 {
		return nil, &rff.ParameterError{Name: "every", Value: s.Every, Need: "must be positive, or 0 for one minute"}
	}
	if s.Epochs < 0 {
		return nil, &rff.ParameterError{Name: "epochs", Value: s.Epochs, Need: "must be positive, or 0 for the default"}
	}
	if s.MetricRows < 0 {
		return nil, &rff.ParameterError{Name: "metric rows", Value: s.MetricRows, Need: "must be positive, or 0 for all that are held"}
	}
	all := l.problem
	if s.MetricRows > 0 && s.MetricRows < all.Rows() {
		l.problem, l.compared = all.First(s.MetricRows), learn.Compared(s.MetricRows)
	}
	if err := l.search(ctx, from); err != nil {
		return nil, err
	}
	l.problem = all
	found, err := l.finish(ctx)
	if err != nil || found.Outcome == fewRows || found.Outcome == constant {
		return found, err
	}
	if from != nil && from.Untrained {
		found.Untrained = true
		return found, nil
	}
	return found, s.train(ctx, l)
}

// train puts trained frequencies into the result, if they do better.
func (s Refined) train(ctx context.Context, l *learning) error {
	spec := inside.Spec(l.result.Map)
	if spec.Func != asm.CosSin || spec.Product.Data != nil {
		return baseError(l.q.sampler, l.Base, "must draw pairs of a cosine and a sine, without a projection: it trains them")
	}
	spec, err := withoutBlocks(ctx, l.q.engine, spec)
	if err != nil {
		return err
	}
	seed := l.q.Rand.Uint64()
	trained := l.problem.Train
	judged := *l.problem
	judged.Train = trained.Head(learn.JudgedRows)
	l.problem = &judged
	standardised := learn.Transform{Scale: l.rows.given}.Frequencies(l.q.engine, spec.W, 1)
	start, err := l.problem.Fit(ctx, standardised)
	if err != nil {
		return err
	}
	l.note("epoch 0", true, start.Error)
	t := &learn.Refine{Problem: l.problem, Train: trained, Inputs: clipped(l.rows.train.X), Epochs: s.epochs(l.result.Rows), Seed: seed}
	if err := s.resumable(t, l); err != nil {
		return err
	}
	from, err := t.Start(ctx, start, func(by, err float64) {
		l.note(fmt.Sprintf("pilot, bandwidth/%.3g", by), false, err)
	})
	if err != nil {
		return err
	}
	reached, err := t.Run(ctx, from)
	if errors.Is(err, learn.ErrNoState) || errors.Is(err, learn.ErrOtherState) {
		return s.checkpointError(err)
	}
	if err != nil {
		return err
	}
	best := start
	for _, c := range reached {
		what := fmt.Sprintf("epoch %d", c.Epoch)
		if c.Rate < 1 {
			what += fmt.Sprintf(", rate 1/%g", 1/c.Rate)
		}
		l.note(what, true, c.Fit.Error)
		if c.Fit.Error < best.Error {
			best = c.Fit
		}
	}
	// Frequencies that Metric learned are no simpler than trained ones, so the smaller error
	// decides. Plain frequencies are simpler, so trained ones must do better beyond noise.
	if best == start || l.result.Outcome != gained && !l.problem.Better(best, start) {
		l.result.Untrained = true
		return nil
	}
	spec.W = learn.Transform{Scale: l.rows.perDeviation()}.Frequencies(l.q.engine, best.Frequencies(), 1)
	spec.Phase, spec.Weight = nil, nil
	m, err := l.q.made(spec, nil)
	if err != nil {
		return err
	}
	l.result.Map, l.result.Outcome = m, gained
	return l.importance(ctx, best)
}

// resumable makes t go on from the checkpoint, and write it.
func (s Refined) resumable(t *learn.Refine, l *learning) error {
	last := time.Now()
	t.Done = func(epoch int, state func() []byte) error {
		if l.Progress != nil {
			l.Progress(Attempt{What: fmt.Sprintf("epoch %d of %d", epoch, t.Epochs), Full: true, Error: math.NaN()})
		}
		every := cmp.Or(s.Every, time.Minute)
		if s.Checkpoint == "" || (epoch < t.Epochs && time.Since(last) < every) {
			return nil
		}
		last = time.Now()
		err := atomicfile.Write(s.Checkpoint, func(w io.Writer) error {
			_, err := w.Write(state())
			return err
		})
		if err != nil {
			return fmt.Errorf("sampling: cannot write the checkpoint %s: %w", s.Checkpoint, err)
		}
		return nil
	}
	if s.Checkpoint == "" {
		return nil
	}
	// No state is larger: it has six matrices of float32 and five of float64.
	most := 1024 + 32*int64(l.q.Features)*int64(l.q.Dim+l.problem.Train.Y.Cols+1)
	st, err := os.Stat(s.Checkpoint)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil && (!st.Mode().IsRegular() || st.Size() > most):
		return s.checkpointError(learn.ErrNoState)
	case err == nil:
		t.State, err = os.ReadFile(s.Checkpoint)
	}
	if err != nil {
		return fmt.Errorf("sampling: cannot read the checkpoint: %w", err)
	}
	return nil
}

func (s Refined) checkpointError(why error) error {
	return &rff.ParameterError{Name: "checkpoint", Value: s.Checkpoint, Need: "cannot be gone on from: " + why.Error() + "; remove it to start anew, or name another file"}
}

const (
	defaultEpochs = 20
	defaultSteps  = 2000
)

func (s Refined) epochs(rows int) int {
	if s.Epochs > 0 {
		return s.Epochs
	}
	return max(1, min(defaultEpochs, defaultSteps/learn.Steps(rows)))
}

// clipped returns x with columns confined to their 0.5 and 99.5 % quantiles.
func clipped(x blas.General[float64]) blas.General[float64] {
	c := blas.NewGeneral[float64](x.Rows, x.Cols)
	column := make([]float64, x.Rows)
	for j := range x.Cols {
		dense.Column(column, x, j)
		low, high := clips(column)
		for i := range x.Rows {
			c.Row(i)[j] = min(max(x.Row(i)[j], low), high)
		}
	}
	return c
}
