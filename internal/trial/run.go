package trial

import (
	"context"
	"math"
	"slices"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/reweight"
	"github.com/rffgo/rff/internal/schedule"
	"github.com/rffgo/rff/internal/stream"
)

// Task is what a trial fits and measures.
type Task struct {
	Engine blas.Engine
	// Map makes the features of a split on e. It may be called for several splits at once.
	Map       func(ctx context.Context, e blas.Engine, split int, train *Rows) (*rff.Map, error)
	Scaling   rff.Scaling       // of the rows, before the map
	Precision *stream.Precision // nil: Float64
	Lambdas   []float64         // ascending
	// Rules solve again with other weights of the rows. nil: there is one solution for each λ.
	// A way to solve is a λ with a rule.
	Rules []reweight.Rule
	Loss  Loss
	Keep  bool // the result has the Solution of the last split
	Held  bool // the result has the Scores of held-out rows
}

// Result has the losses of the best way to solve that a trial found.
type Result struct {
	Mean   float64 // of Loss; +Inf if there is no finite one
	Proper float64 // mean of the scores that break ties
	Told   float64 // mean of what reports tell
	Lambda float64
	Rule   reweight.Rule // nil if there is one solution
	Loss   []float64     // of every held-out row, by slot
	Splits int

	weights []float64 // of the rows, nil: ones
	ways    []way
	way     int // the best
	last    *fitted
	lastAll *model
	summed  *Rows // the training rows of last
}

// way has the losses of one way to solve so far.
type way struct {
	loss                []float64 // sums over repeats, by slot
	scores              []float64 // of rows held out for the first time, one row after the other
	proper, told, total float64
}

// Run fits to the training rows of every split and measures on its held-out rows. It goes
// on from a result of the same task on the splits before, or begins if that is nil. Errors
// are those of Map and of ctx, a *rff.ValueError for a row that the map does not resolve,
// and those of package ridge where there is no solution.
func (t *Task) Run(ctx context.Context, splits []Split, from *Result) (*Result, error) {
	r := &Result{}
	if from != nil {
		*r = *from
		r.ways = make([]way, len(from.ways))
		for i, w := range from.ways {
			r.ways[i] = w
			r.ways[i].loss, r.ways[i].scores = slices.Clone(w.loss), slices.Clip(w.scores)
		}
	} else {
		r.ways = make([]way, len(t.Lambdas)*max(1, len(t.Rules)))
	}
	for r.Splits < len(splits) {
		next := splits[r.Splits:min(len(splits), r.Splits+schedule.Workers(t.Engine.Workers))]
		fits, errs := make([]*solved, len(next)), make([]error, len(next))
		t.Engine.Each(len(next), func(e blas.Engine, i int) { fits[i], errs[i] = t.fitSplit(ctx, e, r.Splits+i, next[i]) })
		for i, s := range next {
			err := errs[i]
			if err == nil {
				err = t.measure(ctx, r, fits[i], s)
			}
			if err != nil {
				return nil, err
			}
			r.Splits++
		}
	}
	r.choose(t)
	return r, nil
}

// solved is a fit and its solutions.
type solved struct {
	*fitted
	all *model
}

// fitSplit fits to the training rows of a split on e.
func (t *Task) fitSplit(ctx context.Context, e blas.Engine, split int, s Split) (*solved, error) {
	m, err := t.Map(ctx, e, split, s.Train)
	if err != nil {
		return nil, err
	}
	f, all, err := t.fit(ctx, e, m, s.Train)
	if err != nil {
		return nil, err
	}
	f.engine = t.Engine // what follows has all workers
	return &solved{f, all}, nil
}

// measure adds the losses of the held-out rows of a split.
func (t *Task) measure(ctx context.Context, r *Result, f *solved, s Split) error {
	if t.Keep {
		r.last, r.lastAll, r.summed = f.fitted, f.all, s.Train
	}
	targets := s.Train.Y.Cols
	slot := func(i int) int {
		if s.Slot == nil {
			return i
		}
		return s.Slot[i]
	}
	known := len(r.ways[0].loss)
	return f.predict(ctx, f.all, s.Valid, func(i int, scores []float64) {
		at, weight := slot(i), s.Valid.WeightOf(i)
		if at >= known && (r.weights != nil || weight != 1) {
			for len(r.weights) < at {
				r.weights = append(r.weights, 1)
			}
			r.weights = append(r.weights, weight)
		}
		for l := range r.ways {
			w, own := &r.ways[l], scores[l*targets:(l+1)*targets]
			if t.Held && at >= known {
				w.scores = append(w.scores, own...)
			}
			loss, proper, told := t.Loss(own, s.Valid.Y.Row(i))
			for at >= len(w.loss) {
				w.loss = append(w.loss, 0)
			}
			w.loss[at] += loss
			w.proper += float64(weight * proper)
			w.told += float64(weight * told)
			w.total += weight
		}
	})
}

