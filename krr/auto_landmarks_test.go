package krr_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/krr"
	"github.com/rffgo/rff/sampling"
)

// helix returns rows on a curve in d dimensions, and a function that winds along it.
func helix(seed uint64, n, d int, noise float64) *rows {
	r := planted(seed, n, 1, 0, func([]float64) float64 { return 0 })
	out := planted(seed+100, n, d, 0, func([]float64) float64 { return 0 })
	for i := range n {
		t := r.x.Row(i)[0]
		for j, z := range out.x.Row(i) {
			out.x.Row(i)[j] = math.Sin(float64(1+j)*t+float64(j*j)) + 0.01*z
		}
		out.y.Row(i)[0] = math.Sin(24*t) + noise*out.x.Row(i)[0]
	}
	return out
}

// Rows on a curve of 20 dimensions, where a narrow kernel has few sections that are
// not zero and needs many random features, and learned ones are no better: landmarks are kept.
func TestAutoLandmarks(t *testing.T) {
	t.Parallel()
	train, test := helix(21, 3000, 20, 0), helix(22, 1000, 20, 0)
	set := krr.AutoSettings{Budget: 2 * time.Second, Steps: anyNumber, Features: 128, Kernels: []rff.Stationary{rff.NewGaussian()}}
	m, r := auto(t, train, set)
	if !strings.HasPrefix(krr.SearchOf(r).Sampler, "nystrom") || krr.SearchOf(r).Learned != "" {
		t.Fatalf("no landmarks: %v", krr.StepsOf(r))
	}
	if note := m.Info().Provenance["auto"]; !strings.Contains(note, "landmarks") || !sections(m.Map()) {
		t.Errorf("the model has %v, and says %q", m.Map().Kernel(), note)
	}
	if by := m.Info().Provenance["sampler"]; !strings.HasPrefix(krr.SearchOf(r).Sampler, "nystrom") || by != krr.SearchOf(r).Sampler {
		t.Errorf("the sampler is %q, the model says %q", krr.SearchOf(r).Sampler, by)
	}
	set.Sampler, set.Budget = sampling.MonteCarlo{}, time.Second/4 // of 2 s random features have the same error
	plain, p := auto(t, train, set)
	if by, ok := plain.Info().Provenance["sampler"]; krr.SearchOf(p).Sampler != "" || ok {
		t.Errorf("a sampler was given, the report has %q, the model %q", krr.SearchOf(p).Sampler, by)
	}
	a, b := relativeRMSE(t, m, test), relativeRMSE(t, plain, test)
	if strings.HasPrefix(krr.SearchOf(p).Sampler, "nystrom") || sections(plain.Map()) || !(a < 0.9*b) {
		t.Errorf("relative error %.4f by landmarks, %.4f by random features", a, b)
	}
	// Held-out errors of 2000 rows have a standard error of some 3 %, and the least of
	// several is lower; what a fit does is what the search measured.
	if !(math.Abs(a/krr.SearchOf(r).Error-1) < 0.25) {
		t.Errorf("test error %.4f, held-out error %.4f", a, krr.SearchOf(r).Error)
	}
	if _, s := m.Map().Dims(); s != 128 || krr.FeaturesOf(r) != 128 {
		t.Errorf("%d landmarks, %d in the report", s, krr.FeaturesOf(r))
	}
}

// sections reports whether m has features that are kernel sections.
func sections(m *rff.Map) bool { return inside.Spec(m).Func.Section() }

// Landmarks cost what the budget counts, are refused where there are too few rows, and
// keep to kernels that were given.
func TestAutoLandmarksBounds(t *testing.T) {
	t.Parallel()
	train := helix(1, 1500, 4, 0.5)
	_, r := auto(t, train, krr.AutoSettings{Budget: time.Second / 2, Steps: anyNumber, Features: 64, Kernels: []rff.Stationary{rff.NewCauchy()}})
	for _, s := range krr.StepsOf(r) {
		if s.Name == "landmarks" {
			t.Errorf("the Cauchy kernel has no sections: %v", s)
		}
	}
	_, r = auto(t, train, krr.AutoSettings{Budget: time.Second / 2, Steps: anyNumber, Features: 64, Kernels: []rff.Stationary{rff.NewMatern(1.5)}})
	seen := false
	var sum time.Duration
	for _, s := range krr.StepsOf(r) {
		sum += s.Estimated
		if s.Name == "landmarks" {
			seen = true
			if !strings.Contains(s.Best, "landmarks, ") || !strings.Contains(s.Best, "nu=1.5") {
				t.Errorf("step %v", s)
			}
		}
	}
	if !seen || sum > krr.SearchOf(r).Estimated {
		t.Errorf("steps %v, estimated %v", krr.StepsOf(r), krr.SearchOf(r).Estimated)
	}
	if _, r = auto(t, train, krr.AutoSettings{Budget: time.Second / 2, Steps: anyNumber, Features: 1024, Kernels: []rff.Stationary{rff.NewGaussian()}}); strings.HasPrefix(krr.SearchOf(r).Sampler, "nystrom") {
		t.Error("1024 landmarks of 1200 rows")
	}
}
