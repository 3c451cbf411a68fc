package fits_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/cmd/rff/fits"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/krr"
)

// plain is a source that is no matrix.
type plain struct{ rff.Source }

// A search gives the same kernel whether the rows are a matrix or a stream, and a
// multiple 2^{k/2} of the median; kernels that have their bandwidth, or none, stay.
func TestSearchBandwidth(t *testing.T) {
	t.Parallel()
	table := dataset.Letter().Head(5600) // more rows than the cross-validation sees
	table = table.Scaled(dataset.FitScaling(dataset.Standard, table.X))
	few := krr.Settings{Lambdas: []float64{1e-7, 1e-5, 1e-3}} // each takes less than a reduction for many
	find := func(k rff.Kernel, rule fits.BandwidthRule) float64 {
		t.Helper()
		found, err := fits.SearchBandwidth(t.Context(), k, table.Source(), rule, few, 1)
		if err != nil {
			t.Fatal(err)
		}
		return inside.FamilyOf(found, 1).Bandwidths[0]
	}
	median := find(rff.NewGaussian(), fits.MedianBandwidth)
	if got, want := find(rff.NewLaplacian(), fits.MedianBandwidth), median*math.Sqrt(32/math.Pi); math.Abs(got/want-1) > 1e-15 {
		t.Errorf("the Laplacian kernel gets %v, want %v", got, want)
	}
	if got := find(rff.NewMatern(0.5), fits.MedianBandwidth); got != median {
		t.Errorf("the Matérn kernel gets %v, want %v", got, median)
	}
	best := find(rff.NewGaussian(), fits.SearchedBandwidth)
	if k := 2 * math.Log2(best/median); math.Abs(k-math.Round(k)) > 1e-12 || k >= 0 {
		t.Errorf("cross-validation finds 2^(%v/2) medians; the letters want a narrower kernel", k)
	}
	for rule, want := range map[fits.BandwidthRule]float64{fits.MedianBandwidth: median, fits.SearchedBandwidth: best} {
		got, err := fits.SearchBandwidth(t.Context(), rff.NewGaussian(), plain{table.Source()}, rule, few, 1)
		if err != nil || fmt.Sprint(got) != fmt.Sprint(rff.NewGaussian(want)) {
			t.Errorf("%v: %v, %v of a stream, %v of a matrix", rule, got, err, want)
		}
	}
	if got, err := fits.SearchBandwidth(t.Context(), rff.NewGaussian(), plain{table.Source()}, fits.MedianBandwidth, few, 1); err != nil || fmt.Sprint(got) != fmt.Sprint(rff.NewGaussian(median)) {
		t.Errorf("without classes: %v, %v, want %v", got, err, median)
	}
	for _, k := range []rff.Kernel{rff.NewGaussian(3), rff.NewLinear(), rff.NewArcCosine(1)} {
		got, err := fits.SearchBandwidth(t.Context(), k, table.Source(), fits.SearchedBandwidth, krr.Settings{}, 1)
		if err != nil || fmt.Sprint(got) != fmt.Sprint(k) {
			t.Errorf("%v becomes %v, %v", k, got, err)
		}
	}
	var d *rff.DegenerateDataError
	if k, err := fits.SearchBandwidth(t.Context(), rff.NewGaussian(), table.Head(1).Source(), fits.MedianBandwidth, krr.Settings{}, 1); !errors.As(err, &d) {
		t.Errorf("one row: %v, %v", k, err)
	}
}

// No data are a parameter that is missing.
func TestNoData(t *testing.T) {
	var p *rff.ParameterError
	if _, err := fits.SearchBandwidth(t.Context(), rff.NewGaussian(), nil, "", krr.Settings{}, 1); !errors.As(err, &p) || p.Name != "data" {
		t.Error(err)
	}
}

// A rule that is none is refused, with those there are.
func TestBandwidthRuleRefused(t *testing.T) {
	t.Parallel()
	var p *rff.ParameterError
	_, err := fits.SearchBandwidth(t.Context(), rff.NewGaussian(), dataset.Letter().Head(50).Source(), "mean", krr.Settings{}, 1)
	if !errors.As(err, &p) || p.Value != fits.BandwidthRule("mean") || len(p.Known) != 3 {
		t.Errorf("%v", err)
	}
}

// A table sorted by class, as many are, has a bandwidth too.
func TestSearchSortedRows(t *testing.T) {
	t.Parallel()
	const n = 3000
	r := rand.New(rand.NewPCG(3, 2))
	x, y := mat.NewDense(n, 3, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		class := float64(2*i/n*2 - 1)
		y.Set(i, 0, class)
		for j := range 3 {
			x.Set(i, j, r.NormFloat64()*0.7+2*math.Cos(math.Pi*class/2+float64(j)))
		}
	}
	data, err := rff.FromMatrix(x, y)
	if err != nil {
		t.Fatal(err)
	}
	s := data.Schema()
	s.Target.Classes = []string{"a", "b"}
	if data, err = rff.WithSchema(data, s); err != nil {
		t.Fatal(err)
	}
	if _, err := fits.SearchBandwidth(t.Context(), rff.NewGaussian(), data, fits.SearchedBandwidth, krr.Settings{}, 1); err != nil {
		t.Error(err)
	}
}

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
	wave, err := rff.FromMatrix(mat.NewDense(n, 1, x.Data), mat.NewDense(n, 1, y.Data))
	if err != nil {
		t.Fatal(err)
	}
	px, py := blas.NewGeneral[float64](n, 2), blas.NewGeneral[float64](n, 1)
	for i := range n {
		px.Row(i)[0], px.Row(i)[1] = r.NormFloat64(), r.NormFloat64()
		py.Data[i] = px.Row(i)[0] + 2*px.Row(i)[1] + 0.01*r.NormFloat64()
	}
	plane, err := rff.FromMatrix(mat.NewDense(n, 2, px.Data), mat.NewDense(n, 1, py.Data))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		data rff.Source
		x    blas.General[float64]
		ok   func(factor float64) bool
	}{
		"wave":  {wave, x, func(f float64) bool { return f < 1./16 }},
		"plane": {plane, px, func(f float64) bool { return f >= 4 }},
	} {
		median, err := rff.MedianDistance(mat.NewDense(c.x.Rows, c.x.Cols, c.x.Data), n, rand.NewPCG(1, 1))
		if err != nil {
			t.Fatal(err)
		}
		k, err := fits.SearchBandwidth(t.Context(), rff.NewGaussian(), c.data, fits.SearchedBandwidth, krr.Settings{Lambdas: []float64{1e-8, 1e-5, 1e-2}}, 1)
		if err != nil {
			t.Fatal(err)
		}
		h := inside.FamilyOf(k, 1).Bandwidths[0]
		if !c.ok(h / median) {
			t.Errorf("%s: bandwidth %g of the median", name, h/median)
		}
	}
}
