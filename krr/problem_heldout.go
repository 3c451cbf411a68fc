package krr

import (
	"context"
	"iter"
	"math"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	coding "github.com/rffgo/rff/internal/classes"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/measure"
	"github.com/rffgo/rff/krr/internal/holdout"
)

// The squared error of held-out rows follows from the sums of the folds. Accuracy and
// absolute errors do not. For these the fit keeps a sample of the rows that it reads,
// and the coefficients fitted without a fold predict the sampled rows of that fold. Where
// LeaveOneOut chooses λ without folds, its second pass measures all rows.

const (
	// heldOutRows, heldOutBytes and heldOutWork (multiply-adds) bound the sample:
	// at 32,768 rows the standard error of an accuracy is at most 0.3 %.
	heldOutRows  = 1 << 15
	heldOutBytes = 32 << 20
	heldOutWork  = 4e9
	// heldOutLeast is kept whatever the work.
	heldOutLeast = 1000
)

// held is the sample, and the measures of its rows.
type held struct {
	p      *problem
	sample *holdout.Sample
	done   bool // the first pass is over

	rows   int64             // measured
	sum    float64           // of their weights
	labels []*measure.Labels // per λ; nil for a regression
	abs    []float64         // Σw|e| per λ and target
}

// newHeld prepares the measures of a fit, whose data must be read through watch.
func newHeld(p *problem) *held {
	in, targets := p.data.Schema().Dims()
	perRow := float64(8 * float64(in+targets+3))
	if len(p.schema.Target.Classes) == 2 {
		perRow += float64(24 * float64(len(p.grid))) // scores, which are kept
	}
	perFit := float64(p.report.Features) * float64(targets) * float64(len(p.grid))
	most := max(1, min(heldOutRows, max(heldOutLeast, heldOutWork/perFit), heldOutBytes/perRow))
	h := &held{p: p, sample: holdout.NewSample(p.Seed+2, int(most), in, targets), abs: make([]float64, len(p.grid)*targets)}
	for range p.grid {
		if p.classes != nil {
			l := measure.NewLabels(len(p.schema.Target.Classes))
			l.Most = int(most)
			h.labels = append(h.labels, l)
		}
	}
	return h
}

// watch returns the data of the fit. The first pass over them leaves their sample in h.
func (h *held) watch() rff.Source { return &watched{h.p.data, h} }

type watched struct {
	rff.Source
	h *held
}

func (w *watched) Batches(ctx context.Context) iter.Seq2[rff.Batch, error] {
	if w.h.done {
		return w.Source.Batches(ctx)
	}
	w.h.done = true
	return func(yield func(rff.Batch, error) bool) {
		for b, err := range w.Source.Batches(ctx) {
			if !yield(b, err) { // whoever reads checks the batch
				return
			}
			w.h.sample.Add(b, w.h.p.fold)
		}
	}
}

// measure predicts the sampled rows of a fold by the coefficients that were
// fitted without it, for every λ.
func (h *held) measure(m holdout.Model) error {
	model := newModel(h.p.base, h.p.precision, h.p.Scaling, m.Base(inside.Engine(h.p.m), m.Coef), m.Intercept)
	model.schema = h.p.schema
	block := max(16, (1<<20)/len(m.Intercept))
	var memory []float64
	return h.sample.Each(m.Fold, block, func(x blas.General[float64], y func(i int) []float64, w func(i int) float64) error {
		out := dense.Fitting(&memory, x.Rows, len(m.Intercept))
		if err := model.predict(out, x, 0); err != nil {
			return err
		}
		for i := range x.Rows {
			h.row(out.Row(i), nil, y(i), w(i))
		}
		return nil
	})
}

// row measures the held-out predictions f of one row with targets y and weight w: those
// for the first λ, then those for the next. mean is added to them, unless it is nil.
func (h *held) row(f, mean, y []float64, w float64) {
	h.rows++
	h.sum += w
	scores := make([]float64, len(y))
	for l := range h.p.grid {
		copy(scores, f[l*len(y):])
		for t := range mean {
			scores[t] += mean[t]
		}
		for t, v := range scores {
			h.abs[l*len(y)+t] += float64(w * math.Abs(y[t]-v))
		}
		if h.labels != nil {
			own, _ := coding.Of(y)
			h.labels[l].Add(own, coding.Decode(scores), scores[0], w)
		}
	}
}

// report returns the measures at the λ chosen per target, nil if no row was measured.
// path is that of the cross-validation; variance returns that of a target.
func (h *held) report(path []PathPoint, at []int, variance func(t int) float64) *HeldOut {
	if h.rows == 0 {
		return nil
	}
	if h.labels != nil {
		return heldOutOf(h.labels[at[0]].Result())
	}
	r := &HeldOut{Rows: h.rows}
	for t, l := range at {
		mse := path[l].Error[t]
		r.RMSE = append(r.RMSE, math.Sqrt(mse))
		r.MAE = append(r.MAE, h.abs[l*len(at)+t]/h.sum)
		r2, v := 0.0, variance(t)
		if v > 0 {
			r2 = 1 - mse/v
		}
		r.R2, r.Spread = append(r.R2, r2), append(r.Spread, math.Sqrt(max(0, v)))
	}
	return r
}
