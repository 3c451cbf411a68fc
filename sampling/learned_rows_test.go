package sampling

import (
	"math/rand/v2"
	"testing"

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
