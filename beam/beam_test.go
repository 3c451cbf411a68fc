package rffbeam

import (
	"bytes"
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/cmd/rff/fits"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/dataset/parquet"
	"github.com/rffgo/rff/internal/inside/hook"
	"github.com/rffgo/rff/krr"
)

func TestMain(m *testing.M) {
	flag.Parse()
	beam.Init()
	if !testing.Verbose() { // Prism has a page to say about each job, and two about an error
		slog.SetDefault(slog.New(slog.DiscardHandler))
	}
	os.Exit(m.Run())
}

// run runs a pipeline on the Prism of this process.
func run(t *testing.T, build func(beam.Scope)) error {
	t.Helper()
	p, s := beam.NewPipelineWithRoot()
	build(s)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	_, err := beam.Run(ctx, "prism", p)
	return err
}

// parts writes files of rows and returns their folder. A row of row numbers in bad
// of the first file cannot be read.
func parts(t *testing.T, files, rows int, bad ...int) string {
	t.Helper()
	dir := t.TempDir()
	random := rand.New(rand.NewPCG(5, 6))
	for k := range files {
		var b strings.Builder
		b.WriteString("a,b,c,y\n")
		for i := range rows {
			x := [3]float64{random.NormFloat64(), random.NormFloat64(), random.NormFloat64()}
			y := math.Sin(2*x[0]) + x[1]*x[2] + 0.1*random.NormFloat64()
			if k == 0 && slices.Contains(bad, i+1) {
				fmt.Fprintf(&b, "%v,poison,%v,%v\n", x[0], x[2], y)
				continue
			}
			fmt.Fprintf(&b, "%v,%v,%v,%v\n", x[0], x[1], x[2], y)
		}
		write(t, filepath.Join(dir, fmt.Sprintf("p%d.csv", k)), []byte(b.String()))
	}
	return dir
}

