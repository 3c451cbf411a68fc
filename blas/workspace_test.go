package blas

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// Workspaces hold what a former use left in them: whatever that is, it changes no bit
// of a factor or a solution.
func TestWorkspaceLeftovers(t *testing.T) {
	for _, isa := range testedISAs() {
		t.Run(isa, func(t *testing.T) {
			e := engineOn(t, isa, 1)
			leftovers[float64](t, e)
			leftovers[float32](t, e)
		})
	}
}

func leftovers[T Float](t *testing.T, e Engine) {
	for _, n := range []int{1, 7, 31, 32, 33, 70, 256, 259, 530} {
		r := rand.New(rand.NewPCG(7, uint64(n)))
		a, b := uniform[T](r, n, n), uniform[T](r, n, 3)
		for i := range n {
			a.Data[i*n+i] += T(n)
		}
		var want []uint64
		for _, fill := range []float64{0, math.NaN(), math.Inf(1)} {
			u, x, y := clone(a), clone(b), clone(b)
			leave(T(fill))
			if err := Cholesky(e, u); err != nil {
				t.Fatal(err)
			}
			leave(T(fill))
			CholeskySolve(e, u, x)
			leave(T(fill))
			TrsmUpper(e, true, u, y)
			var got []uint64
			for _, m := range []General[T]{u, x, y} {
				for _, v := range m.Data {
					got = append(got, math.Float64bits(float64(v)))
				}
			}
			if want == nil {
				want = got
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("%T, %d rows: other bits where %g was left", a.Data[0], n, fill)
			}
		}
	}
}

// leave fills the workspaces that the next calls find.
func leave[T Float](v T) {
	for range 3 { // the pool may drop one
		w := borrow[T](1 << 19)
		for i := range w.data {
			w.data[i] = v
		}
		defer w.giveBack()
	}
}
