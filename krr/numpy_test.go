package krr_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/require"
	"github.com/rffgo/rff/krr"
	"github.com/rffgo/rff/sampling"
)

// numpy returns a Python with NumPy, or skips.
func numpy(t *testing.T) string {
	for _, p := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(p, "-c", "import numpy").Run() == nil {
			return p
		}
	}
	require.Absent(t, require.Python, "no Python here has NumPy (Debian: python3-numpy)")
	return ""
}

// readModel runs the reader in docs on lines of CSV and returns the records that
// it writes, the header first.
func readModel(t *testing.T, python, model string, lines []string, options ...string) [][]string {
	t.Helper()
	cmd := exec.Command(python, append([]string{filepath.Join("..", "docs", "read_model.py"), model}, options...)...)
	records := recordsOf(t, cmd, lines)
	if len(records) != len(lines)+1 && len(records) != len(lines) {
		t.Fatalf("%d lines in, %d out", len(lines), len(records))
	}
	return records
}

// recordsOf returns the records that a command writes, given lines of CSV.
func recordsOf(t *testing.T, cmd *exec.Cmd, lines []string) [][]string {
	t.Helper()
	cmd.Stdin = strings.NewReader(strings.Join(lines, "\n") + "\n")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(bytes.NewReader(out)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return records
}

// readModels runs the reader in docs as readModel does, of each of several models, in one Python, which takes most of
// the time to start.
func readModels(t *testing.T, python string, models, lines []string) (all [][][]string) {
	t.Helper()
	const script = `
import io, sys
sys.path.insert(0, sys.argv[1])
import read_model
data = sys.stdin.read()
for path in sys.argv[2:]:
    sys.argv, sys.stdin = ["read_model.py", path], io.StringIO(data)
    read_model.main()
`
	cmd := exec.Command(python, append([]string{"-c", script, filepath.Join("..", "docs")}, models...)...)
	records := recordsOf(t, cmd, lines)
	each := len(lines) + 1
	if len(records) != each*len(models) {
		t.Fatalf("%d lines in of %d models, %d out", len(lines), len(models), len(records))
	}
	for i := range models {
		all = append(all, records[i*each:(i+1)*each])
	}
	return all
}

// line writes the elements of x in the order of columns.
func line(x []float64, columns ...int) string {
	var b strings.Builder
	for i, j := range columns {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.FormatFloat(x[j], 'g', -1, 64))
	}
	return b.String()
}

// near compares numbers as text with want, to the rounding of sums in another order.
func near(t *testing.T, what string, got []string, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %q for %g", what, got, want)
	}
	for k, f := range got {
		if v, err := strconv.ParseFloat(f, 64); err != nil || !(math.Abs(v-want[k]) <= 1e-12*max(1, math.Abs(want[k]))) {
			t.Errorf("%s: NumPy %s, ours %v (%v)", what, f, want[k], err)
		}
	}
}

