package learn

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/rffgo/rff/internal/inside"
)

// The number of small fits that a search takes is what Fits says, within a third: what
// Auto's budget counts.
func TestEffortFits(t *testing.T) {
	const n, d = 1500, 4
	for name, effort := range map[string]Effort{"fast": Fast, "thorough": Thorough} {
		effort.Frequencies, effort.Rows = 32, 1000
		p := ridges(n, d, 1, false)
		fits := 0
		s := &Metric{Problem: p, W0: normals(rand.New(rand.NewPCG(3, 4)), effort.Frequencies, d), Unit: math.Sqrt(2 * d), Rounds: effort.Rounds, Quick: effort.Quick, Done: func() { fits++ }}
		one := make([]float64, d)
		other := make([]float64, d)
		for j := range one {
			one[j], other[j] = 1, 1+float64(j)
		}
		steps, at, fit, err := s.Start(context.Background(), Transform{Scale: one}, Transform{Scale: other})
		if err != nil {
			t.Fatal(err)
		}
		for _, root := range effort.Roots {
			if _, _, err := s.Run(context.Background(), steps[at], fit, root, 2); err != nil {
				t.Fatal(err)
			}
		}
		want := effort.Fits(inside.Task{Rows: n, In: d, Targets: 1, Features: 64})[0].Count
		if ratio := float64(fits) / want; ratio < 2.0/3 || ratio > 1.5 {
			t.Errorf("%s: %d fits, %g expected", name, fits, want)
		}
	}
}
