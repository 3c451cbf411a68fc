package blas

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

func TestGemmBits(t *testing.T) {
	t.Run("float64", testGemmBits[float64])
	t.Run("float32", testGemmBits[float32])
}

func testGemmBits[T Float](t *testing.T) {
	sizes := [][3]int{{1, 1, 1}, {3, 5, 7}, {17, 33, 9}, {8, 16, BlockK}, {13, 50, BlockK + 5}, {41, 3, 2*BlockK + 1}, {0, 3, 2}, {3, 0, 2}, {3, 4, 0},
		{17, 1, 9}, {70, 1, BlockK + 5}, {9, 1, 30}, {33, 1, BlockK}} // vectors, without a gap
	onExact(t, func(t *testing.T, e Engine) {
		r := rand.New(rand.NewPCG(1, 2))
		for i, s := range sizes {
			m, n, k := s[0], s[1], s[2]
			transA, transB := i&1 == 1, i&2 == 2
			alpha := []T{1, -1, 0.3, 0}[r.IntN(4)]
			beta := []T{0, 1, -0.7}[r.IntN(3)]
			gap := 2
			if n == 1 {
				gap = 0
			}
			a, b, c := randomGeneral[T](r, m, k, 3), randomGeneral[T](r, k, n, 1), randomGeneral[T](r, m, n, gap)
			if transA {
				a = randomGeneral[T](r, k, m, 3)
			}
			if transB {
				b = randomGeneral[T](r, n, k, 1)
			}
			if beta == 0 {
				for i := range c.Rows {
					for j := range c.Row(i) {
						c.Row(i)[j] = T(math.NaN()) // must not be read
					}
				}
			}
			want := clone(c)
			refGemm(full, transA, transB, alpha, a, b, beta, want)
			Gemm(e, transA, transB, alpha, a, b, beta, c)
			sameBits(t, "Gemm", c.Data, want.Data)
		}
	})
}

func TestSyrkBits(t *testing.T) {
	t.Run("float64", testSyrkBits[float64])
	t.Run("float32", testSyrkBits[float32])
}

func testSyrkBits[T Float](t *testing.T) {
	onExact(t, func(t *testing.T, e Engine) {
		r := rand.New(rand.NewPCG(3, 2))
		for i, s := range [][2]int{{1, 1}, {7, 30}, {65, 5}, {50, BlockK + 3}} {
			n, k := s[0], s[1]
			for _, upper := range []bool{true, false} {
				trans := i&1 == 0
				a := randomGeneral[T](r, n, k, 3)
				if trans {
					a = randomGeneral[T](r, k, n, 3)
				}
				c := randomGeneral[T](r, n, n, 1)
				want := clone(c)
				refGemm(triangleOf(upper), trans, !trans, 0.5, a, a, T(i)*0.5, want)
				Syrk(e, upper, trans, 0.5, a, T(i)*0.5, c)
				sameBits(t, "Syrk", c.Data, want.Data)
			}
		}
	})
}

// triangularMatrix returns a well-conditioned upper triangle with NaN below.
func triangularMatrix[T Float](r *rand.Rand, n int) General[T] {
	u := randomGeneral[T](r, n, n, 1)
	for i := range n {
		row := u.Row(i)
		for j := range row {
			switch {
			case j < i:
				row[j] = T(math.NaN())
			case j == i:
				row[j] = T(1 + r.Float64())
			default:
				row[j] /= T(n)
			}
		}
	}
	return u
}

func TestTrsmBits(t *testing.T) {
	t.Run("float64", testTrsmBits[float64])
	t.Run("float32", testTrsmBits[float32])
}

func testTrsmBits[T Float](t *testing.T) {
	onExact(t, func(t *testing.T, e Engine) {
		r := rand.New(rand.NewPCG(5, 2))
		for _, s := range [][2]int{{1, 1}, {31, 2}, {70, 45}, {blockTri + 40, 9}} {
			for _, trans := range []bool{true, false} {
				u, b := triangularMatrix[T](r, s[0]), randomGeneral[T](r, s[0], s[1], 2)
				want := clone(b)
				refTrsm(trans, u, want)
				TrsmUpper(e, trans, u, b)
				sameBits(t, "TrsmUpper", b.Data, want.Data)
			}
		}
	})
}

func TestTriInverse(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 2))
	n := blockTri + 37
	u := triangularMatrix[float64](r, n)
	want := NewGeneral[float64](n, n)
	for i := range n {
		want.Data[i*n+i] = 1
	}
	refTrsm(false, u, want)
	onExact(t, func(t *testing.T, e Engine) {
		got := NewGeneral[float64](n, n)
		TriInverse(e, got, u)
		sameBits(t, "TriInverse", got.Data, want.Data)
	})
}

// positiveDefinite returns AᵀA + n·I, with NaN below the diagonal.
func positiveDefinite[T Float](r *rand.Rand, n int) General[T] {
	a := randomGeneral[T](r, n, n, 0)
	g := randomGeneral[T](r, n, n, 3)
	for i := range n {
		row := g.Row(i)
		for j := range row {
			row[j] = 0
			if j < i {
				row[j] = T(math.NaN())
			}
		}
		for l := range n {
			v, from := a.Data[l*n+i], a.Row(l)
			for j := i; j < n; j++ {
				row[j] += v * from[j]
			}
		}
		row[i] += T(n)
	}
	return g
}

func TestCholeskyBits(t *testing.T) {
	t.Run("float64", testCholeskyBits[float64])
	t.Run("float32", testCholeskyBits[float32])
}

func testCholeskyBits[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(7, 2))
	for _, n := range []int{1, 31, 33, 100, blockTri, blockTri + 1, 2*blockTri + 45} {
		if testing.Short() && n > 300 {
			continue
		}
		a := positiveDefinite[T](r, n)
		want := clone(a)
		refCholesky(want)
		onExact(t, func(t *testing.T, e Engine) {
			got := clone(a)
			if err := Cholesky(e, got); err != nil {
				t.Fatal(err)
			}
			sameBits(t, "Cholesky", got.Data, want.Data)
		})
	}
}

func TestCholeskyPivot(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 2))
	good := positiveDefinite[float64](r, 300)
	onExact(t, func(t *testing.T, e Engine) {
		for _, pivot := range []int{0, 40, 290, 299} {
			for _, bad := range []float64{-5, math.NaN()} {
				a := clone(good)
				a.Data[pivot*a.Stride+pivot] = bad
				var npd *NotPositiveDefiniteError
				if err := Cholesky(e, a); !errors.As(err, &npd) || npd.Pivot != pivot {
					t.Errorf("diagonal element %d is %g: %v", pivot, bad, err)
				}
			}
		}
	})
}
