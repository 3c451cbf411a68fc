package krr

import (
	"context"
	"time"

	"github.com/rffgo/rff/blas"
)

// Bounds on the rows whose held-out scores are kept: more do not determine a
// calibration better.
const (
	calibrationRows   = 1 << 17
	calibrationScores = 1 << 22 // of all classes: 32 MiB
)

// calibrate reads the data once more, predicts every row by the model that was
// fitted without its fold, and fits probabilities to these held-out scores.
func (f *direct) calibrate(ctx context.Context, m *Model, folds []foldModel, at []int) error {
	start := time.Now()
	reported := start
	t, e := f.targets, f.m.Engine()
	held, column := f.heldOutModel(m, folds, at)
	rows := &scored{classes: len(f.Classes), scores: blas.General[float64]{Cols: t, Stride: t}}
	every := int(f.report.Rows/max(1, min(calibrationRows, calibrationScores/int64(t)))) + 1
	var weight []float64
	in, targets := f.data.Dims()
	out := blas.NewGeneral[float64](chunkRows(in+targets, m.coef.Rows), len(held.intercept))
	for b, err := range ahead(ctx, f.data, f.report.Features) {
		if err != nil {
			return err
		}
		part := out.RowRange(0, b.X.Rows)
		if err := held.predict(part, b.X, b.First); err != nil {
			return err
		}
		for i := range b.X.Rows {
			row := b.First + int64(i)
			fold := f.fold(b, i)
			from, ok := column[fold]
			if !ok || weightOf(b.Weight, i) == 0 || foldOf(f.Seed+1, row, every) != 0 {
				continue
			}
			y, _ := decodeTargets(b.Y.Row(i))
			rows.scores.Rows++
			rows.scores.Data = append(rows.scores.Data, part.Row(i)[from:from+t]...)
			rows.class, rows.fold = append(rows.class, y), append(rows.fold, fold)
			if b.Weight != nil {
				weight = append(weight, b.Weight[i])
			}
		}
		if now := time.Now(); now.Sub(reported) > progressEvery {
			reported = now
			f.progress("calibrate", b.First+int64(b.X.Rows), f.report.Rows, start)
		}
	}
	if len(rows.class) == 0 {
		return &EmptyError{"held-out rows of positive weight to calibrate probabilities with"}
	}
	rows.weigh(weight)
	var err error
	if m.cal, err = calibrate(ctx, e, rows, nil); err != nil {
		return err
	}
	f.report.HeldOut, err = rows.heldOut(ctx, e, len(f.grams), m.cal)
	return err
}

// heldOutModel returns the models of the folds, each at the λ in use, as one
// model, and the column of a fold's first score.
func (f *fit) heldOutModel(m *Model, folds []foldModel, at []int) (*Model, map[int]int) {
	s, t := m.coef.Rows, f.targets
	coef := blas.NewGeneral[float64](s, t*len(folds))
	intercept := make([]float64, t*len(folds))
	column := make(map[int]int, len(folds))
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
	return held, column
}
