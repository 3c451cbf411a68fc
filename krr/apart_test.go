package krr_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/fold"
	"github.com/rffgo/rff/krr"
)

// keptApart returns the rows of r that a fit of that many folds does not see, of every group
// all of them.
func keptApart(r *rows, s krr.Settings, folds int) (at []int) {
	for i := range r.x.Rows {
		unit := int64(i)
		if r.group != nil {
			unit = int64(r.group[i])
		}
		if fold.Of(s.Seed+4, unit, folds) == 0 {
			at = append(at, i)
		}
	}
	return at
}

// Rows that are kept apart change no bit of the fit, whatever it minimises and however it
// passes over the rows, and the ends of intervals are quantiles of how far their targets are
// beyond the predictions; a file keeps them.
func TestIntervalsOfRowsApart(t *testing.T) {
	const n = 120
	m := gaussianMap(t, 1, 2, 12, 1)
	for name, s := range map[string]krr.Settings{
		"quantiles": {Loss: "quantile:0.1,0.2,0.8,0.9"}, "one quantile": {Loss: "quantile:0.5"}, "huber": {Loss: "huber:0.5"},
		"passes": {Passes: &krr.Passes{}}, "chosen": {Loss: "expectile:0.4", Lambdas: []float64{1e-4, 1e-3}},
	} {
		if s.Lambdas == nil {
			s.Lambdas = []float64{1e-3}
		}
		s.Uncertainty, s.Seed = "intervals", 7
		r, other := synthetic(1, n, 2, 1, 0.5), synthetic(1, n, 2, 1, 0.5)
		held := keptApart(r, s, 5)
		for _, i := range held {
			other.y.Data[i] += 1e3 * float64(i)
		}
		model, _ := mustFit(t, m, r, s)
		blind, _ := mustFit(t, m, other, s)
		coef, b := model.Coefficients()
		same, c := blind.Coefficients()
		if !mat.Equal(coef, same) || !slices.Equal(b, c) || model.Info().Intervals != len(held) {
			t.Errorf("%s: the fit has seen rows that are kept apart; %d of %d", name, model.Info().Intervals, len(held))
		}
		fresh := synthetic(2, 30, 2, 1, 0).x
		var own, at mat.Dense
		if err := errors.Join(model.Predict(&own, dense(r.x)), model.Predict(&at, dense(fresh))); err != nil {
			t.Fatal(err)
		}
		for _, level := range []float64{0.5, 0.8} {
			low, high := intervals(t, model, dense(fresh), level)
			a, z := 0, len(b)-1 // columns that the interval is between
			if len(b) == 4 && level == 0.5 {
				a, z = 1, 2
			}
			var beyond []float64
			for _, i := range held {
				beyond = append(beyond, max(own.At(i, a)-r.y.Data[i], r.y.Data[i]-own.At(i, z)))
			}
			slices.Sort(beyond)
			q := beyond[int(math.Ceil(level*float64(len(held)+1)))-1]
			for i := range 30 {
				l, h := at.At(i, a)-q, at.At(i, z)+q
				if l > h {
					l, h = (l+h)/2, (l+h)/2
				}
				nearTo(t, name+": low", low.At(i, 0), l, 1e-12)
				nearTo(t, name+": high", high.At(i, 0), h, 1e-12)
			}
			data, err := model.MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			var back krr.Model
			if err := back.UnmarshalBinary(data); err != nil {
				t.Fatal(err)
			}
			if l, h := intervals(t, &back, dense(fresh), level); !mat.Equal(l, low) || !mat.Equal(h, high) {
				t.Errorf("%s: other ends after loading", name)
			}
		}
	}
}

// seedOf returns a seed that keeps half of 2n rows apart, and where it was found.
func seedOf(n int, from uint64) uint64 {
	for seed := from; ; seed++ {
		if len(keptApart(&rows{x: blas.General[float64]{Rows: 2 * n}}, krr.Settings{Seed: seed}, 2)) == n {
			return seed
		}
	}
}

