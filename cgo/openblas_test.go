//go:build cgo && openblas

package openblas_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/asm"
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
		t.Fatal("OpenBLAS claims the bits of the reference kernels")
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
		f := blas.Pack[T](&blas.Spec{Dim: shape.d, W: w, Func: asm.CosSin, Weight: weight})
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

// ridge is a regression problem: n rows of d inputs and a map of that many features.
func ridge(t *testing.T, n, d, features int) (*rff.Map, *mat.Dense, rff.Source) {
	t.Helper()
	r := rand.New(rand.NewPCG(5, 6))
	x := mat.NewDense(n, d, fill(r, blas.NewGeneral[float64](n, d)).Data)
	y := mat.NewDense(n, 1, nil)
	for i := range n {
		y.Set(i, 0, math.Sin(3*x.At(i, 0))+x.At(i, 1))
	}
	data, err := rff.FromMatrix(x, y)
	if err != nil {
		t.Fatal(err)
	}
	m, err := rff.New(rff.NewGaussian(1), d, features, rand.NewPCG(7, 8))
	if err != nil {
		t.Fatal(err)
	}
	return m, x, data
}

// fit returns the predictions for x of a ridge regression, and where it was made.
func fit(e blas.Engine, m *rff.Map, x *mat.Dense, data rff.Source) ([]float64, string, error) {
	model, _, err := krr.Fit(context.Background(), m, data, krr.Settings{Lambdas: []float64{lambda}, Engine: rff.Engine{Backend: e.Backend.Name(), Workers: e.Workers}})
	if err != nil {
		return nil, "", err
	}
	var f mat.Dense
	if err := model.Predict(&f, x); err != nil {
		return nil, "", err
	}
	return f.RawMatrix().Data, model.Info().Provenance["backend"], nil
}

const lambda = 1e-4 // of every fit

// TestModelsAgree: a ridge regression on this backend has the native one's
// predictions to within the rounding of the Gram matrix, amplified by the
// condition number of the system, and its provenance says where it comes from.
func TestModelsAgree(t *testing.T) {
	const n, d, features = 1500, 6, 200
	m, x, data := ridge(t, n, d, features)
	predict := func(b blas.Backend) ([]float64, string) {
		f, from, err := fit(blas.Engine{Backend: b, Workers: 2}, m, x, data)
		if err != nil {
			t.Fatal(err)
		}
		return f, from
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

// TestThroughput compares 8 goroutines that fit at once on their defaults with
// other numbers of goroutines, of workers and of the library's own threads. It
// reports; machines that run other things at the same time would fail it for no
// fault of the code.
func TestThroughput(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	m, x, data := ridge(t, 5040, 10, 512)
	type setting struct{ goroutines, workers int }
	var settings []setting
	for _, goroutines := range []int{1, 2, 4, 8} {
		for _, workers := range []int{0, 1, 2} { // 0 is the default
			settings = append(settings, setting{goroutines, workers})
		}
	}
	defer openblas.SetThreads(openblas.Threads())
	best := 0.0 // fits per second
	// The library's threads spin for a while after each product, so that more than
	// one comes last.
	for threads := 1; threads <= 2; threads++ {
		if err := openblas.SetThreads(threads); err != nil {
			t.Fatal(err)
		}
		rate := map[setting]float64{}
		for range 6 { // in turn: a machine's clock drifts
			for _, s := range settings {
				e := blas.Engine{Backend: lookup(t), Workers: s.workers}
				start := time.Now()
				together(t, s.goroutines, func() error {
					_, _, err := fit(e, m, x, data)
					return err
				})
				rate[s] = max(rate[s], float64(s.goroutines)/time.Since(start).Seconds())
				best = max(best, rate[s])
			}
		}
		for _, s := range settings {
			t.Logf("goroutines=%d workers=%d threads=%d: %.1f fits/s, %.2f of the best so far", s.goroutines, s.workers, threads, rate[s], rate[s]/best)
		}
	}
}

// together runs f in that many goroutines at once.
func together(t *testing.T, goroutines int, f func() error) {
	t.Helper()
	var wg sync.WaitGroup
	for range goroutines {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if err := f(); err != nil {
				t.Error(err)
			}
		}()
	}
	wg.Wait()
}

// TestManyGoroutines: 8 goroutines that fit with several workers each neither
// crash nor lock up, and each gets what one alone gets (within one backend
// results do not depend on what else runs).
func TestManyGoroutines(t *testing.T) {
	m, x, data := ridge(t, 2000, 8, 128)
	e := blas.Engine{Backend: lookup(t), Workers: 2}
	want, _, err := fit(e, m, x, data)
	if err != nil {
		t.Fatal(err)
	}
	rounds := 200
	if testing.Short() {
		rounds = 20
	}
	for range rounds {
		together(t, 8, func() error {
			got, _, err := fit(e, m, x, data)
			for i, v := range got {
				if v != want[i] {
					return fmt.Errorf("prediction %d is %g, alone %g", i, v, want[i])
				}
			}
			return err
		})
	}
}
