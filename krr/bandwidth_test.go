package krr_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/krr"
)

// A best bandwidth beyond the grid is found: that of a wave with 25 periods within
// the range of the rows, whose median distance is 0.29 of it, and that of a plane,
// which wants the widest there is.
func TestSearchGoesBeyondTheGrid(t *testing.T) {
	const n = 1200
	r := rand.New(rand.NewPCG(1, 2))
	x, y := blas.NewGeneral[float64](n, 1), blas.NewGeneral[float64](n, 1)
	for i := range n {
		x.Data[i] = r.Float64()
		y.Data[i] = math.Sin(2*math.Pi*25*x.Data[i]) + 0.1*r.NormFloat64()
	}
	wave, err := rff.FromMatrix(dense(x), dense(y))
	if err != nil {
		t.Fatal(err)
	}
	plane := synthetic(3, n, 2, 1, 0)
	for i := range n {
		plane.y.Data[i] = plane.x.Row(i)[0] + 2*plane.x.Row(i)[1] + 0.01*r.NormFloat64()
	}
	for name, c := range map[string]struct {
		data rff.Source
		x    blas.General[float64]
		ok   func(factor float64) bool
	}{
		"wave":  {wave, x, func(f float64) bool { return f < 1./16 }},
		"plane": {plane, plane.x, func(f float64) bool { return f >= 4 }},
	} {
		median, err := rff.MedianDistance(mat.NewDense(c.x.Rows, c.x.Cols, c.x.Data), n, rand.NewPCG(1, 1))
		if err != nil {
			t.Fatal(err)
		}
		k, err := krr.SearchBandwidth(t.Context(), rff.NewGaussian(), c.data, krr.SearchedBandwidth, krr.Settings{Lambdas: []float64{1e-8, 1e-5, 1e-2}}, 1)
		if err != nil {
			t.Fatal(err)
		}
		h := inside.FamilyOf(k, 1).Bandwidths[0]
		if !c.ok(h / median) {
			t.Errorf("%s: bandwidth %g of the median", name, h/median)
		}
	}
}