// Over samples the coverage from n rows that are kept apart is between the level and level +
// 1/(n+1), whatever is minimised, by the tests of TestCoverage.
func TestCoverageOfRowsApart(t *testing.T) {
	splits, all, some := 100, []int{10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 50, 100}, []int{10, 13, 22}
	if testing.Short() {
		splits, all = 50, some
	}
	const fresh = 100
	levels := []float64{0.6, 0.8}
	kinds := map[string]krr.Settings{
		"conformalised quantiles": {Loss: "quantile:0.2,0.8"}, "huber": {Loss: "huber:1"}, "passes": {Passes: &krr.Passes{}},
		"logistic": {Loss: "logistic"}, "hard rows": {Loss: "hard:3"},
	}
	m := gaussianMap(t, 1, 2, 16, 1.5)
	tests := float64(len(all) * len(levels) * len(kinds))
	for kind, s := range kinds {
		// What is compared is the same for every kind, of numbers and of classes.
		sizes := some
		if kind == "huber" || kind == "logistic" {
			sizes = all
		}
		draw := skewed
		if kind == "logistic" || kind == "hard rows" {
			draw = overlapping
		}
		for _, n := range sizes {
			rng := rand.New(rand.NewPCG(uint64(n), 7))
			shares := make([][]float64, len(levels))
			for split := range splits {
				s.Lambdas, s.Uncertainty, s.Folds, s.Seed = []float64{1e-2}, "intervals", 2, seedOf(n, uint64(1000*split))
				model, _, err := krr.Fit(context.Background(), m, draw(rng, 2*n), s)
				if degenerate := (*rff.DegenerateDataError)(nil); errors.As(err, &degenerate) {
					continue // the rows of one class
				}
				if err != nil {
					t.Fatal(kind, err)
				}
				if model.Info().Intervals != n {
					t.Fatalf("%d rows are kept apart, want %d", model.Info().Intervals, n)
				}
				test := draw(rng, fresh)
				for l, level := range levels {
					inside := 0.
					for _, in := range holds(t, model, test, level) {
						if in {
							inside += 1. / fresh
						}
					}
					shares[l] = append(shares[l], inside)
				}
			}
			for l, level := range levels {
				mean, sd := stat.MeanStdDev(shares[l], nil)
				law := distuv.StudentsT{Sigma: sd / math.Sqrt(float64(len(shares[l]))), Nu: float64(len(shares[l]) - 1)}
				if p := law.CDF(mean - level); p < 0.01/tests {
					t.Errorf("%s of %g from %d rows cover %.3f (p = %.2g)", kind, level, n, mean, p)
				}
				if p := law.Survival(mean - level - 1/float64(n+1)); p < 0.01/tests {
					t.Errorf("%s of %g from %d rows cover %.3f, more than 1/(n+1) above it (p = %.2g)", kind, level, n, mean, p)
				}
			}
		}
	}
}

// crowd returns rows of 8 each, with an input and an offset of the target of its own.
func crowd(rng *rand.Rand, groups int, grouped bool) *rows {
	const each = 8
	r := &rows{x: blas.NewGeneral[float64](groups*each, 1), y: blas.NewGeneral[float64](groups*each, 1), batch: 13}
	for g := range groups {
		x, offset := rng.Float64(), rng.NormFloat64()
		for k := range each {
			r.x.Data[g*each+k], r.y.Data[g*each+k] = x+1e-3*rng.NormFloat64(), offset+0.1*rng.NormFloat64()
			if grouped {
				r.group = append(r.group, uint64(g))
			}
		}
	}
	return r
}

// New rows of new groups are inside as often as promised, if rows of whole groups are kept
// apart, and rarely where single rows are left out; so it is with runs of rows.
func TestCoverageOfNewGroups(t *testing.T) {
	const splits, level = 40, 0.8
	m := gaussianMap(t, 1, 1, 100, 0.02)
	for _, c := range []struct {
		grouped bool
		run     int
	}{{true, 0}, {false, 8}, {false, 0}} {
		rng := rand.New(rand.NewPCG(5, 5))
		var shares []float64
		kept := 0.
		for split := range splits {
			data, err := rff.WithSchema(crowd(rng, 60, c.grouped), rff.Schema{Inputs: make([]rff.Column, 1), Target: rff.Target{Columns: 1}, FoldRows: c.run})
			if err != nil {
				t.Fatal(err)
			}
			model, _ := mustFit(t, m, data, krr.Settings{Lambdas: []float64{1e-6}, Uncertainty: "intervals", Folds: 2, Seed: uint64(split)})
			kept += float64(model.Info().Intervals) / splits
			inside := holds(t, model, crowd(rng, 60, false), level)
			share := 0.
			for _, in := range inside {
				if in {
					share += 1 / float64(len(inside))
				}
			}
			shares = append(shares, share)
		}
		mean, sd := stat.MeanStdDev(shares, nil)
		// Four standard errors; of some 30 groups one at a time, 1/31 above the level.
		off := 4 * sd / math.Sqrt(splits)
		if alike := c.grouped || c.run > 0; alike && (mean < level-off || mean > level+1./20+off || kept < 25 || kept > 35) {
			t.Errorf("%+v: %.3f of new groups' rows are inside, from %.1f groups", c, mean, kept)
		} else if !alike && mean > level-0.2 {
			t.Errorf("%.3f are inside without groups: the data are no test", mean)
		}
	}
	one := crowd(rand.New(rand.NewPCG(1, 1)), 1, true)
	for seed := range uint64(3) {
		_, _, err := krr.Fit(context.Background(), m, one, krr.Settings{Lambdas: []float64{1e-6}, Uncertainty: "intervals", Seed: seed})
		if degenerate := (*rff.DegenerateDataError)(nil); !errors.As(err, &degenerate) {
			t.Errorf("one group: %v", err)
		}
	}
}