// fit solves in every way. Few rows are solved by their kernel matrix, which takes a part of
// the work of sums of their features; rules need the sums.
func (t *Task) fit(ctx context.Context, e blas.Engine, m *rff.Map, train *Rows) (*fitted, *model, error) {
	f := newFitted(e, m, t.Scaling, t.Precision, train)
	if t.Rules == nil && f.dual(train) {
		all, err := f.byRows(ctx, train, t.Lambdas)
		return f, all, err
	}
	var all *model
	var err error
	if f.sums, err = f.sum(ctx, train); err != nil {
		return nil, nil, err
	}
	if t.Rules == nil {
		all, err = f.solve(ctx, f.sums, t.Lambdas)
	} else {
		all, err = f.reweighted(ctx, train, t.Lambdas, t.Rules)
	}
	return f, all, err
}

// choose takes the best way to solve. Of equal ways it takes the one with the best proper
// score, then the one with the largest λ and the last rule.
func (r *Result) choose(t *Task) {
	r.Mean, r.Proper = math.Inf(1), math.Inf(1)
	for l := len(r.ways) - 1; l >= 0; l-- {
		w := &r.ways[l]
		var sum, all float64
		for i, v := range w.loss {
			weight := stream.Weight(r.weights, i)
			sum += float64(weight * v)
			all += weight
		}
		mean, proper := sum/w.total, w.proper/w.total
		if mean < r.Mean || mean == r.Mean && proper < r.Proper {
			r.Mean, r.Proper, r.Told, r.way = mean, proper, w.told/w.total, l
			repeats := w.total / all
			r.Loss = make([]float64, len(w.loss))
			for i, v := range w.loss {
				r.Loss[i] = v / repeats
			}
		}
	}
	per := max(1, len(t.Rules))
	r.Lambda, r.Rule = t.Lambdas[r.way/per], nil
	if t.Rules != nil {
		r.Rule = t.Rules[r.way%per]
	}
}

// ResultOf returns the result of a way to solve, from the losses of so many held-out rows.
func ResultOf(rows int, of func(i int) (loss, proper, told, weight float64)) *Result {
	r := &Result{}
	w := way{loss: make([]float64, rows)}
	for i := range rows {
		loss, proper, told, weight := of(i)
		w.loss[i] = loss
		w.proper += float64(weight * proper)
		w.told += float64(weight * told)
		w.total += weight
		r.weights = append(r.weights, weight)
	}
	r.ways = []way{w}
	r.choose(&Task{Lambdas: []float64{0}})
	return r
}

// Forget drops all ways to solve but the best, with which alone Run then goes on.
func (r *Result) Forget() {
	r.ways, r.way, r.last, r.lastAll, r.summed = []way{r.ways[r.way]}, 0, nil, nil, nil
}

// Scores returns the scores of the held-out rows by the best way to solve, in the order of the splits of the first
// repeat. There are none unless the task asked for them.
func (r *Result) Scores(targets int) blas.General[float64] {
	all := r.ways[r.way].scores
	return blas.General[float64]{Rows: len(all) / targets, Cols: targets, Stride: targets, Data: all}
}

// Solved reports whether there is a finite loss.
func (r *Result) Solved() bool { return finite(r.Mean) }

// LossShare returns the share of the held-out rows that have a loss.
func (r *Result) LossShare() float64 {
	n := 0
	for _, v := range r.Loss {
		if v > 0 {
			n++
		}
	}
	return float64(n) / float64(max(1, len(r.Loss)))
}

// Solution returns the coefficients and the intercepts of the best way to solve on the last
// split, for the features of the map's base (package basis). sums returns the sums of the
// training rows of that split, with the errors of Run; if these are few, they are added up only
// when it is called.
func (r *Result) Solution() (coef blas.General[float64], shift []float64, sums func(context.Context) (*blas.Sums, error)) {
	targets := len(r.last.ref)
	coef = dense.Clone(dense.View(r.lastAll.coef, 0, r.lastAll.coef.Rows, r.way*targets, (r.way+1)*targets))
	last, rows := r.last, r.summed
	return coef, r.lastAll.shift[r.way*targets:][:targets], func(ctx context.Context) (sums *blas.Sums, err error) {
		if last.sums == nil {
			last.sums, err = last.sum(ctx, rows)
		}
		return last.sums, err
	}
}
