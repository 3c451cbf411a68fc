package sampling

import (
	"context"
	"iter"
	"math"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/learn"
)

// asGiven is the transform that returns standardised inputs to the units of the data, times
// givenScale, which makes their mean square 1.
func (r *learningRows) asGiven() learn.Transform {
	b := learn.Transform{Scale: make([]float64, len(r.given))}
	for j, v := range r.given {
		b.Scale[j] = v * r.givenScale()
	}
	return b
}

func (r *learningRows) givenScale() float64 {
	var most, sum float64
	for _, v := range r.given {
		most = max(most, v)
	}
	for _, v := range r.given {
		u := v / most
		sum += float64(u * u)
	}
	return math.Sqrt(float64(len(r.given))/sum) / most
}

// perDeviation returns 1/deviation of each input.
func (r *learningRows) perDeviation() []float64 {
	v := make([]float64, len(r.given))
	for j, s := range r.given {
		v[j] = 1 / s
	}
	return v
}

// inUnits returns the transform that does to inputs in the units of the data what b does to
// standardised inputs. It is not symmetric.
func (r *learningRows) inUnits(b learn.Transform) learn.Transform {
	m := dense.Clone(matrixOf(b))
	for i := range m.Rows {
		for j := range m.Row(i) {
			m.Row(i)[j] /= r.given[j]
		}
	}
	if b.Diagonal() {
		return learn.Transform{Scale: m.Data}
	}
	return learn.Transform{Full: m}
}

// matrixOf returns t as a d×d matrix, or as a 1×d one if t is a scale per input.
func matrixOf(t learn.Transform) blas.General[float64] {
	if t.Diagonal() {
		return dense.Vector(t.Scale)
	}
	return t.Full
}

// fold returns the map that takes x, given m, the map that takes t·x/h.
func (l *learning) fold(ctx context.Context, m *rff.Map, t learn.Transform, h float64) (*rff.Map, error) {
	spec := inside.Spec(m)
	if spec.Func != asm.CosSin && spec.Func != asm.Cos {
		return nil, baseError(l.q.sampler, l.Base, "must have frequencies of cosines to learn")
	}
	spec, err := withoutBlocks(ctx, l.q.engine, spec)
	if err != nil {
		return nil, err
	}
	spec.W = t.Frequencies(l.q.engine, spec.W, h)
	return l.q.made(spec, nil)
}

// transformed is rows of t·x/h.
type transformed struct {
	rff.Source
	t      learn.Transform
	h      float64
	engine blas.Engine
}

func (s *transformed) Batches(ctx context.Context) iter.Seq2[rff.Batch, error] {
	return inside.Batches(ctx, s.Source, func(b *rff.Batch) error {
		b.X = s.rows(b.X)
		return nil
	})
}

func (s *transformed) rows(x blas.General[float64]) blas.General[float64] {
	if s.t.Diagonal() {
		return s.t.Frequencies(s.engine, x, s.h)
	}
	out := blas.NewGeneral[float64](x.Rows, x.Cols)
	blas.Gemm(s.engine, false, true, 1/s.h, x, s.t.Full, 0, out)
	return out
}