// Groups of a column hold their promise with rows apart too; too few rows for a level are an
// error that says how many it takes.
func TestIntervalGroupsApart(t *testing.T) {
	m := gaussianMap(t, 1, 2, 12, 3)
	rng := rand.New(rand.NewPCG(1, 10))
	model, _ := mustFit(t, m, crowds(rng, 300, false), krr.Settings{Loss: "quantile:0.1,0.9", Lambdas: []float64{1e-3}, Uncertainty: "intervals:crowd"})
	x := mat.NewDense(4, 2, []float64{0.3, 0, 0.3, 7, 0.3, 14, 0.3, 5})
	low, high := intervals(t, model, x, 0.8)
	if narrow, wide := high.At(0, 0)-low.At(0, 0), high.At(2, 0)-low.At(2, 0); !(2*narrow < wide) || !math.IsInf(high.At(3, 0), 1) {
		t.Errorf("widths of %g and %g, and %g without rows of the group", narrow, wide, high.At(3, 0))
	}
	var p *rff.ParameterError
	if err := model.Interval(low, high, x, 0.999); !errors.As(err, &p) || p.Name != "level" {
		t.Error(err)
	}
}

// Of six rows some seed keeps none apart, or fits none, and the next one that divides them takes its
// place, whatever is minimised.
func TestFewRowsApart(t *testing.T) {
	m := gaussianMap(t, 1, 2, 12, 1)
	for _, s := range []krr.Settings{{Loss: "huber:0.5"}, {Loss: "expectile:0.4", Lambdas: []float64{1e-3}}, {Passes: &krr.Passes{}}} {
		s.Uncertainty = "intervals"
		for s.Seed = range 40 {
			r := synthetic(1, 6, 2, 1, 0.5)
			copy(r.x.Row(5), r.x.Row(4)) // rows of equal inputs are kept apart one by one, and share a fold
			model, _, err := krr.Fit(t.Context(), m, r, s)
			if err != nil || model.Info().Intervals == 0 {
				t.Errorf("%s, seed %d: %v", s.Loss, s.Seed, err)
			}
		}
	}
	// Where all rows of a class are kept apart, it is said what helps: another seed would depend on labels.
	refused := 0
	for seed := range uint64(200) {
		r := &rows{batch: 7, classes: []string{"no", "yes"}, x: synthetic(1, 12, 2, 1, 0).x, y: blas.NewGeneral[float64](12, 1)}
		for i := range r.y.Data {
			r.y.Data[i] = []float64{-1, 1}[i/10]
		}
		_, _, err := krr.Fit(t.Context(), m, r, krr.Settings{Loss: "logistic", Uncertainty: "intervals", Seed: seed})
		if err == nil {
			continue
		}
		if refused++; !strings.Contains(err.Error(), "where intervals keep a fold apart") {
			t.Errorf("a rare class, seed %d: %v", seed, err)
		}
	}
	if refused == 0 {
		t.Error("no seed keeps both rows of the rare class apart")
	}
}

// Rows of weight 0 are as if absent where some are kept apart, and where they are sampled.
func TestAbsentRowsApart(t *testing.T) {
	m := gaussianMap(t, 1, 2, 12, 1)
	fresh := dense(synthetic(2, 30, 2, 1, 0).x)
	for name, c := range map[string]struct {
		n, groups int
		s         krr.Settings
	}{
		"huber": {120, 0, krr.Settings{Loss: "huber:0.5"}}, "quantiles": {120, 0, krr.Settings{Loss: "quantile:0.1,0.9"}},
		"passes": {120, 0, krr.Settings{Passes: &krr.Passes{}}}, "groups": {120, 30, krr.Settings{}},
		"a sample": {2500, 0, krr.Settings{}},
	} {
		r := synthetic(1, c.n, 2, 1, 0.5)
		r.w = slices.Repeat([]float64{1}, c.n)
		for i := range min(c.groups, 1) * c.n {
			r.group = append(r.group, uint64(i%c.groups))
		}
		more := absent(r)
		c.s.Lambdas, c.s.Uncertainty = []float64{1e-3}, "intervals"
		want, _ := mustFit(t, m, r, c.s)
		got, _ := mustFit(t, m, more, c.s)
		a, b := intervals(t, want, fresh, 0.8)
		low, high := intervals(t, got, fresh, 0.8)
		if !mat.Equal(low, a) || !mat.Equal(high, b) || got.Info().Intervals != want.Info().Intervals {
			t.Errorf("%s: other intervals, of %d rows and %d", name, got.Info().Intervals, want.Info().Intervals)
		}
	}
}

// absent returns r with a row of weight 0, which has an input and a target of its own, before every third row.
func absent(r *rows) *rows {
	n, d := r.x.Rows, r.x.Cols
	more := &rows{x: blas.General[float64]{Cols: d, Stride: d}, y: blas.General[float64]{Cols: 1, Stride: 1}, batch: r.batch}
	add := func(x, y []float64, w float64, group int) {
		more.x.Data, more.y.Data, more.w = append(more.x.Data, x...), append(more.y.Data, y...), append(more.w, w)
		if r.group != nil {
			more.group = append(more.group, r.group[group])
		}
	}
	for i := range n {
		if i%3 == 0 {
			add(slices.Repeat([]float64{float64(i)}, d), []float64{7}, 0, n-1-i)
		}
		add(r.x.Row(i), r.y.Row(i), r.w[i], i)
	}
	more.x.Rows, more.y.Rows = len(more.w), len(more.w)
	return more
}
