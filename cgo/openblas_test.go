//go:build cgo && openblas

package openblas_test

import (
	"context"
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	openblas "github.com/rffgo/rff/cgo"
	"github.com/rffgo/rff/krr"
)

func lookup(t testing.TB) blas.Backend {
	b, err := blas.Lookup("openblas")
	if err != nil {
		t.Fatal(err)
	}
	if b.Exact() {
		t.Fatal("OpenBLAS claims the bits of the twins")
	}
	return b
}

// TestThreads: the first product sets one thread, and SetThreads is obeyed.
func TestThreads(t *testing.T) {
	e := blas.Engine{Backend: lookup(t), Workers: 1}
	a := blas.NewGeneral[float64](2, 2)
	blas.Gemm(e, false, false, 1, a, a, 0, blas.NewGeneral[float64](2, 2))
	if n := openblas.Threads(); n != 1 && openblas.Info() != "CBLAS given by CGO_LDFLAGS" {
		t.Errorf("%d threads after the first product, want 1", n)
	}
	if err := openblas.SetThreads(0); err == nil {
		t.Error("SetThreads(0) gave no error")
	}
	if err := openblas.SetThreads(1); err != nil {
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
			z, s := statistics(blas.Engine{Backend: lookup(t), Workers: workers}, f, x, y)
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

// TestModelsAgree: a ridge regression on this backend has the native one's
// predictions to within the rounding of the Gram matrix, amplified by the
// condition number of the system, and its provenance says where it comes from.
func TestModelsAgree(t *testing.T) {
	const n, d, features, lambda = 1500, 6, 200, 1e-4
	r := rand.New(rand.NewPCG(5, 6))
	x := fill(r, blas.NewGeneral[float64](n, d))
	y := blas.NewGeneral[float64](n, 1)
	for i := range n {
		y.Data[i] = math.Sin(3*x.Row(i)[0]) + x.Row(i)[1]
	}
	data, err := rff.FromMatrix(mat.NewDense(n, d, x.Data), mat.NewDense(n, 1, y.Data))
	if err != nil {
		t.Fatal(err)
	}
	m, err := rff.New(rff.NewGaussian(1), d, features, rand.NewPCG(7, 8))
	if err != nil {
		t.Fatal(err)
	}
	predict := func(b blas.Backend) ([]float64, string) {
		e := blas.Engine{Backend: b, Workers: 2}
		model, _, err := krr.Fit(context.Background(), m, data, krr.Settings{Lambda: lambda, Engine: e})
		if err != nil {
			t.Fatal(err)
		}
		var f mat.Dense
		if err := model.Predict(&f, mat.NewDense(n, d, x.Data)); err != nil {
			t.Fatal(err)
		}
		return f.RawMatrix().Data, model.Provenance()["backend"]
	}
	own, err := blas.Lookup("native")
	if err != nil {
		t.Fatal(err)
	}
	want, from := predict(own)
	if from != "native" {
		t.Errorf("provenance of the native fit is %q", from)
	}
	got, from := predict(lookup(t))
	if from != "openblas, not bit-reproducible" {
		t.Errorf("provenance of this backend's fit is %q", from)
	}
	// ‖ZᵀZ‖ ≤ n and ‖z‖ = 1, so the condition number is at most 1 + 1/λ; sums
	// of n terms of either backend are within n·eps of the exact ones, and
	// |y| ≤ 2 bounds ‖β‖ by 2/√λ.
	bound := 2 * n * 0x1p-53 * (1 + 1/lambda) * 2 / math.Sqrt(lambda)
	for i := range want {
		if diff := math.Abs(got[i] - want[i]); !(diff <= bound) {
			t.Fatalf("prediction %d differs by %g, bound %g", i, diff, bound)
		}
	}
}

// TestThroughput compares 8 goroutines that fit at once on their default of
// workers with the best of several settings. It reports; machines that run
// other things at the same time would fail it for no fault of the code.
func TestThroughput(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	r := rand.New(rand.NewPCG(9, 10))
	w := fill(r, blas.NewGeneral[float64](256, 10))
	weight := make([]float64, 512)
	for i := range weight {
		weight[i] = 0.0625
	}
	f := blas.Pack[float64](&blas.Spec{Dim: 10, W: w, Func: blas.CosSin, Weight: weight})
	x, y := fill(r, blas.NewGeneral[float64](5040, 10)), fill(r, blas.NewGeneral[float64](5040, 1))
	for _, goroutines := range []int{1, 2, 4, 8} {
		for _, workers := range []int{1, 2, 0} {
			e := blas.Engine{Backend: lookup(t), Workers: workers}
			best := math.Inf(1)
			for range 3 {
				start := time.Now()
				var wg sync.WaitGroup
				for range goroutines {
					wg.Add(1)
					go func() {
						defer wg.Done()
						statistics(e, f, x, y)
					}()
				}
				wg.Wait()
				best = min(best, time.Since(start).Seconds())
			}
			t.Logf("goroutines=%d workers=%d threads=%d: %.1f fits/s", goroutines, workers, openblas.Threads(), float64(goroutines)/best)
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
	e := blas.Engine{Backend: lookup(t), Workers: 2}
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
