package gonumblas

import (
	"math"
	"math/rand/v2"
	"testing"

	gblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/blas/testblas"

	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
)

// onNative runs f on Native with kernels of every instruction set.
func onNative(t *testing.T, f func(t *testing.T, n Native)) {
	for _, k := range asm.All[float64]() {
		t.Run(k.ISA, func(t *testing.T) {
			b, err := blas.Lookup("native:" + k.ISA)
			if err != nil {
				t.Fatal(err)
			}
			f(t, Native{Workers: 2, kernels: b, always: true})
		})
	}
}

func TestGonumSuite(t *testing.T) {
	onNative(t, func(t *testing.T, n Native) {
		testblas.TestDgemm(t, n)
		testblas.DsymmTest(t, n)
		testblas.DtrsmTest(t, n)
		testblas.DsyrkTest(t, n)
		testblas.Dsyr2kTest(t, n)
		testblas.DtrmmTest(t, n)
	})
}

// Float32 and the sizes that gonum's suite has not: against gonum's own
// implementation, within the error of sums of k products of bounded terms.
func TestNativeAgainstGonum(t *testing.T) {
	const m, cols = 70, 53
	want := gonum.Implementation{}
	onNative(t, func(t *testing.T, n Native) {
		r := rand.New(rand.NewPCG(41, 2))
		matrix := func(ld int) ([]float32, []float64) {
			x := make([]float32, 80*ld)
			y := make([]float64, len(x))
			for i := range x {
				x[i] = float32(r.Float64() - 0.5)
				if i%(ld+1) == 0 {
					x[i] += 3 // makes triangles well conditioned
				}
				y[i] = float64(x[i])
			}
			return x, y
		}
		for _, s := range []gblas.Side{gblas.Left, gblas.Right} {
			for _, ul := range []gblas.Uplo{gblas.Upper, gblas.Lower} {
				for _, tr := range []gblas.Transpose{gblas.NoTrans, gblas.Trans} {
					for _, d := range []gblas.Diag{gblas.Unit, gblas.NonUnit} {
						a32, a64 := matrix(80)
						b32, b64 := matrix(81)
						c32, c64 := matrix(82)
						if d == gblas.Unit { // off-diagonal elements that keep a unit triangle well conditioned
							for i := range a32 {
								a32[i] /= 16
								a64[i] = float64(a32[i])
							}
						}
						check := func(op string, got []float32, ref []float64) {
							t.Helper()
							// 70 products of at most 3.5² each, amplified by triangles of condition below 10.
							tol := 70 * 12 * 10 * 0x1p-24
							for i := range got {
								if math.Abs(float64(got[i])-ref[i]) > tol {
									t.Fatalf("%s side %c %c trans %c diag %c: element %d is %g, want %g", op, s, ul, tr, d, i, got[i], ref[i])
								}
							}
						}
						n.Ssymm(s, ul, m, cols, 0.5, a32, 80, b32, 81, 0.25, c32, 82)
						want.Dsymm(s, ul, m, cols, 0.5, a64, 80, b64, 81, 0.25, c64, 82)
						check("Ssymm", c32, c64)
						n.Strmm(s, ul, tr, d, m, cols, 0.5, a32, 80, b32, 81)
						want.Dtrmm(s, ul, tr, d, m, cols, 0.5, a64, 80, b64, 81)
						check("Strmm", b32, b64)
						n.Strsm(s, ul, tr, d, m, cols, 2, a32, 80, b32, 81)
						want.Dtrsm(s, ul, tr, d, m, cols, 2, a64, 80, b64, 81)
						check("Strsm", b32, b64)
						n.Ssyrk(ul, tr, cols, cols, 0.5, a32, 80, 1, c32, 82)
						want.Dsyrk(ul, tr, cols, cols, 0.5, a64, 80, 1, c64, 82)
						check("Ssyrk", c32, c64)
						n.Ssyr2k(ul, tr, cols, cols, 0.5, a32, 80, b32, 81, 0.1, c32, 82)
						want.Dsyr2k(ul, tr, cols, cols, 0.5, a64, 80, b64, 81, 0.1, c64, 82)
						check("Ssyr2k", c32, c64)
					}
				}
			}
		}
	})
}
