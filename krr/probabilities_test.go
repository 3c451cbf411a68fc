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

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	columns "github.com/rffgo/rff/internal/scaling"
	"github.com/rffgo/rff/krr"
	"github.com/rffgo/rff/sampling"
)

// unbalanced returns rows of which nearly all are of the first classes.
func unbalanced(seed uint64, n int, labels ...string) *rows {
	all := classes(seed, 4*n, 3, labels...)
	kept := make([]int, len(labels))
	var at []int
	for i, c := range all.class {
		kept[c]++
		if len(at) < n && kept[c]%(1+5*c) == 0 {
			at = append(at, i)
		}
	}
	r := subset(all, func(i int) bool { return slices.Contains(at, i) })
	for _, i := range at {
		r.class = append(r.class, all.class[i])
	}
	return r
}

// Probabilities rest on scores of models without the row's fold, and the report
// on calibrations without it: here with models refitted by QR.
func TestProbabilitiesAgainstRefits(t *testing.T) {
	const folds, seed = 4, 24
	for _, labels := range [][]string{{"n", "y"}, {"a", "b", "c"}} {
		k := len(labels)
		r := unbalanced(5, 400, labels...)
		for i := range r.x.Rows {
			r.w = append(r.w, float64(i%3)) // a third has weight 0
		}
		m := gaussianMap(t, 1, 3, 24, 2)
		scaling := rff.Scaling{Shift: []float64{1, -1, .5}, Scale: []float64{2, .5, 1}}
		scaled := *r
		scaled.x = blas.NewGeneral[float64](r.x.Rows, r.x.Cols)
		columns.BentRows(nil, nil, scaling.Shift, scaling.Scale, scaled.x, r.x)
		model, report, err := krr.Fit(context.Background(), m, r, krr.Settings{Probabilities: true, PerTarget: true,
			Scaling: scaling, Folds: folds, Seed: seed, Lambdas: []float64{1e-4, 1e-3, 1e-2, 1e-1}})
		if err != nil {
			t.Fatal(err)
		}
		if k == 3 && slices.Max(krr.InfoOf(report).Lambda) == slices.Min(krr.InfoOf(report).Lambda) {
			t.Errorf("every target has λ %v: nothing tells them apart", krr.InfoOf(report).Lambda)
		}
		var scores []float64
		var class, fold []int
		var weight []float64
		fits := make([][]*mat.Dense, folds) // scores of all rows, per fold left out and target
		for f := range folds {
			train := subset(&scaled, func(i int) bool { return r.fold(seed, i, folds) != f && r.w[i] > 0 })
			for _, lambda := range krr.InfoOf(report).Lambda {
				coef, b := reference(features(t, m, train.x), train.y, train.w, lambda)
				var p mat.Dense
				p.Mul(features(t, m, scaled.x), coef)
				p.Apply(func(_, j int, v float64) float64 { return v + b[j] }, &p)
				fits[f] = append(fits[f], &p)
			}
		}
		for i := range r.x.Rows {
			if r.w[i] == 0 {
				continue
			}
			f := r.fold(seed, i, folds)
			for c, p := range fits[f] {
				scores = append(scores, p.At(i, c))
			}
			class, fold, weight = append(class, r.class[i]), append(fold, f), append(weight, r.w[i])
		}
		cols := len(krr.InfoOf(report).Lambda)
		want, h, err := krr.Calibrate(blas.General[float64]{Rows: len(class), Cols: cols, Stride: cols, Data: scores}, class, fold, folds, weight, k)
		if err != nil {
			t.Fatal(err)
		}
		// Scores agree to κ·eps ≈ 1e-10, and calibrations to what flatness leaves.
		if got := report.HeldOut; got.Rows != int64(len(class)) || got.Accuracy != h.Accuracy || math.Abs(got.Loss[0]-h.Loss[0]) > 1e-6 {
			t.Errorf("%d classes: held out %+v, refits give %+v", k, got, h)
		}
		p, q := make([]float64, k), make([]float64, k)
		for i := 0; i < len(scores); i += cols {
			model.ProbabilitiesOf(p, scores[i:i+cols])
			want.ProbabilitiesOf(q, scores[i:i+cols])
			for j := range p {
				if math.Abs(p[j]-q[j]) > 1e-5 {
					t.Fatalf("%d classes: scores %v have probabilities %v, refits give %v", k, scores[i:i+cols], p, q)
				}
			}
		}
	}
}

