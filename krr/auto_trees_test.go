package krr_test

import (
	"math"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/krr"
)

// blocky is constant between thresholds of two inputs, and has noise of .3.
func blocky(seed uint64, n int) *rows {
	return planted(seed, n, 3, 0.3, func(x []float64) float64 {
		return math.Floor(2*x[0]) + 2*math.Abs(math.Floor(3*x[1]))
	})
}

// Trees are tried where the settings ask for no kernel, no loss and nothing of the rows that the trees
// have seen. The held-out measures say what the model has on other rows.
func TestAutoTrees(t *testing.T) {
	data, more := blocky(1, 1000), blocky(2, 4000)
	tried := func(s krr.AutoSettings) (*krr.Model, *krr.Report, bool) {
		s.Budget, s.Fit.HeldOut = 80*time.Millisecond, true
		m, r, err := krr.Auto(t.Context(), data, s)
		if err != nil {
			t.Fatal(err)
		}
		return m, r, slices.ContainsFunc(r.Steps, func(s krr.AutoStep) bool { return s.Name == "trees" && s.Rows > 0 })
	}
	m, r, ok := tried(krr.AutoSettings{})
	if !ok {
		t.Fatalf("no trees: %+v", r.Steps)
	}
	var sum float64
	var y mat.Dense
	if err := m.Predict(&y, dense(more.x)); err != nil {
		t.Fatal(err)
	}
	for i := range more.y.Rows {
		d := y.At(i, 0) - more.y.Row(i)[0]
		sum += d * d
	}
	// Of 4,000 new rows and as many as are held out of 1,000, in fifths, each says its
	// root mean square to within some 5 %.
	if held, test := r.HeldOut.RMSE[0], math.Sqrt(sum/float64(more.y.Rows)); held < 0.85*test || held > 1.15*test {
		t.Errorf("RMSE %v of held-out rows, %v of others", held, test)
	}
	for name, s := range map[string]krr.AutoSettings{
		"a kernel":     {Kernels: []rff.Stationary{rff.NewGaussian()}},
		"features":     {Features: 64},
		"a loss":       {Fit: krr.Settings{Loss: "huber:1.5"}},
		"variances":    {Fit: krr.Settings{Uncertainty: "variance"}},
		"intervals":    {Fit: krr.Settings{Uncertainty: "intervals"}},
		"a checkpoint": {Fit: krr.Settings{Checkpoint: krr.Checkpoint{Path: filepath.Join(t.TempDir(), "c")}}},
	} {
		if _, r, ok := tried(s); ok {
			t.Errorf("%s: %+v", name, r.Steps)
		}
	}
}

// Learned features that are the choice alone are measured on the rows that the search held out, whose error
// it tells: folds of the fit would leave out rows that the features have seen.
func TestAutoMeasuresLearned(t *testing.T) {
	data := planted(3, 900, 3, 0.2, func(x []float64) float64 { return math.Sin(2*x[0]+x[1]) + math.Cos(x[0]-2*x[1]) })
	_, r, err := krr.Auto(t.Context(), data, krr.AutoSettings{Budget: 400 * time.Millisecond, Kernels: []rff.Stationary{rff.NewGaussian()}, Fit: krr.Settings{HeldOut: true, Uncertainty: "variance"}})
	if err != nil {
		t.Fatal(err)
	}
	var mean, square float64
	for _, y := range data.y.Data {
		mean += y / 900
		square += y * y / 900
	}
	s := krr.SearchOf(r)
	if want := s.Error * math.Sqrt(square-mean*mean); s.Learned == "" || !s.Apart || math.Abs(r.HeldOut.RMSE[0]-want) > 1e-6*want {
		t.Errorf("by %q: RMSE %v of held-out rows, %v in the search", s.Learned, r.HeldOut.RMSE[0], want)
	}
}
