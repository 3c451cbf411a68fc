package krr_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	columns "github.com/rffgo/rff/internal/scaling"
	"github.com/rffgo/rff/krr"
)

// The second pass scales rows as the first did, and refuses other columns; the
// degrees of freedom are those of the analysis.
func TestLeaveOneOutOfScaledRows(t *testing.T) {
	ctx := context.Background()
	m := gaussianMap(t, 1, 3, 40, 2)
	scaling := rff.Scaling{Shift: []float64{1, -2, .5}, Scale: []float64{2, .5, 4}}
	raw := synthetic(1, 700, 3, 2, .1)
	plain := *raw
	plain.x = blas.NewGeneral[float64](raw.x.Rows, 3)
	columns.BentRows(nil, nil, scaling.Shift, scaling.Scale, plain.x, raw.x)
	g := krr.NewGram(m, 2, krr.GramSettings{Scaling: scaling})
	if err := g.AddSource(ctx, raw); err != nil {
		t.Fatal(err)
	}
	grid := []float64{1e-5, 1e-3, 1e-1}
	got, err := g.LeaveOneOut(ctx, raw, grid)
	if err != nil {
		t.Fatal(err)
	}
	want, err := gram(t, m, &plain, krr.Float64).LeaveOneOut(ctx, &plain, grid)
	if err != nil {
		t.Fatal(err)
	}
	analysis, err := g.Analyze(t.Context(), grid)
	if err != nil {
		t.Fatal(err)
	}
	for l := range grid {
		if !slices.Equal(got[l].Error, want[l].Error) || got[l].Lambda != grid[l] {
			t.Errorf("λ=%g: %v, of scaled rows %v", grid[l], got[l].Error, want[l].Error)
		}
		if d := math.Abs(got[l].Freedom - analysis[l].Freedom); d > 1e-9*analysis[l].Freedom || got[l].Solved.Solver != "band" {
			t.Errorf("λ=%g: %v degrees of freedom, the analysis has %v (%v)", grid[l], got[l].Freedom, analysis[l].Freedom, got[l].Solved)
		}
	}
	var e *rff.ParameterError
	for name, other := range map[string]*rows{"targets": synthetic(1, 50, 3, 1, 0), "inputs": synthetic(1, 50, 2, 2, 0)} {
		if _, err := g.LeaveOneOut(ctx, other, grid); !errors.As(err, &e) {
			t.Errorf("other %s: %v", name, err)
		}
	}
	all, err := g.LeaveOneOut(ctx, raw, nil)
	if models, wrong := g.Path(ctx, nil); err != nil || wrong != nil || len(all) != len(models) {
		t.Errorf("no λ: %v and %v, %v and %v", all, len(models), err, wrong)
	}
}

// A row that is alone has no error that a model of the others makes. 49·(1/49) is 1 less a rounding error.
func TestLeaveOneOutOfOneRow(t *testing.T) {
	for _, w := range []float64{1, 49} {
		one := synthetic(1, 2, 3, 1, .1)
		one.w = []float64{w, 0}
		g := gram(t, gaussianMap(t, 1, 3, 40, 2), one, krr.Float64)
		path, err := g.LeaveOneOut(t.Context(), one, []float64{1e-3})
		if degenerate := (*rff.DegenerateDataError)(nil); !errors.As(err, &degenerate) {
			t.Errorf("weight %g: %v, %v", w, path, err)
		}
	}
}