func write(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(name, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

// plan makes a plan and fit a model on Beam.
func plan(t *testing.T, glob string, p Planning) []byte {
	t.Helper()
	name := filepath.Join(t.TempDir(), "plan")
	if err := run(t, func(s beam.Scope) { WritePlan(s, name, Plan(s, glob, Reading{}, p)) }); err != nil {
		t.Fatal(err)
	}
	return contents(t, name)
}

func contents(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func fit(t *testing.T, glob string, plan []byte, f Fitting) (*krr.Model, error) {
	t.Helper()
	return fitOf(t, glob, plan, Reading{}, f)
}

func fitOf(t *testing.T, glob string, plan []byte, r Reading, f Fitting) (*krr.Model, error) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "model")
	err := run(t, func(s beam.Scope) {
		fitted, _, err := Fit(s, glob, plan, r, f)
		if err != nil {
			t.Fatal(err)
		}
		WriteModel(s, name, fitted)
	})
	if err != nil {
		if _, there := os.Stat(name); there == nil {
			t.Error("a job that failed has left a model")
		}
		return nil, err
	}
	return krr.Load(name)
}

// reference fits the same rows with the same map by krr.Fit.
func reference(t *testing.T, plan []byte, lambda float64, files ...string) *krr.Model {
	t.Helper()
	return referenceOf(t, plan, dataset.Options{}, krr.Settings{Lambdas: []float64{lambda}, ClipPredictions: true}, files...)
}

func referenceOf(t *testing.T, plan []byte, o dataset.Options, s krr.Settings, files ...string) *krr.Model {
	t.Helper()
	ctx := context.Background()
	g, err := krr.ReadGram(bytes.NewReader(plan))
	if err != nil {
		t.Fatal(err)
	}
	f, err := dataset.Open(ctx, o, files...)
	if err != nil {
		t.Fatal(err)
	}
	s.Scaling, s.Precision = g.Settings().Scaling, g.Settings().Precision
	m, _, err := krr.Fit(ctx, g.Map(), f.Source(dataset.NewCoding(g.Settings().Schema.Target.Classes), 0), s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// apart returns the largest difference of two models' predictions, of targets near 1.
func apart(t *testing.T, a, b *krr.Model) float64 {
	t.Helper()
	in, out := a.Dims()
	random := rand.New(rand.NewPCG(7, 8))
	x, p, q := blas.NewGeneral[float64](500, in), blas.NewGeneral[float64](500, out), blas.NewGeneral[float64](500, out)
	for i := range x.Data {
		x.Data[i] = random.NormFloat64()
	}
	if err := fits.PredictBatch(a, p, x); err != nil {
		t.Fatal(err)
	}
	if err := fits.PredictBatch(b, q, x); err != nil {
		t.Fatal(err)
	}
	worst := 0.0
	for i := range p.Data {
		worst = max(worst, math.Abs(p.Data[i]-q.Data[i]))
	}
	return worst
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil || len(names) == 0 {
		t.Fatalf("%v, %v", names, err)
	}
	return names
}

// A fit on Beam is a fit: the predictions are those of krr.Fit on all rows, for a λ
// given and for one that was chosen.
func TestFitIsAFit(t *testing.T) {
	t.Parallel()
	dir := parts(t, 5, 700)
	all := filepath.Join(dir, "*.csv")
	p := plan(t, all, Planning{Features: 128, Seed: 3})
	for _, f := range []Fitting{{Lambda: 1e-4}, {Lambda: 1e-4, Fanout: 1, Folds: 4}, {}} {
		m, err := fit(t, all, p, f)
		if err != nil {
			t.Fatal(err)
		}
		if e := apart(t, m, reference(t, p, m.Info().Lambda[0], glob(t, all)...)); e > 1e-9 {
			t.Errorf("%+v: predictions differ by %g", f, e)
		}
	}
	// Another way to cut the files, and another order, is another plan only where rows
	// have other keys.
	if q := plan(t, all, Planning{Features: 128, Seed: 3}); !bytes.Equal(p, q) {
		t.Error("a second plan of the same files differs")
	}
}

// Float32, classes and Parquet.
func TestFitOfClasses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	random := rand.New(rand.NewPCG(1, 1))
	for k := range 3 {
		var b bytes.Buffer
		w, err := parquet.NewWriter(&b, []parquet.Column{{Name: "u"}, {Name: "v"}, {Name: "kind", Text: true}})
		if err != nil {
			t.Fatal(err)
		}
		for range 600 {
			u, v := random.NormFloat64(), random.NormFloat64()
			w.Number(u)
			w.Number(v)
			w.Text([]string{"in", "out", "far"}[int(min(2, math.Hypot(u, v)))])
			if err := w.EndRow(); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, fmt.Sprintf("%d.parquet", k)), b.Bytes())
	}
	all := filepath.Join(dir, "*.parquet")
	p := plan(t, all, Planning{Features: 64, Precision: krr.Float32})
	const lambda = 1e-2
	m, err := fit(t, all, p, Fitting{Lambda: lambda})
	if err != nil {
		t.Fatal(err)
	}
	if c := m.Info().Schema.Target.Classes; !slices.Equal(c, []string{"far", "in", "out"}) || m.Info().Precision != krr.Float32 {
		t.Fatalf("classes %v, %v", c, m.Info().Precision)
	}
	// Blocks of other rows round their float32 sums in another way, by 2⁻²⁴ of the
	// row's terms; the solution multiplies that by 1/λ.
	if e := apart(t, m, reference(t, p, lambda, glob(t, all)...)); e > 64*0x1p-24/lambda {
		t.Errorf("predictions differ by %g", e)
	}
	// Predictions come file by file, in the order of the rows.
	model, out := filepath.Join(dir, "model"), t.TempDir()
	if err := m.Save(model); err != nil {
		t.Fatal(err)
	}
	if err := run(t, func(s beam.Scope) { Predict(s, all, model, out, Reading{}) }); err != nil {
		t.Fatal(err)
	}
	written := glob(t, filepath.Join(out, "*.csv"))
	right, rows := 0, 0
	for k, name := range written {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(string(data)), "\n")[1:]
		f, err := dataset.Open(context.Background(), dataset.Options{}, filepath.Join(dir, fmt.Sprintf("%d.parquet", k)))
		if err != nil {
			t.Fatal(err)
		}
		at := 0
		for row, err := range f.Rows(context.Background()) {
			if err != nil {
				t.Fatal(err)
			}
			y := make([]float64, 3)
			if err := m.PredictRow(y, row.X); err != nil {
				t.Fatal(err)
			}
			if lines[at] == m.Info().Schema.Target.Classes[m.ClassOf(y)] {
				right++
			}
			at++
			rows++
		}
	}
	if len(written) != 3 || rows != 1800 || right != rows {
		t.Errorf("%d files, %d of %d rows as the model has them", len(written), right, rows)
	}
}

// A poisoned row ends the job with its file and line, unless bad rows go aside;
// then the fit is that of the other rows.
func TestPoisonedRows(t *testing.T) {
	t.Parallel()
	dir := parts(t, 3, 300, 17, 250)
	clean := parts(t, 3, 300)
	p := plan(t, filepath.Join(clean, "*.csv"), Planning{Features: 64})
	all := filepath.Join(dir, "*.csv")
	if _, err := fit(t, all, p, Fitting{Lambda: 1e-3}); err == nil || !strings.Contains(err.Error(), "p0.csv: row 17 (line 18)") || !strings.Contains(err.Error(), "poison") {
		t.Fatalf("%v", err)
	}
	m, err := fitOf(t, all, p, Reading{Aside: true}, Fitting{Lambda: 1e-3})
	if err != nil {
		t.Fatal(err)
	}
	without := filepath.Join(dir, "p0.csv")
	data, err := os.ReadFile(without)
	if err != nil {
		t.Fatal(err)
	}
	lines := slices.DeleteFunc(strings.SplitAfter(string(data), "\n"), func(l string) bool { return strings.Contains(l, "poison") })
	write(t, without, []byte(strings.Join(lines, "")))
	if e := apart(t, m, reference(t, p, 1e-3, glob(t, all)...)); e > 1e-9 {
		t.Errorf("predictions differ by %g", e)
	}
}

