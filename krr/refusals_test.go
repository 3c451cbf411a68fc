package krr_test

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/krr"
)

// The error of a word that a setting does not know has those that it knows.
func TestUnknownWordsAreToldTheKnown(t *testing.T) {
	data, m := classes(1, 90, 2, "a", "b"), gaussianMap(t, 1, 2, 8, 1)
	for name, s := range map[string]krr.Settings{
		"loss":        {Loss: "hinge"},
		"precision":   {Precision: "float16"},
		"criterion":   {Criterion: "aic"},
		"uncertainty": {Uncertainty: "interval"},
	} {
		_, _, err := krr.Fit(context.Background(), m, data, s)
		var parameter *rff.ParameterError
		if !errors.As(err, &parameter) || parameter.Name != name || len(parameter.Known) < 2 {
			t.Fatalf("%s: %v", name, err)
		}
		for _, known := range parameter.Known {
			if !strings.Contains(err.Error(), known) {
				t.Errorf("%v: %s is not named", err, known)
			}
		}
	}
}

// Auto sets Probabilities for classes. Of numbers it refuses them, as Fit does, before it searches.
func TestAutoRefusesProbabilitiesOfNumbers(t *testing.T) {
	_, _, err := krr.Auto(context.Background(), synthetic(5, 90, 2, 1, 0.1), krr.AutoSettings{Fit: krr.Settings{Probabilities: true}})
	var parameter *rff.ParameterError
	if !errors.As(err, &parameter) || parameter.Name != "probabilities" {
		t.Errorf("probabilities of numbers: %v", err)
	}
}

// The pairs of settings that Fit refuses are those of the table in docs/api.md, and no
// others.
func TestSettingsThatRefuseEachOther(t *testing.T) {
	ctx := context.Background()
	settings := map[string]func(s *krr.Settings){
		"Lambdas":         func(s *krr.Settings) { s.Lambdas = []float64{1e-3} },
		"Folds":           func(s *krr.Settings) { s.Folds = 3 },
		"Passes":          func(s *krr.Settings) { s.Passes = new(krr.Passes) },
		"GCV":             func(s *krr.Settings) { s.Criterion = krr.GCV },
		"LeaveOneOut":     func(s *krr.Settings) { s.Criterion = krr.LeaveOneOut },
		"PerTarget":       func(s *krr.Settings) { s.PerTarget = true },
		"Float32":         func(s *krr.Settings) { s.Precision = krr.Float32 },
		"Scaling":         func(s *krr.Settings) { s.Scaling = rff.Scaling{Shift: []float64{1, 1}, Scale: []float64{2, 2}} },
		"Engine":          func(s *krr.Settings) { s.Engine = rff.Engine{Workers: 2} },
		"ClipPredictions": func(s *krr.Settings) { s.ClipPredictions = true },
		"Checkpoint":      func(s *krr.Settings) { s.Checkpoint.Path = filepath.Join(t.TempDir(), "c") },
		"Loss":            func(s *krr.Settings) { s.Loss = "hard:3" },
		"Probabilities":   func(s *krr.Settings) { s.Probabilities = true },
		"HeldOut":         func(s *krr.Settings) { s.HeldOut = true },
		"Gram":            func(s *krr.Settings) { s.Gram = new(krr.Gram) },
		"variance":        func(s *krr.Settings) { s.Uncertainty = "variance" },
		"intervals":       func(s *krr.Settings) { s.Uncertainty = "intervals" },
	}
	told := refusals(t)
	for _, pair := range told {
		for _, name := range strings.Split(pair, " ") {
			if settings[name] == nil {
				t.Errorf("docs/api.md names %s, which this test does not set", name)
			}
		}
	}
	data, m := classes(1, 90, 2, "a", "b", "c"), gaussianMap(t, 1, 2, 8, 1)
	for a, setA := range settings {
		for b, setB := range settings {
			if a >= b || a == "GCV" && b == "LeaveOneOut" { // one setting
				continue
			}
			s := krr.Settings{Seed: 1}
			setA(&s)
			setB(&s)
			_, _, err := krr.Fit(ctx, m, data, s)
			var parameter *rff.ParameterError
			switch refused := slices.Contains(told, a+" "+b); {
			case refused && !errors.As(err, &parameter):
				t.Errorf("%s and %s: docs/api.md says that they are refused, and the error is %v", a, b, err)
			case !refused && err != nil:
				t.Errorf("%s and %s: docs/api.md says that they go together: %v", a, b, err)
			}
		}
	}
}

// refusals returns the pairs of the table, the names of each in order.
func refusals(t *testing.T) (pairs []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "docs", "api.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "## Settings that refuse each other")
	section, _, _ = strings.Cut(section, "\n## ")
	word := regexp.MustCompile("`(\\w+)`")
	for _, line := range strings.Split(section, "\n") {
		cells := strings.Split(line, "|")
		if len(cells) < 4 || !word.MatchString(cells[1]) {
			continue
		}
		a := word.FindStringSubmatch(cells[1])[1]
		for _, b := range word.FindAllStringSubmatch(cells[2], -1) {
			pairs = append(pairs, min(a, b[1])+" "+max(a, b[1]))
		}
	}
	if len(pairs) < 2 {
		t.Fatalf("no table in docs/api.md: %v", pairs)
	}
	return pairs
}

