package sampling

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/eigen"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/learn"
)

func (s Metric) effort() learn.Effort {
	e := learn.Thorough
	if s.Fast {
		e = learn.Fast
	}
	if s.Rows > 0 {
		e.Most = s.Rows
	}
	return e
}

// With fewer rows than these to learn on, or fewer held-out rows, nothing is learned.
const (
	leastTrain = 40
	leastValid = 10
)

// learning is a search under way.
type learning struct {
	Metric
	q       *request
	open    rff.Kernel // without a bandwidth
	kernel  rff.Kernel // of bandwidth 1
	given   float64    // bandwidth of the kernel asked for, 0 for none
	effort  learn.Effort
	rows    *learningRows
	problem *learn.Problem
	unit    float64  // bandwidths are multiples of it
	map1    *rff.Map // of kernel, if Base draws dense frequencies without looking at data
	w0      blas.General[float64]
	result  *Learned
	// compared is the number of frequencies that candidates are compared with.
	compared int

	plain, best learn.Step // the plain features, and the choice
	fit         *learn.Fit // of best
}

// begin checks the arguments and reads the rows.
func (s Metric) begin(ctx context.Context, name string, r rff.Request) (*learning, error) {
	q, err := dataRequest(ctx, name, r, true)
	if err != nil {
		return nil, err
	}
	if s.Rows < 0 {
		return nil, &rff.ParameterError{Name: "rows", Value: s.Rows, Need: "must be positive, or 0 for the default"}
	}
	s.Diagonal = s.Diagonal || q.Dim > widest
	l := &learning{Metric: s, q: q, effort: s.effort(), compared: learn.MostFrequencies}
	if l.open, l.given, err = family(name, q.Kernel); err != nil {
		return nil, err
	}
	if l.kernel, err = rff.WithBandwidth(l.open, 1); err != nil {
		return nil, err
	}
	if l.Base == nil {
		l.Base = Default(l.kernel.(rff.Stationary), q.Dim)
	}
	if l.rows, err = readLearning(ctx, q, l.effort.Most, 0, q.Rand.Uint64()); err != nil {
		return nil, err
	}
	if l.rows.seen == 0 {
		return nil, tooFewRows(name, 0, 1, "")
	}
	train, valid := l.rows.train, l.rows.valid
	l.result = &Learned{Outcome: gained, Rows: train.X.Rows, Held: valid.X.Rows}
	l.problem = &learn.Problem{Engine: q.engine, Train: train, Valid: valid, Jumps: learn.FindJumps(train)}
	switch {
	case train.X.Rows < leastTrain || valid.X.Rows < leastValid:
		l.result.Outcome = fewRows
	case !varies(train.Y):
		l.result.Outcome = constant
	}
	return l, nil
}

// varies reports whether some target has more than one value.
func varies(y blas.General[float64]) bool {
	for i := 1; i < y.Rows; i++ {
		for t, v := range y.Row(i) {
			if v != y.Row(0)[t] {
				return true
			}
		}
	}
	return false
}

// family returns k without its bandwidth, and the bandwidth, which is 0 if k leaves it open.
func family(sampler string, k rff.Kernel) (rff.Kernel, float64, error) {
	f := inside.FamilyOf(k, 1)
	if f.With == nil {
		return nil, 0, kernelError(sampler, k, "it chooses the bandwidth, which it knows of gaussian, laplacian, cauchy, exponential-power and matern")
	}
	open, h := f.With(nil), f.Bandwidths
	if len(h) == 0 {
		return open, 0, nil
	}
	for _, v := range h {
		if v != h[0] {
			return nil, 0, kernelError(sampler, k, "it learns the scales of the inputs: give one bandwidth for all of them")
		}
	}
	return open, h[0], nil
}

