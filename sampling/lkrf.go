package sampling

import (
	"context"
	"math"
	"slices"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/inside"
)

// LKRF learns a distribution over the candidates that aligns their kernel with
// the targets (Sinha and Duchi, "Learning kernels with random features", NIPS
// 2016, Eq. 4): with vᵢ = |Σ (y−ȳ)φᵢ|² for M candidates,
//
//	maximise αᵀv over the simplex subject to ‖α − 1/M‖² ≤ ρ/M,
//
// a χ² ball around the uniform distribution. Features are drawn from α, or with
// Keep the largest α are kept with weights √α.
type LKRF struct {
	Pool
	// Rho is the radius ρ of the χ² ball. 0: 0.005·M, or less if α would be positive on
	// fewer candidates than the features need. Result.Rho has the radius that was used.
	Rho float64
	// Keep takes the candidates of largest α, with amplitudes in proportion to √α.
	// Otherwise candidates are drawn and get equal amplitudes. With Keep, Pick and
	// Importance must be left out.
	Keep bool
	// Fraction of the rows that the scores use, in (0, 1]. 0: 1.
	Fraction float64
	// Raw leaves the targets uncentred, as in the paper.
	Raw bool
}

// Sample implements rff.Sampler.
func (s LKRF) Sample(ctx context.Context, r rff.Request) (*rff.Map, error) {
	return mapOf(s.sampleScored(ctx, r))
}

// sampleScored implements scorer; Prob is α, and Rho is set.
func (s LKRF) sampleScored(ctx context.Context, r rff.Request) (*Result, error) {
	q, err := dataRequest(ctx, "lkrf", r, true)
	if err != nil {
		return nil, err
	}
	fraction, err := rowFraction(s.Fraction, 1)
	if err != nil {
		return nil, err
	}
	if s.Rho != 0 {
		if err := inside.CheckPositive("rho", s.Rho); err != nil {
			return nil, err
		}
	}
	amplitudes := s.amplitudes
	if s.Keep {
		if err := s.weighs("lkrf with keep=yes"); err != nil {
			return nil, err
		}
		s.Pick, s.Importance, amplitudes = pickTop, false, rootAmplitudes
	}
	return s.Pool.sampleWeighted(ctx, q, func(r *Result) error {
		v, rows, err := subsampledEnergies(ctx, q, r, fraction, s.Raw)
		if err != nil {
			return err
		}
		if _, err := normalize(q.sampler, v); err != nil {
			return err
		}
		m := float64(len(v))
		rho, support := s.Rho, 1
		if rho == 0 {
			rho = 0.005 * m
			if s.Pick != pickMultinomial {
				support = q.Features / r.pool.Func.Outputs()
			}
		}
		r.Rows, r.Scores = rows, v
		var radius float64
		r.Prob, radius = robustWeights(v, rho/m, support)
		r.Rho = radius * m
		return nil
	}, amplitudes)
}

// robustWeights maximises αᵀv over the simplex subject to ‖α − 1/M‖² ≤ radius. It reduces
// the radius if α would be positive on fewer than support elements. v must be non-negative
// and not all zero. It returns α and the radius that was used.
//
// For the multiplier λ of the ball, α is the projection of 1/M + v/λ onto the simplex. Let
// v be sorted downwards, with prefix sums Sₖ, and tₖ = Sₖ − k·vₖ, which grows with k. If
// tₖ < λ ≤ tₖ₊₁, α is positive on the k largest elements, and
//
//	‖α − 1/M‖² = Vₖ/λ² + 1/k − 1/M,  Vₖ = Σᵢ≤ₖ (vᵢ − Sₖ/k)²,
//
// which falls as λ grows. So the dual is solved by bisection over k, and λ then follows in
// closed form.
func robustWeights(v []float64, radius float64, support int) (alpha []float64, used float64) {
	r, m := rank(v), len(v)
	// The smallest k whose interval reaches a distance within the radius.
	lo, hi := 1, m
	for lo < hi {
		k := (lo + hi) / 2
		if r.distance(k, r.t[k]) <= radius {
			hi = k
		} else {
			lo = k + 1
		}
	}
	k := lo
	lambda := 0.0
	if q := r.variance(k); q > 0 {
		lambda = math.Sqrt(q / (radius - 1/float64(k) + 1/float64(m)))
	} else {
		// The ball does not bind: α is uniform on the ties of the maximum.
		for k < m && r.gap[k] == 0 {
			k++
		}
	}
	used = radius
	if k < support {
		k = min(support, m)
		for k < m && r.t[k] <= r.t[k-1] {
			k++ // ties are taken together
		}
		lambda = r.t[k]
		if k == m {
			// Any λ above tₘ will do; 2tₘ leaves the smallest weight at half of the
			// uniform one.
			lambda = 2 * r.t[m-1]
		}
		used = r.distance(k, lambda)
	}
	return r.project(k, lambda), used
}

// ranking has v sorted downwards and divided by its largest element, as differences from
// that element, which is 1. Differences keep tₖ and Vₖ free of cancellation where it
// matters, among near ties.
type ranking struct {
	order []int     // of the elements in v
	gap   []float64 // 1 − vₖ ≥ 0
	sum   []float64 // of the first k gaps
	t     []float64 // t[k−1] = tₖ, and +∞ after the last
}

func rank(v []float64) *ranking {
	m := len(v)
	r := &ranking{order: make([]int, m), gap: make([]float64, m), sum: make([]float64, m), t: make([]float64, m+1)}
	key := make([]float64, m)
	largest := slices.Max(v)
	for i := range v {
		r.order[i], key[i] = i, -v[i]/largest
	}
	sortBy(r.order, key)
	var s float64
	for k, i := range r.order {
		r.gap[k] = 1 + key[i]
		s += r.gap[k]
		r.sum[k] = s
		r.t[k] = float64(float64(k+1)*r.gap[k]) - s
		if k > 0 {
			r.t[k] = max(r.t[k], r.t[k-1])
		}
	}
	r.t[m] = math.Inf(1)
	return r
}

// variance returns Vₖ.
func (r *ranking) variance(k int) float64 {
	mean := r.sum[k-1] / float64(k)
	var q float64
	for _, g := range r.gap[:k] {
		q += float64((g - mean) * (g - mean))
	}
	return q
}

// distance returns ‖α − 1/M‖² where α is positive on the k largest.
func (r *ranking) distance(k int, lambda float64) float64 {
	d := 1/float64(k) - 1/float64(len(r.order))
	if q := r.variance(k); q > 0 {
		d += q / (lambda * lambda)
	}
	return d
}

// project returns the α that is positive on the k largest, uniform there for λ = 0.
func (r *ranking) project(k int, lambda float64) []float64 {
	alpha := make([]float64, len(r.order))
	mean := r.sum[k-1] / float64(k)
	for j, i := range r.order[:k] {
		alpha[i] = 1 / float64(k)
		if lambda > 0 {
			alpha[i] = max(alpha[i]-(r.gap[j]-mean)/lambda, 0)
		}
	}
	return alpha
}

// rootAmplitudes gives candidate i the amplitude √αᵢ, scaled so that the squares of the
// picked candidates' amplitudes sum to one. Only Keep uses it: with candidates drawn at
// random from the support, the features would stand for another kernel.
func rootAmplitudes(r *Result, _ int) []float64 {
	var sum float64
	for _, c := range r.Picked {
		sum += r.Prob[c]
	}
	a := make([]float64, len(r.Picked))
	for i, c := range r.Picked {
		a[i] = math.Sqrt(float64(len(r.Prob)) * (r.Prob[c] / sum))
	}
	return a
}
