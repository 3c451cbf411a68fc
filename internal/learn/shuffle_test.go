package learn

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// An epoch has as many draws as there are rows, each row as often as its weight over the
// mean weight, rounded up or down; rows of equal weights come once, in another order in
// every epoch, and the mean over epochs is that of the weights: the standard deviation of a
// count is at most ½, so that of a mean over 4,000 epochs is below .008.
func TestShuffle(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const n, epochs = 50, 4000
	for _, weight := range [][]float64{nil, slices.Repeat([]float64{3}, n), make([]float64, n)} {
		if weight != nil && weight[0] == 0 {
			for i := range weight {
				weight[i] = 4 * rng.Float64()
			}
			weight[7] = 0
		}
		mean := 0.0
		for _, w := range weight {
			mean += w / n
		}
		d := &descent{weight: weight, order: make([]int, n), drawn: make([]int, 0, n)}
		sums := make([]float64, n)
		last := make([]int, n)
		for epoch := range epochs {
			d.shuffle(rand.NewPCG(3, uint64(epoch)))
			counts := make([]float64, n)
			for _, row := range d.order {
				counts[row]++
			}
			if len(d.order) != n || slices.Equal(d.order, last) {
				t.Fatal(d.order)
			}
			copy(last, d.order)
			for row, c := range counts {
				want := 1.0
				if weight != nil {
					want = weight[row] / mean
				}
				// The ends of a weight may be off by the rounding errors of a sum.
				if c < math.Floor(want-1e-9) || c > math.Ceil(want+1e-9) {
					t.Fatalf("row %d comes %g times, want %g", row, c, want)
				}
				if sums[row] += c / epochs; epoch == epochs-1 && math.Abs(sums[row]-want) > 5*.008 {
					t.Errorf("row %d comes %g times in the mean, want %g", row, sums[row], want)
				}
			}
		}
	}
}
