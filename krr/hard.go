package krr

import (
	"context"
	"maps"
	"strconv"
	"time"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	coding "github.com/rffgo/rff/internal/classes"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/krr/internal/stream"
)

// The squared error of coded classes asks every row for a score of ±1, so that millions
// of rows of a plain kind outvote the few of a rare one. What decides on labels are the
// rows near the border: a second solution counts them more often.

const (
	// hardMargin is the margin below which a row is hard: half of that of a row whose
	// scores are its targets.
	hardMargin = 0.5
	// mostHardWeight leaves the rows that are not hard a say.
	mostHardWeight = 1e4
)

// checkHard checks Settings.HardWeight.
func (f *problem) checkHard() error {
	s := &f.Settings
	switch w := s.HardWeight; {
	case w == 0 || w == 1:
		return nil
	case !(w > 1 && w <= mostHardWeight):
		return setting("hard weight", w, "must be 1 to 10000, or 0 for 1")
	case f.classes == nil:
		return setting("hard weight", w, "only a classification has hard rows")
	case s.Solver == ConjugateGradients || s.PerTarget || s.Variance || s.Checkpoint.Path != "":
		return setting("hard weight", w, "a second solution goes with neither conjugate gradients, λ per target, variances nor checkpoints")
	}
	return nil
}

// fitTwice fits, and fits again with the same λ and hard rows counted more often.
func (f *problem) fitTwice(ctx context.Context) (*Model, *Report, error) {
	says := map[string]string{"hard weight": strconv.FormatFloat(f.HardWeight, 'g', -1, 64)}
	maps.Copy(says, f.Provenance)
	f.Provenance = says
	// Choosing λ takes the folds' sums apart, and few rows have none.
	if len(f.grid) > 1 || f.extent(stream.Count(f.data)).dual(f.Settings) {
		return f.fitAgain(ctx)
	}
	d, err := newDirect(f)
	if err != nil {
		return nil, nil, err
	}
	return d.runTwice(ctx)
}

// runTwice reads the rows, solves, and adds the hard rows once more, which leaves little
// to do where they are few.
func (f *direct) runTwice(ctx context.Context) (*Model, *Report, error) {
	if err := f.read(ctx); err != nil {
		return nil, nil, err
	}
	if f.few != nil || f.report.Rows == 0 {
		return f.fitAgain(ctx) // their number was not known
	}
	first, found, err := f.once(ctx)
	if err != nil {
		return nil, nil, err
	}
	again := &hard{first: first, weight: f.HardWeight}
	if err := f.addHard(ctx, again); err != nil {
		return nil, nil, err
	}
	model, r, err := f.finish(ctx)
	if err != nil {
		return nil, nil, err
	}
	r.Hard, r.Weight = again.rows, found.Weight
	r.Select += found.Select
	r.Solve += found.Solve
	return model, r, nil
}

// once solves with all rows counted alike. The sums of f stay as they are.
func (f *direct) once(ctx context.Context) (*Model, *Report, error) {
	p := *f.problem
	p.Probabilities, p.HeldOut, p.foldCount = false, false, 1
	total := f.grams[0].empty(true)
	for _, g := range f.grams {
		if err := total.Merge(g); err != nil {
			return nil, nil, err
		}
	}
	return (&direct{problem: &p, grams: []*Gram{total}}).finish(ctx)
}

