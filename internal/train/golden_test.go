package train

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/golden"
)

// TestGolden compares digests of the state after three steps, of one target and of
// several, on every instruction set that runs here and for 1…8 workers, with those
// the reference kernels gave on amd64.
func TestGolden(t *testing.T) {
	want := golden.Want(t, func() map[string]string {
		return digests(blas.Engine{Backend: on{nil, asm.Reference[float64](), asm.Reference[float32]()}, Workers: 1})
	})
	for workers := 1; workers <= 8; workers++ {
		for _, e := range nativeEngines(workers) {
			golden.Compare(t, fmt.Sprintf("%s, %d workers", e.Backend.(on).f64.ISA, workers), digests(e), want)
		}
	}
	e := blas.Engine{} // as programs have it
	b, err := blas.Lookup("native:" + asm.Native[float64]().ISA)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range []blas.Backend{nil, b} {
		e.Backend = b
		golden.Compare(t, fmt.Sprintf("backend %v", e), digests(e), want)
	}
}

// uniform returns a matrix of numbers in (−1, 1) that are the same everywhere.
func uniform[T asm.Float](r *rand.Rand, rows, cols int) blas.General[T] {
	m := blas.NewGeneral[T](rows, cols)
	for i := range m.Data {
		m.Data[i] = T(float64(r.Int64N(1<<24)-1<<23) * 0x1p-23)
	}
	return m
}

func digests(e blas.Engine) map[string]string {
	all := map[string]string{}
	addDigests[float64](all, e)
	addDigests[float32](all, e)
	return all
}

func addDigests[T asm.Float](all map[string]string, e blas.Engine) {
	r := rand.New(rand.NewPCG(4, 99))
	for _, targets := range []int{1, 5} {
		const n, d, f = 203, 9, 77
		t := New[T](e, d, f, targets)
		t.eager = true
		t.SetFrequencies(uniform[float64](r, f, d))
		t.SetCoefficients(uniform[T](r, 2*f, targets))
		x, y := uniform[T](r, n, d), uniform[T](r, n, targets)
		for range 3 {
			t.Gradient(x, y)
			t.Step(Adam{Rate: 0.02, Scale: 1. / n}, Adam{Rate: 0.01, Scale: 1. / n, Decay: 1e-3})
		}
		s := NewState[T](d, f, targets)
		t.Save(s)
		var sum golden.Digest
		for _, m := range []blas.General[T]{s.W, s.W1, s.W2, s.Coef, s.Coef1, s.Coef2} {
			golden.AddAll(&sum, m.Data)
		}
		all[fmt.Sprintf("targets=%d/f%d", targets, 8*unsafe.Sizeof(*new(T)))] = sum.Sum()
	}
}