// Sums do not depend on how rows are cut into bundles, on the order of merges, or on
// bundles that were begun, encoded and thrown away: to rounding, and those of integers to the bit.
func TestSumFnWhateverTheBundles(t *testing.T) {
	dir := parts(t, 1, 2000)
	for _, precision := range []krr.Precision{krr.Float64, "int12", "int8"} {
		t.Run(string(precision), func(t *testing.T) { whateverTheBundles(t, dir, precision) })
	}
}

func whateverTheBundles(t *testing.T, dir string, precision krr.Precision) {
	p := plan(t, filepath.Join(dir, "*.csv"), Planning{Features: 64, Precision: precision})
	fn := &SumFn{Plan: p}
	f, err := dataset.Open(context.Background(), dataset.Options{}, filepath.Join(dir, "p0.csv"))
	if err != nil {
		t.Fatal(err)
	}
	var rows []Rows
	for b, err := range f.Source(dataset.Coding{Task: dataset.Regression}, 0).Batches(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		for i := range b.X.Rows {
			rows = append(rows, Rows{File: "p0.csv", Numbers: []int64{b.First + int64(i) + 1}, In: 3, Targets: 1, X: slices.Clone(b.X.Row(i)), Y: slices.Clone(b.Y.Row(i))})
		}
	}
	random := rand.New(rand.NewPCG(9, 9))
	bundled := func() *krr.Gram {
		var accumulators []Sums
		for rest := rows; len(rest) > 0; {
			n := min(len(rest), 1+random.IntN(400))
			for attempt := range 3 { // the bundle fails twice, somewhere
				a := fn.CreateAccumulator()
				for i, r := range rest[:n] {
					if attempt < 2 && i == n/(attempt+2) {
						break
					}
					through, err := decodeRows(encodeRows(r))
					if err != nil {
						t.Fatal(err)
					}
					if a, err = fn.AddInput(a, through); err != nil {
						t.Fatal(err)
					}
				}
				if attempt == 2 {
					accumulators = append(accumulators, a)
				}
			}
			rest = rest[n:]
		}
		for len(accumulators) > 1 { // any two, by way of bytes
			i := random.IntN(len(accumulators) - 1)
			data, err := encodeSums(accumulators[i])
			if err != nil {
				t.Fatal(err)
			}
			a, err := decodeSums(data)
			if err != nil {
				t.Fatal(err)
			}
			if accumulators[i], err = fn.MergeAccumulators(a, accumulators[i+1]); err != nil {
				t.Fatal(err)
			}
			accumulators = slices.Delete(accumulators, i+1, i+2)
		}
		return accumulators[0].Gram()
	}
	a, b := bundled(), bundled()
	if a.Rows() != 2000 || b.Rows() != 2000 {
		t.Fatalf("%d and %d rows of 2000", a.Rows(), b.Rows())
	}
	if precision != krr.Float64 {
		x, y := sumsOf(a), sumsOf(b)
		if !slices.Equal(x.G.Data, y.G.Data) || !slices.Equal(x.ZY.Data, y.ZY.Data) || !slices.Equal(x.Z, y.Z) || !slices.Equal(x.YY, y.YY) {
			t.Error("other bits in other bundles")
		}
		return
	}
	// The diagonal is a sum of squares: absolute and plain values are the same. The
	// references of the targets may differ, the sums of features may not.
	for i := range 64 {
		x, y := sumsOf(a).G.Row(i)[i], sumsOf(b).G.Row(i)[i]
		if math.Abs(x-y) > 2000*0x1p-53*x {
			t.Errorf("G(%d, %d): %v and %v", i, i, x, y)
		}
	}
}

