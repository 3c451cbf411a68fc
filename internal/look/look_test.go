package look

import (
	"cmp"
	"maps"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rffgo/rff"
)

// Mean and deviation are those of exact sums, rounded once, for numbers of all sizes. Package
// cmd/rff/looks tests those of parts and files.
func TestMomentsAreExact(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		var m Moments
		sum, squares := new(big.Rat), new(big.Rat)
		var values []float64
		for range 50 {
			v := math.Ldexp(r.Float64()-0.5, r.IntN(2040)-1020)
			values = append(values, v)
			m.Add(v)
			x := new(big.Rat).SetFloat64(v)
			sum.Add(sum, x)
			squares.Add(squares, x.Mul(x, x))
		}
		n := big.NewRat(int64(len(values)), 1)
		mean, _ := new(big.Rat).Quo(sum, n).Float64()
		variance := new(big.Rat).Sub(squares.Quo(squares, n), sum.Mul(sum.Quo(sum, n), sum))
		f := new(big.Float).SetPrec(400).SetRat(variance)
		std, _ := f.Sqrt(f).Float64()
		if m.Mean() != mean || m.Std(50) != std || m.Min != slices.Min(values) || m.Max != slices.Max(values) || m.N != 50 {
			t.Errorf("mean %v, want %v; deviation %v, want %v", m.Mean(), mean, m.Std(50), std)
		}
	}
	var none Moments
	if none.Mean() != 0 || none.Std(3) != 0 {
		t.Error("no values have a mean")
	}
}

// A label is the number that it says: rows that differ by its digits alone are one row of the
// sample, in any order, with the label of the first place. A sample has no more rows than it may
// have, those of the smallest hashes.
func TestSample(t *testing.T) {
	for _, order := range [][]int{{1, 2, 3, 4}, {4, 3, 2, 1}, {3, 1, 4, 2}} {
		l := New(rff.Schema{Inputs: rff.Columns("a")})
		for _, i := range order {
			text := []string{"1", "1.0"}[i%2]
			l.Add(&Row{X: []float64{7}, Label: Label{Text: []byte(text), Value: 1, Number: true}, Weight: 1, File: "a", Number: int64(i)}, false)
		}
		if rows := l.Sample.Rows; len(rows) != 1 || rows[0].Count != 4 || rows[0].Label != "1.0" || rows[0].Number != 1 {
			t.Errorf("in the order %v: %+v", order, rows)
		}
	}
	ids := Sample{Most: 10} // labels that float64 takes for one
	for i, text := range []string{"9007199254740992", "9007199254740993", "+9007199254740993", "9007199254740992.0", "9.007199254740993e15"} {
		ids.add(&Row{X: []float64{7}, Label: Label{Text: []byte(text), Value: 1 << 53, Number: true}, Weight: 1, Number: int64(i)})
	}
	ids.add(&Row{X: []float64{7}, Label: Label{Value: 1 << 53, Number: true}, Weight: 1, Number: 5})
	counts := map[string]int64{}
	for _, r := range ids.Rows {
		counts[r.Label] = r.Count
	}
	if want := map[string]int64{"9007199254740992": 1, "9007199254740993": 2, "9007199254740992.0": 2, "9.007199254740993e15": 1}; !maps.Equal(counts, want) {
		t.Errorf("%v, want %v", counts, want)
	}
	few, all := Sample{Most: 10}, Sample{Most: 1000}
	for i := range 500 {
		row := Row{X: []float64{float64(i)}, Label: Label{Text: []byte("u")}, Weight: 1, Number: int64(i)}
		few.add(&row)
		all.add(&row)
	}
	want := all.Drawn()[:10]
	for i, r := range few.Drawn() {
		if i >= 10 || r.Number != want[i].Number {
			t.Errorf("row %d is %d", i, r.Number)
		}
	}
}

// Rows whose hashes collide are different rows, in an order of their own. The labels 1 and 1.0 are one.
func TestCompare(t *testing.T) {
	rows := []Sampled{
		{X: []float64{0}, Label: "9007199254740992", Weight: 1}, {X: []float64{0}, Label: "9007199254740993", Weight: 1},
		{X: []float64{1}, Label: "2", Weight: 1}, {X: []float64{1}, Label: "10", Weight: 1}, {X: []float64{1}, Label: "10", Weight: 2},
		{X: []float64{1}, Label: "10", Weight: 2, Group: 1}, {X: []float64{1}, Label: "a", Weight: 1}, {X: []float64{2}, Label: "1", Weight: 1}, {X: []float64{0}, Label: "1", Weight: 1, Hash: 1},
	}
	for i := range rows {
		for j := range rows {
			if got, want := rows[i].Compare(&rows[j]), cmp.Compare(i, j); got != want {
				t.Errorf("row %d to row %d: %d, want %d", i, j, got, want)
			}
		}
	}
	if one, same := (Sampled{Label: "1"}), (Sampled{Label: "1.0"}); one.Compare(&same) != 0 {
		t.Error("the label 1 is not 1.0")
	}
}
