package ridge

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/rffgo/rff/blas"
)

// The dual problem of some rows of a kernel matrix has the products of their centred,
// weighted features, in memory of its own and in that of the matrix, and coefficients of
// centred rows are turned into those of the rows. Numbers of order one, a few dozen of them
// in a sum: rounding errors are far below 10⁻¹².
func TestOfKernel(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	const n, s, targets = 70, 5, 2
	random := func(rows, cols int) blas.General[float64] {
		m := blas.NewGeneral[float64](rows, cols)
		for i := range m.Data {
			m.Data[i] = r.NormFloat64()
		}
		return m
	}
	z, y, weight := random(n, s), random(n, targets), make([]float64, n)
	k := blas.NewGeneral[float64](n, n)
	blas.Gemm(blas.Engine{Workers: 1}, false, true, 1, z, z, 0, k)
	var some, every []int
	for i := range n {
		weight[i] = 0.5 + r.Float64()
		every = append(every, i)
		if i%3 != 1 {
			some = append(some, i)
		}
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) < 1e-12*n) {
			t.Errorf("%s is %v, want %v", what, got, want)
		}
	}
	for _, c := range []struct {
		rows []int
		a    blas.General[float64]
	}{{some, blas.NewGeneral[float64](len(some), len(some))}, {every, k}} {
		var w float64
		mean, ybar := make([]float64, s), make([]float64, targets)
		for _, i := range c.rows {
			w += weight[i]
			for j := range mean {
				mean[j] += weight[i] * z.Row(i)[j]
			}
			for u := range ybar {
				ybar[u] += weight[i] * y.Row(i)[u]
			}
		}
		of := func(i, j int) float64 { return z.Row(c.rows[i])[j] - mean[j]/w }
		d := OfKernel(blas.Engine{Workers: 2}, k, c.rows, y, weight, make([]float64, targets), c.a)
		near("W", d.W, w)
		for u := range ybar {
			near("Y", d.Y[u], ybar[u]/w)
			var yy float64
			for i, row := range c.rows {
				v := y.Row(row)[u] - ybar[u]/w
				yy += weight[row] * v * v
				near("R", d.R.Row(i)[u], math.Sqrt(weight[row])*v)
			}
			near("YY", d.YY[u], yy)
		}
		for i, ri := range c.rows {
			for j, rj := range c.rows {
				var want float64
				for f := range s {
					want += of(i, f) * of(j, f)
				}
				if want *= math.Sqrt(weight[ri] * weight[rj]); i == j {
					near("the diagonal", d.Diag[i], want)
				}
				near("A", d.A.Row(i)[j], want)
			}
			var m float64
			for j := range mean {
				m += z.Row(ri)[j] * mean[j] / w
			}
			near("Z", d.Z[i], m)
		}
		alpha, own := random(len(c.rows), targets), make([]float64, len(c.rows))
		want := make([]float64, s*targets)
		for i, row := range c.rows {
			own[i] = weight[row]
			for j := range s {
				for u, v := range alpha.Row(i) {
					want[j*targets+u] += v * of(i, j)
				}
			}
		}
		Uncentre(alpha, own, w)
		for j := range s {
			for u := range targets {
				var got float64
				for i, row := range c.rows {
					got += alpha.Row(i)[u] * z.Row(row)[j]
				}
				near("a coefficient", got, want[j*targets+u])
			}
		}
	}
}

// Rounding errors of a kernel matrix of order 2⁻⁵²·tr A are known, and a ridge below them is
// raised to them at once: of rows in one direction all other eigenvalues are nothing else,
// and by luck there is a factor or not. A ridge that was raised so is not unresolved: no
// attempt failed.
func TestNoiseOfKernels(t *testing.T) {
	const n = 12
	k, y := blas.NewGeneral[float64](n, n), blas.NewGeneral[float64](n, 1)
	weight, every, trace := make([]float64, n), make([]int, n), 0.0
	for i := range n {
		weight[i], every[i], y.Row(i)[0] = 1, i, float64(i%3)
		v := float64(i) - (n-1)/2.
		trace += v * v
		for j := range n {
			k.Row(i)[j] = v * (float64(j) - (n-1)/2.)
		}
	}
	s := OfKernel(blas.Engine{Workers: 1}, k, every, y, weight, make([]float64, 1), blas.NewGeneral[float64](n, n))
	if want := 0x1p-52 * trace; math.Abs(s.Noise/want-1) > 1e-9 {
		t.Errorf("rounding errors of %v, want %v", s.Noise, want)
	}
	_, solved, err := s.Solve(t.Context(), blas.Engine{Workers: 1}, 1e-20)
	if err != nil || solved.Jitter != s.Noise || solved.Attempts != 0 || solved.Unresolved {
		t.Errorf("%+v, %v: want %v on the diagonal", solved, err, s.Noise)
	}
}
