package learn

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/portable"
)

func newDescent[T blas.Float](w, coef blas.General[float64], amplitude float64) *descent[T] {
	s := &descent[T]{w: narrowed[T](w, 1), a: narrowed[T](coef, amplitude)}
	s.mw, s.vw = make([]T, len(s.w.Data)), make([]T, len(s.w.Data))
	s.ma, s.va = make([]T, len(s.a.Data)), make([]T, len(s.a.Data))
	return s
}

func narrowed[T blas.Float](m blas.General[float64], factor float64) blas.General[T] {
	c := blas.NewGeneral[T](m.Rows, m.Cols)
	for i := range m.Rows {
		for j, v := range m.Row(i) {
			c.Row(i)[j] = T(v * factor)
		}
	}
	return c
}

func widened[T blas.Float](m blas.General[T]) blas.General[float64] {
	c := blas.NewGeneral[float64](m.Rows, m.Cols)
	for i := range m.Rows {
		for j, v := range m.Row(i) {
			c.Row(i)[j] = float64(v)
		}
	}
	return c
}

// rms returns the root mean square of v.
func rms[T blas.Float](v []T) float64 {
	var s float64
	for _, x := range v {
		s += float64(float64(x) * float64(x))
	}
	return math.Sqrt(s / float64(len(v)))
}

// cosine returns cos(πx) for x in [0, 1].
func cosine(x float64) float64 { return portable.CosPi(x) }

// power returns b^n by squaring, with the same bits everywhere.
func power(b float64, n int) float64 {
	p := 1.0
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			p *= b
		}
		b *= b
	}
	return p
}

// shuffle writes a random permutation of 0 … n−1.
func shuffle(order []int, src rand.Source) {
	for i := range order {
		order[i] = i
	}
	for i := len(order) - 1; i > 0; i-- {
		hi, _ := bits.Mul64(src.Uint64(), uint64(i+1))
		order[i], order[hi] = order[hi], order[i]
	}
}

// batch is room for the gradients of some rows.
type batch[T blas.Float] struct {
	rows        int
	x, y, r     blas.General[T] // inputs; targets less the intercept; residuals
	z, e, dp    blas.General[T] // features; R·Aᵀ; D
	gw, ga      blas.General[T]
	weight      []T
	allX, allY  blas.General[T]
	allZ, allE  blas.General[T]
	allDP, allR blas.General[T]
	isWeighted  bool
}

func newBatch[T blas.Float](rows, f, d, t int) *batch[T] {
	return &batch[T]{allX: blas.NewGeneral[T](rows, d), allY: blas.NewGeneral[T](rows, t), allR: blas.NewGeneral[T](rows, t),
		allZ: blas.NewGeneral[T](rows, 2*f), allE: blas.NewGeneral[T](rows, 2*f), allDP: blas.NewGeneral[T](rows, f),
		gw: blas.NewGeneral[T](f, d), ga: blas.NewGeneral[T](2*f, t), weight: make([]T, rows)}
}

// load takes the rows of an order.
func (b *batch[T]) load(x blas.General[float64], rows Rows, shift []float64, order []int) {
	n := len(order)
	b.rows = n
	b.x, b.y, b.r = b.allX.RowRange(0, n), b.allY.RowRange(0, n), b.allR.RowRange(0, n)
	b.z, b.e, b.dp = b.allZ.RowRange(0, n), b.allE.RowRange(0, n), b.allDP.RowRange(0, n)
	b.isWeighted = rows.Weight != nil
	for i, at := range order {
		for j, v := range x.Row(at) {
			b.x.Row(i)[j] = T(v)
		}
		for j, v := range rows.Y.Row(at) {
			b.y.Row(i)[j] = T(v - shift[j])
		}
		if b.isWeighted {
			b.weight[i] = T(rows.Weight[at])
		}
	}
}

// gradient computes the gradients of half the mean squared error of the batch and
// of ridge/2·‖A‖² in frequencies and coefficients:
//
//	R = Z·A − Y,  gA = ZᵀR/n + ridge·A,  D = c∘(R·bᵀ) − s∘(R·aᵀ),  gW = DᵀX/n
//
// of Z = [c s], A = [a; b]. It reports whether the loss is finite.
func (b *batch[T]) gradient(e blas.Engine, s *descent[T], ridge T) bool {
	f := s.w.Rows
	features := pairs[T](widened(s.w), 1)
	features.Transform(e, b.z, b.x)
	blas.Gemm(e, false, false, 1, b.z, s.a, 0, b.r)
	var loss float64
	for i := range b.r.Rows {
		row := b.r.Row(i)
		for j, y := range b.y.Row(i) {
			v := row[j] - y
			if b.isWeighted {
				v *= b.weight[i]
			}
			row[j] = v
			loss += math.Abs(float64(v))
		}
	}
	if loss-loss != 0 {
		return false
	}
	scale := 1 / T(b.rows)
	for i := range s.a.Rows {
		row := b.ga.Row(i)
		for j, v := range s.a.Row(i) {
			row[j] = ridge * v
		}
	}
	blas.Gemm(e, true, false, scale, b.z, b.r, 1, b.ga)
	blas.Gemm(e, false, true, 1, b.r, s.a, 0, b.e)
	for i := range b.rows {
		c, sn := b.z.Row(i)[:f], b.z.Row(i)[f:]
		ra, rb := b.e.Row(i)[:f], b.e.Row(i)[f:]
		d := b.dp.Row(i)
		for j := range d {
			d[j] = T(c[j]*rb[j]) - T(sn[j]*ra[j])
		}
	}
	blas.Gemm(e, true, false, scale, b.dp, b.x, 0, b.gw)
	return true
}

// adam makes a step: c1 and c2 undo the bias of the moments towards zero.
func adam[T blas.Float](w, g, m, v []T, rate, c1, c2 float64) {
	r1, r2 := T(rate/c1), T(1/c2)
	for i, x := range g {
		m[i] = T(T(beta1)*m[i]) + T(T(1-beta1)*x)
		v[i] = T(T(beta2)*v[i]) + T(T(1-beta2)*T(x*x))
		w[i] -= T(T(r1*m[i]) / (T(math.Sqrt(float64(T(v[i]*r2)))) + T(epsilon)))
	}
}
