package krr_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/krr"
)

// A tolerance below the rounding errors of a descent ends in an error that names Passes.Tolerance,
// says no infinity, and gives a remedy that works.
func TestToleranceBelowRounding(t *testing.T) {
	x, y := mat.NewDense(60, 1, nil), mat.NewDense(60, 1, nil)
	noise := rand.New(rand.NewPCG(1, 1))
	for i := range 60 {
		x.Set(i, 0, float64(i)/10)
		y.Set(i, 0, 2*float64(i)+noise.NormFloat64())
	}
	src, err := rff.FromMatrix(x, y)
	if err != nil {
		t.Fatal(err)
	}
	m, err := rff.New(rff.NewGaussian(2), 1, 20, rand.NewPCG(1, 2))
	if err != nil {
		t.Fatal(err)
	}
	fit := func(tolerance float64) error {
		_, _, err := krr.Fit(context.Background(), m, src, krr.Settings{Loss: "quantile:0.9", Engine: native(), Passes: &krr.Passes{Tolerance: tolerance}})
		return err
	}
	err = fit(1e-12)
	var e *krr.SolveError
	if !errors.As(err, &e) || strings.Contains(e.Why, "Inf") || !strings.Contains(e.Why, "leave Passes.Tolerance at its default, 0.001,") {
		t.Error(err)
	}
	if err := fit(1e-3); err != nil {
		t.Error("the remedy:", err)
	}
}
