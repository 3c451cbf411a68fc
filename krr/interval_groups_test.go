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
	"github.com/rffgo/rff/krr"
)

// crowds are rows of three groups, of which each has noise of its own: the second input is the
// group, and the class is right with a chance of its own.
func crowds(rng *rand.Rand, n int, classes bool) *rows {
	r := &rows{x: blas.NewGeneral[float64](n, 2), y: blas.NewGeneral[float64](n, 1), batch: n, names: []string{"a", "crowd"}}
	for i := range n {
		x, g := r.x.Row(i), i%3
		x[0], x[1] = rng.NormFloat64(), float64(7*g)
		r.y.Data[i] = math.Sin(x[0]) + []float64{0.1, 0.4, 2}[g]*rng.NormFloat64()
		if classes {
			r.class = append(r.class, rng.IntN(2))
			x[0] += []float64{3, 1, 0}[g] * float64(r.class[i])
		}
	}
	if classes {
		r.classes, r.y = []string{"a", "b"}, krr.ClassTargets(r.class, 2)
	}
	return r
}

// With groups the coverage of each is between the level and level + 1/(n+1), by two one-sided
// t-tests over samples, Bonferroni at 1 %; without, it is far off in some.
func TestCoverageOfGroups(t *testing.T) {
	const splits, fresh, level = 60, 90, 0.8
	m := gaussianMap(t, 1, 2, 16, 4)
	for _, classes := range []bool{false, true} {
		for _, n := range []int{12, 60} { // a third of each
			for _, by := range []string{":crowd", ""} {
				rng := rand.New(rand.NewPCG(uint64(n), 9))
				var shares [3][]float64
				for range splits {
					model, _ := mustFit(t, m, crowds(rng, n, classes), krr.Settings{Lambdas: []float64{1e-2}, Uncertainty: "intervals" + by})
					test := crowds(rng, fresh, classes)
					var inside [3]float64
					held := holds(t, model, test, level)
					for i, in := range held {
						if in {
							inside[i%3] += 3. / fresh
						}
					}
					for g, v := range inside {
						shares[g] = append(shares[g], v)
					}
				}
				off := 0
				for g, v := range shares {
					mean, sd := stat.MeanStdDev(v, nil)
					law := distuv.StudentsT{Sigma: max(sd, 1e-9) / math.Sqrt(splits), Nu: splits - 1}
					low, high := law.CDF(mean-level), law.Survival(mean-level-1/float64(n/3+1))
					if min(low, high) < 0.01/24 {
						off++
						if by != "" && !(classes && high < low) { // equal margins make sets hold more often
							t.Errorf("group %d of %d rows, classes %v: %.3f covered (p = %.2g, %.2g)", g, n/3, classes, mean, low, high)
						}
					}
				}
				if by == "" && n == 60 && off == 0 {
					t.Errorf("without groups all have their share: the data are no test")
				}
			}
		}
	}
}

// holds says of every row whether its target or label is inside.
func holds(t *testing.T, m *krr.Model, r *rows, level float64) (in []bool) {
	t.Helper()
	if r.class == nil {
		low, high := intervals(t, m, dense(r.x), level)
		for i, y := range r.y.Data {
			in = append(in, low.At(i, 0) <= y && y <= high.At(i, 0))
		}
		return in
	}
	sets, err := m.LabelSets(dense(r.x), level)
	if err != nil {
		t.Fatal(err)
	}
	for i, k := range r.class {
		in = append(in, slices.Contains(sets[i], r.classes[k]))
	}
	return in
}

// The intervals of a group are those of its rows alone among the kept ones; a group with too
// few rows, or with none, has no ends and every label; the file gives the same.
func TestIntervalGroups(t *testing.T) {
	m := gaussianMap(t, 1, 2, 12, 3)
	rng := rand.New(rand.NewPCG(1, 10))
	s := krr.Settings{Lambdas: []float64{1e-3}, Uncertainty: "intervals:crowd"}
	r := crowds(rng, 60, false)
	for i := range 57 { // 3 rows remain of the third group
		if r.x.Row(i)[1] == 14 {
			r.x.Row(i)[1] = 0
		}
	}
	model, _ := mustFit(t, m, r, s)
	x := mat.NewDense(4, 2, []float64{0.3, 0, 0.3, 7, 0.3, 14, 0.3, 5})
	low, high := intervals(t, model, x, 0.9)
	for i, bounded := range []bool{true, true, false, false} {
		if math.IsInf(low.At(i, 0), -1) == bounded || math.IsInf(high.At(i, 0), 1) == bounded {
			t.Errorf("row %d: [%g, %g]", i, low.At(i, 0), high.At(i, 0))
		}
	}
	if a, b := high.At(0, 0)-low.At(0, 0), high.At(1, 0)-low.At(1, 0); a < 2*b && b < 2*a {
		t.Errorf("groups of other noise have widths %g and %g", a, b)
	}
	data, err := model.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var back krr.Model
	if err := back.UnmarshalBinary(data); err != nil {
		t.Fatal(err)
	}
	if l, h := intervals(t, &back, x, 0.9); !mat.Equal(low, l) || !mat.Equal(high, h) {
		t.Error("other ends after loading")
	}
	named, _ := mustFit(t, m, crowds(rng, 60, true), s)
	if sets, err := named.LabelSets(x, 0.9); err != nil || len(sets[3]) != 2 {
		t.Errorf("a group without rows: %q, %v", sets, err)
	}
	var ends mat.Dense
	for want, err := range map[string]error{
		"takes 99 rows of one crowd": model.Interval(&ends, &ends, x, 0.99),
		"must be a column":           refit(m, r, krr.Settings{Uncertainty: "intervals:crwd"}),
		"different values":           refit(m, crowds(rng, 300, false), krr.Settings{Uncertainty: "intervals:a"}),
	} {
		var parameter *rff.ParameterError
		if !errors.As(err, &parameter) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// refit returns the error of a fit.
func refit(m *rff.Map, r *rows, s krr.Settings) error {
	s.Lambdas = []float64{1e-3}
	_, _, err := krr.Fit(context.Background(), m, r, s)
	return err
}
