package selection_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rffgo/rff/internal/selection"
)

// Every order statistic is that of the sorted values, for ordered, reversed, equal and random ones with
// ties and infinities, and the values on either side are on that side of it.
func TestKth(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	kinds := map[string]func(i, n int) float64{
		"ordered":  func(i, n int) float64 { return float64(i) },
		"reversed": func(i, n int) float64 { return float64(n - i) },
		"equal":    func(i, n int) float64 { return 3 },
		"two":      func(i, n int) float64 { return float64(i % 2) },
		"ties":     func(i, n int) float64 { return float64(rng.IntN(5)) },
		"random":   func(i, n int) float64 { return rng.NormFloat64() },
		"infinite": func(i, n int) float64 { return math.Inf(rng.IntN(3) - 1) },
	}
	for name, at := range kinds {
		for n := 1; n <= 40; n++ {
			v := make([]float64, n)
			for i := range v {
				v[i] = at(i, n)
			}
			sorted := slices.Sorted(slices.Values(v))
			for k := range n {
				w := slices.Clone(v)
				if got := selection.Kth(w, k); got != sorted[k] || w[k] != got {
					t.Fatalf("%s: value %d of %v is %g, want %g", name, k, v, got, sorted[k])
				}
				if slices.Max(w[:k+1]) > w[k] || slices.Min(w[k:]) < w[k] {
					t.Fatalf("%s: %v is not parted at %d", name, w, k)
				}
				if slices.Sort(w); !slices.Equal(w, sorted) {
					t.Fatalf("%s: %v has other values than %v", name, w, v)
				}
			}
		}
	}
}