// addHard adds the rows that are hard to the sums, which have them once.
func (f *direct) addHard(ctx context.Context, h *hard) error {
	start := time.Now()
	reported := start
	var rows int64
	var x, y []float64
	for b, err := range ahead(ctx, f.data, f.report.Features) {
		if err != nil {
			return err
		}
		if err := f.shift.check(f.Settings.Precision, f.shift.at, b.Y, b.Weight, b.First); err != nil {
			return err
		}
		if err := f.limits.check(b.X, b.First, f.Inputs); err != nil {
			return err
		}
		folds, to := f.foldsOf(b), 0
		x, y, h.w = x[:0], y[:0], h.w[:0]
		if err := h.first.margins(b.X, b.Y, b.First, &h.scores, func(i int, margin float64) {
			if w := stream.Weight(b.Weight, i); margin < hardMargin && w > 0 {
				x, y, h.w = append(x, b.X.Row(i)...), append(y, b.Y.Row(i)...), append(h.w, (h.weight-1)*w)
				if folds != nil {
					folds[to] = folds[i]
				}
				to++
			}
		}); err != nil {
			return err
		}
		rows += int64(b.X.Rows)
		if to > 0 {
			h.rows += int64(to)
			in, targets := b.X.Cols, b.Y.Cols
			f.add(blas.General[float64]{Rows: to, Cols: in, Stride: in, Data: x}, blas.General[float64]{Rows: to, Cols: targets, Stride: targets, Data: y}, h.w, folds[:min(to, len(folds))])
		}
		if now := time.Now(); now.Sub(reported) > progressEvery {
			reported = now
			f.progress("rows", rows, f.rows, start)
		}
	}
	f.progress("rows", rows, rows, start)
	f.report.Read += time.Since(start)
	return nil
}

// fitAgain fits, and fits once more with other weights of the rows, from the beginning.
func (f *problem) fitAgain(ctx context.Context) (*Model, *Report, error) {
	s := f.Settings
	s.HardWeight, s.Probabilities, s.HeldOut, s.Provenance = 0, false, false, nil
	first, found, err := Fit(ctx, f.m, f.data, s)
	if err != nil {
		return nil, nil, err
	}
	s = f.Settings
	s.Lambda = found.Lambda[0]
	if by, ok := first.prov["lambda"]; ok {
		says := map[string]string{"lambda": by}
		maps.Copy(says, s.Provenance)
		s.Provenance = says
	}
	p, err := newProblem(f.m, f.data, s)
	if err != nil {
		return nil, nil, err
	}
	p.hard = &hard{first: first, weight: s.HardWeight}
	model, r, err := p.fitOnce(ctx)
	if err != nil {
		return nil, nil, err
	}
	r.Hard, r.Weight, r.Path, r.Unresolved, r.AtEdge = p.hard.rows, found.Weight, found.Path, found.Unresolved, found.AtEdge
	r.Read += found.Read
	r.Select += found.Select
	r.Solve += found.Solve
	return model, r, nil
}

// hard weighs rows by the margins that a first model gives them.
type hard struct {
	first  *Model
	weight float64 // that a hard row counts
	rows   int64   // found hard
	scores []float64
	w      []float64
}

// weigh gives the hard rows of b, all of them checked, their weight. h may be nil. The
// next call overwrites the weights.
func (h *hard) weigh(b *rff.Batch) error {
	if h == nil {
		return nil
	}
	h.w = h.w[:0]
	err := h.first.margins(b.X, b.Y, b.First, &h.scores, func(i int, margin float64) {
		w := stream.Weight(b.Weight, i)
		if margin < hardMargin && w > 0 {
			w *= h.weight
			h.rows++
		}
		h.w = append(h.w, w)
	})
	b.Weight = h.w
	return err
}

// margins calls each with the margin of every row of x, which have the coded targets y.
// The first row is row first of the data.
func (m *Model) margins(x, y blas.General[float64], first int64, memory *[]float64, each func(i int, margin float64)) error {
	block := max(predictBlock, (1<<18)/y.Cols)
	for i := 0; i < x.Rows; i += block {
		j := min(i+block, x.Rows)
		scores := dense.Fitting(memory, j-i, y.Cols)
		if err := m.predict(scores, x.RowRange(i, j), first+int64(i)); err != nil {
			return err
		}
		for r := range j - i {
			each(i+r, coding.Margin(scores.Row(r), y.Row(i+r)))
		}
	}
	return nil
}
