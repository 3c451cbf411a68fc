package krr_test

import (
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/krr"
	"github.com/rffgo/rff/sampling"
)

// part returns rows i to j of r.
func part(r *rows, i, j int) *rows {
	p := *r
	p.x, p.y = r.x.RowRange(i, j), r.y.RowRange(i, j)
	if r.class != nil {
		p.class = r.class[i:j]
	}
	return &p
}

// The sums of a fit take more rows, lose some, and then have the models of sums of the rows that
// are left: on random features and on landmarks, whose sums a fit turns, with folds and without,
// of numbers and of classes, and where the rows are fewer than the features.
func TestGramOfAFit(t *testing.T) {
	const n, more, out = 300, 200, 50
	numbers, labels := synthetic(1, n+more, 3, 2, 0.1), classes(2, n+more, 3, "a", "b", "c")
	// So narrow a kernel that landmarks are nearly orthogonal, and turning the sums costs no digits.
	landmarks, err := sampling.Nystrom{}.Sample(t.Context(), rff.Request{Kernel: rff.NewLaplacian(0.5), Dim: 3, Features: 40, Data: numbers, Rand: rand.NewPCG(1, 2)})
	if err != nil {
		t.Fatal(err)
	}
	random, many := gaussianMap(t, 1, 3, 40, 2), gaussianMap(t, 1, 3, 400, 2)
	one, several := []float64{1e-3}, []float64{1e-4, 1e-3, 1e-2}
	path := []float64{1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1} // for so many a fit turns its sums
	for name, c := range map[string]struct {
		m    *rff.Map
		data *rows
		s    krr.Settings
	}{
		"one λ": {random, numbers, krr.Settings{Lambdas: one}}, "folds": {random, numbers, krr.Settings{Lambdas: several}},
		"classes":            {random, labels, krr.Settings{Lambdas: several, Probabilities: true}},
		"landmarks":          {landmarks, numbers, krr.Settings{Lambdas: path, Scaling: rff.Scaling{Shift: []float64{1, 0, 1}, Scale: []float64{2, 1, 1}}}},
		"one λ of landmarks": {landmarks, labels, krr.Settings{Lambdas: one}}, "few rows": {many, numbers, krr.Settings{Lambdas: several}},
		"variance": {random, numbers, krr.Settings{Lambdas: one, Uncertainty: "variance"}}, "clipped": {random, numbers, krr.Settings{Lambdas: one, ClipPredictions: true}},
		"float32": {random, numbers, krr.Settings{Lambdas: one, Precision: krr.Float32}}, "int12": {random, numbers, krr.Settings{Lambdas: one, Precision: "int12"}},
	} {
		var g krr.Gram
		plain, _ := mustFit(t, c.m, part(c.data, 0, n), c.s)
		c.s.Gram = &g
		fit, report := mustFit(t, c.m, part(c.data, 0, n), c.s)
		if name != "few rows" && !models(t, fit, plain) {
			t.Errorf("%s: keeping the sums changes the model", name)
		}
		schema := c.data.Schema()
		settings := krr.GramSettings{Precision: c.s.Precision, Scaling: c.s.Scaling, Schema: schema, ClipPredictions: c.s.ClipPredictions, Variance: c.s.Uncertainty != ""}
		sum := func(i, j int) *krr.Gram {
			w := krr.NewGram(c.m, c.data.y.Cols, settings)
			if err := w.AddSource(t.Context(), part(c.data, i, j)); err != nil {
				t.Fatal(name, err)
			}
			return w
		}
		lambda := fit.Info().Lambda[0]
		x := dense(c.data.x)
		near := func(what string, a, b *krr.Model) {
			t.Helper()
			var p, q mat.Dense
			if err := errors.Join(a.Predict(&p, x), b.Predict(&q, x)); err != nil {
				t.Fatal(name, err)
			}
			// Sums of n rows in another order differ by n units of rounding, which 1/λ magnifies
			// at most; those of float32 features are of float32.
			unit := 0x1p-52
			if c.s.Precision == krr.Float32 {
				unit = 0x1p-23
			}
			if d := maxDiff(&p, &q); !(d <= (n+more)*unit/lambda) {
				t.Errorf("%s: predictions %s differ by %g", name, what, d)
			}
		}
		solve := func(g *krr.Gram) *krr.Model {
			m, err := g.Solve(t.Context(), fit.Info().Lambda...)
			if err != nil {
				t.Fatal(name, err)
			}
			return m
		}
		if g.Rows() != n || report.Train.Rows != n {
			t.Fatalf("%s: %d rows in the sums", name, g.Rows())
		}
		again := solve(&g)
		near("of the fit", again, fit)
		if (again.Info().Noise != nil) != (c.s.Uncertainty != "") || len(again.Info().Schema.Target.Classes) != len(schema.Target.Classes) {
			t.Errorf("%s: the model of the sums has %+v", name, again.Info())
		}
		if err := g.AddSource(t.Context(), part(c.data, n, n+more)); err != nil {
			t.Fatal(name, err)
		}
		near("with more rows", solve(&g), solve(sum(0, n+more)))
		if err := g.Subtract(sum(0, out)); err != nil {
			t.Fatal(name, err)
		}
		near("without some", solve(&g), solve(sum(out, n+more)))
	}
}

// A fit that fails leaves the Gram alone, and Auto fills it with the rows of its one fit.
func TestGramOfASearch(t *testing.T) {
	data := planted(1, 400, 4, 0.2, kinked) // of which TestAutoMean makes a mean
	var g krr.Gram
	set := krr.AutoSettings{Budget: 466 * time.Millisecond, Steps: anyNumber, Fit: krr.Settings{HeldOut: true, Gram: &g}}
	m, _ := auto(t, data, set)
	if _, mean := m.Info().Provenance["mean"]; mean || g.Rows() != 400 || g.Map().Fingerprint() != m.Map().Fingerprint() {
		t.Errorf("%d rows, of features %v; mean: %v", g.Rows(), g.Map(), mean)
	}
	rows := g.Rows()
	broken := errors.New("broken")
	if _, _, err := krr.Fit(t.Context(), gaussianMap(t, 1, 3, 8, 1), failing{synthetic(1, 300, 3, 1, 0.1), 100, broken}, krr.Settings{Gram: &g}); !errors.Is(err, broken) || g.Rows() != rows {
		t.Errorf("%v, and %d rows", err, g.Rows())
	}
}
