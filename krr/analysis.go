package krr

import (
	"context"
	"fmt"
	"math"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/portable"
)

// Analysis is what one λ means for the rows of a Gram, in closed form. With
// A = Zᵀ(I − 11ᵀ/n)Z and weights in place:
type Analysis struct {
	Lambda float64
	// Freedom is the number of effective degrees of freedom beside the
	// intercept, d_K^λ = tr A(A + nλI)⁻¹ = s − nλ·tr(A + nλI)⁻¹.
	Freedom float64
	// RSS is the residual sum of squares on the training rows, per target.
	RSS []float64
	// Noise is the variance σ² of the Bayesian view, y ~ N(b + zᵀβ, σ²) with
	// β ~ N(0, σ²/(nλ)·I), at its most likely value: (RSS + nλ‖β‖²)/(n−1).
	Noise []float64
	// GCV is the generalised cross-validation estimate of the squared error of
	// new rows, (RSS/n)/(1 − (1+Freedom)/n)² (Golub, Heath and Wahba, 1979).
	GCV []float64
	// LogEvidence is the log marginal likelihood at that σ², with a flat prior
	// on the intercept (the restricted likelihood):
	// −½[(n−1)(log 2πσ² + 1) + log det(I + A/(nλ))].
	LogEvidence []float64
	// R2 is 1 − RSS/Σ(y−ȳ)² per target, 0 for a constant target.
	R2 []float64
	// Solved says how the system was solved.
	Solved Solved
}

// Analyze returns the analysis of every λ, from one reduction of ZᵀZ and no
// data. Errors: those of Solve.
func (g *Gram) Analyze(ctx context.Context, lambdas []float64) ([]Analysis, error) {
	return g.analyze(ctx, lambdas, nil)
}

// analyze is Analyze, which advances p by one part.
func (g *Gram) analyze(ctx context.Context, lambdas []float64, p *stage) ([]Analysis, error) {
	s, err := g.system(lambdas)
	if err != nil {
		return nil, err
	}
	e := g.m.Engine()
	r, err := newReduced(ctx, e, s, p)
	if err != nil {
		return nil, err
	}
	out := make([]Analysis, len(lambdas))
	errs := make([]error, len(lambdas))
	e.Each(len(lambdas), func(_ blas.Engine, i int) {
		if errs[i] = ctx.Err(); errs[i] != nil {
			return
		}
		f, coef, info, err := r.solve(lambdas[i])
		if err != nil {
			errs[i] = &SingularError{lambdas[i], err}
			return
		}
		mu := float64(s.w*lambdas[i]) + info.Jitter
		n := float64(len(s.z))
		out[i] = s.analysis(lambdas[i], mu, r.r, coef, n-float64(mu*f.InverseTrace()), f.LogDet()-float64(n*portable.Log(mu)))
		out[i].Solved = info
		p.add((1 - reducing) / float64(len(lambdas)))
	})
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// system checks what solving needs and forms the problem.
func (g *Gram) system(lambdas []float64) (*system, error) {
	for _, l := range lambdas {
		if err := checkLambda(l); err != nil {
			return nil, err
		}
	}
	if err := g.solvable(); err != nil {
		return nil, err
	}
	sums := g.Sums()
	if sums.Rows < 1 || !(sums.W > 0) {
		return nil, &EmptyError{"rows of positive weight"}
	}
	if err := g.shift.resolved(g.precision, g.shift.at); err != nil {
		return nil, err
	}
	for _, l := range lambdas {
		if err := checkRidge(sums.W, l); err != nil {
			return nil, err
		}
	}
	return newSystem(sums, nil, g.shift.at), nil
}

// mostRidge bounds Σw·λ: its square is a number.
const mostRidge = 0x1p500

// checkRidge returns an error unless λ for rows of weight w makes a ridge that can
// be computed with.
func checkRidge(w, lambda float64) error {
	if !(float64(w*lambda) <= mostRidge) {
		return &SettingError{"lambda", lambda, fmt.Sprintf("times Σw = %g it must be at most %.2g", w, mostRidge)}
	}
	return nil
}

// analysis computes the sums over targets. r and coef are R and β in the same
// orthonormal coordinates, mu is nλ.
func (s *system) analysis(lambda, mu float64, r, coef blas.General[float64], freedom, logdet float64) Analysis {
	t := len(s.y)
	n := float64(s.rows)
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
		rss := max(0, s.yy[k]-br-float64(mu*bb))
		noise := max(0, s.yy[k]-br) / max(1, n-1)
		gcv := math.Inf(1)
		if left := 1 - (1+freedom)/n; left > 0 {
			gcv = rss / s.w / (left * left)
		}
		r2 := 0.0
		if s.yy[k] > 0 {
			r2 = 1 - rss/s.yy[k]
		}
		a.RSS = append(a.RSS, rss)
		a.Noise = append(a.Noise, noise)
		a.GCV = append(a.GCV, gcv)
		a.R2 = append(a.R2, r2)
		a.LogEvidence = append(a.LogEvidence, -0.5*(float64((n-1)*(portable.Log(2*math.Pi*noise)+1))+logdet))
	}
	return a
}
