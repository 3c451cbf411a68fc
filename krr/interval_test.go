package krr_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/krr"
	"github.com/rffgo/rff/sampling"
)

// intervals returns the ends for the rows of x.
func intervals(t *testing.T, m *krr.Model, x mat.Matrix, level float64) (low, high *mat.Dense) {
	t.Helper()
	low, high = new(mat.Dense), new(mat.Dense)
	if err := m.Interval(low, high, x, level); err != nil {
		t.Fatal(err)
	}
	return low, high
}

// less returns the rows without row i.
func (r *rows) less(i int) *rows {
	o := *r
	o.x, o.y = blas.NewGeneral[float64](r.x.Rows-1, r.x.Cols), blas.NewGeneral[float64](r.y.Rows-1, r.y.Cols)
	copy(o.x.Data, r.x.Data[:i*r.x.Cols])
	copy(o.x.Data[i*r.x.Cols:], r.x.Data[(i+1)*r.x.Cols:])
	copy(o.y.Data, r.y.Data[:i*r.y.Cols])
	copy(o.y.Data[i*r.y.Cols:], r.y.Data[(i+1)*r.y.Cols:])
	if r.w != nil {
		o.w = slices.Delete(slices.Clone(r.w), i, i+1)
	}
	return &o
}

// The ends are quantiles of μᵢ(x) ± |rᵢ|·σᵢ(x)/σᵢ(i) of models that were fitted without row
// i, with the same nλ. Rows of other weights count, and vary, by these.
func TestIntervalsLeaveRowsOut(t *testing.T) {
	const n, lambda, level = 23, 1e-3, 0.8
	m := gaussianMap(t, 1, 2, 12, 1)
	x := dense(synthetic(2, 40, 2, 2, 0).x)
	for _, weights := range [][]float64{nil, {1, 2, 0.5, 1, 1.5}} {
		r := synthetic(1, n, 2, 2, 0.3)
		all, squares := float64(n), float64(n)
		if weights != nil {
			all, squares = 0, 0
			for i := range n {
				w := weights[i%len(weights)]
				r.w = append(r.w, w)
				all, squares = all+w, squares+w*w
			}
		}
		unit := squares / all
		model, _ := mustFit(t, m, r, krr.Settings{Lambdas: []float64{lambda}, Uncertainty: "intervals"})
		low, high := intervals(t, model, x, level)
		type end struct{ low, high, count float64 }
		ends := make([][]end, 40*2)
		for i := range n {
			w := 1.0
			if weights != nil {
				w = r.w[i]
			}
			without, _ := mustFit(t, m, r.less(i), krr.Settings{Lambdas: []float64{lambda * all / (all - w)}, Uncertainty: "variance"})
			var own, at, ownVar, atVar mat.Dense
			one := dense(r.x.RowRange(i, i+1))
			if err := errors.Join(without.Predict(&own, one), without.Predict(&at, x), without.Variance(&ownVar, one), without.Variance(&atVar, x)); err != nil {
				t.Fatal(err)
			}
			noise := without.Info().Noise
			for k := range 2 {
				left := r.y.Row(i)[k] - own.At(0, k)
				for j := range 40 {
					half := math.Abs(left) * math.Sqrt((1+unit*atVar.At(j, k)/noise[k])/(1+w*ownVar.At(0, k)/noise[k]))
					ends[2*j+k] = append(ends[2*j+k], end{at.At(j, k) - half, at.At(j, k) + half, w / unit})
				}
			}
		}
		least := level * (all/unit + 1) * (1 - 1e-9)
		for c, ends := range ends {
			find := func(value func(e end) float64) float64 {
				slices.SortFunc(ends, func(a, b end) int {
					if value(a) < value(b) {
						return -1
					}
					return 1
				})
				var sum float64
				for _, e := range ends {
					if sum += e.count; sum >= least {
						return value(e)
					}
				}
				t.Fatal("too few rows")
				return 0
			}
			// The condition of the system, 1e3/λ, times 2⁻⁵², with room for its solution.
			nearTo(t, fmt.Sprintf("low %d", c), low.At(c/2, c%2), -find(func(e end) float64 { return -e.low }), 1e-8)
			nearTo(t, fmt.Sprintf("high %d", c), high.At(c/2, c%2), find(func(e end) float64 { return e.high }), 1e-8)
		}
	}
}

