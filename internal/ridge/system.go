package ridge

import (
	"math"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
)

// System is the centred, weighted least squares problem of some rows, without
// its ridge: A = Σ w(z−z̄)(z−z̄)ᵀ, R = Σ w(z−z̄)(y−ȳ)ᵀ.
//
// A lives below the diagonal and in diag. The upper triangle is where A + nλI
// is formed and factored in place, for one λ after the other: one s×s matrix is
// all the memory that solving takes.
type System struct {
	Rows int64
	W    float64               // Σw
	Z, Y []float64             // weighted means z̄, ȳ
	A    blas.General[float64] // s×s
	Diag []float64             // of A
	R    blas.General[float64] // s×t
	YY   []float64             // Σ w(y−ȳ)² per target
	Ref  []float64             // y and ȳ are less this
	used bool                  // the upper triangle is no longer A's

	Penalty *Penalty // nil: the identity

	noise float64 // the norm of A's rounding errors where that is more than eps·tr A
}

// New forms the problem of the rows of total that are not in minus, which
// may be nil, both of targets less ref. This is the one place where statistics are
// centred.
func New(total, minus *blas.Sums, ref []float64) *System {
	return NewIn(blas.NewGeneral[float64](total.G.Rows, total.G.Rows), total, minus, ref)
}

// NewIn is New on given memory for A, which may be total's own G.
func NewIn(a blas.General[float64], total, minus *blas.Sums, ref []float64) *System {
	n, t := total.G.Rows, total.ZY.Cols
	s := &System{Z: make([]float64, n), Y: make([]float64, t), YY: make([]float64, t),
		A: a, Diag: make([]float64, n), R: blas.NewGeneral[float64](n, t), Ref: ref}
	s.Form(total, minus)
	return s
}

// Form is New on the memory of s.
func (s *System) Form(total, minus *blas.Sums) {
	s.Rows, s.W, s.noise = total.Rows, total.W, total.Noise
	less := func(a, b []float64, i int) float64 {
		if minus == nil {
			return a[i]
		}
		return a[i] - b[i]
	}
	none := &blas.Sums{}
	if minus == nil {
		minus, less = none, func(a, _ []float64, i int) float64 { return a[i] }
	} else {
		s.Rows, s.W = s.Rows-minus.Rows, s.W-minus.W
	}
	for i := range s.Z {
		s.Z[i] = less(total.Z, minus.Z, i) / s.W
	}
	for t := range s.Y {
		s.Y[t] = less(total.Y, minus.Y, t) / s.W
		s.YY[t] = max(0, less(total.YY, minus.YY, t)-float64(s.W*s.Y[t]*s.Y[t]))
	}
	for i := range s.R.Rows {
		row := s.R.Row(i)
		var b []float64
		if minus != none {
			b = minus.ZY.Row(i)
		}
		for t := range row {
			row[t] = less(total.ZY.Row(i), b, t) - float64(s.W*s.Z[i]*s.Y[t])
		}
	}
	for i := range s.A.Rows {
		row, g, wz := s.A.Row(i)[i:], total.G.Row(i)[i:], s.W*s.Z[i]
		if minus == none {
			for j := range row {
				row[j] = g[j] - float64(wz*s.Z[i+j])
			}
		} else {
			h := minus.G.Row(i)[i:]
			for j := range row {
				row[j] = g[j] - h[j] - float64(wz*s.Z[i+j])
			}
		}
		row[0] = max(row[0], 0) // a variance
		s.Diag[i] = row[0]
	}
	s.used = false
	dense.Mirror(s.A)
}

// restore makes both triangles and the diagonal A's again.
func (s *System) restore() {
	if s.used {
		dense.MirrorUp(s.A)
		for i, d := range s.Diag {
			s.A.Data[i*s.A.Stride+i] = d
		}
		s.used = false
	}
}

// ridge forms A + (Σw·λ + jitter)·I in the upper triangle, to be overwritten.
func (s *System) ridge(lambda, jitter float64) {
	s.restore()
	s.used = true
	for i, d := range s.Diag {
		s.A.Data[i*s.A.Stride+i] = d + float64(s.W*lambda) + jitter
	}
}

// columnSums returns Σ|aᵢⱼ| over i ≠ j for every column.
func (s *System) columnSums() []float64 {
	out := make([]float64, len(s.Diag))
	for i := range out {
		var sum float64
		for j, v := range s.A.Row(i)[:i] {
			v = math.Abs(v)
			sum += v
			out[j] += v
		}
		out[i] += sum
	}
	return out
}

// Intercept returns ȳ − βᵀz̄, with the reference, for every column of coef, whose
// targets repeat.
func (s *System) Intercept(coef blas.General[float64]) []float64 {
	b := make([]float64, coef.Cols)
	for c := range b {
		b[c] = s.Y[c%len(s.Y)]
	}
	for i, z := range s.Z {
		for c, v := range coef.Row(i) {
			b[c] -= float64(z * v)
		}
	}
	for c := range b {
		b[c] += s.Ref[c%len(s.Ref)]
	}
	return b
}
