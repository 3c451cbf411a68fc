package race

import (
	"math"
	"slices"
	"testing"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/portable"
	"github.com/rffgo/rff/internal/scaling"
	"github.com/rffgo/rff/internal/trial"
)

// Each value of a column of few values has a column of its own, whose height at that value is that
// of an indicator among ranks; columns of two values, of many, and of values that few rows have,
// are as they were, and those of the fewest values come first.
func TestLevels(t *testing.T) {
	const n = 6000
	x := blas.NewGeneral[float64](n, 5)
	for i := range n {
		copy(x.Row(i), []float64{float64(i % 2), float64(i % 4 * (i % 4)), float64(i), float64(i % 3 * (i % 2)), float64(i % 500)})
	}
	rows := &trial.Rows{X: x}
	bare := rff.Scaling{From: make([][]float64, 5), To: make([][]float64, 5)}
	s, some := levelScaling(rows, bare)
	if !some || !slices.Equal(s.Again, []int{3, 3, 3, 1, 1, 1, 1}) {
		t.Fatal(s.Again)
	}
	out := blas.NewGeneral[float64](n, 12)
	scaling.BentRows(s.From, s.To, nil, nil, out, x, s.Again...)
	height := portable.NormalQuantile(7./8) - portable.NormalQuantile(3./8) // mean ranks of 3 quarters and of one
	for i := range 12 {
		for k := range 4 {
			want := 0.0
			if i%4 == k {
				want = height
			}
			if got := out.Row(i)[8+k]; math.Abs(got-want) > 1e-14 {
				t.Errorf("row %d, level %d: %v, want %v", i, k, got, want)
			}
		}
		if !slices.Equal(out.Row(i)[:5], x.Row(i)) {
			t.Errorf("row %d: %v", i, out.Row(i)[:5])
		}
	}
	between := make([]float64, 12) // the levels 1 and 4
	if scaling.Bent(s.From, s.To, nil, nil, between, []float64{0, 2.5, 0, 0, 0}, s.Again...); !slices.Equal(between[8:], []float64{0, height / 2, height / 2, 0}) {
		t.Errorf("between two levels: %v of %v", between[8:], height)
	}
	if _, some := levelScaling(rows.Head(29), bare); some {
		t.Error("levels of fewer than ten rows have a column")
	}
}

// Further columns are as many as mostAgain at most.
func TestMostLevels(t *testing.T) {
	const n = 3000
	x := blas.NewGeneral[float64](n, 4)
	for i := range n {
		copy(x.Row(i), []float64{float64(i % 256), float64(i % 255), float64(i % 257), float64(i % 200)})
	}
	s, _ := levelScaling(&trial.Rows{X: x}, rff.Scaling{From: make([][]float64, 4), To: make([][]float64, 4)})
	if len(s.Again) != 455 || s.Again[0] != 3 || s.Again[200] != 1 {
		t.Error(len(s.Again))
	}
	// All rows together have 256 MiB of further numbers at most: of 400,000 rows, 83 columns.
	many := &trial.Rows{X: blas.NewGeneral[float64](400_000, 2)}
	for i := range many.X.Rows {
		copy(many.X.Row(i), []float64{float64(i % 60), float64(i % 61)})
	}
	if s, _ := levelScaling(many, rff.Scaling{From: make([][]float64, 2), To: make([][]float64, 2)}); len(s.Again) != 60 {
		t.Errorf("%d further columns of many rows", len(s.Again))
	}
}

// A column per value is proposed once, and only where plain features are not far behind the best.
func TestLevelsOnce(t *testing.T) {
	rows := waves(300, .1)
	for i := range rows.X.Rows {
		rows.X.Row(i)[0] = float64(i % 5)
	}
	r := begun(t, rows, Settings{})
	if r.firstScalings != len(r.scalings)-1 || r.scalings[r.firstScalings].name != levelsName || r.widths[r.firstScalings] != 2+5 {
		t.Fatalf("%d of %d scalings come first", r.firstScalings, len(r.scalings))
	}
	if levels(r) != nil {
		t.Error("levels come before the first search")
	}
	r.report.Steps = append(r.report.Steps, Step{})
	plain := scripted(slices.Repeat([]float64{1}, 60), r.full(r.target()))
	plain.Lambda = 1e-4
	r.take(plain)
	first := levels(r)
	if len(first) != 1 || first[0].gain != priors["levels"].gain {
		t.Fatal(first)
	}
	near := scripted(slices.Repeat([]float64{.98}, 60), plain.size)
	near.kind = learned
	if r.take(near); levels(r)[0].gain >= first[0].gain {
		t.Error("a gain on features that are behind is expected in full")
	}
	if err := first[0].run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, s := range r.report.Steps[1:] {
		if s.Kept != (s.Why == "") {
			t.Errorf("a step was kept, or does not say why it was not: %+v", s)
		}
	}
	r.plain = plain // whatever came of it
	if steps := r.report.Steps; steps[len(steps)-2].Name != "levels" || levels(r) != nil {
		t.Errorf("levels come again after %v", steps)
	}
}

// The importance of a column counts for its input.
func TestImportanceOfInputs(t *testing.T) {
	if got := ofInputs([]float64{.25, .25, .125, .25, .125}, []int{1, 1, 0}); !slices.Equal(got, []float64{.375, .625}) {
		t.Error(got)
	}
	if got := ofInputs([]float64{.5, .5}, nil); !slices.Equal(got, []float64{.5, .5}) {
		t.Error(got)
	}
}
