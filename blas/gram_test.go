package blas

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestGramStages: many workers on many row blocks, whose features replace one
// another while slower workers still read, make the sums of one worker.
func TestGramStages(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 2))
	const n, dim, s = 4*RowBlock + 100, 4, 384
	m := Pack[float64](&Spec{Dim: dim, W: randomGeneral[float64](r, s/2, dim, 0), Func: CosSin, Weight: slices.Repeat([]float64{1}, s)})
	x, y := randomGeneral[float64](r, n, dim, 0), randomGeneral[float64](r, n, 1, 0)
	sums := func(workers int) *Sums {
		a, e := NewAccumulator(m, 1, true), Engine{Workers: workers, eager: true}
		a.Add(e, x, y, nil)
		a.Flush(e)
		return &a.Sums
	}
	want := sums(1)
	runs := 5
	if testing.Short() {
		runs = 1
	}
	for _, workers := range []int{2, 3, 8} {
		t.Run(fmt.Sprintf("workers=%d", workers), func(t *testing.T) {
			for range runs {
				sameSums(t, sums(workers), want)
			}
		})
	}
}
