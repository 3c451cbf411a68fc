package teacher_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/dataset/teacher"
	"github.com/rffgo/rff/internal/classes"
	"github.com/rffgo/rff/krr"
	"github.com/rffgo/rff/sampling"
)

// taught returns rows with two inputs and the probabilities of k classes, which lie between and
// after the inputs, and the same rows in long form: one for each class, with its label and the
// probability as its weight.
func taught(t *testing.T, n, k int) (data, long rff.Source, names []string) {
	t.Helper()
	rng := rand.New(rand.NewPCG(uint64(k), 7))
	schema := rff.Schema{Inputs: rff.Columns("a", "class 0", "b")}
	names = []string{"class 0"}
	for c := 1; c < k; c++ {
		names = append(names, fmt.Sprint("class ", c))
	}
	schema.Inputs = append(schema.Inputs, rff.Columns(names[1:]...)...)
	x := blas.NewGeneral[float64](n, k+2)
	lx, ly := blas.NewGeneral[float64](n*k, 2), blas.NewGeneral[float64](n*k, max(1, k-2/k*(k-1)))
	weight := make([]float64, n*k)
	for i := range n {
		a, b := rng.NormFloat64(), rng.NormFloat64()
		p, sum := make([]float64, k), 0.0
		for c := range p {
			p[c] = math.Exp(math.Sin(float64(c+1)*a) + 2*b*float64(c)/float64(k))
			if c == i%(3*k) { // some teachers are sure that it is not this class
				p[c] = 0
			}
			sum += p[c]
		}
		row := x.Row(i)
		row[0], row[2] = a, b
		for c := range p {
			p[c] /= sum
			if c == 0 {
				row[1] = p[c]
			} else {
				row[2+c] = p[c]
			}
			to := i*k + c
			copy(lx.Row(to), []float64{a, b})
			weight[to] = p[c]
			for j := range ly.Cols {
				ly.Row(to)[j] = -1
			}
			if ly.Cols == 1 {
				ly.Row(to)[0] = float64(2*c - 1)
			} else {
				ly.Row(to)[c] = 1
			}
		}
	}
	source := func(s rff.Schema, b rff.Batch) rff.Source {
		out, err := rff.WithSchema(&one{s, b}, s)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	data = source(schema, rff.Batch{X: x})
	long = source(rff.Schema{Inputs: rff.Columns("a", "b"), Target: rff.Target{Columns: ly.Cols, Classes: names}}, rff.Batch{X: lx, Y: ly, Weight: weight})
	return data, long, names
}

// one is the rows of one batch.
type one struct {
	schema rff.Schema
	batch  rff.Batch
}

func (o *one) Schema() rff.Schema { return o.schema }

func (o *one) Batches(context.Context) iter.Seq2[rff.Batch, error] {
	return func(yield func(rff.Batch, error) bool) { yield(o.batch, nil) }
}

// A row with probabilities counts as one row of each class, weighted by them, in every loss of
// classes and in the calibration.
func TestTaughtRowsAreWeightedRowsOfEachClass(t *testing.T) {
	m, err := sampling.MonteCarlo{}.Sample(t.Context(), rff.Request{Kernel: rff.NewGaussian(1), Dim: 2, Features: 60, Rand: rand.NewPCG(1, 1)})
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []int{2, 3, 70} {
		data, long, names := taught(t, 400, k)
		student, err := teacher.Rows(data, names, 1)
		if err != nil {
			t.Fatal(err)
		}
		if got := student.Schema().InputNames(); len(got) != 2 || got[0] != "a" || got[1] != "b" {
			t.Fatalf("inputs %q", got)
		}
		for _, loss := range []string{"", "logistic", "squared-hinge", "smoothed-hinge"} {
			if k == 70 && loss != "" {
				continue // as with three classes, for half a minute
			}
			s := krr.Settings{Lambdas: []float64{1e-3}, Loss: loss, HeldOut: true}
			if loss != "" {
				s.Passes = &krr.Passes{Tolerance: 1e-9}
			}
			got, taught, err := krr.Fit(t.Context(), m, student, s)
			if err != nil {
				t.Fatal(k, loss, err)
			}
			want, weighted, err := krr.Fit(t.Context(), m, long, s)
			if err != nil {
				t.Fatal(k, loss, err)
			}
			// Rows of equal inputs share a fold, so the folds are the same.
			if a, b := taught.HeldOut, weighted.HeldOut; math.Abs(a.Accuracy-b.Accuracy) > 1e-6 || loss == "" && a.Rows != 400 {
				t.Errorf("%d classes, loss %q: accuracy %v over %d rows, and %v by %d weighted rows", k, loss, a.Accuracy, a.Rows, b.Accuracy, b.Rows)
			}
			var a, b mat.Dense
			x := mat.NewDense(4, 2, []float64{-2, 1, -1, .5, 0, -.4, 1, -1})
			if err := got.Predict(&a, x); err != nil {
				t.Fatal(err)
			}
			if err := want.Predict(&b, x); err != nil {
				t.Fatal(err)
			}
			rows, targets := a.Dims()
			for i := range rows {
				for c := range targets {
					// Squares are solved to rounding times the condition 1/λ, passes to their tolerance.
					if v, w := a.At(i, c), b.At(i, c); math.Abs(v-w) > 1e-6 {
						t.Errorf("%d classes, loss %q: score %d of row %d is %v, and %v by weighted rows", k, loss, c, i, v, w)
					}
				}
			}
		}
	}
}

// Sums of integers have targets of probabilities, too: those are within the rounding of int12
// features of what float64 has.
func TestTaughtIntegers(t *testing.T) {
	m, err := sampling.MonteCarlo{}.Sample(t.Context(), rff.Request{Kernel: rff.NewGaussian(1), Dim: 2, Features: 60, Rand: rand.NewPCG(1, 1)})
	if err != nil {
		t.Fatal(err)
	}
	data, _, names := taught(t, 400, 3)
	student, err := teacher.Rows(data, names, 1)
	if err != nil {
		t.Fatal(err)
	}
	var out [2]mat.Dense
	for i, p := range []krr.Precision{krr.Float64, "int12"} {
		model, _, err := krr.Fit(t.Context(), m, student, krr.Settings{Lambdas: []float64{1e-2}, Precision: p})
		if err != nil {
			t.Fatal(err)
		}
		if err := model.Predict(&out[i], mat.NewDense(3, 2, []float64{-2, 1, 0, -.4, 1, -1})); err != nil {
			t.Fatal(err)
		}
	}
	out[0].Sub(&out[0], &out[1])
	// A feature is rounded by 2⁻¹² at most, a sum of 60 with coefficients of size 1 by √60 times that.
	if far := mat.Max(&out[0]) - mat.Min(&out[0]); far > 0.01 || far == 0 {
		t.Errorf("scores are %g apart", far)
	}
}

// Probabilities of a student are near those of its teacher, where labels alone would say less.
func TestStudentHasTheProbabilitiesOfItsTeacher(t *testing.T) {
	m, err := sampling.MonteCarlo{}.Sample(t.Context(), rff.Request{Kernel: rff.NewGaussian(1), Dim: 2, Features: 200, Rand: rand.NewPCG(1, 1)})
	if err != nil {
		t.Fatal(err)
	}
	data, _, names := taught(t, 3000, 3)
	for _, loss := range []string{"", "logistic"} {
		student, err := teacher.Rows(data, names, 1)
		if err != nil {
			t.Fatal(err)
		}
		model, report, err := krr.Fit(t.Context(), m, student, krr.Settings{Loss: loss, Probabilities: true})
		if err != nil {
			t.Fatal(err)
		}
		if report.HeldOut == nil || report.HeldOut.Rows != 3000 && loss == "" {
			t.Errorf("loss %q: held-out rows %+v", loss, report.HeldOut)
		}
		var worst float64
		for b, err := range student.Batches(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			var p mat.Dense
			if err := model.Probabilities(&p, mat.NewDense(500, 2, b.X.Data[:1000])); err != nil {
				t.Fatal(err)
			}
			for i := range 500 {
				for c := range names {
					worst += math.Abs(p.At(i, c)-(1+b.Y.Row(i)[c])/2) / 1500
				}
			}
		}
		// A third of the rows has a class of probability 0, which no smooth student learns; the
		// probabilities of labels alone would be .3 away.
		if worst > 0.12 {
			t.Errorf("loss %q: probabilities are %.3f away on average", loss, worst)
		}
	}
}

func TestTemperature(t *testing.T) {
	x := blas.NewGeneral[float64](1, 3)
	copy(x.Row(0), []float64{5, 0.1, 0.9})
	s := rff.Schema{Inputs: rff.Columns("x", "no", "yes")}
	for temperature, want := range map[float64]float64{1: 0.9, 2: 0.75, 0.5: 81.0 / 82, 1e-5: 1, 1e9: 0.5} {
		r, err := teacher.Rows(&one{s, rff.Batch{X: x}}, []string{"no", "yes"}, temperature)
		if err != nil {
			t.Fatal(err)
		}
		for b, err := range r.Batches(t.Context()) {
			if err != nil || math.Abs(b.Y.Row(0)[0]-(2*want-1)) > 1e-8 || b.X.Row(0)[0] != 5 {
				t.Errorf("temperature %g: %v %v %v, want %v", temperature, b.X.Row(0), b.Y.Row(0), err, 2*want-1)
			}
		}
	}
}

func TestTeachersThatAreRefused(t *testing.T) {
	words := rff.Schema{Inputs: []rff.Column{{Name: "x"}, {Name: "no", Words: []string{"b", "a"}}, {Name: "yes"}}}
	plain := rff.Schema{Inputs: rff.Columns("x", "no", "yes")}
	labelled := plain
	labelled.Target = rff.Target{Columns: 1, Name: "y"}
	filled := plain
	filled.Missing = rff.MissingMean
	for _, c := range []struct {
		schema      rff.Schema
		names       []string
		temperature float64
		want        string
	}{
		{plain, []string{"yes"}, 1, "two or more"},
		{plain, []string{"yes", "yes"}, 1, "named once"},
		{plain, []string{"yes", "maybe"}, 1, "maybe"},
		{plain, []string{"no", "yes"}, 0, "must be positive"},
		{plain, []string{"no", "yes"}, math.NaN(), "must be positive"},
		{plain, []string{"x", "no", "yes"}, 1, "one or more beside"},
		{words, []string{"no=a", "yes"}, 1, "has words"},
		{labelled, []string{"no", "yes"}, 1, "without a label"},
		{filled, []string{"no", "yes"}, 1, "drop"},
	} {
		_, err := teacher.Rows(&one{schema: c.schema}, c.names, c.temperature)
		var parameter *rff.ParameterError
		if !errors.As(err, &parameter) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q at %g: %v, want %q", c.names, c.temperature, err, c.want)
		}
	}
	for _, p := range [][]float64{{-0.1, 1.1}, {math.NaN(), 1}, {0.4, 0.5}, {0, 0}, {math.MaxFloat64, math.MaxFloat64}} {
		x := blas.NewGeneral[float64](2, 3)
		copy(x.Row(0), []float64{1, 0.5, 0.5})
		copy(x.Row(1)[1:], p)
		r, err := teacher.Rows(&one{plain, rff.Batch{X: x, First: 10}}, []string{"no", "yes"}, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range r.Batches(t.Context()) {
			var value *rff.ValueError
			if !errors.As(err, &value) || value.Row != 11 {
				t.Errorf("%v: %v", p, err)
			}
		}
	}
}

// Label sets of a student hold the likeliest class of new rows about as often as asked, whether
// the rows that these are compared with were fitted or kept apart.
func TestLabelSetsOfStudents(t *testing.T) {
	const fresh, level = 2000, 0.7
	m, err := sampling.MonteCarlo{}.Sample(t.Context(), rff.Request{Kernel: rff.NewGaussian(1), Dim: 2, Features: 60, Rand: rand.NewPCG(1, 1)})
	if err != nil {
		t.Fatal(err)
	}
	// Few rows have large leverages.
	for _, c := range []struct {
		k, fitted int
		lambda    float64
	}{{2, 1000, 1e-4}, {3, 1000, 1e-4}, {2, 120, 1e-6}, {3, 120, 1e-6}} {
		k, fitted := c.k, c.fitted
		data, _, names := taught(t, fitted+fresh, k)
		student, err := teacher.Rows(data, names, 1)
		if err != nil {
			t.Fatal(err)
		}
		for b, err := range student.Batches(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range []krr.Settings{{}, {Loss: "logistic"}, {Probabilities: true}} {
				s.Uncertainty, s.Lambdas = "intervals", []float64{c.lambda}
				rows := &one{student.Schema(), rff.Batch{X: b.X.RowRange(0, fitted), Y: b.Y.RowRange(0, fitted)}}
				model, _, err := krr.Fit(t.Context(), m, rows, s)
				if err != nil {
					t.Fatal(err)
				}
				sets, err := model.LabelSets(mat.NewDense(fresh, 2, b.X.Data[2*fitted:]), level)
				if err != nil {
					t.Fatal(err)
				}
				held := 0.0
				for i, set := range sets {
					if likeliest, _ := classes.Of(b.Y.Row(fitted + i)); slices.Contains(set, names[likeliest]) {
						held += 1.0 / fresh
					}
				}
				compared := fitted
				if s.Loss != "" {
					compared /= 5 // the fold that is kept apart
				}
				if most := 4 * math.Sqrt(level*(1-level)/float64(compared)); math.Abs(held-level) > most { // standard errors
					t.Errorf("%d classes, %d rows, loss %q, probabilities %v: sets of %g hold %.3f", k, fitted, s.Loss, s.Probabilities, level, held)
				}
			}
		}
	}
}
