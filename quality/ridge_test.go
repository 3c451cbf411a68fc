package quality_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/quality"
)

// The dimensions are those of the definitions, by gonum's eigenvalues and products;
// three parts in 10⁹ are the rounding of a matrix of condition 1/λ = 10⁴.
func TestMeasureRidge(t *testing.T) {
	const n, lambda = 70, 1e-4
	rng := rand.New(rand.NewPCG(4, 5))
	x, y := mat.NewDense(n, 3, nil), mat.NewDense(n, 2, nil)
	for i := range n {
		for j := range 3 {
			x.Set(i, j, rng.NormFloat64())
		}
		y.Set(i, 0, math.Copysign(1, x.At(i, 0)))
		y.Set(i, 1, rng.NormFloat64())
	}
	k := rff.NewGaussian(1.3)
	got, err := quality.MeasureRidge(k, x, y, lambda)
	if err != nil {
		t.Fatal(err)
	}
	full := quality.KernelMatrix(k, x)
	sym := mat.NewSymDense(n, full.RawMatrix().Data)
	var e mat.EigenSym
	if !e.Factorize(sym, false) {
		t.Fatal("no eigenvalues")
	}
	effective := 0.0
	for _, v := range e.Values(nil) {
		effective += v / (v + n*lambda)
	}
	var yy, product mat.Dense
	yy.Mul(y, y.T())
	for i := range n {
		yy.Set(i, i, yy.At(i, i)+n)
	}
	product.Mul(&yy, full)
	surrogate := mat.Trace(&product) / (n * n * lambda)
	if math.Abs(got.Effective/effective-1) > 3e-9 || math.Abs(got.Surrogate/surrogate-1) > 1e-12 || got.Rows != n || got.Lambda != lambda {
		t.Errorf("%+v, want %v and %v", got, effective, surrogate)
	}
	if want := (1/0.25 + 2/1.5) * surrogate * math.Log(16*effective/0.05); math.Abs(got.Sufficient/want-1) > 1e-8 {
		t.Errorf("sufficient %v, want %v", got.Sufficient, want)
	}
	if got.Surrogate < 1/lambda || got.Effective > n {
		t.Errorf("%+v", got)
	}
}

func TestMeasureRidgeRefuses(t *testing.T) {
	x, y := mat.NewDense(2, 1, []float64{1, 1}), mat.NewDense(2, 1, []float64{1, math.NaN()})
	k := rff.NewGaussian(1)
	ok := mat.NewDense(2, 1, []float64{1, -1})
	var shape *rff.ShapeError
	var value *rff.ValueError
	var parameter *rff.ParameterError
	var degenerate *rff.DegenerateDataError
	if _, err := quality.MeasureRidge(k, x, mat.NewDense(3, 1, nil), 1); !errors.As(err, &shape) {
		t.Errorf("three targets of two rows: %v", err)
	}
	if _, err := quality.MeasureRidge(k, x, y, 1); !errors.As(err, &value) || value.Row != 1 {
		t.Errorf("a target that is no number: %v", err)
	}
	if r, err := quality.MeasureRidge(k, x, mat.NewDense(2, 1, []float64{1e200, 1}), 1); !errors.As(err, &degenerate) {
		t.Errorf("targets whose squares overflow: %+v, %v", r, err)
	}
	for _, rows := range [][2]mat.Matrix{{nil, ok}, {x, nil}, {x, (*mat.Dense)(nil)}} {
		if _, err := quality.MeasureRidge(k, rows[0], rows[1], 1); !errors.As(err, &parameter) {
			t.Errorf("rows without inputs or targets: %v", err)
		}
	}
	for _, lambda := range []float64{0, -1, math.Inf(1), math.NaN(), 5e-324, 1e308} {
		if _, err := quality.MeasureRidge(k, x, ok, lambda); !errors.As(err, &parameter) {
			t.Errorf("λ = %v: %v", lambda, err)
		}
	}
	if _, err := quality.MeasureRidge(k, x, ok, 1e-300); !errors.As(err, &degenerate) {
		t.Errorf("equal rows without a ridge: %v", err)
	}
	if _, err := quality.MeasureRidge(k, &mat.Dense{}, &mat.Dense{}, 1); err == nil {
		t.Error("no rows are measured")
	}
}
