package sampling

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/portable"
	"github.com/rffgo/rff/internal/trial"
)

// Slopes are those of finite differences of the error, which is that of fits without each row.
func TestLeaveOneOutGradient(t *testing.T) {
	const n, step = 60, 1e-5
	q := &request{Request: rff.Request{Dim: 6, Features: 20, Data: plantedScales(t, 200, false), Rand: rand.NewPCG(3, 3)}, sampler: "nystrom"}
	learning, err := readLearning(context.Background(), q, 200, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	rows := learning.train.Head(n)
	rows.Weight = make([]float64, n)
	y := blas.NewGeneral[float64](n, 2)
	for i := range rows.Weight {
		rows.Weight[i] = float64(1 + i%3)
		y.Row(i)[0], y.Row(i)[1] = rows.Y.Row(i)[0], rows.X.Row(i)[1]
	}
	rows.Y = y
	logs := []float64{portable.Log(2), portable.Log(3), portable.Log(2), portable.Log(4), portable.Log(2), portable.Log(3), portable.Log(1e-3)}
	for _, k := range []rff.Kernel{rff.NewGaussian(2), rff.NewMatern(0.5, 2), rff.NewMatern(1.5, 2), rff.NewMatern(2.5, 2), rff.NewLaplacian(2), rff.NewExponentialPower(1.5, 1.5, 2), rff.NewExponentialPower(2, 2, 2)} {
		l := &leaveOneOut{Family: inside.FamilyOf(k, 6), rows: rows}
		f, err := l.fit(logs)
		if err != nil {
			t.Fatal(err)
		}
		for _, left := range []int{0, 17, n - 1} {
			if got, want := f.errors.Row(left)[0], withoutRow(t, l.With(f.bandwidths), rows, left, f.lambda*f.total); math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
				t.Errorf("%v: row %d has the error %v, without it %v", k, left, got, want)
			}
		}
		for j, got := range f.gradient() {
			mean := func(by float64) float64 {
				moved := append([]float64(nil), logs...)
				moved[j] += by
				f, err := l.fit(moved)
				if err != nil {
					t.Fatal(err)
				}
				return f.mean()
			}
			// The error is about 1, so rounding gives 1e-16/step, and the third derivative step².
			if want := (mean(step) - mean(-step)) / (2 * step); math.Abs(got-want) > 1e-8 {
				t.Errorf("%v: slope %d is %.8g, by differences %.8g", k, j, got, want)
			}
		}
	}
}

// withoutRow returns the error of a row in a regression on the others with the penalty.
func withoutRow(t *testing.T, k rff.Kernel, rows *trial.Rows, left int, penalty float64) float64 {
	t.Helper()
	var at []int
	for i := range rows.X.Rows {
		if i != left {
			at = append(at, i)
		}
	}
	a, y := mat.NewSymDense(len(at), nil), mat.NewVecDense(len(at), nil)
	for i, r := range at {
		y.SetVec(i, rows.Y.Row(r)[0])
		for j, c := range at[:i+1] {
			a.SetSym(i, j, k.Eval(rows.X.Row(r), rows.X.Row(c)))
		}
		a.SetSym(i, i, 1+penalty/rows.WeightOf(r))
	}
	var factor mat.Cholesky
	if !factor.Factorize(a) {
		t.Fatal("the matrix has no factor")
	}
	var alpha mat.VecDense
	if err := factor.SolveVecTo(&alpha, y); err != nil {
		t.Fatal(err)
	}
	e := rows.Y.Row(left)[0]
	for i, r := range at {
		e -= alpha.AtVec(i) * k.Eval(rows.X.Row(left), rows.X.Row(r))
	}
	return e
}

// A search begins with the λ of the least error among those of its grid: a small one for targets
// that follow the inputs, a large one for noise.
func TestFirstLambda(t *testing.T) {
	for _, noise := range []bool{false, true} {
		q := &request{Request: rff.Request{Dim: 6, Features: 20, Data: plantedScales(t, 200, noise), Rand: rand.NewPCG(3, 3)}, sampler: "nystrom"}
		learning, err := readLearning(t.Context(), q, 200, 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		l := &leaveOneOut{Family: inside.FamilyOf(rff.NewGaussian(2), 6), rows: learning.train}
		logs := make([]float64, 7)
		for j := range 6 {
			logs[j] = portable.Log(100)
		}
		logs[0], logs[1] = 0, 0 // the inputs that matter
		got, err := l.firstLambda(t.Context(), logs)
		if err != nil {
			t.Fatal(err)
		}
		least, want := math.Inf(1), 0.0
		for _, lambda := range metricLambdas {
			logs[6] = portable.Log(lambda)
			if f, err := l.fit(logs); err == nil && f.mean() < least {
				least, want = f.mean(), lambda
			}
		}
		if got != portable.Log(want) || (want >= 0.1) != noise {
			t.Errorf("noise %v: λ %v, the best is %v", noise, portable.Exp(got), want)
		}
	}
}
