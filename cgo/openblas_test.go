//go:build cgo && openblas

package openblas

import (
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"gonum.org/v1/gonum/blas/testblas"

	"github.com/rffgo/rff/blas"
)

func backend(t testing.TB) blas.Backend {
	b, err := blas.Lookup("openblas")
	if err != nil {
		t.Fatal(err)
	}
	if b.Exact() {
		t.Fatal("OpenBLAS claims the bits of the twins")
	}
	return b
}

func TestProductsPassGonumsSuite(t *testing.T) {
	p := &products{}
	t.Run("Dgemm", func(t *testing.T) { testblas.TestDgemm(t, p) })
	t.Run("Dsyrk", func(t *testing.T) { testblas.DsyrkTest(t, p) })
	t.Run("Dtrsm", func(t *testing.T) { testblas.DtrsmTest(t, p) })
}

// TestThreads: the first product sets one thread, and SetThreads is obeyed.
func TestThreads(t *testing.T) {
	e := blas.Engine{Backend: backend(t), Workers: 1}
	a := blas.NewGeneral[float64](2, 2)
	blas.Gemm(e, false, false, 1, a, a, 0, blas.NewGeneral[float64](2, 2))
	if n := Threads(); n != 1 && Info() != "CBLAS given by CGO_LDFLAGS" {
		t.Errorf("%d threads after the first product, want 1", n)
	}
	if err := SetThreads(0); err == nil {
		t.Error("SetThreads(0) gave no error")
	}
	if err := SetThreads(1); err != nil {
		t.Log(err)
	}
}

// fill fills with values in [−1, 1).
func fill[T blas.Float](r *rand.Rand, m blas.General[T]) blas.General[T] {
	for i := range m.Data {
		m.Data[i] = T(2*r.Float64() - 1)
	}
	return m
}

// statistics are the sums and features of one map on one engine.
func statistics[T blas.Float](e blas.Engine, f *blas.Features[T], x, y blas.General[T]) (blas.General[T], *blas.Sums) {
	_, s := f.Dims()
	z := blas.NewGeneral[T](x.Rows, s)
	f.Transform(e, z, x)
	a := blas.NewAccumulator(f, y.Cols, true)
	a.Add(e, x, y, nil)
	a.Flush(e)
	return z, &a.Sums
}

// TestAgreesWithNative: features differ by the rounding of a d-term projection
// and the Gram matrix and Zᵀy by that of n-term sums of products below 1 in
// magnitude, which both backends keep within n·eps of the exact value.
func TestAgreesWithNative(t *testing.T) {
	t.Run("float64", func(t *testing.T) { agrees[float64](t, 0x1p-53) })
	t.Run("float32", func(t *testing.T) { agrees[float32](t, 0x1p-24) })
}

func agrees[T blas.Float](t *testing.T, eps float64) {
	own, err := blas.Lookup("native")
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for _, shape := range []struct{ n, d, f, targets int }{{1, 1, 1, 1}, {37, 5, 9, 3}, {1200, 14, 75, 1}, {600, 54, 300, 2}} {
		w := fill(r, blas.NewGeneral[float64](shape.f, shape.d))
		weight := make([]float64, 2*shape.f)
		for i := range weight {
			weight[i] = 1 / math.Sqrt(float64(shape.f))
		}
		f := blas.Pack[T](&blas.Spec{Dim: shape.d, W: w, Func: blas.CosSin, Weight: weight})
		x := fill(r, blas.NewGeneral[T](shape.n, shape.d))
		y := fill(r, blas.NewGeneral[T](shape.n, shape.targets))
		z0, s0 := statistics(blas.Engine{Backend: own, Workers: 1}, f, x, y)
		for _, workers := range []int{1, 2, 3} {
			z, s := statistics(blas.Engine{Backend: backend(t), Workers: workers}, f, x, y)
			// |Σxw| ≤ d, so a projection is off by at most d·d·eps on either
			// side, the cosine by as much and a few units in its last place.
			zTol := 2 * (float64(shape.d*shape.d) + 8) * eps * weight[0]
			for i, v := range z.Data {
				if d := math.Abs(float64(v) - float64(z0.Data[i])); d > zTol {
					t.Fatalf("%v, %d workers: feature %d differs by %g, bound %g", shape, workers, i, d, zTol)
				}
			}
			n := float64(shape.n)
			gTol := 2*n*n*eps*weight[0]*weight[0] + 2*n*weight[0]*zTol
			for i := range s.G.Rows {
				for j := i; j < s.G.Cols; j++ {
					if d := math.Abs(s.G.Row(i)[j] - s0.G.Row(i)[j]); d > gTol {
						t.Fatalf("%v, %d workers: G[%d,%d] differs by %g, bound %g", shape, workers, i, j, d, gTol)
					}
				}
			}
			yTol := 2*n*n*eps*weight[0] + n*zTol
			for i, v := range s.ZY.Data {
				if d := math.Abs(v - s0.ZY.Data[i]); d > yTol {
					t.Fatalf("%v, %d workers: ZᵀY[%d] differs by %g, bound %g", shape, workers, i, d, yTol)
				}
			}
		}
	}
}

// TestManyGoroutines: 8 goroutines of several workers each neither crash nor
// lock up, and each gets what one alone gets (within one backend results do not
// depend on what else runs).
func TestManyGoroutines(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	w := fill(r, blas.NewGeneral[float64](64, 8))
	weight := make([]float64, 128)
	for i := range weight {
		weight[i] = 0.125
	}
	f := blas.Pack[float64](&blas.Spec{Dim: 8, W: w, Func: blas.CosSin, Weight: weight})
	x, y := fill(r, blas.NewGeneral[float64](2000, 8)), fill(r, blas.NewGeneral[float64](2000, 1))
	e := blas.Engine{Backend: backend(t), Workers: 2}
	_, want := statistics(e, f, x, y)
	rounds := 200
	if testing.Short() {
		rounds = 20
	}
	for range rounds {
		var wg sync.WaitGroup
		for range 8 {
			wg.Add(1)
			go func() {
				defer wg.Done()
				_, got := statistics(e, f, x, y)
				for i, v := range got.G.Data {
					if v != want.G.Data[i] {
						t.Errorf("G[%d] is %g, alone %g", i, v, want.G.Data[i])
						return
					}
				}
			}()
		}
		wg.Wait()
	}
}
