package asm

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestRecur(t *testing.T) { eachKernel(t, testRecur[float64], testRecur[float32]) }

// Every element is the chain of the definition, and what lies between panels and beside
// the slices stays as it is.
func testRecur[T Float](t *testing.T, kern *Kernels[T]) {
	r := rand.New(rand.NewPCG(17, 18))
	steps, backs, most := []int{0, 1, 2, 5, 16}, []int{0, 1, 8, 16, 19, 32}, 5
	if testing.Short() {
		steps, backs, most = []int{0, 1, 3}, []int{0, 8, 19}, 3
	}
	for _, steps := range steps {
		for _, back := range backs {
			for panels := range most + 1 {
				rows, gap, inner := back+steps*RecurRows, r.IntN(9), back+RecurRows
				stride := rows*kern.Panel + gap
				frameW, w := framed[T](steps*inner*RecurRows, r.IntN(9))
				frameX, x := framed[T](max(0, panels*stride-gap), r.IntN(9))
				frameS, sums := framed[T](panels*kern.Panel, r.IntN(9))
				for i := range w { // so that elements neither vanish nor grow
					w[i] = T(r.NormFloat64() / math.Sqrt(float64(inner)))
				}
				for i := range x {
					x[i] = T(r.NormFloat64())
				}
				keepW, wantX, want := slices.Clone(w), slices.Clone(x), make([]T, len(sums))
				a, b := make([]T, inner), make([]T, inner)
				for q := range panels {
					for c := range kern.Panel {
						at := func(row int) *T { return &wantX[q*stride+row*kern.Panel+c] }
						for s := range steps {
							var next [RecurRows]T
							for i := range next {
								for l := range inner {
									a[l], b[l] = w[(s*inner+l)*RecurRows+i], *at(RecurRows*s + l)
								}
								next[i] = chainOf(a, b)
							}
							for i, v := range next {
								*at(RecurRows*s + back + i) = v
								sum := &want[q*kern.Panel+c]
								*sum = fma(v, v, *sum)
							}
						}
					}
				}
				kern.Recur(steps, back, w, x, stride, panels, sums)
				for _, f := range []struct {
					name              string
					frame, part, want []T
				}{{"w", frameW, w, keepW}, {"x", frameX, x, wantX}, {"sums", frameS, sums, want}} {
					if err := equalFrame(f.frame, f.part, f.want); err != nil {
						t.Fatalf("steps=%d back=%d panels=%d: %s: %v", steps, back, panels, f.name, err)
					}
				}
			}
		}
	}
}
