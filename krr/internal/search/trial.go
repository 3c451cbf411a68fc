package search

import (
	"context"
	"errors"
	"math"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/classes"
	"github.com/rffgo/rff/krr/internal/sample"
	"github.com/rffgo/rff/krr/internal/stream"
)

// try fits a candidate to the first rows of every split and measures it on held-out
// rows, with the best λ of the grid. Numbers that a fit cannot cope with make the
// candidate useless, and are no error.
func (s *Search) try(ctx context.Context, e blas.Engine, c candidate, z size, grid []float64) (trial, error) {
	var all [][]float64 // per λ, loss of every held-out row
	wrong := make([]float64, len(grid))
	var learned *made
	all = make([][]float64, len(grid))
	for i := range z.splits {
		sp := &s.splits[i]
		var m *rff.Map
		var err error
		if c.learned == "" {
			m, err = s.draw(ctx, e, c, z.features, sp.Train.Head(z.rows), s.scalings[c.scaling])
		} else {
			learned, err = s.learnMap(ctx, e, c, z.features, sp.Train.Head(z.rows), s.scalings[c.scaling])
			if learned != nil {
				m = learned.m
			}
		}
		if err == nil {
			err = s.measure(ctx, m, c, sp, z, grid, all, wrong)
		}
		if err := ctx.Err(); err != nil {
			return trial{}, err
		}
		if unusable(err) {
			return failed(c, err), nil
		}
		if err != nil {
			return trial{}, err
		}
	}
	t, at := s.least(trial{candidate: c, mean: math.Inf(1), made: learned}, all, wrong)
	t.lambda = grid[at]
	return t, nil
}

// least completes t by the losses of the best of several ways, whose index it returns:
// of equal ones the last.
func (s *Search) least(t trial, all [][]float64, wrong []float64) (trial, int) {
	at := 0
	for l := len(all) - 1; l >= 0; l-- {
		var mean float64
		for _, v := range all[l] {
			mean += v
		}
		mean /= float64(len(all[l]))
		if mean < t.mean {
			t.mean, at = mean, l
		}
	}
	t.loss = all[at]
	t.errors = wrong[at] / float64(len(t.loss))
	if s.Classes == nil {
		t.errors = math.Sqrt(t.errors)
	}
	return t, at
}

// unusable reports errors of numbers: of a candidate, not of the data as such.
func unusable(err error) bool {
	var unsolved *Unsolved
	var row *rff.ValueError
	var nothing *nothingLearned
	var condition *rff.ParameterError
	// A kernel that the sampler cannot draw from, or a λ too small for the arithmetic.
	if errors.As(err, &condition) && (condition.Name == "kernel" || condition.Name == "lambda") {
		return true
	}
	return errors.As(err, &nothing) || errors.As(err, &unsolved) || errors.As(err, &row)
}

// measure adds the losses of map m on the held-out rows of a split.
func (s *Search) measure(ctx context.Context, m *rff.Map, c candidate, sp *Split, z size, grid []float64, all [][]float64, wrong []float64) error {
	train, valid := sp.Train.Head(z.rows), sp.Valid.Head(z.valid)
	return s.learner.Path(ctx, m, s.scalings[c.scaling].Scaling, train, grid, valid.X, s.lossesOf(valid, all, wrong))
}

// lossesOf returns a function that adds the losses of a held-out row, one per way, of
// their scores.
func (s *Search) lossesOf(valid *sample.Rows, all [][]float64, wrong []float64) func(i int, scores []float64) {
	return func(i int, scores []float64) {
		w := stream.Weight(valid.Weight, i)
		for l := range all {
			loss, bad := s.loss(scores[l*s.targets:(l+1)*s.targets], valid.Y.Row(i))
			all[l] = append(all[l], w*loss)
			wrong[l] += float64(w * bad)
		}
	}
}

// ramp is the width of the margin within which a classification's loss is neither 0
// nor 1. Counting wrong labels alone says little of few rows; squared errors say
// something else.
const ramp = 0.5

// loss returns what candidates are compared by, and what a report tells: of a
// classification a smoothed and the plain count of wrong labels; of a regression the
// squared error over the variance, of predictions within the range of the targets.
func (s *Search) loss(scores, y []float64) (loss, bad float64) {
	if s.Classes != nil {
		margin := classes.Margin(scores, y)
		own, _ := classes.Of(y)
		if classes.Decode(scores) != own {
			bad = 1
		}
		return min(1, max(0, 0.5-margin/(2*ramp))), bad
	}
	for t, v := range scores {
		d := y[t]
		if s.Unclipped {
			d -= v
		} else {
			d -= min(max(v, s.low[t]), s.high[t])
		}
		loss += float64(d*d) / s.variance[t] / float64(len(y))
	}
	return loss, loss
}

// targetRanges sets the range and the variance of every target, and reports
// whether there is something to learn: a target that varies, two classes.
func (s *Search) targetRanges() bool {
	y := s.sample.Y
	s.low, s.high, s.variance = make([]float64, y.Cols), make([]float64, y.Cols), make([]float64, y.Cols)
	varies := false
	for t := range y.Cols {
		lo, hi, mean := math.Inf(1), math.Inf(-1), 0.0
		for i := range y.Rows {
			v := y.Row(i)[t]
			lo, hi = min(lo, v), max(hi, v)
			mean += v / float64(y.Rows)
		}
		for i := range y.Rows {
			d := y.Row(i)[t] - mean
			s.variance[t] += float64(d*d) / float64(y.Rows)
		}
		s.low[t], s.high[t] = lo, hi
		if v := s.variance[t]; lo < hi && v > 0 && !math.IsInf(v, 1) {
			varies = true
		} else {
			s.variance[t] = 1 // nothing to explain
		}
	}
	return varies
}