// residuals returns those of a ridge regression with a free intercept, and 1 less the
// leverages, from its hat matrix.
func residuals(z *mat.Dense, y []float64, ridge float64) (out, left []float64) {
	n, s := z.Dims()
	a := mat.NewDense(n, s+1, nil)
	for i := range n {
		a.Set(i, 0, 1)
		for j := range s {
			a.Set(i, j+1, z.At(i, j))
		}
	}
	p := mat.NewDense(s+1, s+1, nil)
	p.Mul(a.T(), a)
	for j := range s {
		p.Set(j+1, j+1, p.At(j+1, j+1)+ridge)
	}
	var right, hat mat.Dense
	if err := right.Solve(p, a.T()); err != nil {
		panic(err)
	}
	hat.Mul(a, &right)
	out, left = slices.Clone(y), make([]float64, n)
	for i := range n {
		for j := range n {
			out[i] -= hat.At(i, j) * y[j]
		}
		left[i] = 1 - hat.At(i, i)
	}
	return out, left
}

// share returns the part of the values that are as large as the last.
func share(v []float64) float64 {
	count, last := 0, v[len(v)-1]
	for _, a := range v {
		if a >= last {
			count++
		}
	}
	return float64(count) / float64(len(v))
}

// Inside are the targets whose residual, in the fit of all rows and the new one, does not
// stand out; the same of labels. Every fit is made anew here.
func TestIntervalsAreFullConformal(t *testing.T) {
	const n, s, lambda, level = 29, 40, 1e-3, 0.7
	m := gaussianMap(t, 1, 2, s, 1)
	fresh := synthetic(2, 30, 2, 1, 0).x
	all := func(x blas.General[float64], i int) *mat.Dense {
		var z mat.Dense
		z.Stack(features(t, m, x), features(t, m, fresh.RowRange(i, i+1)))
		return &z
	}
	r := synthetic(1, n, 2, 1, 0.3)
	model, _ := mustFit(t, m, r, krr.Settings{Lambdas: []float64{lambda}, Uncertainty: "intervals"})
	low, high := intervals(t, model, dense(fresh), level)
	for i := range fresh.Rows {
		z, a, b := all(r.x, i), low.At(i, 0), high.At(i, 0)
		for _, c := range []struct {
			y      float64
			inside bool
		}{{a - 1e-6, false}, {a + 1e-6, true}, {(a + b) / 2, true}, {b - 1e-6, true}, {b + 1e-6, false}} {
			e, left := residuals(z, append(slices.Clone(r.y.Data), c.y), n*lambda)
			for j := range e {
				e[j] = math.Abs(e[j]) / math.Sqrt(left[j])
			}
			if inside := share(e) > 1-level; inside != c.inside {
				t.Errorf("row %d: [%g, %g] and %g: %v", i, a, b, c.y, inside)
			}
		}
	}
	for _, c := range []struct {
		labels     []string
		calibrated bool
	}{{[]string{"n", "y"}, false}, {[]string{"n", "y"}, true}, {[]string{"a", "b", "c"}, false}, {[]string{"a", "b", "c"}, true}} {
		r := classes(3, n, 2, c.labels...)
		model, _ := mustFit(t, m, r, krr.Settings{Lambdas: []float64{lambda}, Uncertainty: "intervals", Probabilities: c.calibrated})
		sets, err := model.LabelSets(dense(fresh), level)
		if err != nil {
			t.Fatal(err)
		}
		for i := range fresh.Rows {
			z := all(r.x, i)
			for k, label := range c.labels {
				class := append(slices.Clone(r.class), k)
				y := krr.ClassTargets(class, len(c.labels))
				scores := blas.NewGeneral[float64](n+1, y.Cols)
				for column := range y.Cols {
					target := make([]float64, n+1)
					for j := range target {
						target[j] = y.Row(j)[column]
					}
					e, left := residuals(z, target, n*lambda)
					for j := range e {
						scores.Row(j)[column] = target[j] - e[j]/left[j]
					}
				}
				strange := make([]float64, n+1) // minus the margins
				for j, own := range class {
					strange[j] = -marginOf(model, scores.Row(j), own, c.calibrated)
				}
				if want := share(strange) > 1-level; want != slices.Contains(sets[i], label) {
					t.Errorf("row %d: %q in %q: %v", i, label, sets[i], want)
				}
			}
		}
	}
}

