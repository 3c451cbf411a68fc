package gonumblas

import (
	"math"
	"math/rand/v2"
	"testing"

	gblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/testlapack"
)

// Gonum's suites of what stands on the factorisation and the products, with both in use.
func TestLapackSuite(t *testing.T) {
	onNative(t, func(t *testing.T, n Native) {
		old := blas64.Implementation()
		blas64.Use(n)
		defer blas64.Use(old)
		l := LAPACK{Workers: 2, native: n}
		testlapack.DpotrfTest(t, l)
		testlapack.DpotriTest(t, l)
		testlapack.DpotrsTest(t, l)
		testlapack.DgetrfTest(t, l)
		testlapack.DgetriTest(t, l)
		testlapack.DgeqrfTest(t, l)
		testlapack.DormqrTest(t, l)
		testlapack.DtrtriTest(t, l)
	})
}

// A factorisation reads and writes its triangle alone, and refuses what has none.
func TestFactor(t *testing.T) {
	const n, lda = 70, 75
	for _, ul := range []gblas.Uplo{gblas.Upper, gblas.Lower} {
		inside := func(i, j int) bool { return ul == gblas.Upper && j >= i || ul == gblas.Lower && j <= i }
		r, a := rand.New(rand.NewPCG(1, 2)), make([]float64, n*lda)
		for i := range n {
			for j := range lda {
				if a[i*lda+j] = math.NaN(); j < n && inside(i, j) {
					a[i*lda+j] = r.Float64() - 0.5
				}
			}
			a[i*lda+i] = n
		}
		before := append([]float64(nil), a...)
		if !(LAPACK{}).Dpotrf(ul, n, a, lda) {
			t.Fatalf("%c: a dominant diagonal is refused", ul)
		}
		at := func(i, j int) float64 { // of the factor, as an upper one
			if ul == gblas.Upper {
				return a[i*lda+j]
			}
			return a[j*lda+i]
		}
		for i := range n {
			for j := range lda {
				if j >= n || !inside(i, j) {
					if !math.IsNaN(a[i*lda+j]) {
						t.Fatalf("%c: element %d, %d outside the triangle is written", ul, i, j)
					}
					continue
				}
				var sum float64
				for k := range min(i, j) + 1 {
					sum += at(k, i) * at(k, j)
				}
				// n products of at most n, and as many in the factorisation.
				if math.Abs(sum-before[i*lda+j]) > 2*n*n*0x1p-53 {
					t.Fatalf("%c: element %d, %d of the product is %g, want %g", ul, i, j, sum, before[i*lda+j])
				}
			}
		}
		copy(a, before)
		if a[40*lda+40] = -1; (LAPACK{}).Dpotrf(ul, n, a, lda) {
			t.Errorf("%c: a negative diagonal has a factor", ul)
		}
	}
}
