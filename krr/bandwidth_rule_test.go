package krr_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
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
	find := func(k rff.Kernel, rule krr.BandwidthRule) float64 {
		t.Helper()
		found, err := krr.SearchBandwidth(t.Context(), k, table.Source(), rule, few, 1)
		if err != nil {
			t.Fatal(err)
		}
		return inside.FamilyOf(found, 1).Bandwidths[0]
	}
	median := find(rff.NewGaussian(), krr.MedianBandwidth)
	if got, want := find(rff.NewLaplacian(), krr.MedianBandwidth), median*math.Sqrt(32/math.Pi); math.Abs(got/want-1) > 1e-15 {
		t.Errorf("the Laplacian kernel gets %v, want %v", got, want)
	}
	if got := find(rff.NewMatern(0.5), krr.MedianBandwidth); got != median {
		t.Errorf("the Matérn kernel gets %v, want %v", got, median)
	}
	best := find(rff.NewGaussian(), krr.SearchedBandwidth)
	if k := 2 * math.Log2(best/median); math.Abs(k-math.Round(k)) > 1e-12 || k >= 0 {
		t.Errorf("cross-validation finds 2^(%v/2) medians; the letters want a narrower kernel", k)
	}
	for rule, want := range map[krr.BandwidthRule]float64{krr.MedianBandwidth: median, krr.SearchedBandwidth: best} {
		got, err := krr.SearchBandwidth(t.Context(), rff.NewGaussian(), plain{table.Source()}, rule, few, 1)
		if err != nil || fmt.Sprint(got) != fmt.Sprint(rff.NewGaussian(want)) {
			t.Errorf("%v: %v, %v of a stream, %v of a matrix", rule, got, err, want)
		}
	}
	if got, err := krr.SearchBandwidth(t.Context(), rff.NewGaussian(), plain{table.Source()}, krr.MedianBandwidth, few, 1); err != nil || fmt.Sprint(got) != fmt.Sprint(rff.NewGaussian(median)) {
		t.Errorf("without classes: %v, %v, want %v", got, err, median)
	}
	for _, k := range []rff.Kernel{rff.NewGaussian(3), rff.NewLinear(), rff.NewArcCosine(1)} {
		got, err := krr.SearchBandwidth(t.Context(), k, table.Source(), krr.SearchedBandwidth, krr.Settings{}, 1)
		if err != nil || fmt.Sprint(got) != fmt.Sprint(k) {
			t.Errorf("%v becomes %v, %v", k, got, err)
		}
	}
	var d *rff.DegenerateDataError
	if k, err := krr.SearchBandwidth(t.Context(), rff.NewGaussian(), table.Head(1).Source(), krr.MedianBandwidth, krr.Settings{}, 1); !errors.As(err, &d) {
		t.Errorf("one row: %v, %v", k, err)
	}
}

// A rule that is none is refused, with those there are.
func TestBandwidthRuleRefused(t *testing.T) {
	t.Parallel()
	var p *rff.ParameterError
	_, err := krr.SearchBandwidth(t.Context(), rff.NewGaussian(), synthetic(1, 50, 2, 1, 0), "mean", krr.Settings{}, 1)
	if !errors.As(err, &p) || p.Value != krr.BandwidthRule("mean") || len(p.Known) != 3 {
		t.Errorf("%v", err)
	}
}

// A table sorted by class, as many are, has a bandwidth too.
func TestSearchSortedRows(t *testing.T) {
	t.Parallel()
	r := classes(3, 3000, 3, "a", "b")
	at := make([]int, 0, len(r.class))
	for k := range 2 {
		for i, c := range r.class {
			if c == k {
				at = append(at, i)
			}
		}
	}
	x, y := mat.NewDense(len(at), 3, nil), mat.NewDense(len(at), 1, nil)
	for to, from := range at {
		x.SetRow(to, r.x.Row(from))
		y.SetRow(to, r.y.Row(from))
	}
	data, err := rff.FromMatrix(x, y)
	if err != nil {
		t.Fatal(err)
	}
	s := data.Schema()
	s.Target.Classes = r.classes
	if data, err = rff.WithSchema(data, s); err != nil {
		t.Fatal(err)
	}
	if _, err := krr.SearchBandwidth(t.Context(), rff.NewGaussian(), data, krr.SearchedBandwidth, krr.Settings{}, 1); err != nil {
		t.Error(err)
	}
}