// In float32 the rows of the second pass, and their products with the basis, are off by
// √s·u·‖z−z̄‖ each, u = 2⁻²⁴, here with a factor 4 for the features' own rounding. That
// moves a leverage by 2√h·δ/√nλ and a residual by ‖β‖·δ; the formula from the same sums,
// by a Cholesky factor in float64 of rows in float64, has neither.
func TestLeaveOneOutInFloat32(t *testing.T) {
	const n, s = 900, 60
	r := synthetic(5, n, 3, 1, .3)
	m := gaussianMap(t, 1, 3, s, 1)
	g := gram(t, m, r, krr.Float32)
	grid := []float64{1e-7, 1e-4, 1e-1}
	path, err := g.LeaveOneOut(t.Context(), r, grid)
	if err != nil {
		t.Fatal(err)
	}
	sums := g.Sums()
	z, ref := features(t, m, r.x), g.Reference()
	for l, lambda := range grid {
		a, b := mat.NewSymDense(s, nil), mat.NewVecDense(s, nil)
		for i := range s {
			for j := i; j < s; j++ {
				a.SetSym(i, j, sums.G.Row(i)[j]-sums.Z[i]*sums.Z[j]/n)
			}
			a.SetSym(i, i, a.At(i, i)+n*lambda)
			b.SetVec(i, sums.ZY.Row(i)[0]-sums.Z[i]*sums.Y[0]/n)
		}
		var chol mat.Cholesky
		if !chol.Factorize(a) {
			t.Fatal("not positive definite")
		}
		var beta, inverse mat.VecDense
		if err := chol.SolveVecTo(&beta, b); err != nil {
			t.Fatal(err)
		}
		var want, bound float64
		for i := range n {
			row := mat.NewVecDense(s, nil)
			for j := range s {
				row.SetVec(j, z.At(i, j)-sums.Z[j]/n)
			}
			if err := chol.SolveVecTo(&inverse, row); err != nil {
				t.Fatal(err)
			}
			form := mat.Dot(row, &inverse)
			left := 1 - 1./n - form
			e := math.Abs(r.y.Row(i)[0] - ref[0] - sums.Y[0]/n - mat.Dot(row, &beta))
			delta := 4 * math.Sqrt(s) * 0x1p-24 * mat.Norm(row, 2)
			h, f := 2*math.Sqrt(form)*delta/math.Sqrt(n*lambda), mat.Norm(&beta, 2)*delta
			want += e * e / (left * left) / n
			bound += ((e+f)*(e+f)/((left-h)*(left-h)) - e*e/(left*left)) / n
		}
		if d := math.Abs(path[l].Error[0] - want); !(d <= bound) || bound > 0.02*want {
			t.Errorf("λ=%g: %v, from the sums %v (±%.2g)", lambda, path[l].Error[0], want, bound)
		}
	}
}

// Nothing is left to predict the only row from, so no λ is better than another: a fit that is to
// choose one says so.
func TestCriterionOfOneRow(t *testing.T) {
	alone := synthetic(5, 30, 3, 2, .3)
	alone.w = make([]float64, 30)
	alone.w[7] = 2
	for name, r := range map[string]*rows{"one row": synthetic(5, 1, 3, 2, .3), "one weight": alone} {
		for _, c := range []krr.Criterion{krr.LeaveOneOut, krr.GCV} {
			s := krr.Settings{Criterion: c}
			_, _, err := krr.Fit(t.Context(), gaussianMap(t, 1, 3, 8, 1), r, s)
			if e := (*rff.DegenerateDataError)(nil); !errors.As(err, &e) || !strings.Contains(e.Why, "set lambda") {
				t.Errorf("%s by %s: %v", name, c, err)
			}
			s.Lambdas = []float64{1e-3}
			mustFit(t, gaussianMap(t, 1, 3, 8, 1), r, s)
		}
	}
}

// As many rows as were summed, but others, are refused, whether their inputs or their targets differ; the
// same rows in another order are not, nor are those that are left of many.
func TestLeaveOneOutOfOtherRows(t *testing.T) {
	ctx := t.Context()
	m := gaussianMap(t, 1, 3, 40, 2)
	own, other := synthetic(1, 700, 3, 2, .1), synthetic(2, 700, 3, 2, .1)
	inputs, targets := *own, *own
	inputs.x, targets.y = other.x, other.y
	turned := *own
	turned.x, turned.y = blas.NewGeneral[float64](700, 3), blas.NewGeneral[float64](700, 2)
	for i := range 700 {
		copy(turned.x.Row(i), own.x.Row(699-i))
		copy(turned.y.Row(i), own.y.Row(699-i))
	}
	for _, p := range []krr.Precision{krr.Float64, krr.Float32} {
		g := gram(t, m, own, p)
		h := gram(t, m, other, p)
		if err := g.Merge(h); err != nil {
			t.Fatal(err)
		}
		if err := g.Subtract(h); err != nil {
			t.Fatal(err)
		}
		for name, data := range map[string]*rows{"all": other, "inputs": &inputs, "targets": &targets} {
			var e *rff.DegenerateDataError
			if _, err := g.LeaveOneOut(ctx, data, []float64{1e-3}); !errors.As(err, &e) {
				t.Errorf("%s, other %s: %v", p, name, err)
			}
		}
		for _, data := range []*rows{own, &turned} {
			if _, err := g.LeaveOneOut(ctx, data, []float64{1e-3}); err != nil {
				t.Errorf("%s: %v", p, err)
			}
		}
	}
}
