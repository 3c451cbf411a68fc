package ridge

import (
	"cmp"
	"context"
	"math"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/portable"
)

// Analysis has the numbers of one λ for the rows of a system. krr.PathPoint defines each of
// them.
type Analysis struct {
	Lambda, Freedom                  float64
	RSS, Noise, GCV, LogEvidence, R2 []float64 // per target
	Solved                           Solved
}

// tillRegular is a number of jitters of which the last is above tr A, so that any finite system has
// a factor: an analysis has no other method to fall back on, and says that λ is not resolved.
const tillRegular = 20

// Analyze returns the analysis of every λ from one reduction of A. It calls advance
// as SolveGrid does. The error is a *SingularError, or ctx's.
func (s *System) Analyze(ctx context.Context, e blas.Engine, lambdas []float64, advance func(share float64)) ([]Analysis, error) {
	r, err := newReduced(ctx, e, s, 0, advance)
	if err != nil {
		return nil, err
	}
	out := make([]Analysis, len(lambdas))
	errs := make([]error, len(lambdas))
	e.Each(len(lambdas), func(_ blas.Engine, i int) {
		if errs[i] = ctx.Err(); errs[i] != nil {
			return
		}
		f, coef, info, err := r.solve(lambdas[i], tillRegular)
		if err != nil {
			errs[i] = &SingularError{lambdas[i], err}
			return
		}
		mu := float64(s.W*lambdas[i]) + info.Jitter
		n := float64(len(s.Z))
		out[i] = s.analysis(lambdas[i], mu, r.r, coef, n-float64(mu*f.InverseTrace()), f.LogDet()-float64(n*portable.Log(mu)))
		out[i].Solved = info
		f.Free()
		advance((1 - reducing) / float64(len(lambdas)))
	})
	if err := cmp.Or(errs...); err != nil {
		return nil, err
	}
	return out, nil
}

// Residuals returns RSS, Noise and R2 at λ of coefficients that were found by the method in
// solved.
func (s *System) Residuals(lambda float64, coef blas.General[float64], solved Solved) Analysis {
	return s.analysis(lambda, float64(s.W*lambda)+solved.Jitter, s.R, coef, 0, 0)
}

// analysis computes the sums over targets. r and coef are R and β in the same
// orthonormal coordinates, mu is nλ.
func (s *System) analysis(lambda, mu float64, r, coef blas.General[float64], freedom, logdet float64) Analysis {
	t := len(s.Y)
	n, errs := float64(s.Rows), s.errors()
	freedom = max(0, freedom)
	a := Analysis{Lambda: lambda, Freedom: freedom}
	for k := range t {
		// Aβ = R − nλβ, so RSS = Σy² − 2βᵀR + βᵀAβ = Σy² − βᵀR − nλ‖β‖².
		var br, bb float64
		for i := range coef.Rows {
			b := coef.Row(i)[k]
			br += float64(b * r.Row(i)[k])
			bb += float64(b * b)
		}
		if s.penalty != nil {
			bb = s.penalty.square(coef, k)
		}
		left := s.YY[k] - br - float64(mu*bb)
		rss := max(0, left)
		noise := max(0, s.YY[k]-br) / max(1, n-1)
		gcv := math.Inf(1)
		if free := 1 - (1+freedom)/n; free > 0 {
			// Rounding errors of A change RSS by about errs‖β‖², or by more if RSS is negative.
			// Below that they would choose λ.
			gcv = max(math.Abs(left), float64(errs*bb)) / s.W / (free * free)
		}
		r2 := 0.0
		if s.YY[k] > 0 {
			r2 = 1 - rss/s.YY[k]
		}
		a.RSS = append(a.RSS, rss)
		a.Noise = append(a.Noise, noise)
		a.GCV = append(a.GCV, gcv)
		a.R2 = append(a.R2, r2)
		a.LogEvidence = append(a.LogEvidence, -0.5*(float64((n-1)*(portable.Log(2*math.Pi*noise)+1))+logdet))
	}
	return a
}
