package trial

import (
	"context"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
)

// A head of the rows is scaled once, a longer one goes on from it, rows that memory has no room for
// are scaled anew, and all have the values of rows that nobody keeps.
func TestKept(t *testing.T) {
	x, y := table(100, 3)
	ranks := rff.Scaling{From: [][]float64{{-1, 0, 2}, {0, 1}}, To: [][]float64{{0, 1, 5}, {1, 3}}, Shift: []float64{1, 2}}
	plain := rff.Scaling{Scale: []float64{2, 3}}
	alone := &Rows{X: x, Y: y}
	kept := &Rows{X: x, Y: y, Kept: NewKept(8 * (40*2 + 100*2))}
	for _, c := range []struct {
		rows int
		by   rff.Scaling
		kept bool
	}{{20, ranks, true}, {10, ranks, true}, {40, ranks, true}, {100, plain, true}, {41, ranks, false}, {40, ranks, true}, {100, ranks, false}} {
		got, ok := kept.Head(c.rows).scaledBy(c.by)
		if ok != c.kept {
			t.Errorf("%d rows are kept: %v", c.rows, ok)
		}
		if !ok {
			got = kept.Head(c.rows).scaled(c.by)
		}
		want := alone.Head(c.rows).scaled(c.by)
		if got.Rows != c.rows || got.Cols != want.Cols || !slices.Equal(got.Data[:got.Rows*got.Cols], want.Data) {
			t.Errorf("%d rows have other values", c.rows)
		}
		again, _ := kept.Head(c.rows).scaledBy(c.by)
		if c.kept && &again.Data[0] != &got.Data[0] {
			t.Errorf("%d rows are scaled again", c.rows)
		}
	}
}

// Splits are fitted to many times and keep their rows scaled; the hard rows of one solution are not.
func TestKeptOfSplits(t *testing.T) {
	x, y := table(60, 4)
	rows := &Rows{X: x, Y: y, Kept: NewKept(1 << 20)}
	for _, s := range (Folds{Seed: 1, Of: 3, Count: 3, Most: 60}).Splits(rows) {
		if s.Train.Kept != rows.Kept || s.Valid.Kept != rows.Kept || s.Train.Pick([]int{1, 2}).Kept != nil {
			t.Error("other rows are kept than those of splits")
		}
	}
}

// A trial has the same bits whether scaled rows are kept or not, also on parts of a split.
func TestKeptTrial(t *testing.T) {
	x, y := table(700, 8)
	scale := rff.Scaling{From: [][]float64{{-1, 0, 1}, nil}, To: [][]float64{{0, 3, 5}, nil}, Shift: []float64{1, 2}, Scale: []float64{2, 3}}
	var got [2][]*Result
	for i, k := range []*Kept{nil, NewKept(1 << 20)} {
		rows := &Rows{X: x, Y: y, Kept: k}
		m, err := rff.New(rff.NewGaussian(1), 2, 64, rand.NewPCG(3, 1))
		if err != nil {
			t.Fatal(err)
		}
		splits := Folds{Seed: 1, Of: 5, Count: 2, Most: 700}.Splits(rows)
		task := Task{Engine: blas.Engine{Workers: 2}, Scaling: scale, Lambdas: []float64{1e-6, 1e-3}, Loss: Squares,
			Map: func(context.Context, blas.Engine, int, *Rows) (*rff.Map, error) { return m, nil }}
		for _, n := range []int{20, 300, 560} { // by rows, and by sums
			part := slices.Clone(splits)
			for j := range part {
				part[j].Train = part[j].Train.Head(n)
			}
			r, err := task.Run(context.Background(), part, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.last, r.lastAll, r.summed = nil, nil, nil
			got[i] = append(got[i], r)
		}
	}
	if !reflect.DeepEqual(got[0], got[1]) {
		t.Error("kept rows give other bits")
	}
}
