package main

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/krr"
)

// A model of several targets, which Go and Python fit, has a name for each of its columns. The
// line of names had one, so that readers took the first column for an index, and Parquet ended in a
// panic. There is no label that its rows could be compared with.
func TestPredictSeveralTargets(t *testing.T) {
	t.Chdir(t.TempDir())
	random := rand.New(rand.NewPCG(1, 2))
	x, y := mat.NewDense(60, 2, nil), mat.NewDense(60, 2, nil)
	text := "a,b,y\n"
	for i := range 60 {
		a, b := random.NormFloat64(), random.NormFloat64()
		x.SetRow(i, []float64{a, b})
		y.SetRow(i, []float64{a + b, a * b})
		text += strconv.FormatFloat(a, 'g', -1, 64) + "," + strconv.FormatFloat(b, 'g', -1, 64) + ",0\n"
	}
	save(t, ".", "x.csv", []byte(text))
	rows, err := rff.FromMatrix(x, y)
	if err != nil {
		t.Fatal(err)
	}
	m, err := rff.New(rff.NewGaussian(1), 2, 16, rand.NewPCG(1, 2))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		loss, uncertainty, flags string
		names                    []string
	}{
		{"", "intervals", "--variance --interval 80%", []string{"predicted 1", "predicted 2", "variance 1", "variance 2", "low 1", "low 2", "high 1", "high 2"}},
		{"quantile:0.1,0.5", "", "", []string{"predicted 1 0.1", "predicted 1 0.5", "predicted 2 0.1", "predicted 2 0.5"}},
	} {
		model, _, err := krr.Fit(t.Context(), m, rows, krr.Settings{Lambdas: []float64{1e-3}, Loss: c.loss, Uncertainty: c.uncertainty})
		if err != nil {
			t.Fatal(err)
		}
		if err := model.Save("m"); err != nil {
			t.Fatal(err)
		}
		args := "predict --model m --data x.csv --inputs a,b " + c.flags
		lines := strings.Split(ok(t, args).out, "\n")
		if names := strings.Split(lines[0], ","); !slices.Equal(names, c.names) {
			t.Errorf("%s: columns %q", c.loss, names)
		}
		var want mat.Dense
		if err := model.Predict(&want, x); err != nil {
			t.Fatal(err)
		}
		cells := strings.Split(lines[60], ",")
		for j := range want.RawMatrix().Cols {
			if got, _ := strconv.ParseFloat(cells[j], 64); got != want.At(59, j) {
				t.Errorf("%s: row 60, column %d is %s, want %v", c.loss, j, cells[j], want.At(59, j))
			}
		}
		ok(t, args+" --output p.parquet")
		f, err := dataset.Open(t.Context(), dataset.Options{Task: dataset.Unlabelled}, "p.parquet")
		if err != nil {
			t.Fatal(err)
		}
		if names := f.Schema().InputNames(); !slices.Equal(names, c.names) {
			t.Errorf("%s: columns of Parquet %q", c.loss, names)
		}
		if r := call("", strings.Fields("predict --model m --data x.csv --label y --score")...); r.status != 1 || !strings.Contains(r.errors, "2 targets") {
			t.Errorf("%s: --score ends with %d, %s", c.loss, r.status, r.errors)
		}
	}
}
