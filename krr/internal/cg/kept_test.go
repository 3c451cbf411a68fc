package cg

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/stream"
)

// What kept rows say of F beyond a point, with the gradient of F there, is F, for losses with
// and without smooth second derivatives, of one target, several and all together.
func TestKeptIsF(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		loss    string
		targets int
	}{{"logistic", 1}, {"logistic", 3}, {"squared-hinge", 3}, {"poisson", 2}, {"huber:0.5", 2}} {
		const lambda = 0.01
		system := lossSystem(t, c.loss, c.targets, true)
		rng := rand.New(rand.NewPCG(3, 5))
		at, p := system.Start(), system.Start()
		for i := range at.Data {
			at.Data[i], p.Data[i] = rng.NormFloat64(), rng.NormFloat64()
		}
		q := system.newCurvature(lambda)
		system.kept.q = q
		far, value, beyond := dense.Clone(at), make([]float64, c.targets), make([]float64, c.targets)
		for i, v := range p.Data {
			far.Data[i] += v
		}
		wantGradient, gradient := dense.Clone(at), dense.Clone(at)
		if _, err := system.evaluate(ctx, q, far, beyond, wantGradient); err != nil {
			t.Fatal(err)
		}
		if _, err := system.evaluate(ctx, q, at, value, system.kept.v); err != nil {
			t.Fatal(err)
		}
		got := make([]float64, c.targets)
		if _, err := system.kept.evaluate(ctx, p, got, gradient); err != nil {
			t.Fatal(err)
		}
		for k := range got {
			// Features and sums are in float32; values and gradients are below 100.
			if d := got[k] - (beyond[k] - value[k]); !(math.Abs(d) < 1e-4) {
				t.Errorf("%s, target %d of %d: F grows by %g, kept rows say %g", c.loss, k, c.targets, beyond[k]-value[k], got[k])
			}
		}
		for i, v := range wantGradient.Data {
			if d := gradient.Data[i] - v; !(math.Abs(d) < 1e-4) {
				t.Fatalf("%s, element %d of %d targets: gradient %g, kept rows say %g", c.loss, i, c.targets, v, gradient.Data[i])
			}
		}
	}
}

// A descent with kept rows ends where one without ends, to any tolerance, after a few passes for
// each of the parts that descend by themselves: all columns, or each level of quantiles.
func TestKeptDescent(t *testing.T) {
	for _, c := range []struct {
		loss           string
		targets, parts int
		tolerance      float64
	}{{"logistic", 1, 1, 1e-7}, {"logistic", 3, 1, 1e-7}, {"squared-hinge", 3, 1, 1e-7}, {"huber:0.5", 2, 1, 1e-7}, {"huber:0.01", 1, 1, 1e-7}, {"poisson", 1, 1, 1e-7}, {"quantile:0.3,0.9", 2, 2, 1e-5}} {
		for _, lambda := range []float64{1e-2, 1e-5} {
			var ends [2][]float64
			var passes [2]int
			for i, keeps := range []bool{true, false} {
				system := lossSystem(t, c.loss, c.targets, keeps)
				if (system.kept != nil) != keeps {
					t.Fatalf("kept %v", system.kept != nil)
				}
				at := system.Start()
				solved, err := system.Solve(context.Background(), lambda, c.tolerance, at, func(int, time.Time) {})
				if err != nil {
					t.Fatalf("%s, %d targets, λ %g, kept %v: %v", c.loss, c.targets, lambda, keeps, err)
				}
				ends[i], passes[i] = at.Data, solved.Iterations
			}
			// λ‖Δ‖² is at most the square of the tolerance, of a loss of at most 10.
			for i, v := range ends[0] {
				if d := v - ends[1][i]; !(math.Abs(d) < c.tolerance*math.Sqrt(10/lambda)) {
					t.Errorf("%s, %d targets, λ %g: element %d is %g, without kept rows %g", c.loss, c.targets, lambda, i, v, ends[1][i])
				}
			}
			if passes[0] > 12*c.parts {
				t.Errorf("%s, %d targets, λ %g: %d passes, %d without kept rows", c.loss, c.targets, lambda, passes[0], passes[1])
			}
		}
	}
}

// asked counts how often it is asked for its error, which every trial does.
type asked struct {
	context.Context
	n *int
}

func (a asked) Err() error {
	*a.n++
	return nil
}

// Second derivatives of counts are their means, so the preconditioner at the constant says little
// near the least point. Steps on kept rows make it anew when they are slow: 82 trials, else 120.
func TestKeptCounts(t *testing.T) {
	system := lossSystemOf(t, "poisson", 1, true, 2000, 128)
	trials := asked{context.Background(), new(int)}
	solved, err := system.Solve(trials, 1e-8, 1e-6, system.Start(), func(int, time.Time) {})
	if err != nil || solved.Iterations > 8 || *trials.n > 100 {
		t.Errorf("%d passes, %d trials, %v", solved.Iterations, *trials.n, err)
	}
}

// Steps of quantiles on kept rows are Newton's: they end after a few dozen trials for every width
// that a tolerance asks for, where slopes of rows that lie at their quantile and the ridge cancel.
func TestKeptCorners(t *testing.T) {
	const level, tolerance = 0.3, 1e-6
	for _, lambda := range []float64{1e-2, 1e-5} {
		system := lossSystem(t, "quantile:0.3", 1, true)
		at := system.Start()
		trials := asked{context.Background(), new(int)}
		solved, err := system.Solve(trials, lambda, tolerance, at, func(int, time.Time) {})
		if err != nil || solved.Iterations > 8 || *trials.n > 200 {
			t.Fatalf("λ %g: %d passes, %d trials, %v", lambda, solved.Iterations, *trials.n, err)
		}
		// The slopes α of rows off their quantile are known. Those of the few at it are between
		// the two, and solve Zᵀα = 2λΣw·β: of least squares nothing is left.
		k := system.kept
		left, rows := make([]float64, at.Rows), [][]float64{}
		for j := range at.Rows - 1 {
			left[j] = -2 * lambda * system.w * at.Data[j]
		}
		for i := range k.rows.Rows {
			var f float64
			for j, z := range k.rows.Row(i) {
				f += float64(z) * at.Data[j]
			}
			alpha := k.weight[i] * -level
			switch d := f - k.y[i]; {
			case math.Abs(d) < 1e-6: // features in float32 have scores to 10⁻⁷
				row := make([]float64, at.Rows)
				stream.Convert(row, k.rows.Row(i))
				rows = append(rows, row)
				continue
			case d > 0:
				alpha = k.weight[i] * (1 - level)
			}
			for j, z := range k.rows.Row(i) {
				left[j] -= alpha * float64(z)
			}
		}
		if len(rows) == 0 || len(rows) > at.Rows {
			t.Fatalf("λ %g: %d rows are at their quantile", lambda, len(rows))
		}
		var a, x mat.Dense
		a.CloneFrom(mat.NewDense(len(rows), at.Rows, slices.Concat(rows...)).T())
		if err := x.Solve(&a, mat.NewDense(at.Rows, 1, left)); err != nil {
			t.Fatal(err)
		}
		var rest mat.Dense
		rest.Mul(&a, &x)
		for j, v := range left {
			if d := v - rest.At(j, 0); !(math.Abs(d) < 1e-5*system.w) {
				t.Errorf("λ %g: the slopes leave %g of element %d", lambda, d, j)
			}
		}
	}
}

// Start returns the solution that Solve starts from.
func (c *System[T]) Start() blas.General[float64] {
	_, s := c.features.Dims()
	if c.loss != nil {
		s++
	}
	return blas.NewGeneral[float64](s, c.targets)
}
