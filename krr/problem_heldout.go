package krr

import (
	"context"
	"iter"
	"math"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	coding "github.com/rffgo/rff/internal/classes"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/fold"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/measure"
	"github.com/rffgo/rff/krr/internal/calibration"
	"github.com/rffgo/rff/krr/internal/holdout"
)

// The squared error of held-out rows follows from the sums of the folds. Accuracy, absolute
// errors and probabilities do not. For these the fit keeps a sample of the rows that it
// reads, and the coefficients fitted without a fold predict the sampled rows of that fold.
// Where LeaveOneOut chooses λ without folds, its second pass predicts them.

// held is the sample, and the measures of its rows.
type held struct {
	p       *problem
	ways    int   // number of λ that rows are predicted with
	fold    int   // the fold left out, or the part of the rows
	cluster int64 // of the row
	sample  *holdout.Sample
	most    int // rows of the sample
	every   int // where single rows are left out, one in so many is used
	seen    int // single rows left out so far

	rows    int64                    // measured
	labels  []*measure.Labels        // per λ; nil for a regression, and with scores
	numbers []measure.Numbers        // of a regression, per λ and target
	odds    *calibration.Calibration // of scores that are log odds, whose log loss is measured
	scores  *scored                  // for every λ, nil unless they are needed once λ is chosen

	probability []float64 // of one row
}

// keepsScores reports whether held-out scores are needed once λ is chosen: for a calibration,
// or for classes whose scores each have a λ of their own.
func (f *problem) keepsScores() bool { return f.Probabilities || f.PerTarget && f.classes != nil }

// newHeld prepares the measures of a fit with ways λ, in at most so many bytes. A fit with
// folds must read its data through watch.
func newHeld(p *problem, ways int, bytes float64) *held {
	in, targets := p.data.Schema().Dims()
	classes := len(p.schema.Target.Classes)
	most := int(p.mostHeldOut(float64(p.report.features), float64(in), float64(targets), float64(classes), float64(ways), bytes))
	h := &held{p: p, ways: ways, most: most, sample: holdout.NewSample(p.Seed+2, most, in, targets)}
	if h.odds = p.odds(); h.odds != nil {
		h.probability = make([]float64, classes)
	}
	if p.keepsScores() {
		h.scores = newScored(classes, targets*ways)
		return h
	}
	if p.classes == nil {
		h.numbers = make([]measure.Numbers, ways*targets)
		return h
	}
	for range ways {
		l := measure.NewLabels(classes)
		l.Most = most
		h.labels = append(h.labels, l)
	}
	return h
}

// watch returns the data of the fit. The first pass over them leaves their sample in h. place
// returns the fold or the part of a row, and its cluster.
func (h *held) watch(place func(b rff.Batch, i int) (int, int64)) rff.Source {
	return &watched{h.p.data, h.sample, place, false}
}

// watched is data whose first pass leaves a sample of the rows in their folds.
type watched struct {
	rff.Source
	sample *holdout.Sample
	place  func(b rff.Batch, i int) (fold int, cluster int64)
	done   bool // the first pass is over
}

func (w *watched) Batches(ctx context.Context) iter.Seq2[rff.Batch, error] {
	if w.done {
		return w.Source.Batches(ctx)
	}
	w.done = true
	return func(yield func(rff.Batch, error) bool) {
		for b, err := range w.Source.Batches(ctx) {
			if !yield(b, err) { // whoever reads checks the batch
				return
			}
			w.sample.Add(b, b.Weight, w.place)
		}
	}
}

// sampleRows takes the sample of a fit in its first pass over the data.
func (p *problem) sampleRows() *holdout.Sample {
	in, targets := p.data.Schema().Dims()
	s := holdout.NewSample(p.Seed+3, keptRows, in, targets)
	p.data = &watched{p.data, s, holdout.Undivided, false}
	return s
}

