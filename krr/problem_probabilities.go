package krr

import (
	"context"
	"math"
	"slices"

	"github.com/rffgo/rff/blas"
	coding "github.com/rffgo/rff/internal/classes"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/measure"
	"github.com/rffgo/rff/krr/internal/calibration"
)

// scored are held-out rows with the scores of models that have not seen them.
type scored struct {
	calibration.Rows // a row with probabilities is one for each of its classes, weighted by them
	weight           []float64
	whole            []float64 // the weights of the rows themselves, of which calibrations take squares
	rows             int64
}

// newScored returns an empty set of rows with that many scores each.
func newScored(classes, columns int) *scored {
	return &scored{Rows: calibration.Rows{Classes: classes, Scores: blas.General[float64]{Cols: columns, Stride: columns}}}
}

// Held-out rows that one model has scored are divided into calibrationParts parts, on which
// calibrations are measured.
const calibrationParts = 5

// parts deals units of rows to the parts in turn. A calibration that is measured on a row has then
// not seen another row of its unit.
type parts map[int64]int

// of returns the part of all rows of a unit.
func (p parts) of(unit int64) int {
	part, known := p[unit]
	if !known {
		part = len(p) % calibrationParts
		p[unit] = part
	}
	return part
}

// add adds a row with coded targets y, whose scores are at the end of Scores.Data. fold is the
// fold that the scoring model left out, or the part of the row; cluster is shared by rows that may
// err alike. If the row stands for several equal rows of the data, copies says how many, and w is the
// sum of their weights, whose squares add up to w²/copies.
func (s *scored) add(y []float64, w float64, copies int64, fold int, cluster int64) {
	scores := s.Scores.Data[s.Scores.Rows*s.Scores.Cols:]
	s.whole, s.Cluster = append(s.whole, w/math.Sqrt(float64(copies))), append(s.Cluster, cluster)
	coding.Each(y, func(own int, p float64) {
		s.Scores.Data = append(s.Scores.Data[:s.Scores.Rows*s.Scores.Cols], scores...)
		s.Scores.Rows++
		s.Class, s.Fold, s.weight = append(s.Class, own), append(s.Fold, fold), append(s.weight, float64(w*p))
		s.Row = append(s.Row, int(s.rows))
	})
	s.rows++
}

// at returns the rows with the scores for one λ per target, taken from the scores for every λ.
func (s *scored) at(lambda []int) *scored {
	c := *s
	t := len(lambda)
	c.Scores = blas.NewGeneral[float64](s.Scores.Rows, t)
	for i := range c.Scores.Rows {
		for k, l := range lambda {
			c.Scores.Row(i)[k] = s.Scores.Row(i)[l*t+k]
		}
	}
	return &c
}

// byLogLoss reports whether λ is chosen by the log loss of probabilities. The scores of a path
// by passes are not kept, generalised cross-validation has none, and a log loss is of the scores
// of all classes.
func (f *problem) byLogLoss() bool {
	return f.Probabilities && !f.PerTarget && f.Passes == nil && f.Criterion != GCV
}

// path returns the path with the log loss of probabilities that are calibrated on the scores,
// each λ for itself. A calibration has so few parameters that it is measured on its own rows.
// Differences below 1/n say nothing: one of the n rows may make them.
func (s *scored) path(ctx context.Context, e blas.Engine, path []PathPoint) ([]PathPoint, error) {
	by := make([]PathPoint, len(path))
	var c *calibration.Calibration // that of the λ before is near
	for l, p := range path {
		rows := s.at(slices.Repeat([]int{l}, s.Scores.Cols/len(path)))
		rows.Weigh(s.weight, s.whole)
		var (
			loss float64
			err  error
		)
		if c, loss, err = calibration.Measure(ctx, e, &rows.Rows, c); err != nil {
			return nil, err
		}
		p.Error, p.StdErr = []float64{loss}, 0
		by[l] = p
	}
	return by, nil
}

// calibrate calibrates the probabilities of m on the scores. It measures the probabilities of
// each part by a calibration on the other parts.
func (s *scored) calibrate(ctx context.Context, m *Model) (*Measures, error) {
	if s.Scores.Rows == 0 {
		return nil, none("held-out rows of positive weight to calibrate probabilities with: give more rows")
	}
	s.Weigh(s.weight, s.whole)
	var err error
	if m.cal, err = calibration.Fit(ctx, inside.Engine(m.m), &s.Rows, nil); err != nil {
		return nil, err
	}
	parts := 0
	for _, fold := range s.Fold {
		parts = max(parts, fold+1)
	}
	held, err := s.HeldOut(ctx, inside.Engine(m.m), parts, m.cal)
	if err != nil {
		return nil, public(err)
	}
	return measuresOf(held, s.rows), nil
}

// measure measures the labels that the scores stand for.
func (s *scored) measure() *Measures {
	all := measure.NewLabels(s.Classes)
	for i, own := range s.Class {
		scores := s.Scores.Row(i)
		all.Add(own, coding.Decode(scores), scores[0], s.weight[i])
	}
	return measuresOf(all.Result(), s.rows)
}
