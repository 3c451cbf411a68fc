package ridge

import (
	"math"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/band"
	"github.com/rffgo/rff/internal/dense"
)

// System is the centred, weighted least squares problem of some rows, without
// its ridge: A = Σ w(z−z̄)(z−z̄)ᵀ, R = Σ w(z−z̄)(y−ȳ)ᵀ.
//
// A lives below the diagonal and in Diag. A + nλI is formed and factored in the upper triangle,
// for one λ after the other, so solving takes one s×s matrix of memory. A is formed from the
// sums only when it is needed: a reduction takes its elements straight from the sums.
type System struct {
	Coordinates
	Rows int64
	W    float64               // Σw
	Z, Y []float64             // weighted means z̄, ȳ
	A    blas.General[float64] // s×s, or of no elements yet
	Diag []float64             // of A
	R    blas.General[float64] // s×t
	YY   []float64             // Σ w(y−ȳ)² per target
	Ref  []float64             // what is subtracted from y and ȳ
	used bool                  // the upper triangle no longer holds A

	total, minus *blas.Sums // the sums from which A is still to be formed; minus may be nil
	parts        []*blas.Sums
	memory       []float64 // of A
	reducer      band.Reducer
	vectors      blas.General[float64] // of A, if eigen has been called
	values       []float64

	// Noise is the norm of A's rounding errors; a smaller ridge is raised to it. 0: the errors
	// are of order Eps·Σw‖z‖², and a ridge may be smaller as long as A + nλI has a factor.
	Eps, Noise float64
	Bias       float64 // that of the sums
}

// New returns the problem of the rows of total that are not in minus, in the coordinates of the
// sums. minus may be nil. Both sums have ref subtracted from the targets. If total has no G, it
// is the sum of G of the parts, in this order. The sums must not change while the problem is
// used.
func New(in Coordinates, total, minus *blas.Sums, ref []float64, parts ...*blas.Sums) *System {
	n, t := len(total.Z), total.ZY.Cols
	s := &System{Coordinates: in, Z: make([]float64, n), Y: make([]float64, t), YY: make([]float64, t),
		Diag: make([]float64, n), R: blas.NewGeneral[float64](n, t), Ref: ref, parts: parts}
	s.Form(total, minus)
	return s
}

// NewIn is New for all rows of total, and A takes the memory of total's G.
func NewIn(in Coordinates, total *blas.Sums, ref []float64) *System {
	s := New(in, total, nil, ref)
	s.form(total.G)
	return s
}

// Form is New on the memory of s. This is the one place where statistics are centred.
func (s *System) Form(total, minus *blas.Sums) {
	s.Rows, s.W, s.Eps, s.Noise, s.Bias = total.Rows, total.W, total.Eps, total.Noise, total.Bias
	less := func(a, b []float64, i int) float64 { return a[i] - b[i] }
	none := &blas.Sums{}
	s.total, s.minus = total, minus
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
	for i := range s.Diag {
		s.row(s.Diag[i:i+1], i, i)
	}
	if s.penalty != nil {
		s.Noise = noise(s.gramTrace(), len(s.Diag), s.penalty.inverseNorm)
	}
	s.A, s.used = blas.General[float64]{}, false
	s.vectors, s.values = blas.General[float64]{}, nil
}

// row writes elements (i, j), (i, j+1) … of A to dst, i ≤ j.
func (s *System) row(dst []float64, i, j int) {
	if s.total == nil {
		copy(dst, s.A.Row(i)[j:])
		return
	}
	wz, z := s.W*s.Z[i], s.Z[j:][:len(dst)]
	g := s.gram(dst, i, j)
	if s.minus == nil {
		for k := range dst {
			dst[k] = g[k] - float64(wz*z[k])
		}
	} else {
		h := s.minus.G.Row(i)[j:][:len(dst)]
		for k := range dst {
			dst[k] = g[k] - h[k] - float64(wz*z[k])
		}
	}
	if i == j {
		dst[0] = max(dst[0]-float64(s.W*s.Bias), 0) // a variance
	}
}

// gram returns elements (i, j), (i, j+1) … of the total's G, perhaps made in dst.
func (s *System) gram(dst []float64, i, j int) []float64 {
	if s.total.G.Rows > 0 {
		return s.total.G.Row(i)[j:][:len(dst)]
	}
	copy(dst, s.parts[0].G.Row(i)[j:])
	for _, p := range s.parts[1:] {
		dense.Add(dst, p.G.Row(i)[j:][:len(dst)])
	}
	return dst
}

// gramTrace returns the trace of the total's G.
func (s *System) gramTrace() float64 {
	var trace float64
	one := make([]float64, 1)
	for i := range s.Z {
		trace += s.gram(one, i, i)[0]
	}
	return trace
}

// form forms A in a, which may be G of the sums.
func (s *System) form(a blas.General[float64]) {
	for i := range a.Rows {
		s.row(a.Row(i)[i:], i, i)
	}
	s.A, s.total, s.minus, s.used = a, nil, nil, false
	dense.Mirror(a)
}

// formed forms A if it is not formed yet.
func (s *System) formed() {
	if s.total != nil {
		n := len(s.Diag)
		s.form(dense.Fitting(&s.memory, n, n))
	}
}

// restore restores A in both triangles and on the diagonal.
func (s *System) restore() {
	s.formed()
	if s.used {
		dense.MirrorUp(s.A)
		for i, d := range s.Diag {
			s.A.Data[i*s.A.Stride+i] = d
		}
		s.used = false
	}
}

// ridge forms A + (Σw·λ + jitter)·I in the upper triangle, which a factor may overwrite.
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
		dense.AddTimes(b, -z, coef.Row(i))
	}
	for c := range b {
		b[c] += s.Ref[c%len(s.Ref)]
	}
	return b
}