// Accumulators of 4096 features, 64 MiB as bytes, come through.
func TestLargeAccumulators(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 300 MB")
	}
	m, err := rff.New(rff.NewGaussian(1), 2, 4096, rand.NewPCG(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	p, err := bytesOf(krr.NewGram(m, 1, krr.GramSettings{}))
	if err != nil {
		t.Fatal(err)
	}
	fn := &SumFn{Plan: p}
	a, err := fn.AddInput(Sums{}, Rows{File: "x", In: 2, Targets: 1, X: []float64{1, 2, 3, 4}, Y: []float64{1, 2}})
	if err != nil {
		t.Fatal(err)
	}
	data, err := encodeSums(a)
	if err != nil {
		t.Fatal(err)
	}
	if mib := float64(len(data)) / (1 << 20); mib < 64 || mib > 66 {
		t.Errorf("%.1f MiB", mib)
	}
	b, err := decodeSums(data)
	if err != nil {
		t.Fatal(err)
	}
	if a, err = fn.MergeAccumulators(a, b); err != nil || a.Gram().Rows() != 4 { // equal rows are no reason to refuse
		t.Fatalf("%v", err)
	}
}

func TestRowsThatAreNone(t *testing.T) {
	whole := encodeRows(Rows{File: "f", Numbers: []int64{3}, In: 2, Targets: 1, X: []float64{1, 2}, Y: []float64{3}, Weight: []float64{4}})
	r, err := decodeRows(whole)
	if err != nil || r.File != "f" || r.Numbers[0] != 3 || r.X[1] != 2 || r.Y[0] != 3 || r.Weight[0] != 4 {
		t.Fatalf("%+v, %v", r, err)
	}
	for n := range whole {
		if _, err := decodeRows(whole[:n]); err == nil {
			t.Errorf("%d bytes: no error", n)
		}
	}
	if _, err := decodeRows(binary.AppendUvarint(nil, 1<<63)); err == nil {
		t.Error("no error")
	}
}

// Two classes and weights: targets are −1 and 1, and a row of weight 2 is two rows.
func TestFitOfTwoClassesWithWeights(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	random := rand.New(rand.NewPCG(2, 3))
	var twice []string
	for k := range 2 {
		weighted, repeated := "u,v,w,y\n", "u,v,y\n"
		for range 400 {
			u, v := random.NormFloat64(), random.NormFloat64()
			w, y := 1+random.IntN(3), []string{"in", "out"}[int(min(1, math.Hypot(u, v)))]
			weighted += fmt.Sprintf("%v,%v,%d,%s\n", u, v, w, y)
			repeated += strings.Repeat(fmt.Sprintf("%v,%v,%s\n", u, v, y), w)
		}
		write(t, filepath.Join(dir, fmt.Sprintf("w%d.csv", k)), []byte(weighted))
		twice = append(twice, filepath.Join(dir, fmt.Sprintf("r%d.csv", k)))
		write(t, twice[k], []byte(repeated))
	}
	p := plan(t, filepath.Join(dir, "r*.csv"), Planning{Features: 64})
	name := filepath.Join(dir, "model")
	if err := run(t, func(s beam.Scope) {
		fitted, _, err := Fit(s, filepath.Join(dir, "w*.csv"), p, Reading{Weights: "w"}, Fitting{Lambda: 1e-3})
		if err != nil {
			t.Fatal(err)
		}
		WriteModel(s, name, fitted)
	}); err != nil {
		t.Fatal(err)
	}
	m, err := krr.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	// The reference has λ times the rows, of which there are more: the weights' sum.
	if e := apart(t, m, reference(t, p, 1e-3, twice...)); e > 1e-9 {
		t.Errorf("predictions differ by %g", e)
	}
}

// squaredError is the error of the model's predictions on the rows of a Gram.
func TestSquaredErrorFromSums(t *testing.T) {
	ctx := context.Background()
	m, err := rff.New(rff.NewGaussian(1), 2, 16, rand.NewPCG(1, 2))
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(3, 4))
	rows := func(n int, shift float64) rff.Batch {
		b := rff.Batch{X: blas.NewGeneral[float64](n, 2), Y: blas.NewGeneral[float64](n, 2)}
		for i := range b.X.Data {
			b.X.Data[i], b.Y.Data[i] = random.NormFloat64(), shift+random.NormFloat64()
		}
		return b
	}
	fitted, held := krr.NewGram(m, 2, krr.GramSettings{}), krr.NewGram(m, 2, krr.GramSettings{})
	b := rows(200, 3)
	if err := fitted.Add(ctx, rows(300, 5)); err != nil {
		t.Fatal(err)
	}
	if err := held.Add(ctx, b); err != nil {
		t.Fatal(err)
	}
	model, err := fitted.Solve(ctx, 1e-3)
	if err != nil {
		t.Fatal(err)
	}
	want, y := 0.0, blas.NewGeneral[float64](200, 2)
	if err := fits.PredictBatch(model, y, b.X); err != nil {
		t.Fatal(err)
	}
	for i, v := range y.Data {
		want += (v - b.Y.Data[i]) * (v - b.Y.Data[i])
	}
	if got := squaredError(model, held); math.Abs(got-want) > 1e-10*want {
		t.Errorf("%v, of the predictions %v", got, want)
	}
}

// sumsOf returns the sums of a Gram.
func sumsOf(g *krr.Gram) *blas.Sums {
	s, _ := hook.Sums(g)
	return s
}
