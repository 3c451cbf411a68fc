package krr

import (
	"context"
	"iter"
	"math"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
)

// What Settings.HeldOut measures. The squared error of held-out rows follows
// from the sums of the folds. Whether a label is right, and the size of an
// error, do not: for these a sample of the rows is kept as the fit reads them,
// and each fold's coefficients predict the sampled rows that they have not seen.

const (
	// heldOutRows, heldOutBytes and heldOutWork (multiply-adds) bound the sample:
	// at 32,768 rows the standard error of an accuracy is at most 0.3 %.
	heldOutRows  = 1 << 15
	heldOutBytes = 32 << 20
	heldOutWork  = 4e9
	// heldOutLeast is kept whatever the work.
	heldOutLeast = 1000
)

// held is the sample and what was measured on it.
type held struct {
	f       *fit
	most    int    // rows
	below   uint64 // rows whose hash is below this are kept
	hash    []uint64
	fold    []int
	w, x, y []float64
	done    bool // the first pass is over

	path  []PathPoint // by cross-validation
	rows  int64       // measured
	sum   float64     // of their weights
	right []float64   // weight of right labels, per λ
	abs   []float64   // Σw|e| per λ and target
}

// newHeld prepares the measures of a fit; its data must be read through watch.
func newHeld(f *fit) *held {
	in, targets := f.data.Dims()
	perRow := 8 * float64(in+targets+3)
	perFit := float64(f.report.Features) * float64(targets) * float64(len(f.grid))
	most := min(heldOutRows, max(heldOutLeast, heldOutWork/perFit), heldOutBytes/perRow)
	return &held{f: f, most: int(max(1, most)), below: math.MaxUint64,
		right: make([]float64, len(f.grid)), abs: make([]float64, len(f.grid)*targets)}
}

// watch returns the fit's data, which leave their sample in h when they are read.
func (h *held) watch() rff.Source { return &watched{h.f.data, h} }

type watched struct {
	rff.Source
	h *held
}

func (w *watched) Rows() int64 { return sourceRows(w.Source) }

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
			w.h.add(b)
		}
	}
}

// add keeps a sample of the rows of b: those with the least hashes of seed and
// index, so that the sample depends on neither batches nor order.
func (h *held) add(b rff.Batch) {
	for i := range b.X.Rows {
		z := hashRow(h.f.Seed+2, b.First+int64(i))
		if z >= h.below {
			continue
		}
		if len(h.hash) == h.most {
			h.below /= 2
			h.drop()
			if z >= h.below {
				continue
			}
		}
		h.hash = append(h.hash, z)
		h.fold = append(h.fold, h.f.fold(b, i))
		h.w = append(h.w, weightOf(b.Weight, i))
		h.x = append(h.x, b.X.Row(i)...)
		h.y = append(h.y, b.Y.Row(i)...)
	}
}

// drop removes the rows whose hash is not below the limit.
func (h *held) drop() {
	in, targets := h.f.data.Dims()
	n := 0
	for i, z := range h.hash {
		if z >= h.below {
			continue
		}
		h.hash[n], h.fold[n], h.w[n] = z, h.fold[i], h.w[i]
		copy(h.x[n*in:(n+1)*in], h.x[i*in:])
		copy(h.y[n*targets:(n+1)*targets], h.y[i*targets:])
		n++
	}
	h.hash, h.fold, h.w, h.x, h.y = h.hash[:n], h.fold[:n], h.w[:n], h.x[:n*in], h.y[:n*targets]
}

// measure predicts the sampled rows of a fold by the coefficients that were
// fitted without it, for every λ.
func (h *held) measure(m foldModel) error {
	in, targets := h.f.data.Dims()
	var at []int
	for i, fold := range h.fold {
		if fold == m.fold && h.w[i] > 0 {
			at = append(at, i)
		}
	}
	if len(at) == 0 {
		return nil
	}
	model := newModel(h.f.m, h.f.Settings.Precision, h.f.Scaling, m.coef, m.intercept)
	model.classes = h.f.Classes
	block := max(16, (1<<20)/len(m.intercept))
	x, out := blas.NewGeneral[float64](min(block, len(at)), in), blas.NewGeneral[float64](min(block, len(at)), len(m.intercept))
	for len(at) > 0 {
		n := min(block, len(at))
		for i, r := range at[:n] {
			copy(x.Row(i), h.x[r*in:(r+1)*in])
		}
		if err := model.predict(out.RowRange(0, n), x.RowRange(0, n), 0); err != nil {
			return err
		}
		for i, r := range at[:n] {
			h.row(out.Row(i), nil, h.y[r*targets:(r+1)*targets], h.w[r])
		}
		at = at[n:]
	}
	return nil
}

// row compares the held-out predictions of one row, for every λ and less the
// mean of the targets unless that is nil, with its targets.
func (h *held) row(f, mean, y []float64, w float64) {
	h.rows++
	h.sum += w
	scores := make([]float64, len(y))
	for l := range h.right {
		copy(scores, f[l*len(y):])
		for t := range mean {
			scores[t] += mean[t]
		}
		for t, v := range scores {
			h.abs[l*len(y)+t] += float64(w * math.Abs(y[t]-v))
		}
		if h.f.classes != nil {
			if own, _ := decodeTargets(y); classOf(scores) == own {
				h.right[l] += w
			}
		}
	}
}

// report returns the measures at the λ chosen per target; variance is that of a
// target. It is nil if no row was measured.
func (h *held) report(at []int, variance func(t int) float64) *HeldOut {
	if h.rows == 0 {
		return nil
	}
	r := &HeldOut{Rows: h.rows}
	if h.f.classes != nil {
		r.Accuracy = h.right[at[0]] / h.sum
		return r
	}
	for t, l := range at {
		mse := h.path[l].MSE[t]
		r.RMSE = append(r.RMSE, math.Sqrt(mse))
		r.MAE = append(r.MAE, h.abs[l*len(at)+t]/h.sum)
		r2 := 0.0
		if v := variance(t); v > 0 {
			r2 = 1 - mse/v
		}
		r.R2 = append(r.R2, r2)
	}
	return r
}
