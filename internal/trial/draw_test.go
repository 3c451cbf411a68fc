package trial

import (
	"iter"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
)

// table returns rows of two inputs and a target, numbers from 0 to 9 and their sum.
func table(n int, seed uint64) (x, y blas.General[float64]) {
	rng := rand.New(rand.NewPCG(seed, 1))
	x, y = blas.NewGeneral[float64](n, 2), blas.NewGeneral[float64](n, 1)
	for i := range n {
		x.Row(i)[0], x.Row(i)[1] = rng.NormFloat64(), float64(rng.IntN(10))
		y.Row(i)[0] = x.Row(i)[0] + x.Row(i)[1]
	}
	return x, y
}

func batches(b ...rff.Batch) iter.Seq2[rff.Batch, error] {
	return func(yield func(rff.Batch, error) bool) {
		for _, v := range b {
			if !yield(v, nil) {
				return
			}
		}
	}
}

// The sample has the same rows, in the same order, whatever the order of the rows and the
// batches; a sample of samples is that of all rows; every row is as likely as any other.
func TestDrawIsOfContents(t *testing.T) {
	const n, count = 3000, 200
	x, y := table(n, 1)
	d := Drawing{Count: count, Seed: 7}
	want, rows, err := Draw(batches(rff.Batch{X: x, Y: y}), 2, 1, d)
	if err != nil || rows != n || want.X.Rows != count {
		t.Fatal(rows, want.X.Rows, err)
	}
	backward := &Rows{X: x, Y: y}
	order := make([]int, n)
	for i := range order {
		order[i] = n - 1 - i
	}
	backward = backward.Pick(order)
	half := func(from, to int) rff.Batch {
		return rff.Batch{X: backward.X.RowRange(from, to), Y: backward.Y.RowRange(from, to)}
	}
	other, _, _ := Draw(batches(half(0, 1700), half(1700, n)), 2, 1, d)
	a, _, _ := Draw(batches(half(0, 900)), 2, 1, d)
	b, _, _ := Draw(batches(half(900, n)), 2, 1, d)
	merged, _, _ := Draw(batches(rff.Batch{X: a.X, Y: a.Y}, rff.Batch{X: b.X, Y: b.Y}), 2, 1, d)
	for name, got := range map[string]*Rows{"backward": other, "of samples": merged} {
		if !slices.Equal(got.X.Data, want.X.Data) || !slices.Equal(got.Y.Data, want.Y.Data) {
			t.Errorf("%s: other rows", name)
		}
	}
	// 200 samples of a tenth: each row is in 20 ± 4.2 of them, none of 300 beyond 5 σ.
	x, y = table(300, 2)
	drawn := map[float64]int{}
	for seed := range uint64(200) {
		s, _, _ := Draw(batches(rff.Batch{X: x, Y: y}), 2, 1, Drawing{Count: 30, Seed: seed})
		for i := range s.X.Rows {
			drawn[s.X.Row(i)[0]]++
		}
	}
	for v, k := range drawn {
		if k > 41 {
			t.Errorf("%g is drawn %d times", v, k)
		}
	}
	if len(drawn) < 298 { // e^-20 of the rows are never drawn
		t.Errorf("%d rows of 300 are ever drawn", len(drawn))
	}
}

