package krr_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/krr"
	"github.com/rffgo/rff/sampling"
)

// Copies of the features, divided by the root of their number, change neither scores nor norms,
// and make the rows few: of all losses the least value stays that of SciPy and Clarabel. The 60
// rows that count then have rank 10.
func TestLossReferenceOfFewRows(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "losses.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all lossCases
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	const copies = 40
	base := lossMap(t)
	spec := inside.Spec(base)
	wide := *spec
	wide.W = blas.NewGeneral[float64](copies*spec.W.Rows, spec.W.Cols)
	wide.Weight = make([]float64, copies*len(spec.Weight))
	for i := range wide.W.Rows {
		copy(wide.W.Row(i), spec.W.Row(i/copies))
	}
	_, s := base.Dims()
	for j := range wide.Weight {
		wide.Weight[j] = spec.Weight[j/copies] / math.Sqrt(copies)
	}
	m, err := inside.New(&wide, base.Kernel())
	if err != nil {
		t.Fatal(err)
	}
	if _, out := m.Dims(); out != copies*s {
		t.Fatalf("%d features, want %d", out, copies*s)
	}
	for i, c := range all.Cases {
		kind := lossKinds[i/2].kind
		for precision, most := range map[krr.Precision]float64{krr.Float64: 1e-9, krr.Float32: 1e-6} {
			tolerance := 1e-8
			if precision == krr.Float32 {
				tolerance = 1e-5
			}
			if strings.HasPrefix(c.Loss, "quantile") {
				tolerance *= 100 // the square of this is of the loss, and not half of that
			}
			r := lossData(kind)
			model, _ := mustFit(t, m, r, krr.Settings{Loss: c.Loss, Lambdas: []float64{c.Lambda}, Precision: precision, Passes: &krr.Passes{Tolerance: tolerance}})
			coef, b := model.Coefficients()
			value := objective(t, c.Loss, features(t, m, r.x), r, coef, b, c.Lambda)
			if d := value - c.Least; d > most*max(1, c.Least) || d < -1e-9*max(1, c.Least) {
				t.Errorf("%s (%s), λ %g, %s: least value %.12g, want %.12g", c.Loss, kind, c.Lambda, precision, value, c.Least)
			}
		}
	}
}

// A fit of a few rows takes no memory in proportion to the square of the features, which would
// be 134 MB of these, and its bits depend neither on workers nor on batches.
func TestLossOfFewRowsIsSmall(t *testing.T) {
	r, m := synthetic(4, 30, 3, 1, 0.2), gaussianMap(t, 1, 3, 4096, 1)
	for _, name := range []string{"quantile:0.1,0.5", "huber:1"} {
		var want []byte
		for _, workers := range []int{1, 3} {
			e := native()
			e.Workers = workers
			r.batch = 7 * workers
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			model, _ := mustFit(t, m, r, krr.Settings{Loss: name, Engine: e})
			runtime.ReadMemStats(&after)
			if took := after.TotalAlloc - before.TotalAlloc; took > 64<<20 {
				t.Errorf("%s: a fit of 30 rows took %d bytes", name, took)
			}
			got, err := model.MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = got
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: other bits with %d workers", name, workers)
			}
		}
	}
}

// Features with one column for a frequency have a span, too: rows are fitted as the same rows many
// times, which are not few. Features that are 0 in all rows give the median of the targets.
func TestLossOfFewRowsOfRectifiers(t *testing.T) {
	m, err := sampling.MonteCarlo{}.Sample(t.Context(), rff.Request{Kernel: rff.NewArcCosine(1), Dim: 3, Features: 1500, Rand: rand.NewPCG(1, 2)})
	if err != nil {
		t.Fatal(err)
	}
	r := synthetic(4, 31, 3, 1, 0.2)
	s := krr.Settings{Loss: "quantile:0.5", Lambdas: []float64{1e-3}, Passes: &krr.Passes{Tolerance: 1e-5}}
	fit := func(times int) float64 {
		many := *r
		many.x, many.y = blas.NewGeneral[float64](31*times, 3), blas.NewGeneral[float64](31*times, 1)
		for i := range many.x.Rows {
			copy(many.x.Row(i), r.x.Row(i%31))
			copy(many.y.Row(i), r.y.Row(i%31))
		}
		model, _ := mustFit(t, m, &many, s)
		coef, b := model.Coefficients()
		return objective(t, s.Loss, features(t, m, r.x), r, coef, b, s.Lambdas[0])
	}
	if got, want := fit(1), fit(25); math.Abs(got-want) > 1e-8*want {
		t.Errorf("least value %g, of the same rows many times %g", got, want)
	}
	squares, _ := mustFit(t, m, r, krr.Settings{Lambdas: []float64{1e-3}})
	by, _ := mustFit(t, m, r, krr.Settings{Lambdas: []float64{1e-3}, Passes: &krr.Passes{Tolerance: 1e-9}})
	a, _ := squares.Coefficients()
	b, _ := by.Coefficients()
	if d := maxDiff(a, b); !(d < 1e-6) {
		t.Errorf("coefficients of squares differ by %g from those by passes", d)
	}
	clear(r.x.Data)
	model, _ := mustFit(t, m, r, s)
	_, median := model.Coefficients()
	if y := slices.Sorted(slices.Values(r.y.Data)); math.Abs(median[0]-y[15]) > 1e-2 {
		t.Errorf("the median is %g, want %g", median[0], y[15])
	}
}
