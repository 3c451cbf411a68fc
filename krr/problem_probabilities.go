package krr

import (
	"context"
	"time"

	"github.com/rffgo/rff/blas"
	coding "github.com/rffgo/rff/internal/classes"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/stream"
	"github.com/rffgo/rff/krr/internal/calibration"
	"github.com/rffgo/rff/krr/internal/holdout"
)

// Bounds on the rows whose held-out scores are kept; more hardly improve a calibration.
const (
	calibrationRows   = 1 << 17
	calibrationScores = 1 << 22 // of all classes: 32 MiB
)

// calibrate reads the data once more, predicts every row by the model that was
// fitted without its fold, and fits probabilities to these held-out scores.
func (f *problem) calibrate(ctx context.Context, m *Model, folds []holdout.Model, at []int) error {
	start := time.Now()
	reported := start
	t, e := f.targets, inside.Engine(f.m)
	folded, column := f.heldOutModel(m, folds, at)
	rows := &calibration.Rows{Classes: len(f.schema.Target.Classes), Scores: blas.General[float64]{Cols: t, Stride: t}}
	every := int(f.report.Rows/max(1, min(calibrationRows, calibrationScores/int64(t)))) + 1
	var weight []float64
	in, targets := f.data.Schema().Dims()
	out := blas.NewGeneral[float64](stream.Chunk(in+targets, m.coef.Rows), len(folded.intercept))
	for b, err := range ahead(ctx, f.data, f.report.Features) {
		if err != nil {
			return err
		}
		part := out.RowRange(0, b.X.Rows)
		if err := folded.predict(part, b.X, b.First); err != nil {
			return err
		}
		for i := range b.X.Rows {
			row := b.First + int64(i)
			fold := f.fold(b, i)
			from, ok := column[fold]
			if !ok || stream.Weight(b.Weight, i) == 0 || holdout.Fold(f.Seed+1, row, every) != 0 {
				continue
			}
			y, _ := coding.Of(b.Y.Row(i))
			rows.Scores.Rows++
			rows.Scores.Data = append(rows.Scores.Data, part.Row(i)[from:from+t]...)
			rows.Class, rows.Fold = append(rows.Class, y), append(rows.Fold, fold)
			if b.Weight != nil {
				weight = append(weight, b.Weight[i])
			}
		}
		if now := time.Now(); now.Sub(reported) > progressEvery {
			reported = now
			f.progress("calibrate", b.First+int64(b.X.Rows), f.report.Rows, start)
		}
	}
	if len(rows.Class) == 0 {
		return none("held-out rows of positive weight to calibrate probabilities with")
	}
	rows.Weigh(weight)
	var err error
	if m.cal, err = calibration.Fit(ctx, e, rows, nil); err != nil {
		return err
	}
	held, err := rows.HeldOut(ctx, e, f.foldCount, m.cal)
	if err != nil {
		return public(err)
	}
	f.report.HeldOut = heldOutOf(held)
	return nil
}

// heldOutModel returns the models of the folds, each at the λ chosen, as one model with
// their outputs side by side, and the column of every fold's first output.
func (f *problem) heldOutModel(m *Model, folds []holdout.Model, at []int) (*Model, map[int]int) {
	s, t := m.coef.Rows, f.targets
	coef := blas.NewGeneral[float64](s, t*len(folds))
	intercept := make([]float64, t*len(folds))
	column := make(map[int]int, len(folds))
	for i, fm := range folds {
		column[fm.Fold] = i * t
		for c := range t {
			from := at[c]*t + c
			intercept[i*t+c] = fm.Intercept[from]
			for r := range s {
				coef.Row(r)[i*t+c] = fm.Coef.Row(r)[from]
			}
		}
	}
	held := newModel(f.base, f.precision, f.Scaling, folds[0].Base(inside.Engine(f.m), coef), intercept)
	held.schema = f.schema
	return held, column
}
