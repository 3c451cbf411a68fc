package blas

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
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
			if !slices.Equal(got, want) {
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

// Of two workspaces the one that has room is taken, in whatever order they came back, and
// small ones are kept by themselves.
func TestWorkspaceFits(t *testing.T) {
	if raceDetector {
		t.Skip("the pool drops some at random")
	}
	const large, larger = hugePage / 8, 3 * hugePage / 8
	fits := func(order []int) bool {
		workspaces64 = [2]sync.Pool{}
		some := []*workspace[float64]{borrow[float64](large), borrow[float64](larger), borrow[float64](100)}
		want := &some[1].data[0]
		for _, i := range order {
			some[i].giveBack()
		}
		w := borrow[float64](larger)
		defer w.giveBack()
		return &w.data[0] == want
	}
	for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		tries := 0 // a collection, or another processor, may come between
		for !fits(order) {
			if tries++; tries == 20 {
				t.Errorf("given back in the order %v, a workspace with room is left and another one made", order)
				break
			}
		}
	}
}
