package liu

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Closed forms: all n of one sign have 2·2⁻ⁿ; with one other sign at the least rank
// 2·2·2⁻ⁿ (sums 0 and 1); equal sizes share ranks.
func TestSignedRank(t *testing.T) {
	for _, c := range []struct {
		d    []float64
		want float64
	}{
		{[]float64{1, 2, 3, 4, 5, 6, 7, 8}, 2. / 256},
		{[]float64{-1, 2, 3, 4, 5, 6, 7, 8}, 4. / 256},
		{[]float64{0, -1, 2, 3, 4, 5, 6, 7, 8}, 4. / 256},
		{[]float64{1, 1, -1, -1}, 1},
		{[]float64{-1, 1, 1, 1}, 10. / 16}, // binomial, as all ranks are equal
		{nil, 1},
		{[]float64{0, 0}, 1},
	} {
		if got := signedRank(c.d).P; math.Abs(got-c.want) > 0.005*c.want {
			t.Errorf("%v: p = %v, want %v", c.d, got, c.want)
		}
	}
	// Hollander and Wolfe, Nonparametric Statistical Methods, table 3.1: depression scale
	// factor of nine patients, T⁺ = 5, two-sided p 0.0391; the centre of the first less
	// the second is 0.46, with an interval of (0.01, 0.786).
	d := []float64{0.952, -0.147, 1.022, 0.43, 0.62, 0.59, 0.49, -0.08, 0.01}
	r := signedRank(d)
	if math.Abs(r.P-0.0391) > 1e-4 || math.Abs(r.Center-0.46) > 1e-9 || math.Abs(r.Low-0.01) > 1e-9 || math.Abs(r.High-0.786) > 1e-9 {
		t.Errorf("%+v", r)
	}
	if r := signedRank([]float64{1, 2, 3, 4, 5}); !math.IsInf(r.High, 1) || r.Center != 3 {
		t.Errorf("five differences: %+v", r)
	}
}

// The interval has the centre of symmetric draws at least 95 times of 100: of 2,000
// trials that is 1,900, with a standard deviation of 10.
func TestSignedRankCovers(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	in := 0
	for range 2000 {
		d := make([]float64, 9)
		for i := range d {
			d[i] = 0.7 + rng.NormFloat64()
		}
		if r := signedRank(d); r.Low <= 0.7 && 0.7 <= r.High {
			in++
		}
	}
	if in < 1860 {
		t.Errorf("%d of 2000", in)
	}
}