// marginOf returns by how much the logit of a class is above the largest of the others, or
// its score. Logits are those of the probabilities less the floor that the least one shows.
func marginOf(m *krr.Model, scores []float64, own int, calibrated bool) float64 {
	p := make([]float64, len(m.Info().Schema.Target.Classes))
	if calibrated {
		far := make([]float64, len(scores))
		far[0] = 1e9
		m.ProbabilitiesOf(p, far)
		floor := slices.Min(p)
		m.ProbabilitiesOf(p, scores)
		for k := range p {
			p[k] = math.Log(p[k] - floor)
		}
	} else if copy(p, scores); len(scores) == 1 {
		p[0], p[1] = -scores[0], scores[0]
	}
	most := math.Inf(-1)
	for k, v := range p {
		if k != own {
			most = max(most, v)
		}
	}
	return p[own] - most
}

// skewed returns n rows of a skewed noise that is wider where the first input is larger.
func skewed(rng *rand.Rand, n int) *rows {
	r := &rows{x: blas.NewGeneral[float64](n, 2), y: blas.NewGeneral[float64](n, 1), batch: n}
	for i := range n {
		x := r.x.Row(i)
		x[0], x[1] = rng.NormFloat64(), rng.NormFloat64()
		r.y.Data[i] = math.Sin(x[0]) + x[1] + math.Exp(x[0]/2)*rng.ExpFloat64()
	}
	return r
}

// overlapping returns n rows of two classes.
func overlapping(rng *rand.Rand, n int) *rows {
	r := &rows{x: blas.NewGeneral[float64](n, 2), batch: n, classes: []string{"a", "b"}, class: make([]int, n)}
	for i := range n {
		r.class[i] = rng.IntN(2)
		r.x.Row(i)[0], r.x.Row(i)[1] = float64(r.class[i])+rng.NormFloat64(), rng.NormFloat64()
	}
	r.y = krr.ClassTargets(r.class, 2)
	return r
}

