package krr_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff/internal/reweight"
	"github.com/rffgo/rff/krr"
)

// huber is Huber's loss as a rule of targets: those further than itself from the score are
// moved to that distance. It majorises the loss by squares of curvature 1.
type huber float64

func (h huber) String() string { return "huber" }

func (h huber) Traits() reweight.Traits {
	return reweight.Traits{Targets: true, Rounds: 100, Tolerance: 1e-8}
}

func (h huber) Row(score, y, working []float64) float64 {
	for t, s := range score {
		working[t] = s + min(max(y[t]-s, -float64(h)), float64(h))
	}
	return 1
}

// byDescent minimises (1/Σw)Σw·ρ(y − f) + λ/2·‖β‖² by gradients, of Huber's loss ρ.
func byDescent(z *mat.Dense, y, w []float64, delta, lambda float64) (beta []float64, b float64) {
	n, s := z.Dims()
	var sum float64
	for _, v := range w {
		sum += v
	}
	beta = make([]float64, s)
	// Features have squares that sum to 1, and the constant: the curvature is at most 2 + λ.
	for step := 1 / (2 + lambda); ; {
		g, gb, norm := make([]float64, s), 0.0, 0.0
		for i := range n {
			row := z.RawRowView(i)
			r := y[i] - b
			for j, v := range row {
				r -= beta[j] * v
			}
			r = min(max(r, -delta), delta) * w[i] / sum
			gb -= r
			for j, v := range row {
				g[j] -= r * v
			}
		}
		for j := range g {
			g[j] += lambda * beta[j]
			beta[j] -= step * g[j]
			norm += g[j] * g[j]
		}
		b -= step * gb
		if norm+gb*gb < 1e-22 {
			return beta, b
		}
	}
}

// outliers returns rows of a wave, every tenth of them far off, with two targets and weights.
func outliers(n int) *rows {
	rng := rand.New(rand.NewPCG(4, 4))
	r := synthetic(3, n, 2, 2, 0.05)
	for i := range n {
		if i%10 == 0 {
			r.y.Row(i)[0] += 5 + rng.Float64()
			r.y.Row(i)[1] -= 3
		}
		r.w = append(r.w, float64(i%3)/2)
	}
	return r
}

// A rule that moves targets until the scores settle minimises its loss: Huber's, as gradient
// descent does, of many rows and of fewer than features, with a λ per target.
func TestRuleConverges(t *testing.T) {
	ctx := context.Background()
	const delta, lambda = 0.3, 0.01
	for _, n := range []int{30, 300} {
		r, m := outliers(n), gaussianMap(t, 1, 2, 40, 2)
		z := features(t, m, r.x)
		model, report, err := krr.FitRule(ctx, m, r, krr.Settings{Lambda: lambda}, huber(delta))
		if err != nil {
			t.Fatal(err)
		}
		coef, shift := model.Coefficients()
		for k := range 2 {
			y := make([]float64, n)
			for i := range y {
				y[i] = r.y.Row(i)[k]
			}
			want, b := byDescent(z, y, r.w, delta, lambda)
			// The last change is below 10⁻⁸ of residuals of size 1, and each step of the rounds
			// takes off a constant share of what is left, here more than half.
			for j, v := range want {
				if d := math.Abs(coef.At(j, k) - v); d > 1e-6 {
					t.Fatalf("%d rows, target %d: coefficient %d differs by %g of %g", n, k, j, d, v)
				}
			}
			if d := math.Abs(shift[k] - b); d > 1e-6 {
				t.Errorf("%d rows, target %d: intercept differs by %g", n, k, d)
			}
		}
		if report.Rows != int64(n) || report.Reweighted != 0 {
			t.Errorf("%+v", report)
		}
	}
}

// The last solution has what was asked for, and the λ per target that the first one chose;
// the variance is that of its sums.
func TestRuleKeepsAsked(t *testing.T) {
	ctx := context.Background()
	r, m := outliers(400), gaussianMap(t, 1, 2, 40, 2)
	for i := range r.y.Rows {
		r.y.Row(i)[1] = math.Sin(float64(100 * i)) // noise, which asks for another λ
	}
	s := krr.Settings{PerTarget: true, Variance: true, HeldOut: true}
	plain, once, err := krr.Fit(ctx, m, r, s)
	if err != nil {
		t.Fatal(err)
	}
	model, report, err := krr.FitRule(ctx, m, r, s, huber(0.3))
	if err != nil {
		t.Fatal(err)
	}
	if l := report.Lambda; l[0] == l[1] || l[0] != once.Lambda[0] || l[1] != once.Lambda[1] || len(report.Path) != len(once.Path) || report.HeldOut == nil {
		t.Errorf("λ %v, of one solution %v: %+v", l, once.Lambda, report)
	}
	var v, p mat.Dense
	x := dense(r.x)
	if err := errors.Join(model.Variance(&v, x), plain.Variance(&p, x)); err != nil {
		t.Fatal(err)
	}
	// Outliers are most of the noise of the first target.
	if v.At(0, 0) > p.At(0, 0)/4 {
		t.Errorf("variance %g, of squares %g", v.At(0, 0), p.At(0, 0))
	}
}

// stubborn never settles.
type stubborn struct{ huber }

func (stubborn) Row(score, _, working []float64) float64 { working[0] = 1 - score[0]; return 1 }

// A rule that does not settle is an error that says so.
func TestRuleUnsettled(t *testing.T) {
	r := synthetic(3, 100, 2, 1, 0.05)
	_, _, err := krr.FitRule(context.Background(), gaussianMap(t, 1, 2, 40, 2), r, krr.Settings{Lambda: 1e-6}, stubborn{1})
	var e *krr.SolveError
	if !errors.As(err, &e) || e.Lambda != 1e-6 || !strings.Contains(e.Why, "after 100 solutions") {
		t.Errorf("%v", err)
	}
}

// lowered lowers the weight of rows far off until that settles.
type lowered struct{ huber }

func (lowered) Traits() reweight.Traits {
	return reweight.Traits{Lowers: true, Rounds: 200, Tolerance: 1e-8}
}

func (l lowered) Row(score, y, _ []float64) float64 {
	return min(1, float64(l.huber)/math.Abs(y[0]-score[0]))
}

// A rule that lowers weights ends where it gives the weights that it was solved with.
func TestRuleLowers(t *testing.T) {
	r, m := outliers(300), gaussianMap(t, 1, 2, 40, 2)
	const lambda = 0.01
	model, report, err := krr.FitRule(context.Background(), m, r, krr.Settings{Lambda: lambda}, lowered{0.3})
	if err != nil {
		t.Fatal(err)
	}
	z := features(t, m, r.x)
	coef, shift := model.Coefficients()
	var low int64
	w := make([]float64, 300)
	for i := range w {
		f := shift[0]
		for j := range 40 {
			f += coef.At(j, 0) * z.At(i, j)
		}
		w[i] = r.w[i] * min(1, 0.3/math.Abs(r.y.Row(i)[0]-f))
		if w[i] < r.w[i] {
			low++
		}
	}
	want, intercept := reference(z, r.y, w, lambda)
	if d := maxDiff(coef, want); d > 1e-6 || math.Abs(shift[0]-intercept[0]) > 1e-6 {
		t.Errorf("coefficients differ by %g, intercepts %v and %v", d, shift, intercept)
	}
	if report.Reweighted != low || low == 0 {
		t.Errorf("%d rows count less, want %d", report.Reweighted, low)
	}
}