// What a model lacks is said in a sentence, without a value.
func TestWhatAModelLacks(t *testing.T) {
	r := classes(1, 90, 2, "a", "b")
	r.classes = nil
	m, _, err := krr.Fit(context.Background(), gaussianMap(t, 1, 2, 8, 1), r, krr.Settings{Lambdas: []float64{1e-3}})
	if err != nil {
		t.Fatal(err)
	}
	var dst mat.Dense
	x := mat.NewDense(1, 2, []float64{1, 2})
	_, labels := m.Labels(x)
	for want, err := range map[string]error{
		"rff: the model is a regression and has no labels: use Predict":                         labels,
		"rff: the model has no probabilities: fit a classification with Settings.Probabilities": m.Probabilities(&dst, x),
		"rff: the model has no variance: set Settings.Uncertainty, and fit again":               m.Variance(&dst, x),
	} {
		if err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// What a single row does not tell is refused: by the formulas the noise is 0/0.
func TestOneRow(t *testing.T) {
	m := gaussianMap(t, 1, 3, 8, 1)
	one := synthetic(1, 1, 3, 1, 0)
	g := gram(t, m, one, krr.Float64)
	if _, err := g.Solve(t.Context(), 1e-3); err != nil {
		t.Error(err)
	}
	s := g.Settings()
	s.Variance = true
	if err := g.Set(s); err != nil {
		t.Fatal(err)
	}
	_, evidence := g.Analyze(t.Context(), nil)
	_, solve := g.Solve(t.Context(), 1e-3)
	_, path := g.Path(t.Context(), nil)
	_, _, fit := krr.Fit(t.Context(), m, one, krr.Settings{Lambdas: []float64{1e-3}, Uncertainty: "variance"})
	for what, err := range map[string]error{"evidence": evidence, "solve": solve, "path": path, "fit": fit} {
		var few *rff.DegenerateDataError
		if !errors.As(err, &few) || !strings.Contains(few.Why, "give two rows") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// After an error an empty destination is still empty, and can take other rows.
func TestErrorsLeaveResultsEmpty(t *testing.T) {
	m := gaussianMap(t, 1, 2, 8, 1)
	numbers, _ := mustFit(t, m, synthetic(1, 60, 2, 1, 0.1), krr.Settings{Lambdas: []float64{1e-3}, Uncertainty: "intervals"})
	labels, _ := mustFit(t, m, classes(1, 60, 2, "a", "b"), krr.Settings{Probabilities: true})
	for name, x := range map[string]*mat.Dense{"NaN": mat.NewDense(3, 2, []float64{1, 2, 3, math.NaN(), 5, 6}), "columns": mat.NewDense(3, 4, nil)} {
		var dst, high mat.Dense
		for what, of := range map[string]func() error{
			"Predict": func() error { return numbers.Predict(&dst, x) }, "Variance": func() error { return numbers.Variance(&dst, x) },
			"Probabilities": func() error { return labels.Probabilities(&dst, x) },
			"Interval":      func() error { return numbers.Interval(&dst, &high, x, 0.5) },
			"one matrix":    func() error { return numbers.Interval(&dst, &dst, mat.NewDense(3, 2, nil), 0.5) },
		} {
			if err := of(); err == nil || !dst.IsEmpty() || !high.IsEmpty() {
				t.Errorf("%s, %s: %v, empty: %v", what, name, err, dst.IsEmpty())
			}
			dst.Reset()
			high.Reset()
		}
	}
}

// Quantiles of classes are refused as other losses of numbers, and passes a λ that float32, in which
// they are preconditioned, does not hold: errors spoke of six target columns, and of increasing λ.
func TestRefusedByWhatIsWrong(t *testing.T) {
	m := gaussianMap(t, 1, 3, 8, 1)
	for _, c := range []struct {
		data rff.Source
		s    krr.Settings
		want string
	}{
		{classes(1, 40, 3, "a", "b", "c"), krr.Settings{Loss: "quantile:0.1,0.9"}, "it is for a regression"},
		{classes(1, 40, 3, "a", "b"), krr.Settings{Loss: "quantile:0.1,0.9"}, "it is for a regression"},
		{synthetic(1, 40, 3, 2, 0.1), krr.Settings{Passes: &krr.Passes{}, Lambdas: []float64{1e40}}, "it must be at most"},
		{synthetic(1, 40, 3, 2, 0.1), krr.Settings{Loss: "huber:1", Lambdas: []float64{1e100}}, "it must be at most"},
	} {
		var p *rff.ParameterError
		if _, _, err := krr.Fit(t.Context(), m, c.data, c.s); !errors.As(err, &p) || !strings.Contains(p.Need, c.want) {
			t.Errorf("%+v: %v", c.s, err)
		}
	}
	// Sums of integers take targets as they are, not less those of the first row.
	far := synthetic(1, 40, 3, 1, 0.1)
	for i := range far.y.Data {
		far.y.Data[i] += 1e15
	}
	g := krr.NewGram(m, 1, krr.GramSettings{Precision: "int8"})
	if err := g.AddSource(t.Context(), far); err == nil || !strings.Contains(err.Error(), "from 0, the reference") {
		t.Error(err)
	}
	if _, err := gram(t, m, synthetic(1, 40, 3, 2, 0.1), krr.Float64).Solve(t.Context(), 1, 2, 3); err == nil || !strings.Contains(err.Error(), "number of lambda is 3: must be one, or one per target: 2") {
		t.Error(err)
	}
	// The largest λ that is taken leaves the mean alone.
	r := synthetic(1, 40, 3, 1, 0.1)
	model, _ := mustFit(t, m, r, krr.Settings{Passes: &krr.Passes{}, Lambdas: []float64{1e34}})
	var mean float64
	for _, v := range r.y.Data {
		mean += v / 40
	}
	y := make([]float64, 1)
	if err := model.PredictRow(y, []float64{1, 2, 3}); err != nil || math.Abs(y[0]-mean) > 1e-12 {
		t.Errorf("%v for a mean of %v, %v", y, mean, err)
	}
}
