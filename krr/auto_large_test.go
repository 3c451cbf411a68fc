package krr_test

import (
	"math"
	"testing"
	"time"

	"github.com/rffgo/rff/krr"
)

// Of many rows refined features gain the most: they are trained on more rows than a
// thorough search of few, and a metric alone is not tried where they are kept.
func TestAutoManyRows(t *testing.T) {
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
	if r.Learned != "refined" || r.Sampler != "refined" {
		t.Errorf("learned %q after %v", r.Learned, krr.StepsOf(r))
	}
}

// Rows held out cannot tell sizes apart where there is nothing to learn: of many rows
// more features are then taken, since they are not worse either.
func TestAutoMoreFeaturesOfManyRows(t *testing.T) {
	data := planted(1, 45000, 3, 1, func([]float64) float64 { return 0 })
	_, r := auto(t, data, krr.AutoSettings{Budget: 6 * time.Second, Steps: anyNumber})
	for _, s := range krr.StepsOf(r) {
		if s.Name == "features" && s.Candidates > 0 && (s.Gain > s.StdErr || s.Gain < -s.StdErr) {
			t.Errorf("%+v tells sizes apart", s)
		}
	}
	if krr.FeaturesOf(r) < 1024 {
		t.Errorf("%d features: %s", krr.FeaturesOf(r), r.Stopped)
	}
}
