package krr

import (
	"math"

	"github.com/rffgo/rff/blas"
)

// system is the centred, weighted least squares problem of some rows, without
// its ridge: A = Σ w(z−z̄)(z−z̄)ᵀ, R = Σ w(z−z̄)(y−ȳ)ᵀ.
//
// A lives below the diagonal and in diag. The upper triangle is where A + nλI
// is formed and factored in place, for one λ after the other: one s×s matrix is
// all the memory that solving takes.
type system struct {
	rows int64
	w    float64               // Σw
	z, y []float64             // weighted means z̄, ȳ
	a    blas.General[float64] // s×s
	diag []float64             // of A
	used bool                  // the upper triangle is no longer A's
	r    blas.General[float64] // s×t
	yy   []float64             // Σ w(y−ȳ)² per target
}

// newSystem forms the problem of the rows of total that are not in minus, which
// may be nil. This is the one place where statistics are centred.
func newSystem(total, minus *blas.Sums) *system {
	return newSystemIn(blas.NewGeneral[float64](total.G.Rows, total.G.Rows), total, minus)
}

// newSystemIn is newSystem on given memory for A, which may be total's own G.
func newSystemIn(a blas.General[float64], total, minus *blas.Sums) *system {
	n, t := total.G.Rows, total.ZY.Cols
	s := &system{z: make([]float64, n), y: make([]float64, t), yy: make([]float64, t),
		a: a, diag: make([]float64, n), r: blas.NewGeneral[float64](n, t)}
	s.form(total, minus)
	return s
}

// form is newSystem on the memory of s.
func (s *system) form(total, minus *blas.Sums) {
	s.rows, s.w = total.Rows, total.W
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
		s.rows, s.w = s.rows-minus.Rows, s.w-minus.W
	}
	for i := range s.z {
		s.z[i] = less(total.Z, minus.Z, i) / s.w
	}
	for t := range s.y {
		s.y[t] = less(total.Y, minus.Y, t) / s.w
		s.yy[t] = max(0, less(total.YY, minus.YY, t)-float64(s.w*s.y[t]*s.y[t]))
	}
	for i := range s.r.Rows {
		row := s.r.Row(i)
		var b []float64
		if minus != none {
			b = minus.ZY.Row(i)
		}
		for t := range row {
			row[t] = less(total.ZY.Row(i), b, t) - float64(s.w*s.z[i]*s.y[t])
		}
	}
	for i := range s.a.Rows {
		row, g, wz := s.a.Row(i)[i:], total.G.Row(i)[i:], s.w*s.z[i]
		if minus == none {
			for j := range row {
				row[j] = g[j] - float64(wz*s.z[i+j])
			}
		} else {
			h := minus.G.Row(i)[i:]
			for j := range row {
				row[j] = g[j] - h[j] - float64(wz*s.z[i+j])
			}
		}
		row[0] = max(row[0], 0) // a variance
		s.diag[i] = row[0]
	}
	s.used = false
	mirror(s.a)
}

// mirror copies the upper triangle of a to the lower, in tiles that stay in cache.
func mirror[T blas.Float](a blas.General[T]) {
	const tile = 32
	n := a.Rows
	for i0 := 0; i0 < n; i0 += tile {
		for j0 := i0; j0 < n; j0 += tile {
			for i := i0; i < min(i0+tile, n); i++ {
				row := a.Row(i)
				for j := max(j0, i+1); j < min(j0+tile, n); j++ {
					a.Data[j*a.Stride+i] = row[j]
				}
			}
		}
	}
}

// restore makes both triangles and the diagonal A's again.
func (s *system) restore() {
	if s.used {
		mirrorUp(s.a)
		for i, d := range s.diag {
			s.a.Data[i*s.a.Stride+i] = d
		}
		s.used = false
	}
}

// mirrorUp copies the lower triangle of a to the upper.
func mirrorUp[T blas.Float](a blas.General[T]) {
	const tile = 32
	n := a.Rows
	for i0 := 0; i0 < n; i0 += tile {
		for j0 := i0; j0 < n; j0 += tile {
			for i := i0; i < min(i0+tile, n); i++ {
				row := a.Row(i)
				for j := max(j0, i+1); j < min(j0+tile, n); j++ {
					row[j] = a.Data[j*a.Stride+i]
				}
			}
		}
	}
}

// ridge forms A + (Σw·λ + jitter)·I in the upper triangle, to be overwritten.
func (s *system) ridge(lambda, jitter float64) {
	s.restore()
	s.used = true
	for i, d := range s.diag {
		s.a.Data[i*s.a.Stride+i] = d + float64(s.w*lambda) + jitter
	}
}

// columnSums returns Σ|aᵢⱼ| over i ≠ j for every column.
func (s *system) columnSums() []float64 {
	out := make([]float64, len(s.diag))
	for i := range out {
		var sum float64
		for j, v := range s.a.Row(i)[:i] {
			v = math.Abs(v)
			sum += v
			out[j] += v
		}
		out[i] += sum
	}
	return out
}

// intercept returns ȳ − βᵀz̄ for every column of coef, whose targets repeat.
func (s *system) intercept(coef blas.General[float64]) []float64 {
	b := make([]float64, coef.Cols)
	for c := range b {
		b[c] = s.y[c%len(s.y)]
	}
	for i, z := range s.z {
		for c, v := range coef.Row(i) {
			b[c] -= float64(z * v)
		}
	}
	return b
}
