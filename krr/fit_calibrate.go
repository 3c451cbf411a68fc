package krr

import (
	"context"
	"time"

	"github.com/rffgo/rff/blas"
)

// calibrationRows bounds the rows whose held-out scores are kept: more do not
// determine the few numbers of a calibration better.
const calibrationRows = 1 << 17

// calibrate reads the data once more, predicts every row by the model that was
// fitted without its fold, and fits probabilities to these held-out scores.
func (f *fit) calibrate(ctx context.Context, m *Model, folds []foldModel, at []int) error {
	s, t, k := m.coef.Rows, f.targets, len(f.Classes)
	coef := blas.NewGeneral[float64](s, t*len(folds))
	intercept := make([]float64, t*len(folds))
	column := make(map[int]int, len(folds)) // of a fold
	for i, fm := range folds {
		column[fm.fold] = i * t
		for c := range t {
			from := at[c]*t + c
			intercept[i*t+c] = fm.intercept[from]
			for r := range s {
				coef.Row(r)[i*t+c] = fm.coef.Row(r)[from]
			}
		}
	}
	held := newModel(f.m, f.Settings.Precision, f.Scaling, coef, intercept)
	held.classes = f.Classes
	every := int(f.report.Rows/calibrationRows) + 1
	var scores, weight []float64
	var class []int
	in, targets := f.data.Dims()
	out := blas.NewGeneral[float64](chunkRows(in+targets, s), len(intercept))
	begun := time.Now()
	reported := begun
	for b, err := range ahead(ctx, f.data, f.report.Features) {
		if err != nil {
			return err
		}
		if now := time.Now(); now.Sub(reported) > progressEvery {
			reported = now
			f.progress("calibrate", b.First, f.report.Rows, begun)
		}
		part := out.RowRange(0, b.X.Rows)
		held.predict(part, b.X)
		for i := range b.X.Rows {
			row := b.First + int64(i)
			from, ok := column[f.fold(b, i)]
			if !ok || foldOf(f.Seed+1, row, every) != 0 {
				continue
			}
			scores = append(scores, part.Row(i)[from:from+t]...)
			y, _ := decodeTargets(b.Y.Row(i))
			class = append(class, y)
			if b.Weight != nil {
				weight = append(weight, b.Weight[i])
			}
		}
	}
	all := blas.General[float64]{Rows: len(class), Cols: t, Stride: t, Data: scores}
	m.cal = calibrate(all, class, weight, k)
	h := &HeldOut{Rows: int64(len(class))}
	p := make([]float64, k)
	var sum float64
	for i, y := range class {
		w := weightOf(weight, i)
		sum += w
		if classOf(all.Row(i)) == y {
			h.Accuracy += w
		}
		m.cal.logits(p, all.Row(i))
		own := p[y]
		h.LogLoss += float64(w * (softmax(p) - own))
	}
	h.Accuracy /= sum
	h.LogLoss /= sum
	f.report.HeldOut = h
	return nil
}
