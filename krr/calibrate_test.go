package krr

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	coding "github.com/rffgo/rff/internal/classes"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/stream"
	"github.com/rffgo/rff/krr/internal/calibration"
)

func classified(classes []string) rff.Schema { return rff.Schema{Target: rff.Target{Classes: classes}} }

// The class is that of the largest probability, whatever the scores say.
func TestClassOfIsMostProbable(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for _, classes := range []int{2, 3, 7} {
		m := &Model{schema: classified(make([]string, classes)), intercept: make([]float64, coding.Columns(classes))}
		plain := &Model{schema: m.schema, intercept: m.intercept}
		differ := 0
		p := make([]float64, classes)
		for trial := range 500 {
			c := &calibration.Calibration{Floor: .01, Bias: make([]float64, classes), Slope: make([]float64, classes)}
			if classes == 2 || trial%2 == 0 {
				c.Slope = c.Slope[:1]
			}
			for k := range c.Slope {
				c.Slope[k] = 3 * rng.Float64()
			}
			for k := range c.Bias {
				c.Bias[k] = rng.NormFloat64()
			}
			m.cal = c
			scores := make([]float64, len(m.intercept))
			for k := range scores {
				scores[k] = rng.NormFloat64()
			}
			m.ProbabilitiesOf(p, scores)
			if got, want := m.ClassOf(scores), slices.Index(p, slices.Max(p)); got != want {
				t.Fatalf("%d classes: class %d of probabilities %v", classes, got, p)
			}
			if m.ClassOf(scores) != plain.ClassOf(scores) {
				differ++
			}
		}
		if differ < 50 {
			t.Errorf("%d classes: calibration decides only %d of 500 otherwise", classes, differ)
		}
		m.cal = &calibration.Calibration{Slope: []float64{1}, Bias: make([]float64, classes)}
		if got, want := m.ClassOf(make([]float64, len(m.intercept))), coding.Decode(make([]float64, len(m.intercept))); got != want {
			t.Errorf("%d classes, all alike: class %d, by scores %d", classes, got, want)
		}
	}
}

// A prediction that is not finite is an error that names its row, also where a
// range would hide it.
func TestPredictionsAreFinite(t *testing.T) {
	w := mat.NewDense(1, 1, []float64{1})
	fm, err := rff.FromFrequencies(w, nil, []float64{1, 1}, rff.CosSin)
	if err != nil {
		t.Fatal(err)
	}
	// f(x) = C·cos x + C overflows where cos x is near 1.
	coef := blas.NewGeneral[float64](2, 2)
	coef.Row(0)[1] = math.MaxFloat64 / 1.5
	for _, p := range stream.Precisions {
		if p == stream.Float32 {
			coef.Row(0)[1] = math.MaxFloat32 / 1.5
		}
		m := newModel(fm, p, rff.Scaling{}, coef, []float64{0, coef.Row(0)[1]})
		m.schema = classified([]string{"a", "b"})
		m.lo, m.hi = []float64{1, -1}, []float64{3, 2}
		x := mat.NewDense(1500, 1, nil)
		for i := range 1500 {
			x.Set(i, 0, 3)
		}
		var y mat.Dense
		if err := m.Predict(&y, x); err != nil || y.At(0, 0) != 1 || y.At(0, 1) != 2 {
			t.Fatalf("%v: %v, %v: each target has its own range", p, err, y.RawRowView(0))
		}
		x.Set(1400, 0, 0)
		var e *rff.ValueError
		if err := m.Predict(&y, x); !errors.As(err, &e) || e.Row != 1400 || e.Column != "prediction 2" || !math.IsInf(e.Value, 1) {
			t.Errorf("%v: %v", p, err)
		}
		if _, err := m.Labels(x); !errors.As(err, &e) {
			t.Errorf("%v: labels: %v", p, err)
		}
		if err := m.predict(dense.Of(&y), dense.Of(x), 1000); !errors.As(err, &e) || e.Row != 2400 {
			t.Errorf("%v: %v", p, err)
		}
	}
}

