package sampling

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
)

// Rows that the schema of the data calls alike are learned on together or validated on
// together.
func TestLearningKeepsRunsTogether(t *testing.T) {
	const run = 25
	for _, rows := range []int{0, run} {
		data := rff.Source(waves(1000, 3, 1))
		schema := data.Schema()
		schema.FoldRows = rows
		data, err := rff.WithSchema(data, schema)
		if err != nil {
			t.Fatal(err)
		}
		q := &request{Request: rff.Request{Dim: 3, Features: 20, Data: data, Rand: rand.NewPCG(3, 3)}, sampler: "metric"}
		r, err := readLearning(t.Context(), q, 1000, 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		learned := map[int64]bool{}
		for _, i := range r.train.Index {
			learned[i/run] = true
		}
		split := 0
		for _, i := range r.valid.Index {
			if learned[i/run] {
				split++
			}
		}
		if r.valid.X.Rows == 0 || (split > 0) != (rows == 0) {
			t.Errorf("runs of %d: %d of %d rows are validated on beside rows of their run", rows, split, r.valid.X.Rows)
		}
	}
}

// About as many rows as asked for are learned on, and all others validate; without a number a fifth
// validates.
func TestLearningOnFewRows(t *testing.T) {
	for _, c := range []struct{ few, learned int }{{0, 800}, {200, 200}, {300, 333}, {900, 800}} {
		q := &request{Request: rff.Request{Dim: 3, Features: 20, Data: waves(1000, 3, 1), Rand: rand.NewPCG(3, 3)}, sampler: "nystrom"}
		r, err := readLearning(t.Context(), q, 1000, c.few, 1)
		if err != nil {
			t.Fatal(err)
		}
		if n := r.train.X.Rows; n < c.learned || n > c.learned+1 || n+r.valid.X.Rows != 1000 {
			t.Errorf("asked for %d rows: %d are learned on, %d validate", c.few, n, r.valid.X.Rows)
		}
	}
}

// Codes of classes keep their scale, also where rows have probabilities in place of labels: otherwise
// a rare class would weigh more for a teacher that is nearly sure than for labels.
func TestCodesKeepTheirScale(t *testing.T) {
	const n = 200
	for _, sure := range []float64{1, 0.97} {
		x, y := mat.NewDense(n, 1, nil), mat.NewDense(n, 3, nil)
		for i := range n {
			x.Set(i, 0, float64(i))
			for k := range 3 {
				y.Set(i, k, (1-sure)-1) // 2p − 1 with p = (1 − sure)/2
			}
			y.Set(i, min(2, i%10/4), 2*sure-1)
		}
		data, err := rff.FromMatrix(x, y)
		if err != nil {
			t.Fatal(err)
		}
		schema := data.Schema()
		schema.Target.Classes = []string{"a", "b", "c"}
		if data, err = rff.WithSchema(data, schema); err != nil {
			t.Fatal(err)
		}
		q := &request{Request: rff.Request{Dim: 1, Features: 20, Data: data, Rand: rand.NewPCG(3, 3)}, sampler: "metric"}
		r, err := readLearning(t.Context(), q, n, 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		for k := range 3 {
			low, high := math.Inf(1), math.Inf(-1)
			for i := range r.train.Y.Rows {
				v := r.train.Y.Row(i)[k]
				low, high = min(low, v), max(high, v)
			}
			if want := (2*sure - 1) - ((1 - sure) - 1); math.Abs(high-low-want) > 1e-14 { // rounding of two sums
				t.Errorf("a teacher that is %v sure: column %d has a range of %v, want %v", sure, k, high-low, want)
			}
		}
	}
}