// measure predicts the sampled rows of a fold by the coefficients that were
// fitted without it, for every λ.
func (h *held) measure(m holdout.Model) error {
	model := newModel(h.p.base, h.p.precision, h.p.Scaling, m.Base(inside.Engine(h.p.m), m.Coef), m.Intercept)
	model.schema = h.p.schema
	return h.predict(model, m.Fold)
}

// predict measures the sampled rows of a fold or part by a model of all λ.
func (h *held) predict(model *Model, fold int) error {
	h.fold = fold
	columns := len(model.intercept)
	block := max(16, (1<<20)/columns)
	var memory []float64
	return h.sample.Each(fold, block, func(x blas.General[float64], y func(i int) []float64, w func(i int) float64, cluster func(i int) int64) error {
		out := dense.Fitting(&memory, x.Rows, columns)
		if err := model.predict(out, x, 0); err != nil {
			return err
		}
		for i := range x.Rows {
			h.cluster = cluster(i)
			h.row(out.Row(i), nil, y(i), w(i))
		}
		return nil
	})
}

// left is row for rows that are left out one by one. If scores are kept, it uses a sample of
// the rows.
func (h *held) left(f, mean, y []float64, w float64) {
	if h.seen == 0 {
		h.every = int(h.p.report.Train.Rows/int64(h.most)) + 1
	}
	if h.seen++; h.scores == nil || fold.Of(h.p.Seed+1, int64(h.seen), h.every) == 0 {
		h.fold, h.cluster = int(h.rows%calibrationParts), h.rows
		h.row(f, mean, y, w)
	}
}

// row measures the held-out predictions f of one row with targets y and weight w: those
// for the first λ, then those for the next. mean is added to them, unless it is nil.
func (h *held) row(f, mean, y []float64, w float64) {
	h.rows++
	scores := make([]float64, len(y))
	for l := range h.ways {
		copy(scores, f[l*len(y):])
		for t := range mean {
			scores[t] += mean[t]
		}
		if h.scores != nil {
			h.scores.Scores.Data = append(h.scores.Scores.Data, scores...)
			continue
		}
		if h.labels != nil {
			if h.odds != nil {
				h.odds.Logits(h.probability, scores)
				h.odds.Probabilities(h.probability)
			}
			coding.Each(y, func(own int, p float64) {
				h.labels[l].Add(own, coding.Decode(scores), scores[0], float64(w*p))
				if h.odds != nil {
					h.labels[l].AddProbabilities(own, h.probability, float64(w*p))
				}
			})
			continue
		}
		for t, v := range scores {
			h.numbers[l*len(y)+t].Add(y[t], v, w)
		}
	}
	if h.scores != nil {
		h.scores.add(y, w, 1, h.fold, h.cluster)
	}
}

// report returns the measures at the λ chosen per target, nil if no row was measured.
// path is that of the cross-validation; variance returns that of a target.
func (h *held) report(path []PathPoint, at []int, variance func(t int) float64) *Measures {
	switch {
	case h.rows == 0:
		return nil
	case h.scores != nil:
		return h.scores.at(at).measure()
	case h.labels != nil:
		return measuresOf(h.labels[at[0]].Result(), h.rows)
	}
	r := &Measures{Rows: h.rows}
	for t, l := range at {
		n, mse, v := h.numbers[l*len(at)+t].Result(), path[l].Error[t], variance(t)
		if h.p.loss != nil { // the path of another loss has no squared errors
			mse, r.Loss = float64(n.RMSE*n.RMSE), append(r.Loss, path[l].Error[t])
		}
		n.RMSE, n.R2, n.Spread = math.Sqrt(mse), 0, math.Sqrt(max(0, v)) // of all rows
		if v > 0 {
			n.R2 = 1 - mse/v
		}
		r.RMSE, r.MAE, r.R2, r.numbers = append(r.RMSE, n.RMSE), append(r.MAE, n.MAE), append(r.R2, n.R2), append(r.numbers, n)
	}
	return r
}