// Equal rows are one row with the sum of their weights, and rows without weight none; rows
// of other groups are others.
func TestDrawMergesEqualRows(t *testing.T) {
	x, y := table(40, 3)
	twice := &Rows{X: x, Y: y}
	at := make([]int, 0, 120)
	for range 3 {
		for i := range 40 {
			at = append(at, i)
		}
	}
	twice = twice.Pick(at)
	w, group := make([]float64, 120), make([]uint64, 120)
	for i := range w {
		w[i], group[i] = float64(i/40), uint64(i/40) // 0, 1 and 2
	}
	r, n, err := Draw(batches(rff.Batch{X: twice.X, Y: twice.Y, Weight: w}), 2, 1, Drawing{Count: 1000})
	if err != nil || n != 80 || r.X.Rows != 40 || r.Weight[5] != 3 || r.CopiesOf(5) != 2 || r.Head(6).CopiesOf(5) != 2 || r.Pick([]int{5}).CopiesOf(0) != 2 {
		t.Errorf("%d rows of %d, weights %v, copies %v, %v", r.X.Rows, n, r.Weight, r.Copies, err)
	}
	if r, _, _ = Draw(batches(rff.Batch{X: twice.X, Y: twice.Y, Group: group}), 2, 1, Drawing{Count: 1000}); r.X.Rows != 120 || r.Weight != nil || r.CopiesOf(5) != 1 {
		t.Errorf("%d rows of three groups", r.X.Rows)
	}
}

// Many more rows than a sample has, most of them equal to others, are told apart for as long as they come, in little more
// memory than that of the sample.
func TestDrawOfManyEqualRows(t *testing.T) {
	const n, count, copies = 600, 50, 40
	x, y := table(n, 5)
	d := Drawing{Count: count, Seed: 3}
	want, _, err := Draw(batches(rff.Batch{X: x, Y: y}), 2, 1, d)
	if err != nil {
		t.Fatal(err)
	}
	at := rand.New(rand.NewPCG(6, 1)).Perm(n * copies)
	for i, v := range at {
		at[i] = v % n
	}
	many := (&Rows{X: x, Y: y}).Pick(at)
	r, _, err := Draw(batches(rff.Batch{X: many.X, Y: many.Y}), 2, 1, d)
	if err != nil || !slices.Equal(r.X.Data, want.X.Data) || !slices.Equal(r.Y.Data, want.Y.Data) || !slices.Equal(r.Weight, slices.Repeat([]float64{copies}, count)) || !slices.Equal(r.Copies, slices.Repeat([]int64{copies}, count)) {
		t.Errorf("other rows, or weights %v, copies %v: %v", r.Weight, r.Copies, err)
	}
	held := &drawn{in: 2, width: 3, most: count, below: math.MaxUint64}
	for i := range many.X.Rows {
		held.add(entry{weight: 1, index: int64(i)}, 3, many.X.Row(i), many.Y.Row(i))
	}
	if most := count + count/4 + 64; len(held.chunks) > (most+chunkRows-1)/chunkRows || len(held.entries) > most || held.below == math.MaxUint64 {
		t.Errorf("%d chunks for %d rows", len(held.chunks), len(held.entries))
	}
}

