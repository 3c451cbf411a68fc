package blas

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rffgo/rff/asm"
)

// TestGramStages: many workers on many row blocks, whose features replace one
// another while slower workers still read, make the sums of one worker.
func TestGramStages(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 2))
	const dim = 4
	f, frequencies, n, runs := asm.CosSin, 512, 4*RowBlock+100, 5
	if testing.Short() { // as few as still replace features in place
		f, frequencies, n, runs = asm.Cos, 384, 2*RowBlock+100, 1
	}
	m := Pack[float64](&Spec{Dim: dim, W: randomGeneral[float64](r, frequencies, dim, 0), Func: f, Weight: slices.Repeat([]float64{1}, frequencies*f.Outputs())})
	x, y := randomGeneral[float64](r, n, dim, 0), randomGeneral[float64](r, n, 1, 0)
	sums := func(workers int) *Sums {
		a, e := NewAccumulator(m, 1, true), Engine{Workers: workers, eager: true}
		a.Add(e, x, y, nil)
		a.Flush(e)
		return &a.Sums
	}
	want := sums(1)
	for _, workers := range []int{2, 3, 8} {
		if testing.Short() && workers > 2 {
			continue
		}
		t.Run(fmt.Sprintf("workers=%d", workers), func(t *testing.T) {
			for range runs {
				sameSums(t, sums(workers), want)
			}
		})
	}
}

// TestGramReaders: a part of the features waits for the tasks that read any of the
// panels it overwrites, as rows or as columns, and for no others.
func TestGramReaders(t *testing.T) {
	r := rand.New(rand.NewPCG(24, 2))
	kern := asm.Reference[float64]()
	for _, f := range []asm.Func{asm.Cos, asm.CosSin} {
		for _, frequencies := range []int{30, 100, 333} {
			s := frequencies * f.Outputs()
			m := Pack[float64](&Spec{Dim: 4, W: randomGeneral[float64](r, frequencies, 4, 0), Func: f, Weight: slices.Repeat([]float64{1}, s)})
			for workers := 1; workers <= 8; workers++ {
				g := planGram(formsOf(m).packed(kern), 5, RowBlock, workers, false)
				parts := len(g.groups) / f.Outputs()
				for part := range parts {
					written := map[int]bool{}
					for h := range f.Outputs() {
						p := g.groups[part+h*parts]
						for q := range p.panels {
							written[p.panel+q] = true
						}
					}
					for i, task := range g.tasks {
						reads := false
						for q := task.first; q < task.end; q++ {
							reads = reads || written[q]
						}
						for q := range g.groups[task.group].panels {
							reads = reads || written[g.groups[task.group].panel+q]
						}
						if got := slices.Contains(g.readers[part], i); got != reads {
							t.Fatalf("%v, %d frequencies, %d workers, part %d: task %d %+v waits: %v, want %v", f, frequencies, workers, part, i, task, got, reads)
						}
					}
				}
			}
		}
	}
}
