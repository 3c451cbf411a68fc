package krr

import (
	"context"
	"fmt"
	"iter"
	"math"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/loss"
	"github.com/rffgo/rff/internal/stream"
	"github.com/rffgo/rff/krr/internal/calibration"
	"github.com/rffgo/rff/krr/internal/holdout"
)

// setLoss reads the loss of the settings: squares, squares that are solved again under a rule,
// or another loss, which passes over the rows minimise.
func (f *problem) setLoss() (err error) {
	s := &f.Settings
	wrong := func(need string) error { return setting("loss", s.Loss, need) }
	if f.loss, f.rule, err = loss.Parse(s.Loss, f.targets); err != nil {
		return err
	}
	l, classes := f.loss, f.rule != nil
	if l != nil {
		classes = l.Traits().Classes
	}
	if err := f.setApart(); err != nil {
		return err
	}
	switch {
	case classes && f.classes == nil:
		return wrong("it is for a classification, and these data have no classes: give them (Classes), or take a loss of numbers")
	case f.loss == nil:
		return nil
	case f.classes != nil && !classes:
		return wrong("it is for a regression, and the target of these data is classes: take its labels for numbers (no Classes), or take a loss of classes")
	case s.keepsFactors() || s.Checkpoint.Path != "" || !s.crossValidates():
		return wrong("it is fitted by passes that keep no sums: it gives no variance, no checkpoints and no criterion other than a held-out fold")
	}
	t := l.Traits()
	if scaled := t.Counts || t.Levels != nil; scaled && s.PerTarget && len(s.Lambdas) == 0 && f.targets > max(1, len(t.Levels)) {
		return setting("lambda", nil, fmt.Sprintf("must be given where each of several targets has its own: the grid of %s is in the unit of one target. Give the values to choose from, or fit each target alone", s.Loss))
	}
	s.Passes, s.PerTarget = s.passes(), s.PerTarget && !l.Traits().Joint // the scores of a joint loss are one target
	if l.Traits().Counts || classes {
		f.shift.none(f.targets) // these losses read the targets themselves
	}
	return nil
}

// setApart keeps some of the rows apart, if the model is to compare new rows with them and the
// fit cannot leave out single rows. That is so where weights come from targets, where the fit
// makes no sums, and where rows are alike within groups or runs.
func (f *problem) setApart() error {
	s := &f.Settings
	if compares, _ := s.comparesRows(); !compares || s.apart != nil || !s.unlike && f.loss == nil && f.rule == nil && s.Passes == nil && s.foldRows <= 1 {
		return nil
	}
	folds, err := s.folds()
	if err != nil {
		return err
	}
	in, targets := f.data.Schema().Dims()
	a := &apart{Source: f.data, seed: s.Seed + apartSeed, run: int64(s.foldRows), folds: folds, sample: holdout.NewSample(s.Seed+3, keptRows, in, targets)}
	a.sample.Unit = a.unit
	s.apart, f.data = a, a
	return nil
}

// levelled is rows with a column of targets for each quantile.
type levelled struct {
	rff.Source
	levels int
}

// perLevel returns rows that repeat each target for every level, if the loss is of quantiles. Classes
// stay as they are, since setLoss refuses them.
func perLevel(data rff.Source, text string) rff.Source {
	if l, _, _ := loss.Parse(text, 1); l != nil && l.Traits().Levels != nil && data.Schema().Target.Classes == nil {
		return &levelled{data, len(l.Traits().Levels)}
	}
	return data
}

func (s *levelled) Schema() rff.Schema {
	schema := s.Source.Schema()
	schema.Target.Columns *= s.levels
	return schema
}

func (s *levelled) Batches(ctx context.Context) iter.Seq2[rff.Batch, error] {
	var memory []float64
	return inside.Batches(ctx, s.Source, func(b *rff.Batch) error {
		y := dense.Fitting(&memory, b.Y.Rows, b.Y.Cols*s.levels)
		for i := range y.Rows {
			for t, v := range b.Y.Row(i) {
				for l := range s.levels {
					y.Row(i)[t*s.levels+l] = v
				}
			}
		}
		b.Y = y
		return nil
	})
}

// checkCounts returns a *rff.ValueError for a target that is no count.
func (f *problem) checkCounts(b rff.Batch) error {
	for i := range stream.Present(b.Weight, b.Y.Rows) {
		for t, v := range b.Y.Row(i) {
			if !(v >= 0) {
				return badRow(b.First+int64(i), fmt.Sprintf("target %d", t+1), v, fmt.Sprintf("the loss %v is of counts or rates, which are not negative", f.loss))
			}
		}
	}
	return nil
}

// checkTargets returns an error if a target has no finite best score.
func (f *problem) checkTargets() error {
	if f.loss == nil || !f.loss.Traits().Counts {
		return nil
	}
	for t, most := range f.shift.hi {
		if most == 0 {
			return &rff.DegenerateDataError{What: "a fit of counts", Why: fmt.Sprintf("every count of target %d is 0, and the logarithm of their mean is not finite", t+1)}
		}
	}
	return nil
}

// lambdasOf returns the default grid times the largest power of ten that is at most unit. Let
// the targets be c times as large. Then the loss of counts is c times as large at the same
// ‖β‖². The loss of quantiles is c times as large too, but at a ‖β‖² that is c² times as large.
func lambdasOf(unit float64) []float64 {
	power := 0
	for ; unit >= 10; power++ {
		unit /= 10
	}
	for ; unit > 0 && unit < 1; power-- {
		unit *= 10
	}
	grid := defaultLambdas()
	for i := range grid {
		grid[i] = math.Pow10(power + i - len(grid))
	}
	return grid
}

// odds returns the calibration of a loss whose scores are log odds, or nil for another loss.
func (f *problem) odds() *calibration.Calibration {
	if f.loss == nil || !f.loss.Traits().Probabilities {
		return nil
	}
	return calibration.Of(len(f.schema.Target.Classes))
}
