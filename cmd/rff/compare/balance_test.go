package compare

import (
	"math"
	"slices"
	"testing"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/dataset"
)

// Training rows alone say how much classes weigh, for test rows too; a class that they lack keeps
// its weights.
func TestBalance(t *testing.T) {
	table := func(weights []float64, y ...float64) *dataset.Table {
		return &dataset.Table{X: blas.NewGeneral[float64](len(y), 1), Y: y, Weights: weights, Coding: dataset.NewCoding([]string{"a", "b", "c"})}
	}
	p := &prepared{train: table([]float64{1, 2, 3, 2}, 0, 0, 0, 1), test: table(nil, 1, 1, 0, 2)}
	p.balance()
	// 8 in all, 8/3 for each of three classes: 6 becomes 8/3, and 2 does.
	for i, want := range []float64{4. / 9, 8. / 9, 12. / 9, 8. / 3} {
		if math.Abs(p.train.Weights[i]-want) > 1e-15 {
			t.Errorf("row %d weighs %v, want %v", i, p.train.Weights[i], want)
		}
	}
	if want := []float64{4. / 3, 4. / 3, 4. / 9, 1}; !slices.EqualFunc(p.test.Weights, want, func(a, b float64) bool { return math.Abs(a-b) < 1e-15 }) {
		t.Errorf("test rows weigh %v, want %v", p.test.Weights, want)
	}
}