// Over samples the coverage is between the level and level + 1/(n+1), as the test of MAPIE
// (test_coverage_validity) asks of its own intervals: 100 samples of each size, two one-sided
// t-tests, Bonferroni at 1 %.
func TestCoverage(t *testing.T) {
	const splits, fresh = 100, 100
	sizes := []int{10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 50, 100}
	levels := []float64{0.6, 0.8}
	m := gaussianMap(t, 1, 2, 16, 1.5)
	covered := map[string]func(model *krr.Model, r *rows, level float64) float64{
		"intervals": func(model *krr.Model, r *rows, level float64) (inside float64) {
			low, high := intervals(t, model, dense(r.x), level)
			for i, y := range r.y.Data {
				if low.At(i, 0) <= y && y <= high.At(i, 0) {
					inside++
				}
			}
			return inside / fresh
		},
		"sets": func(model *krr.Model, r *rows, level float64) (inside float64) {
			sets, err := model.LabelSets(dense(r.x), level)
			if err != nil {
				t.Fatal(err)
			}
			for i, k := range r.class {
				if slices.Contains(sets[i], r.classes[k]) {
					inside++
				}
			}
			return inside / fresh
		},
	}
	for kind, draw := range map[string]func(*rand.Rand, int) *rows{"intervals": skewed, "sets": overlapping} {
		for _, n := range sizes {
			rng := rand.New(rand.NewPCG(uint64(n), 7))
			shares := make([][]float64, len(levels))
			for range splits {
				train := draw(rng, n)
				if train.class != nil && slices.Min(train.class) == slices.Max(train.class) {
					continue // a fit needs both classes; of 10 rows 1 sample in 512 has one
				}
				model, _ := mustFit(t, m, train, krr.Settings{Lambdas: []float64{1e-2}, Uncertainty: "intervals"})
				test := draw(rng, fresh)
				for l, level := range levels {
					shares[l] = append(shares[l], covered[kind](model, test, level))
				}
			}
			for l, level := range levels {
				mean, sd := stat.MeanStdDev(shares[l], nil)
				law := distuv.StudentsT{Sigma: sd / math.Sqrt(float64(len(shares[l]))), Nu: float64(len(shares[l]) - 1)}
				tests := float64(len(sizes) * len(levels) * len(covered))
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

// The simulation of the jackknife+ paper (section 7.1): 100 rows of up to 200 inputs. The
// residuals of the fit itself say nothing from 100 inputs on.
func TestCoverageBeyondRows(t *testing.T) {
	const n, trials, level = 100, 20, 0.9
	for _, d := range []int{5, 50, 100, 200} {
		rng := rand.New(rand.NewPCG(uint64(d), 8))
		m, err := sampling.MonteCarlo{}.Sample(context.Background(), rff.Request{Kernel: rff.NewLinear(), Dim: d, Features: d, Rand: rng})
		if err != nil {
			t.Fatal(err)
		}
		draw := func(beta []float64) *rows {
			r := &rows{x: blas.NewGeneral[float64](n, d), y: blas.NewGeneral[float64](n, 1), batch: n}
			for i := range n {
				x := r.x.Row(i)
				r.y.Data[i] = rng.NormFloat64()
				for j := range x {
					x[j] = rng.NormFloat64()
					r.y.Data[i] += beta[j] * x[j]
				}
			}
			return r
		}
		var sure, naive float64
		for range trials {
			beta := make([]float64, d)
			var norm float64
			for j := range beta {
				beta[j] = rng.NormFloat64()
				norm += beta[j] * beta[j]
			}
			for j := range beta {
				beta[j] *= math.Sqrt(10 / norm)
			}
			train, test := draw(beta), draw(beta)
			model, _ := mustFit(t, m, train, krr.Settings{Lambdas: []float64{1e-6}, Uncertainty: "intervals"})
			low, high := intervals(t, model, dense(test.x), level)
			var fit, f mat.Dense
			if err := errors.Join(model.Predict(&fit, dense(train.x)), model.Predict(&f, dense(test.x))); err != nil {
				t.Fatal(err)
			}
			var own []float64
			for i, y := range train.y.Data {
				own = append(own, math.Abs(y-fit.At(i, 0)))
			}
			slices.Sort(own)
			for i, y := range test.y.Data {
				if low.At(i, 0) <= y && y <= high.At(i, 0) {
					sure += 1. / (n * trials)
				}
				if math.Abs(y-f.At(i, 0)) <= own[91-1] { // ⌈.9·101⌉ is 91
					naive += 1. / (n * trials)
				}
			}
		}
		// The coverage of one trial has a standard deviation of .03 over samples and .03 over
		// test rows: 4 of the mean of 20 are .04.
		if sure < level-0.04 || sure > level+1./(n+1)+0.04 {
			t.Errorf("%d inputs: intervals of %g cover %.3f", d, level, sure)
		}
		if d >= 50 && naive > 0.75 || d >= n && naive > 0.5 {
			t.Errorf("%d inputs: naive intervals cover %.3f: the data are no test", d, naive)
		}
	}
}

// Equal weights change nothing, rows of weight 0 are none, and a constant target has
// intervals of no width; a row far off leaves them finite.
func TestIntervalsOfOddRows(t *testing.T) {
	m := gaussianMap(t, 1, 2, 12, 1)
	r := synthetic(1, 60, 2, 1, 0.3)
	x := dense(synthetic(2, 20, 2, 1, 0).x)
	ends := func(r *rows, s krr.Settings) (low, high *mat.Dense) {
		s.Lambdas, s.Uncertainty = []float64{1e-3}, "intervals"
		model, _ := mustFit(t, m, r, s)
		return intervals(t, model, x, 0.9)
	}
	low, high := ends(r, krr.Settings{})
	heavy, none := *r, *r
	heavy.w, none.w = make([]float64, 60), nil
	for i := range heavy.w {
		heavy.w[i] = 3
	}
	some := synthetic(3, 30, 2, 1, 5)
	none.x.Rows, none.x.Data = 90, append(slices.Clone(r.x.Data), some.x.Data...)
	none.y.Rows, none.y.Data = 90, append(slices.Clone(r.y.Data), some.y.Data...)
	none.w = append(slices.Repeat([]float64{1}, 60), make([]float64, 30)...)
	for name, other := range map[string]*rows{"weights of 3": &heavy, "rows of weight 0": &none} {
		l, h := ends(other, krr.Settings{})
		if d := max(maxDiff(l, low), maxDiff(h, high)); !(d < 1e-9) {
			t.Errorf("%s: the ends differ by %g", name, d)
		}
	}
	constant := *r
	constant.y = blas.NewGeneral[float64](60, 1)
	for i := range constant.y.Data {
		constant.y.Data[i] = 7
	}
	low, high = ends(&constant, krr.Settings{})
	for i := range 20 {
		if low.At(i, 0) != 7 || high.At(i, 0) != 7 {
			t.Errorf("constant target 7: [%g, %g]", low.At(i, 0), high.At(i, 0))
		}
	}
	far := *r
	far.y = blas.General[float64]{Rows: 60, Cols: 1, Stride: 1, Data: slices.Clone(r.y.Data)}
	far.y.Data[5] = 1e6
	// A prediction that is confined to the range of the targets is in its interval.
	low, high = ends(&far, krr.Settings{ClipPredictions: true})
	model, _ := mustFit(t, m, &far, krr.Settings{Lambdas: []float64{1e-3}, ClipPredictions: true})
	var f mat.Dense
	if err := model.Predict(&f, x); err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		if l, h := low.At(i, 0), high.At(i, 0); !(l <= f.At(i, 0) && f.At(i, 0) <= h) || math.IsInf(h-l, 0) {
			t.Errorf("a row far off: %g in [%g, %g]", f.At(i, 0), l, h)
		}
	}
}

// Of rows that are alike none stands below the others, whatever rounding makes of their
// margins: a label that a third of the rows have belongs to the set of one more.
func TestLabelSetsOfAlikeRows(t *testing.T) {
	for seed := range uint64(8) {
		labels := []string{"a", "b", "c"}[:2+seed%2]
		r := classes(3, 120, 2, labels...)
		at := []float64{float64(seed) / 7, 0.3}
		for i := range r.x.Rows {
			copy(r.x.Row(i), at)
			r.class[i] = i % len(labels)
		}
		copy(r.x.Row(0), []float64{9, 9}) // without another row there is no scale
		r.y = krr.ClassTargets(r.class, len(labels))
		model, _ := mustFit(t, gaussianMap(t, seed, 2, 12, 1), r, krr.Settings{Lambdas: []float64{1e-3}, Uncertainty: "intervals"})
		sets, err := model.LabelSets(mat.NewDense(1, 2, at), 0.3)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(sets[0], labels) {
			t.Errorf("seed %d: %v of %v", seed, sets[0], labels)
		}
	}
}

// Too few rows for a level are an error that says how many it takes; what has no intervals
// says why. Of many rows a sample is kept, and the file gives the same ends.
func TestIntervalErrors(t *testing.T) {
	m := gaussianMap(t, 1, 2, 12, 1)
	x := dense(synthetic(2, 5, 2, 1, 0).x)
	s := krr.Settings{Lambdas: []float64{1e-3}, Uncertainty: "intervals"}
	few, _ := mustFit(t, m, synthetic(1, 18, 2, 1, 0.1), s)
	named, _ := mustFit(t, m, classes(1, 18, 2, "a", "b"), s)
	bare, _ := mustFit(t, m, synthetic(1, 18, 2, 1, 0.1), krr.Settings{Lambdas: []float64{1e-3}})
	many, _ := mustFit(t, m, synthetic(1, 5000, 2, 1, 0.1), s)
	if n := many.Info().Intervals; n < 900 || n > 2000 {
		t.Errorf("%d rows are kept of 5000", n)
	}
	var low, high mat.Dense
	sets := func(m *krr.Model, level float64) error { _, err := m.LabelSets(x, level); return err }
	for want, err := range map[string]error{
		"": errors.Join(few.Interval(&low, &high, x, 18./19), sets(named, 0.9)),
		"rff: level is 0.95: takes 19 rows, and the model has 18: the highest level is 0.9474, or fit to more rows":                   few.Interval(&low, &high, x, 0.95),
		"rff: level is 0.99: takes 99 rows, and the model has 18: the highest level is 0.9474, or fit to more rows":                   sets(named, 0.99),
		fmt.Sprintf("rff: level is 0.9999: takes 9999 rows, and the model has %d: the highest level is 0.999", many.Info().Intervals): many.Interval(&low, &high, x, 0.9999),
		"rff: level is 90: must be above 0 and below 1, such as 0.9":                                                                  few.Interval(&low, &high, x, 90),
		"rff: level is NaN: must be above 0 and below 1, such as 0.9":                                                                 few.Interval(&low, &high, x, math.NaN()),
		"rff: the model has no rows for intervals and label sets: set Settings.Uncertainty to intervals, and fit again":               bare.Interval(&low, &high, x, 0.9),
		"rff: the model is a classification and has no intervals: use LabelSets":                                                      named.Interval(&low, &high, x, 0.9),
		"rff: the model is a regression and has no labels: use Interval":                                                              sets(few, 0.9),
	} {
		var parameter *rff.ParameterError
		if want == "" && err != nil || want != "" && (!errors.As(err, &parameter) || len(err.Error()) < len(want) || err.Error()[:len(want)] != want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	var shape *rff.ShapeError
	if err := few.Interval(mat.NewDense(4, 1, nil), &high, x, 0.9); !errors.As(err, &shape) {
		t.Errorf("4 rows of ends for 5: %v", err)
	}
	grouped := synthetic(1, 40, 2, 1, 0.1)
	grouped.group = make([]uint64, 40)
	var degenerate *rff.DegenerateDataError
	if _, _, err := krr.Fit(t.Context(), m, grouped, s); !errors.As(err, &degenerate) {
		t.Errorf("rows of one group: %v", err)
	}
	for _, model := range []*krr.Model{few, many, named} {
		data, err := model.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		var back krr.Model
		if err := back.UnmarshalBinary(data); err != nil {
			t.Fatal(err)
		}
		if model == named {
			a, errA := named.LabelSets(x, 0.8)
			b, errB := back.LabelSets(x, 0.8)
			if errA != nil || errB != nil || !slices.EqualFunc(a, b, slices.Equal) {
				t.Errorf("%q, after loading %q (%v, %v)", a, b, errA, errB)
			}
			continue
		}
		low, high := intervals(t, model, x, 0.8)
		l, h := intervals(t, &back, x, 0.8)
		if !mat.Equal(low, l) || !mat.Equal(high, h) {
			t.Error("other ends after loading")
		}
	}
}