// search finds the best metric and bandwidth, or takes those of from, if that is not nil.
func (l *learning) search(ctx context.Context, from *Learned) error {
	if l.result.Outcome != gained {
		return nil
	}
	if from != nil {
		l.unit, l.best, l.plain = from.unit, from.step, from.step
		l.result.Outcome, l.result.Importance, l.result.Eigenvalues = from.Outcome, from.Importance, from.Eigenvalues
		return l.frequencies(ctx)
	}
	var err error
	if l.unit, err = l.median(); err != nil {
		return err
	}
	if err := l.frequencies(ctx); err != nil {
		return err
	}
	few, err := l.draw(ctx, MonteCarlo{}, 2*l.effort.Frequencies)
	if err != nil {
		return err
	}
	small := *l.problem
	small.Train = small.Train.Head(l.effort.Rows)
	s := &learn.Metric{Problem: &small, W0: inside.Spec(few).W, Unit: l.unit, Rounds: l.effort.Rounds, Diagonal: l.Diagonal, Quick: l.effort.Quick}
	given, own := l.rows.asGiven(), learn.Transform{Scale: slices.Repeat([]float64{1}, l.q.Dim)}
	starts, at, fit, err := s.Start(ctx, given, own)
	if err != nil {
		return err
	}
	for i, name := range []string{"inputs as given", "standardised inputs"} {
		l.note(name, false, starts[i].Error)
	}
	finals := starts
	lowest := fit
	if l.q.Dim > 1 {
		for _, root := range l.effort.Roots {
			steps, best, err := s.Run(ctx, starts[at], fit, root, 2)
			if err != nil {
				return err
			}
			if len(steps) == 0 {
				continue
			}
			first := 0
			for i, step := range steps {
				l.note(roundName(step), false, step.Error)
				if step.Error < steps[first].Error {
					first = i
				}
			}
			finals = append(finals, steps[first])
			if best.Error < lowest.Error {
				lowest = best
			}
		}
	}
	if err := l.choose(ctx, finals); err != nil {
		return err
	}
	if l.fit.Solved() {
		lowest = l.fit
	}
	return l.importance(ctx, lowest)
}

func roundName(s learn.Step) string { return fmt.Sprintf("round %d, power %v", s.Round, s.Root) }

func (l *learning) note(what string, full bool, e float64) {
	a := Attempt{What: what, Full: full, Error: e}
	l.result.History = append(l.result.History, a)
	if l.Progress != nil {
		l.Progress(a)
	}
}

// choose compares the finals with all the features. The first of the finals is plain.
func (l *learning) choose(ctx context.Context, finals []learn.Step) error {
	s := &learn.Metric{Problem: l.problem, W0: l.w0, Unit: l.unit, Rounds: l.effort.Polish, Diagonal: l.Diagonal, Quick: l.effort.Quick}
	var plain *learn.Fit
	climb := s.Climb
	if l.effort.Quick && l.w0.Rows <= 2*l.effort.Frequencies { // so few more frequencies hardly change the best bandwidth
		climb = s.At
	}
	other := 1 // the best of the others with few features
	for i, step := range finals[1:] {
		if step.Error < finals[other].Error {
			other = i + 1
		}
	}
	for i, step := range finals {
		if l.effort.Quick && i > 0 && i != other {
			continue
		}
		f, octave, err := climb(ctx, step.B, step.Octave)
		if err != nil {
			return err
		}
		name := l.result.History[i].What
		if step.Round > 0 {
			name = roundName(step)
		}
		l.note(name, true, f.Error)
		step.Octave, step.Error = octave, f.Error
		if i == 0 {
			plain, l.plain = f, step
		}
		if l.fit == nil || f.Error < l.fit.Error {
			l.fit, l.best = f, step
		}
	}
	if l.best.Round > 0 {
		steps, best, err := s.Run(ctx, l.best, l.fit, l.best.Root, 1)
		if err != nil {
			return err
		}
		for _, step := range steps {
			l.note(roundName(step), true, step.Error)
			if step.Error < l.best.Error {
				l.best = step
			}
		}
		l.fit = best
	}
	if l.fit != plain && !l.problem.Better(l.fit, plain) {
		l.fit, l.best = plain, l.plain
	}
	if l.fit == plain {
		l.result.Outcome = noGain
	}
	return nil
}

// frequencies draws the frequencies that candidates are compared with.
func (l *learning) frequencies(ctx context.Context) error {
	features := l.q.Features
	switch l.Base.(type) {
	case MonteCarlo, ORF, Halton, Sobol:
		m, err := l.draw(ctx, l.Base, features)
		if err != nil {
			return err
		}
		l.map1, l.w0 = m, inside.Spec(m).W
	default:
		m, err := l.draw(ctx, MonteCarlo{}, min(features+features%2, 2*learn.MostFrequencies))
		if err != nil {
			return err
		}
		l.w0 = inside.Spec(m).W
	}
	l.w0 = l.w0.RowRange(0, min(l.w0.Rows, l.compared))
	return nil
}