// Rows of a group, or of equal inputs, are on one side of every split; folds and the first
// rows of every part have the classes in equal shares; each repeat holds every row out once.
func TestSplits(t *testing.T) {
	const n = 1000
	x, y := table(n, 4)
	for i := range n {
		x.Row(i)[0] = float64(i / 2) // two rows with each
		x.Row(i)[1] = 0
		y.Row(i)[0] = -1
		if i < 120 && i%2 == 0 {
			y.Row(i)[0] = 1
		}
	}
	r, _, err := Draw(batches(rff.Batch{X: x, Y: y}), 2, 1, Drawing{Count: n, Run: 4})
	if err != nil {
		t.Fatal(err)
	}
	groups := r.Group
	for name, by := range map[string][]uint64{"groups": groups, "inputs": nil} {
		r.Group, r.Labels = by, []string{"a", "b"}
		splits := Folds{Seed: 1, Of: 5, Count: 5, Repeats: 2, Most: n}.Splits(r)
		if len(splits) != 10 {
			t.Fatal(name, len(splits))
		}
		if later := (Folds{Seed: 1, Of: 5, Count: 5, Repeats: 2, From: 1, Most: n}).Splits(r); !reflect.DeepEqual(later, splits[5:]) {
			t.Errorf("%s: the second repeat by itself has other splits", name)
		}
		if slices.Equal(splits[0].Slot, splits[5].Slot) {
			t.Errorf("%s: a repeat holds out the same rows", name)
		}
		held := map[int]int{}
		for k, s := range splits {
			side := map[float64]int{}
			for part, rows := range []*Rows{s.Train, s.Valid} {
				positive, first := 0, 0
				for i := range rows.X.Rows {
					key := rows.X.Row(i)[0]
					if by != nil {
						key = float64(rows.Group[i])
					}
					if before, ok := side[key]; ok && before != part {
						t.Fatalf("%s, split %d: rows of %v are on both sides", name, k, key)
					}
					side[key] = part
					if rows.Y.Row(i)[0] > 0 {
						positive++
						if i < rows.X.Rows/2 {
							first++
						}
					}
				}
				if want := []int{48, 12}[part]; positive < want-7 || positive > want+7 || first < positive/2-1 || first > positive/2+1 {
					t.Errorf("%s, split %d, part %d: %d positive rows, %d in the first half", name, k, part, positive, first)
				}
			}
			for _, slot := range s.Slot {
				held[slot]++
			}
		}
		for slot, k := range held {
			if k != 2 {
				t.Fatalf("%s: slot %d is held out %d times in two repeats", name, slot, k)
			}
		}
	}
	if s := (Folds{Of: 5, Count: 5, Most: n}).Splits(r.Head(1)); len(s) != 0 {
		t.Errorf("one row gives %d splits", len(s))
	}
	if s := (Folds{Of: 5, Count: 1, Most: 20}).Splits(r); s[0].Valid.X.Rows > 21 || s[0].Train.X.Rows+s[0].Valid.X.Rows != r.X.Rows {
		t.Errorf("%d rows are held out of at most 20", s[0].Valid.X.Rows)
	}
}

// 0 and −0 are one number: rows that differ in its sign alone are one row.
func TestDrawTakesZerosForEqual(t *testing.T) {
	x, y := table(20, 5)
	both := (&Rows{X: x, Y: y}).Pick(append(upTo(20), upTo(20)...))
	for i := range both.X.Rows {
		both.X.Row(i)[1] = math.Copysign(0, float64(2*(i/20)-1))
	}
	if r, _, _ := Draw(batches(rff.Batch{X: both.X, Y: both.Y}), 2, 1, Drawing{Count: 1000, Seed: 3}); r.X.Rows != 20 || r.Weight[0] != 2 {
		t.Errorf("%d rows of 20, weights %v", r.X.Rows, r.Weight)
	}
}

func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// A row that stands for equal ones has the least of their indices, in whatever order they
// come: errors name the first of them.
func TestDrawNamesTheFirst(t *testing.T) {
	x, y := table(20, 6)
	part := func(first int64, weight float64) rff.Batch {
		b := rff.Batch{First: first, X: x, Y: y}
		for range x.Rows {
			b.Weight = append(b.Weight, weight)
		}
		return b
	}
	r, _, err := Draw(batches(part(100, 1), part(40, 3), part(60, 2)), 2, 1, Drawing{Count: 1000, Seed: 3})
	if err != nil || r.X.Rows != 20 {
		t.Fatal(r.X.Rows, err)
	}
	for i, at := range r.Index {
		if at < 40 || at >= 60 || r.X.Row(i)[0] != x.Row(int(at - 40))[0] {
			t.Errorf("row %d is said to be number %d", i, at)
		}
	}
}

// All rows of a table, as learners and searches draw them.
func BenchmarkDraw(b *testing.B) {
	const n, in = 60000, 54
	r := rand.New(rand.NewPCG(1, 1))
	x, y := blas.NewGeneral[float64](n, in), blas.NewGeneral[float64](n, 1)
	for _, v := range [][]float64{x.Data, y.Data} {
		for i := range v {
			v[i] = r.NormFloat64()
		}
	}
	for b.Loop() {
		if got, _, err := Draw(batches(rff.Batch{X: x, Y: y}), in, 1, Drawing{Count: n, Seed: 1}); err != nil || got.X.Rows != n {
			b.Fatal(err)
		}
	}
}
