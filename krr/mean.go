package krr

import (
	"sync"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/stream"
)

// A model may be a mean of several. It is then the first of them, with coefficients times its
// weight and the intercept of all, and the others beside it, with coefficients times theirs.

// meanOf returns the model whose scores are the weighted sum of those of models of the same rows
// and targets. What else it says is that of the first one.
func meanOf(models []*Model, weight []float64) *Model {
	intercept := make([]float64, len(models[0].intercept))
	var parts []*Model
	for i, m := range models {
		coef := dense.Clone(m.coef)
		for r := range coef.Rows {
			for t := range coef.Row(r) {
				coef.Row(r)[t] *= weight[i]
			}
		}
		dense.AddTimes(intercept, weight[i], m.intercept)
		parts = append(parts, newModel(m.m, m.precision, m.scaling, coef, make([]float64, len(intercept))))
	}
	mean, first := *models[0], parts[0]
	mean.coef, mean.intercept, mean.r2, mean.rmse = first.coef, intercept, nil, nil
	mean.by = mean.precision.NewPredictor(mean.m, mean.scaling, mean.coef, mean.intercept)
	return mean.with(parts[1:])
}

// with returns the model with others beside it.
func (m Model) with(beside []*Model) *Model {
	m.beside = beside
	s := &sum{first: m.by, beside: beside, memory: &sync.Pool{New: func() any { return new([]float64) }}}
	m.by = s
	return &m
}

// sum predicts the sum of the scores of several models.
type sum struct {
	first  stream.Predictor
	beside []*Model
	memory *sync.Pool // of the scores of one model, apart: see the pool of blas.Features
}

func (s *sum) Predict(e blas.Engine, dst, x blas.General[float64], apart bool) {
	s.first.Predict(e, dst, x, apart)
	memory := s.memory.Get().(*[]float64)
	defer s.memory.Put(memory)
	one := dense.Fitting(memory, dst.Rows, dst.Cols)
	for _, m := range s.beside {
		m.by.Predict(e, one, x, false)
		for i := range dst.Rows {
			row := dst.Row(i)
			dense.Add(row, one.Row(i))
		}
	}
}