// draw draws columns for the kernel from a sampler that looks at no rows.
func (l *learning) draw(ctx context.Context, by rff.Sampler, columns int) (*rff.Map, error) {
	r := l.q.Request
	r.Kernel, r.Features, r.Data = l.kernel, columns, nil
	return by.Sample(ctx, r)
}

// median returns the median distance between rows, as the kernel measures it, or 1 if the
// rows do not differ.
func (l *learning) median() (float64, error) {
	x := l.rows.train.X
	h, err := rff.MedianDistance(mat.NewDense(x.Rows, x.Cols, x.Data), l.effort.Pairs, l.q.Rand)
	if degenerate := (*rff.DegenerateDataError)(nil); errors.As(err, &degenerate) {
		return 1, nil
	}
	if own, ok := l.kernel.(interface {
		FromEuclidean(r float64, dim int) float64
	}); ok {
		h = own.FromEuclidean(h, l.q.Dim)
	}
	return h, err
}

// finish makes the map.
func (l *learning) finish(ctx context.Context) (*Learned, error) {
	var err error
	r := l.result
	r.unit, r.step = l.unit, l.best
	switch r.Outcome {
	case fewRows, constant:
		r.Map, err = l.baseMap(ctx, l.asked())
		return r, err
	case noGain: // the first candidate is the inputs as given, times a number
		r.Bandwidth = learn.Bandwidth(l.unit, l.plain.Octave) / l.rows.givenScale()
		if l.map1 != nil {
			r.Map, err = l.map1.Rescale(r.Bandwidth)
		} else {
			r.Map, err = l.baseMap(ctx, r.Bandwidth)
		}
		return r, err
	}
	r.Bandwidth = learn.Bandwidth(l.unit, l.best.Octave)
	t := l.rows.inUnits(l.best.B)
	r.Transform = matrixOf(t)
	m := l.map1
	if m == nil {
		q := *l.q
		q.Kernel, q.Data = l.kernel, &transformed{l.q.Data, t, r.Bandwidth, l.q.engine}
		if m, err = sampleFrom(ctx, l.Base, &q, q.Features); err != nil {
			return nil, err
		}
	}
	r.Map, err = l.fold(ctx, m, t, r.Bandwidth)
	return r, err
}

// baseMap draws plain features.
func (l *learning) baseMap(ctx context.Context, bandwidth float64) (*rff.Map, error) {
	q := *l.q
	var err error
	if q.Kernel, err = rff.WithBandwidth(l.open, bandwidth); err != nil {
		return nil, err
	}
	m, err := sampleFrom(ctx, l.Base, &q, q.Features)
	if err != nil {
		return nil, err
	}
	return inside.On(m, l.q.engine), nil
}

// asked returns the bandwidth of the kernel that was asked for, or the median distance if
// that kernel leaves it open.
func (l *learning) asked() float64 {
	if l.given > 0 {
		return l.given
	}
	if l.rows.train.X.Rows < 2 {
		return 1
	}
	h, err := l.median()
	if err != nil {
		return 1
	}
	return h / l.rows.givenScale()
}

// importance puts the eigenvalues and the diagonal of the fit's M into the result.
func (l *learning) importance(ctx context.Context, f *learn.Fit) error {
	m, err := f.GradientProduct(ctx, l.q.engine, l.Diagonal)
	if err != nil {
		return err
	}
	trace := dense.Sum(m.Diagonal)
	if !(trace > 0) || math.IsInf(trace, 0) {
		return nil
	}
	if m.Full.Rows > 0 {
		_, values, err := eigen.Symmetric(l.q.engine, m.Full)
		if err != nil {
			return nil
		}
		l.result.Eigenvalues = values
	}
	l.result.Importance = make([]float64, len(m.Diagonal))
	for i, v := range m.Diagonal {
		l.result.Importance[i] = v / trace
	}
	for i := range l.result.Eigenvalues {
		l.result.Eigenvalues[i] /= trace
	}
	return nil
}
