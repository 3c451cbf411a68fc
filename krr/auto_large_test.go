package krr_test

import (
	"math"
	"testing"
	"time"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/krr"
	"github.com/rffgo/rff/sampling"
)

// Of many rows refined features gain the most: they are trained on more rows than a
// thorough search of few, and a metric alone is not tried where they are kept.
func TestAutoManyRows(t *testing.T) {
	t.Parallel()
	const n, d = 45000, 3
	f := func(x []float64) float64 { return math.Sin(5*x[0]+3*x[1]) + math.Sin(4*x[1]-5*x[2]) }
	data := planted(1, n, d, 0.1, f)
	_, r := auto(t, data, krr.AutoSettings{Budget: 1500 * time.Millisecond, Steps: anyNumber, Features: 64})
	for _, s := range krr.StepsOf(r) {
		if s.Name == "metric" && s.Candidates > 0 {
			t.Errorf("%v is tried with refined features at hand", s)
		}
		if s.Name == "refined" && (!s.Kept || s.Rows < 32000) {
			t.Errorf("refined features: %v", s)
		}
	}
	if krr.SearchOf(r).Learned != "refined" || krr.SearchOf(r).Sampler != "refined" {
		t.Errorf("learned %q after %v", krr.SearchOf(r).Learned, krr.StepsOf(r))
	}
}

// Rows held out cannot tell sizes apart where there is nothing to learn: of many rows
// more features are then taken, since they are not worse either.
func TestAutoMoreFeaturesOfManyRows(t *testing.T) {
	t.Parallel()
	data := planted(1, 18000, 3, 1, func([]float64) float64 { return 0 })
	_, r := auto(t, data, krr.AutoSettings{Budget: 350 * time.Millisecond, Steps: anyNumber, Kernels: []rff.Stationary{rff.NewGaussian()}, Sampler: sampling.MonteCarlo{}})
	first := 0
	for _, s := range krr.StepsOf(r) {
		if s.Name == "search" {
			first = s.Features
		}
		if s.Kept && s.Name == "features" && (s.Gain > s.StdErr || s.Gain < -s.StdErr) {
			t.Errorf("%+v tells sizes apart", s)
		}
	}
	if last := krr.FeaturesOf(r); last < 2*first || last > 18000/32 {
		t.Errorf("%d features, the search ended with %d: %s", last, first, r.Stopped)
	}
}
