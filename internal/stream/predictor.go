package stream

import (
	"sync"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/inside"
)

// Predictor predicts rows by a linear model of their features. Many goroutines may use it.
type Predictor interface {
	// Predict writes the predictions of the raw rows of x to dst. If apart is set, an intercept
	// that is large beside the rest of a prediction does not cost the rest any digits.
	Predict(e blas.Engine, dst, x blas.General[float64], apart bool)
}

type predictor[T blas.Float] struct {
	features func(*rff.Map) *blas.Features[T]
	m        *rff.Map
	scaling  rff.Scaling
	coef     blas.General[T]
	within   []T
	zeros    []T       // in place of within
	apart    []float64 // the intercept, nil if it is within
	memory   sync.Pool // of one prediction at a time
}

type predicting[T blas.Float] struct{ x, y []T }

func newPredictor[T blas.Float](features func(*rff.Map) *blas.Features[T], m *rff.Map, s rff.Scaling, coef blas.General[float64], intercept []float64) Predictor {
	p := &predictor[T]{features: features, m: m, scaling: s, within: make([]T, len(intercept))}
	p.memory.New = func() any { return new(predicting[T]) }
	Convert(p.within, intercept)
	if same, ok := any(coef).(blas.General[T]); ok {
		p.coef = same
		return p
	}
	p.coef = blas.NewGeneral[T](coef.Rows, coef.Cols)
	for i := range coef.Rows {
		Convert(p.coef.Row(i), coef.Row(i))
	}
	p.zeros, p.apart = make([]T, len(intercept)), intercept
	return p
}

func (p *predictor[T]) Predict(e blas.Engine, dst, x blas.General[float64], apart bool) {
	own := p.memory.Get().(*predicting[T])
	defer p.memory.Put(own)
	xt, ok := any(x).(blas.General[T])
	if !ok || !inside.IsIdentity(p.scaling) {
		xt = dense.Fitting(&own.x, x.Rows, x.Cols+len(p.scaling.Again))
		for i := range x.Rows {
			Scale(p.scaling, xt.Row(i), x.Row(i))
		}
	}
	if to, ok := any(dst).(blas.General[T]); ok {
		p.features(p.m).Predict(e, to, xt, p.coef, p.within)
		return
	}
	to, within := dense.Fitting(&own.y, dst.Rows, dst.Cols), p.within
	if apart {
		within = p.zeros
	}
	p.features(p.m).Predict(e, to, xt, p.coef, within)
	for i := range dst.Rows {
		row := dst.Row(i)
		Convert(row, to.Row(i))
		if apart {
			for t, v := range p.apart {
				row[t] += v
			}
		}
	}
}