// Labels are the most probable classes, and on unbalanced data better than those
// of the highest score; no probability is 0.
func TestLabelsAreMostProbable(t *testing.T) {
	labels := []string{"a", "b", "c"}
	train, test := unbalanced(5, 600, labels...), unbalanced(6, 600, labels...)
	m := gaussianMap(t, 1, 3, 4, 2) // too few features for the rare classes
	model, report, err := krr.Fit(context.Background(), m, train, krr.Settings{Probabilities: true, Lambdas: []float64{1e-2}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := model.Labels(dense(test.x))
	if err != nil {
		t.Fatal(err)
	}
	var p, s mat.Dense
	if err := errors.Join(model.Probabilities(&p, dense(test.x)), model.Predict(&s, dense(test.x))); err != nil {
		t.Fatal(err)
	}
	byLabel, byScore := 0, 0
	least := 1.0
	for i, l := range got {
		row := p.RawRowView(i)
		at := slices.Index(row, slices.Max(row))
		if labels[at] != l || model.ClassOf(s.RawRowView(i)) != at {
			t.Fatalf("row %d is labelled %s, class %d, with probabilities %v", i, l, model.ClassOf(s.RawRowView(i)), row)
		}
		if at == test.class[i] {
			byLabel++
		}
		if scores := s.RawRowView(i); slices.Index(scores, slices.Max(scores)) == test.class[i] {
			byScore++
		}
		least = min(least, slices.Min(row))
	}
	if byLabel <= byScore {
		t.Errorf("%d labels are right, %d by score", byLabel, byScore)
	}
	if bound := 1 / float64(report.HeldOut.Rows+3); least < bound*(1-1e-12) {
		t.Errorf("a probability of %v, below %v", least, bound)
	}
	if math.Abs(report.HeldOut.Accuracy-float64(byLabel)/600) > 5*0.5/math.Sqrt(600)*math.Sqrt2 {
		t.Errorf("%v is reported, %d of 600 labels are right", report.HeldOut, byLabel)
	}
}

// A large stream is sampled for its calibration, and all folds of it.
func TestCalibrationSamples(t *testing.T) {
	const n = 1<<18 + 5000
	r := classes(3, 1000, 2, "n", "y")
	big := &rows{x: blas.NewGeneral[float64](n, 2), y: blas.NewGeneral[float64](n, 1), batch: 8192, classes: r.classes}
	for i := range n {
		copy(big.x.Row(i), r.x.Row(i%1000))
		big.y.Data[i] = r.y.Data[i%1000]
	}
	_, report, err := krr.Fit(context.Background(), gaussianMap(t, 1, 2, 4, 2), big, krr.Settings{Probabilities: true, Lambdas: []float64{1e-2}})
	if err != nil {
		t.Fatal(err)
	}
	// One of four rows, to 5 standard deviations of a binomial: one of two are too many.
	if got := float64(report.HeldOut.Rows); math.Abs(got-n/4.0) > 5*math.Sqrt(n*3/16.0) {
		t.Errorf("%v of %d rows", got, n)
	}
}

// Where leave-one-out chooses λ, the scores are those of models without the row, here of
// refits by QR, and no fold is needed; rows of one group, which such models have seen, want
// folds.
func TestProbabilitiesOneByOne(t *testing.T) {
	const n = 120
	for _, labels := range [][]string{{"n", "y"}, {"a", "b", "c"}} {
		r := unbalanced(5, n, labels...)
		for i := range n {
			r.w = append(r.w, float64(i%3)) // a third has weight 0
		}
		m := gaussianMap(t, 1, 3, 24, 2)
		s := krr.Settings{Probabilities: true, Criterion: krr.LeaveOneOut, Lambdas: []float64{1e-4, 1e-2, 1}}
		model, report, err := krr.Fit(t.Context(), m, r, s)
		if err != nil {
			t.Fatal(err)
		}
		var scores, weight []float64
		var class, part []int
		sum := 0.0
		for _, w := range r.w {
			sum += w
		}
		for i, w := range r.w {
			if w == 0 {
				continue
			}
			train := subset(r, func(j int) bool { return j != i })
			coef, b := reference(features(t, m, train.x), train.y, train.w, krr.InfoOf(report).Lambda[0]*sum/(sum-w)) // nλ of all rows
			var p mat.Dense
			p.Mul(features(t, m, r.x.RowRange(i, i+1)), coef)
			for k, v := range p.RawRowView(0) {
				scores = append(scores, v+b[k])
			}
			class, part, weight = append(class, r.class[i]), append(part, len(part)%5), append(weight, w)
		}
		cols := r.y.Cols
		want, h, err := krr.Calibrate(blas.General[float64]{Rows: len(class), Cols: cols, Stride: cols, Data: scores}, class, part, 5, weight, len(labels))
		if err != nil {
			t.Fatal(err)
		}
		if got := report.HeldOut; got.Rows != int64(len(class)) || got.Accuracy != h.Accuracy || math.Abs(got.Loss[0]-h.Loss[0]) > 1e-6 {
			t.Errorf("%d classes: held out %+v, refits give %+v", len(labels), got, h)
		}
		p, q := make([]float64, len(labels)), make([]float64, len(labels))
		for i := 0; i < len(scores); i += cols {
			model.ProbabilitiesOf(p, scores[i:i+cols])
			want.ProbabilitiesOf(q, scores[i:i+cols])
			for j := range p {
				if math.Abs(p[j]-q[j]) > 1e-5 {
					t.Fatalf("%d classes: scores %v have probabilities %v, refits give %v", len(labels), scores[i:i+cols], p, q)
				}
			}
		}
		for i := range n {
			r.group = append(r.group, uint64(i/4))
		}
		var refused *rff.ParameterError
		if _, _, err = krr.Fit(t.Context(), m, r, s); !errors.As(err, &refused) {
			t.Errorf("groups: %v", err)
		}
		s.HeldOut = true
		if _, _, err = krr.Fit(t.Context(), m, r, s); err != nil {
			t.Errorf("groups by folds: %v", err)
		}
	}
}

// With probabilities λ is the largest of those whose log loss on rows left out is within 1/n of
// the least: here by scores of models refitted by QR, calibrated for each λ. The squared error
// chooses another one.
func TestLogLossChoosesLambda(t *testing.T) {
	const folds, seed = 3, 24
	differ := false
	for _, labels := range [][]string{{"n", "y"}, {"a", "b", "c"}} {
		r := unbalanced(7, 300, labels...)
		for i := range r.x.Rows {
			r.w = append(r.w, float64(i%3)) // a third has weight 0
		}
		m := gaussianMap(t, 1, 3, 24, 2)
		z := features(t, m, r.x)
		s := krr.Settings{Folds: folds, Seed: seed, Lambdas: []float64{1e-8, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2}}
		_, squares, err := krr.Fit(t.Context(), m, r, s)
		if err != nil {
			t.Fatal(err)
		}
		s.Probabilities = true
		_, report, err := krr.Fit(t.Context(), m, r, s)
		if err != nil {
			t.Fatal(err)
		}
		losses, n := make([]float64, len(s.Lambdas)), 0.0
		for l, lambda := range s.Lambdas {
			cols := r.y.Cols
			var scores, weight []float64
			var class, fold []int
			for f := range folds {
				train := subset(r, func(i int) bool { return r.fold(seed, i, folds) != f && r.w[i] > 0 })
				coef, b := reference(features(t, m, train.x), train.y, train.w, lambda)
				var p mat.Dense
				p.Mul(z, coef)
				for i, w := range r.w {
					if w == 0 || r.fold(seed, i, folds) != f {
						continue
					}
					for k, v := range p.RawRowView(i) {
						scores = append(scores, v+b[k])
					}
					class, fold, weight = append(class, r.class[i]), append(fold, f), append(weight, w)
				}
			}
			c, _, err := krr.Calibrate(blas.General[float64]{Rows: len(class), Cols: cols, Stride: cols, Data: scores}, class, fold, folds, weight, len(labels))
			if err != nil {
				t.Fatal(err)
			}
			p, sum := make([]float64, len(labels)), 0.0
			for i, own := range class {
				c.ProbabilitiesOf(p, scores[i*cols:][:cols])
				losses[l] -= weight[i] * math.Log(p[own])
				sum += weight[i]
			}
			losses[l] /= sum
			n = float64(len(class))
			// Scores agree to κ·eps ≈ 1e-8 at the least λ, and calibrations to what flatness leaves.
			if got := report.Path[l].Error; len(got) != 1 || math.Abs(got[0]-losses[l]) > 1e-6 {
				t.Errorf("%d classes, λ %g: %v, refits give %v", len(labels), lambda, got, losses[l])
			}
		}
		want := len(losses) - 1
		for losses[want] > slices.Min(losses)+1/n {
			want--
		}
		got := krr.InfoOf(report).Lambda
		if got[0] != s.Lambdas[want] || slices.Max(got) != got[0] || slices.Min(got) != got[0] {
			t.Errorf("%d classes: λ %v of log losses %v, want %g", len(labels), got, losses, s.Lambdas[want])
		}
		differ = differ || got[0] != krr.InfoOf(squares).Lambda[0]
	}
	if !differ {
		t.Error("the squared error chooses the same λ: nothing tells the rules apart")
	}
}

// Classes that a hyperplane divides, a class of three rows and more classes than most rows have
// probabilities, with the λ that their log loss chooses.
func TestLogLossOfOddClasses(t *testing.T) {
	apart, rare := classes(7, 120, 3, "a", "b"), classes(5, 120, 3, "a", "b", "c")
	for i, c := range apart.class {
		apart.x.Row(i)[0] = float64(20 * c)
		if rare.class[i] %= 2; i%50 == 0 {
			rare.class[i] = 2
		}
	}
	rare.y = krr.ClassTargets(rare.class, 3)
	many := synthetic(2, 200, 3, 1, 0)
	for k := range 150 {
		many.classes = append(many.classes, fmt.Sprint("c", k))
	}
	for i := range 200 {
		many.class = append(many.class, i%150)
	}
	many.y = krr.ClassTargets(many.class, 150)
	for name, r := range map[string]*rows{"divided": apart, "three rows": rare, "many": many} {
		for _, by := range []krr.Criterion{krr.CrossValidation, krr.LeaveOneOut} {
			model, report, err := krr.Fit(t.Context(), gaussianMap(t, 1, 3, 32, 2), r, krr.Settings{Probabilities: true, Criterion: by})
			if err != nil {
				t.Errorf("%s, %s: %v", name, by, err)
				continue
			}
			for _, p := range report.Path {
				if len(p.Error) != 1 || !(p.Error[0] > 0) || math.IsInf(p.Error[0], 0) {
					t.Errorf("%s, %s: λ %g has log loss %v", name, by, p.Lambda, p.Error)
				}
			}
			var p mat.Dense
			if err := model.Probabilities(&p, dense(r.x)); err != nil {
				t.Fatal(err)
			}
			for i := range p.RawMatrix().Rows {
				if sum := mat.Sum(p.RowView(i)); !(math.Abs(sum-1) < 1e-12) {
					t.Fatalf("%s, %s: row %d sums to %g", name, by, i, sum)
				}
			}
		}
	}
}

// A row counts once in a calibration, whether it has a label or probabilities of the classes: no
// probability is below 1/(n + classes) of n rows, which is that of a row with scores without bound.
func TestLeastProbabilityOfProbabilities(t *testing.T) {
	const n, classes = 90, 3
	r := &rows{x: blas.NewGeneral[float64](n, 1), y: blas.NewGeneral[float64](n, classes), batch: n, classes: []string{"a", "b", "c"}}
	for i := range n {
		r.x.Row(i)[0] = float64(i%classes) - 1 + .01*math.Sin(float64(i))
		for k := range classes {
			r.y.Row(i)[k] = 2*.2 - 1
		}
		r.y.Row(i)[i%classes] = 2*.6 - 1
	}
	m, err := sampling.MonteCarlo{}.Sample(t.Context(), rff.Request{Kernel: rff.NewLinear(), Dim: 1, Features: 4, Rand: rand.NewPCG(1, 1)})
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []float64{1, 7} { // weights have no unit
		r.w = slices.Repeat([]float64{w}, n)
		model, _, err := krr.Fit(t.Context(), m, r, krr.Settings{Probabilities: true, Lambdas: []float64{1e-3}})
		if err != nil {
			t.Fatal(err)
		}
		var p mat.Dense
		if err := model.Probabilities(&p, mat.NewDense(1, 1, []float64{1e4})); err != nil {
			t.Fatal(err)
		}
		if got, want := mat.Min(&p), 1./(n+classes); math.Abs(got/want-1) > 1e-9 { // of sums of n weights
			t.Errorf("weights of %v: the least probability is 1/%v, want 1/%v", w, 1/got, 1/want)
		}
	}
}
