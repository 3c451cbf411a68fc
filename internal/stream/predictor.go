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

// Multiplier is a Predictor of one map.
type Multiplier interface {
	Predictor
	// Multiply is Predict by a product of matrices, which takes two fifths of the time where there
	// are hundreds of outputs. The last bits of a prediction differ from those of Predict.
	Multiply(e blas.Engine, dst, x blas.General[float64])
}

type predictor[T blas.Float] struct {
	features func(*rff.Map) *blas.Features[T]
	m        *rff.Map
	scaling  rff.Scaling
	coef     blas.General[T] // t×s: several rows gain little from it, and one row much
	within   []T
	zeros    []T        // in place of within
	apart    []float64  // the intercept
	memory   *sync.Pool // of one prediction at a time, apart: see the pool of blas.Features
}

type predicting[T blas.Float] struct{ x, y, z []T }

func newPredictor[T blas.Float](features func(*rff.Map) *blas.Features[T], m *rff.Map, s rff.Scaling, coef blas.General[float64], intercept []float64) Multiplier {
	p := &predictor[T]{features: features, m: m, scaling: s, coef: blas.NewGeneral[T](coef.Cols, coef.Rows), within: make([]T, len(intercept)),
		zeros: make([]T, len(intercept)), apart: intercept, memory: &sync.Pool{New: func() any { return new(predicting[T]) }}}
	Convert(p.within, intercept)
	for t := range coef.Cols {
		for i, to := 0, p.coef.Row(t); i < len(to); i++ {
			to[i] = T(coef.Data[i*coef.Stride+t])
		}
	}
	return p
}

func (p *predictor[T]) Predict(e blas.Engine, dst, x blas.General[float64], apart bool) {
	own := p.memory.Get().(*predicting[T])
	defer p.memory.Put(own)
	xt := p.scaled(own, x)
	if to, ok := any(dst).(blas.General[T]); ok {
		p.features(p.m).PredictBy(e, to, xt, p.coef, p.within)
		return
	}
	to, within := dense.Fitting(&own.y, dst.Rows, dst.Cols), p.within
	if apart {
		within = p.zeros
	}
	p.features(p.m).PredictBy(e, to, xt, p.coef, within)
	for i := range dst.Rows {
		row := dst.Row(i)
		Convert(row, to.Row(i))
		if apart {
			dense.Add(row, p.apart)
		}
	}
}

func (p *predictor[T]) Multiply(e blas.Engine, dst, x blas.General[float64]) {
	own := p.memory.Get().(*predicting[T])
	defer p.memory.Put(own)
	z, y := dense.Fitting(&own.z, x.Rows, p.coef.Cols), dense.Fitting(&own.y, dst.Rows, dst.Cols)
	p.features(p.m).Transform(e, z, p.scaled(own, x))
	blas.Gemm(e, false, true, 1, z, p.coef, 0, y)
	for i := range dst.Rows {
		row := dst.Row(i)
		Convert(row, y.Row(i))
		dense.Add(row, p.apart)
	}
}

// scaled returns rows as the features take them.
func (p *predictor[T]) scaled(own *predicting[T], x blas.General[float64]) blas.General[T] {
	if xt, ok := any(x).(blas.General[T]); ok && inside.IsIdentity(p.scaling) {
		return xt
	}
	xt := dense.Fitting(&own.x, x.Rows, x.Cols)
	ScaleRows(p.scaling, xt, x)
	return xt
}
