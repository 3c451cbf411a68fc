package race

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/stream"
	"github.com/rffgo/rff/internal/trial"
)

// sizes returns rows of sizes, a third of them 0, of flags and of numbers of both signs.
func sizes(unit, spread float64) *trial.Rows {
	const n = 2000
	rng := rand.New(rand.NewPCG(1, 1))
	r := &trial.Rows{X: blas.NewGeneral[float64](n, 3), Low: make([]float64, 3), High: make([]float64, 3)}
	for i := range n {
		x := r.X.Row(i)
		if rng.IntN(3) > 0 {
			x[0] = unit * math.Round(1+20*math.Exp(spread*rng.NormFloat64()))
		}
		x[1], x[2] = float64(rng.IntN(2)), rng.NormFloat64()
		for j, v := range x {
			r.Low[j], r.High[j] = min(r.Low[j], v), max(r.High[j], v)
		}
	}
	return r
}

// waysOf returns the scalings robust and logs of rows, the second zero where there is none.
func waysOf(t *testing.T, rows *trial.Rows) (robust, logs rff.Scaling) {
	t.Helper()
	ways, err := scalings(t.Context(), blas.Engine{}, rows, true)
	if err != nil {
		t.Fatal(err)
	}
	if last := ways[len(ways)-1]; last.name == "logs" {
		logs = last.Scaling
	}
	return ways[0].Scaling, logs
}

// Columns that span orders of magnitude become logarithms in units of their smallest
// value, whatever they are measured in; others stay as they are.
func TestLogScaling(t *testing.T) {
	rows, larger := sizes(1, 3), sizes(1024, 3)
	robust, logs := waysOf(t, rows)
	_, more := waysOf(t, larger)
	if logs.From == nil || logs.From[0] == nil || len(logs.From[0]) > logKnots+2 {
		t.Fatalf("points %v", logs.From)
	}
	if err := inside.CheckScaling(logs, 3); err != nil {
		t.Fatal(err)
	}
	for j := 1; j < 3; j++ {
		if logs.From[j] != nil || logs.Shift[j] != robust.Shift[j] || logs.Scale[j] != robust.Scale[j] {
			t.Errorf("column %d is changed", j)
		}
	}
	step := math.Log1p(rows.High[0]) / logKnots
	got, other := make([]float64, 3), make([]float64, 3)
	for i := range rows.X.Rows {
		v := rows.X.Row(i)[0]
		stream.Scale(logs, got, rows.X.Row(i))
		stream.Scale(more, other, larger.X.Row(i))
		// Between two points the chord is at most a step below the logarithm.
		l := got[0]*logs.Scale[0] + logs.Shift[0]
		if l > math.Log1p(v)+1e-12 || l < math.Log1p(v)-step-1e-12 {
			t.Fatalf("%g becomes %g, its logarithm is %g", v, l, math.Log1p(v))
		}
		if got[0] != other[0] { // the factor is a power of two
			t.Fatalf("%g becomes %g, in another unit %g", v, got[0], other[0])
		}
	}
	if _, logs := waysOf(t, sizes(1, 0.5)); logs.From != nil {
		t.Error("columns of one order of magnitude become logarithms")
	}
}