// The reader in docs reproduces predictions, scores, labels and probabilities of
// every kind of model.
func TestNumPyReader(t *testing.T) {
	t.Parallel() // with other tests that wait for Python
	python := numpy(t)
	ctx := context.Background()
	const d, n = 5, 40
	scaling := rff.Scaling{Shift: []float64{1, 2, 3, 4, 5}, Scale: []float64{1, 2, 0.5, 3, 4}}
	test := synthetic(3, n, d, 1, 0)
	var plain []string
	for i := range n {
		plain = append(plain, line(test.x.Row(i), 0, 1, 2, 3, 4))
	}
	for name, s := range map[string]rff.Sampler{
		"mc":       sampling.MonteCarlo{},
		"bias":     sampling.MonteCarlo{Form: rff.CosBias},
		"sorf":     sampling.SORF{},
		"fastfood": sampling.Fastfood{},
		"compact":  sampling.Compact{},
		"product":  sampling.Compact{Projection: "sign"},
		"arccos":   sampling.MonteCarlo{},
	} {
		var k rff.Kernel = rff.NewGaussian(2)
		if name == "arccos" {
			k = rff.NewArcCosine(1)
		}
		scaling := scaling
		if name == "bias" {
			scaling.From = [][]float64{{-1, 0.5}, nil, {-2, -1, 0, 3}, nil, {0, 1}}
			scaling.To = [][]float64{{-1, 0.5}, nil, {-1.5, -1, 1, 1.25}, nil, {2, 3}}
		}
		m, err := s.Sample(ctx, rff.Request{Kernel: k, Dim: d, Features: 32, Rand: rand.NewPCG(1, 2)})
		if err != nil {
			t.Fatal(name, err)
		}
		trains := []*rows{synthetic(1, 200, d, 2, 0.1)}
		if name == "mc" { // what follows the features is the same for all
			trains = append(trains, synthetic(1, 200, d, 1, 0.1), classes(2, 200, d, "a", "b", "c"), classes(2, 200, d, "no", "yes"))
		}
		for _, train := range trains {
			names := train.classes
			for _, calibrated := range []bool{false, true} {
				if calibrated && names == nil {
					continue
				}
				model, _, err := krr.Fit(ctx, m, train, krr.Settings{Lambdas: []float64{1e-3}, Scaling: scaling,
					ClipPredictions: names == nil, Probabilities: calibrated})
				if err != nil {
					t.Fatal(err)
				}
				path := filepath.Join(t.TempDir(), "model.rff")
				if err := model.Save(path); err != nil {
					t.Fatal(err)
				}
				var want, prob mat.Dense
				if err := model.Predict(&want, dense(test.x)); err != nil {
					t.Fatal(err)
				}
				if names == nil {
					for i, r := range readModel(t, python, path, plain)[1:] {
						near(t, fmt.Sprintf("%s, row %d", name, i), r, want.RawRowView(i))
					}
					continue
				}
				labels, err := model.Labels(dense(test.x))
				if err != nil {
					t.Fatal(err)
				}
				options := []string{"--scores"}
				if calibrated {
					options = append(options, "--probabilities")
					if err := model.Probabilities(&prob, dense(test.x)); err != nil {
						t.Fatal(err)
					}
				}
				for i, r := range readModel(t, python, path, plain, options...)[1:] {
					what := fmt.Sprintf("%s, row %d of %d classes", name, i, len(names))
					if r[0] != labels[i] {
						t.Errorf("%s: NumPy says %s, we %s", what, r[0], labels[i])
					}
					f := want.RawRowView(i)
					near(t, what+", scores", r[1:1+len(f)], f)
					if calibrated {
						near(t, what+", probabilities", r[1+len(f):], prob.RawRowView(i))
					}
				}
			}
		}
	}
}

// With names on both sides columns are matched by them: another order and further
// columns change nothing, a missing one is an error that names it.
func TestNumPyReaderNames(t *testing.T) {
	t.Parallel() // with other tests that wait for Python
	python := numpy(t)
	const d = 3
	features := gaussianMap(t, 2, d, 16, 1)
	r := synthetic(1, 200, d, 1, 0.1)
	r.names, r.target = []string{"a", "b,c", "d"}, "y"
	model, _, err := krr.Fit(context.Background(), features, r, krr.Settings{Lambdas: []float64{1e-3}})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "model.rff")
	if err := model.Save(path); err != nil {
		t.Fatal(err)
	}
	x := []float64{0.25, -1.5, 2}
	want := make([]float64, 1)
	if err := model.PredictRow(want, x); err != nil {
		t.Fatal(err)
	}
	for _, lines := range [][]string{
		{line(x, 0, 1, 2)},
		{`a,"b,c",d`, line(x, 0, 1, 2)},
		{`d,a,"b,c"`, line(x, 2, 0, 1)},
		{`y,d,id,"b,c",a`, "?," + line(x, 2) + ",row 7," + line(x, 1, 0)},
	} {
		records := readModel(t, python, path, lines)
		if records[0][0] != "predicted" {
			t.Errorf("the header is %q", records[0])
		}
		near(t, lines[0], records[1], want)
	}
	for _, c := range [][2]string{
		{"a,d\n1,2\n", "no column is called 'b,c'"}, {"1,2\n", "line 1 has 2 values"}, {"1,2,3\n1,2,x\n", "line 2: could not convert"}, {"1,2,3\n1,2,1_000\n", "line 2: could not convert"},
		{"1,2,3\n1,2,nan\n", "line 2: column 3 is missing"}, {"1,2,3\n1,2,inf\n", "line 2 has a value that is not finite"}, {"", "no rows"}, {"a,\"b,c\",d\n1,2\n", "line 2 has 2 values, the header 3"},
	} {
		cmd := exec.Command(python, filepath.Join("..", "docs", "read_model.py"), path)
		cmd.Stdin = strings.NewReader(c[0])
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), c[1]) || strings.Contains(string(out), "Traceback") {
			t.Errorf("%q: %v, %s, want %s", c[0], err, out, c[1])
		}
	}
	for _, c := range [][2]string{{"--help", "standard input"}, {"--probabilities", "the model has none"}, {"--scores", "regression"}} {
		out, _ := exec.Command(python, filepath.Join("..", "docs", "read_model.py"), path, c[0]).CombinedOutput()
		if !strings.Contains(string(out), c[1]) || strings.Contains(string(out), "Traceback") {
			t.Errorf("%s: %s, want %s", c[0], out, c[1])
		}
	}
}
