package band

import (
	"context"
	"runtime"
	"slices"
	"testing"

	"github.com/rffgo/rff/blas"
)

// A Reducer gives what a new one gives, whatever it reduced before, and from the second
// matrix of a size on takes next to no memory: that of a fit by cross-validation counts
// every fold's otherwise.
func TestReducerReuse(t *testing.T) {
	e := blas.Engine{Workers: 1}
	var r Reducer
	again := func(n, block int) *Matrix {
		a := random(n, uint64(n))
		m, err := r.Reduce(context.Background(), e, n, block, func(dst []float64, i, j int) { copy(dst, a.Row(i)[j:]) }, nil)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	for _, c := range []struct{ n, block int }{{200, 0}, {70, 0}, {199, 16}, {5, 0}, {200, 0}} {
		got, want := again(c.n, c.block), reduce(e, random(c.n, uint64(c.n)), c.block)
		for name, blocks := range map[string][2][]blas.General[float64]{
			"diagonal": {got.diag, want.diag}, "below": {got.below, want.below}, "T": {got.t, want.t}, "V": {got.v, want.v},
		} {
			if !slices.EqualFunc(blocks[0], blocks[1], func(a, b blas.General[float64]) bool {
				for i := range a.Rows {
					if !slices.Equal(a.Row(i), b.Row(i)) {
						return false
					}
				}
				return a.Rows == b.Rows && a.Cols == b.Cols
			}) {
				t.Errorf("n = %d, blocks of %d: other blocks of %s than a new Reducer gives", c.n, c.block, name)
			}
		}
	}
	const n = 640
	a := random(n, 1)
	row := func(dst []float64, i, j int) { copy(dst, a.Row(i)[j:]) }
	var before, after runtime.MemStats
	least := uint64(1 << 62)
	for i := range 4 {
		runtime.ReadMemStats(&before)
		if _, err := r.Reduce(context.Background(), e, n, 0, row, nil); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		if i > 0 { // the least, as the collector may empty the pool of workspaces
			least = min(least, after.TotalAlloc-before.TotalAlloc)
		}
	}
	// Of 8·n² bytes, 3n·block for the blocks of the result alone are a seventh.
	if most := uint64(8 * n * n / 10); least > most {
		t.Errorf("a reduction of order %d takes %d bytes each time, at most %d expected", n, least, most)
	}
}