// A calibration that no fit has written is refused.
func TestCalibrationsOfFiles(t *testing.T) {
	x := mat.NewDense(12, 1, nil)
	for i := range 12 {
		x.Set(i, 0, float64(i*i%7))
	}
	features, err := rff.New(rff.NewGaussian(1), 1, 4, rand.NewPCG(1, 2))
	if err != nil {
		t.Fatal(err)
	}
	for _, names := range [][]string{{"x", "y"}, {"x", "y", "z"}} {
		class := make([]int, 12)
		for i := range class {
			class[i] = i % len(names)
		}
		y := ClassTargets(class, len(names))
		data, err := rff.FromMatrix(x, mat.NewDense(y.Rows, y.Cols, y.Data))
		if err != nil {
			t.Fatal(err)
		}
		schema := data.Schema()
		schema.Target.Classes = names
		if data, err = rff.WithSchema(data, schema); err != nil {
			t.Fatal(err)
		}
		m, _, err := Fit(t.Context(), features, data, Settings{Lambdas: []float64{1e-2}, Folds: 3, Probabilities: true})
		if err != nil {
			t.Fatal(err)
		}
		var f *FileError
		for name, bad := range map[string]*calibration.Calibration{
			"slopes":   {Slope: make([]float64, 2), Bias: m.cal.Bias, Floor: 0},
			"biases":   {Slope: m.cal.Slope, Bias: m.cal.Bias[1:], Floor: 0},
			"NaN":      {Slope: []float64{math.NaN()}, Bias: m.cal.Bias, Floor: 0},
			"infinite": {Slope: m.cal.Slope, Bias: append([]float64{math.Inf(1)}, m.cal.Bias[1:]...), Floor: 0},
			"high":     {Slope: m.cal.Slope, Bias: m.cal.Bias, Floor: .51},
			"negative": {Slope: m.cal.Slope, Bias: m.cal.Bias, Floor: -.1},
		} {
			c := *m
			c.cal = bad
			b, err := c.MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			if err := new(Model).UnmarshalBinary(b); !errors.As(err, &f) {
				t.Errorf("%d classes, %s: %v", len(names), name, err)
			}
		}
	}
}

// A row that stands for copies of it is as much evidence as these are, of whatever weight, and not as one row of their
// weight together.
func TestCopiesAreRows(t *testing.T) {
	fm, err := rff.FromFrequencies(mat.NewDense(1, 1, []float64{1}), nil, []float64{1, 1}, rff.CosSin)
	if err != nil {
		t.Fatal(err)
	}
	for _, weight := range []float64{1, 0x1p-700} {
		fit := func(together bool) *calibration.Calibration {
			rng := rand.New(rand.NewPCG(5, 1))
			s := newScored(2, 1)
			for i := range 60 {
				own, copies := i%2, 1+99*(i%3/2)
				y := make([]float64, 1)
				coding.Encode(y, own, 2)
				score := float64(2*own-1) + 1.5*rng.NormFloat64()
				add := func(copies int64) {
					s.Scores.Data = append(s.Scores.Data, score)
					s.add(y, weight*float64(copies), copies, i%4, s.rows)
				}
				if together {
					add(int64(copies))
					continue
				}
				for range copies {
					add(1)
				}
			}
			m := &Model{m: fm, schema: classified(make([]string, 2)), intercept: make([]float64, 1)}
			if _, err := s.calibrate(t.Context(), m); err != nil {
				t.Fatal(err)
			}
			return m.cal
		}
		got, want := fit(true), fit(false)
		// The likelihood is flat to 1e-10 of itself about its maximum: unknowns to √ of that.
		if math.Abs(got.Slope[0]-want.Slope[0]) > 1e-4 || math.Abs(got.Bias[1]-want.Bias[1]) > 1e-4 || math.Abs(got.Floor/want.Floor-1) > 1e-9 {
			t.Errorf("weight %g: copies together have %+v, apart %+v", weight, got, want)
		}
	}
}
