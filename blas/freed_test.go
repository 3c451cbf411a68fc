package blas

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"weak"

	"github.com/rffgo/rff/asm"
)

// What was packed for a map is freed with the map, at the first garbage collection, though its
// scratch is in a pool. A search that makes a map after the other would otherwise hold all those of
// two collections, of which each waits for twice the memory of the one before.
func TestFeaturesAreFreed(t *testing.T) {
	used := func(rows int) (out []weak.Pointer[float64]) {
		w := randomGeneral[float64](rand.New(rand.NewPCG(1, 2)), 32, 50, 0)
		m := Pack[float64](&Spec{Dim: 50, W: w, Func: asm.CosSin, Weight: slices.Repeat([]float64{1}, 64)})
		x, z, y := NewGeneral[float64](rows, 50), NewGeneral[float64](rows, 64), NewGeneral[float64](rows, 1)
		m.Transform(Engine{}, z, x)
		m.Predict(Engine{}, y, x, NewGeneral[float64](64, 1), []float64{0})
		a := NewAccumulator(m, 1, true)
		a.Last(Engine{}, x, y)
		for _, f := range formsOf(m).form {
			out = append(out, weak.Make(&f.w[0]))
		}
		return append(out, weak.Make(&w.Data[0]))
	}
	for _, rows := range []int{1, 300} {
		all := used(rows)
		runtime.GC()
		for i, p := range all {
			if p.Value() != nil {
				t.Errorf("%d rows: frequencies of a map that nobody has are still there, form %d of %d", rows, i+1, len(all))
			}
		}
	}
}
