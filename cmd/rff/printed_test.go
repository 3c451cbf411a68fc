package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/cmd/rff/fits"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/message"
	"github.com/rffgo/rff/krr"
	"github.com/rffgo/rff/sampling"
)

// What the command prints is compared here with numbers computed from the data
// and the predictions themselves, not with what the code says of itself.

// numberAfter returns the number that follows one of the words in text.
func numberAfter(t *testing.T, text string, words string) float64 {
	t.Helper()
	m := regexp.MustCompile(`(?:` + words + `)\s+([-+0-9.e]+)`).FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("no number after %s in %q", words, text)
	}
	v, err := strconv.ParseFloat(strings.TrimRight(m[1], "."), 64)
	if err != nil {
		t.Fatalf("%q: %v", m[0], err)
	}
	return v
}

// printed reports whether v, which was printed with so many digits, is want.
func printedAs(v, want float64, digits int) bool {
	return math.Abs(v-want) <= 0.51*math.Pow(10, math.Floor(math.Log10(math.Abs(want)))-float64(digits)+1)
}

// records reads a CSV file with a header.
func records(t *testing.T, dir, name string) (header []string, rows [][]string) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	all, err := csv.NewReader(bytes.NewReader(raw)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return all[0], all[1:]
}

func parse(t *testing.T, text string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// slope is a regression whose target grows with a, with noise; new rows go
// beyond the range of those to fit.
func slope(n int, from, to float64) []byte {
	rng := rand.New(rand.NewPCG(3, uint64(n)))
	b := []byte("a,b,y\n")
	for i := range n {
		a := from + (to-from)*float64(i)/float64(n-1)
		c := rng.NormFloat64()
		b = fmt.Appendf(b, "%.8f,%.8f,%.8f\n", a, c, 100+5*a+math.Sin(3*c)+0.1*rng.NormFloat64())
	}
	return b
}

// The predictions of a regression, and the errors printed about them.
func TestPrintedErrors(t *testing.T) {
	dir := t.TempDir()
	save(t, dir, "t.csv", slope(400, 0, 2))
	save(t, dir, "new.csv", slope(300, -0.4, 2.4))
	must(t, dir, "fit", "--data", "t.csv", "--features", "64", "--sigma", "1.5", "--lambda", "1e-5", "--model", "m")
	r := invoke(t, dir, "predict", "--model", "m", "--data", "new.csv", "--label", "y", "--output", "p.csv")
	if r.status != 0 {
		t.Fatal(r.errors)
	}
	_, train := records(t, dir, "t.csv")
	_, fresh := records(t, dir, "new.csv")
	header, predictions := records(t, dir, "p.csv")
	if len(header) != 1 || len(predictions) != len(fresh) {
		t.Fatalf("%q, %d predictions", header, len(predictions))
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, row := range train {
		v := parse(t, row[2])
		lo, hi = min(lo, v), max(hi, v)
	}
	// From the file's coefficients: z·β + b, confined to the range of the targets.
	m, err := krr.Load(filepath.Join(dir, "m"))
	if err != nil {
		t.Fatal(err)
	}
	x := mat.NewDense(len(fresh), 2, nil)
	for i, row := range fresh {
		x.SetRow(i, []float64{parse(t, row[0]), parse(t, row[1])})
	}
	scaling := m.Info().Scaling
	x.Apply(func(_, j int, v float64) float64 { return (v - scaling.Shift[j]) / scaling.Scale[j] }, x)
	var z, f mat.Dense
	if err := m.Map().Transform(&z, x); err != nil {
		t.Fatal(err)
	}
	coef, intercept := m.Coefficients()
	f.Mul(&z, coef)
	var rss, abs, mean, ss float64
	clipped := 0
	n := float64(len(fresh))
	for _, row := range fresh {
		mean += parse(t, row[2]) / n
	}
	for i, row := range fresh {
		raw := f.At(i, 0) + intercept[0]
		want := min(max(raw, lo), hi)
		got := parse(t, predictions[i][0])
		if math.Abs(got-want) > 1e-9*math.Abs(want) {
			t.Fatalf("row %d: %v, want %v", i+1, got, want)
		}
		if want != raw {
			clipped++
		}
		y := parse(t, row[2])
		rss += (got - y) * (got - y)
		abs += math.Abs(got - y)
		ss += (y - mean) * (y - mean)
	}
	if clipped < 3 {
		t.Fatalf("only %d predictions are beyond the range of the targets: the data show nothing", clipped)
	}
	if v := numberAfter(t, r.errors, "RMSE|root mean square error"); !printedAs(v, math.Sqrt(rss/n), 5) {
		t.Errorf("the command prints RMSE %v, it is %v", v, math.Sqrt(rss/n))
	}
	if strings.Contains(r.errors, "MAE") {
		if v := numberAfter(t, r.errors, "MAE"); !printedAs(v, abs/n, 5) {
			t.Errorf("the command prints MAE %v, it is %v", v, abs/n)
		}
		if v := numberAfter(t, r.errors, "R²"); math.Abs(v-(1-rss/ss)) > 0.51e-4 {
			t.Errorf("the command prints R² %v, it is %v", v, 1-rss/ss)
		}
	}
	if !strings.Contains(r.errors, "standard deviation") && !strings.Contains(r.errors, "R²") {
		t.Errorf("the error stands in no proportion to the spread of the target: %q", r.errors)
	}
	if strings.Contains(r.errors, "standard deviation") {
		share := numberAfter(t, r.errors, "root mean square error [-+0-9.e]+,")
		if want := 100 * math.Sqrt(rss/ss); math.Abs(share-want) > 0.0051 {
			t.Errorf("the command prints %v %% of the standard deviation, it is %v", share, want)
		}
	}
	if v := numberAfter(t, r.errors, "over"); v != n {
		t.Errorf("the command speaks of %v rows of %v: %q", v, n, r.errors)
	}
}

// Scores, probabilities, variances and labels stand under their names.
func TestPrintedColumns(t *testing.T) {
	dir := t.TempDir()
	text := strings.ReplaceAll(string(moons(500, 2)), "up", "up") // 250 each
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i := 3; i < len(lines); i += 3 {
		fields := strings.Split(lines[i], ",")
		lines[i] = fmt.Sprintf("%g,%s,left", 3+parse(t, fields[0]), fields[1])
	}
	save(t, dir, "t.csv", []byte(strings.Join(lines, "\n")))
	fitted := must(t, dir, "fit", "--data", "t.csv", "--features", "64", "--sigma", "0.8", "--probabilities", "--variance", "--model", "m")
	r := invoke(t, dir, "predict", "--model", "m", "--data", "t.csv", "--label", "kind", "--scores", "--probabilities", "--variance", "--output", "p.csv")
	if r.status != 0 {
		t.Fatal(r.errors)
	}
	header, rows := records(t, dir, "p.csv")
	want := []string{"predicted", "score down", "score left", "score up", "probability down", "probability left", "probability up", "variance down", "variance left", "variance up"}
	if !slices.Equal(header, want) {
		t.Fatalf("header %q, want %q", header, want)
	}
	m, err := krr.Load(filepath.Join(dir, "m"))
	if err != nil {
		t.Fatal(err)
	}
	_, data := records(t, dir, "t.csv")
	x := mat.NewDense(len(data), 2, nil)
	for i, row := range data {
		x.SetRow(i, []float64{parse(t, row[0]), parse(t, row[1])})
	}
	var scores, probabilities, variances mat.Dense
	if m.Predict(&scores, x) != nil || m.Probabilities(&probabilities, x) != nil || m.Variance(&variances, x) != nil {
		t.Fatal("the model cannot predict")
	}
	labels, err := m.Labels(x)
	if err != nil {
		t.Fatal(err)
	}
	right := 0
	for i, row := range rows {
		for j := range 3 {
			for k, of := range []*mat.Dense{&scores, &probabilities, &variances} {
				if got, want := parse(t, row[1+3*k+j]), of.At(i, j); math.Abs(got-want) > 1e-12*(1+math.Abs(want)) {
					t.Fatalf("row %d, %s: %v, want %v", i+1, header[1+3*k+j], got, want)
				}
			}
		}
		if row[0] != labels[i] {
			t.Fatalf("row %d: %s, the model says %s", i+1, row[0], labels[i])
		}
		if row[0] == data[i][2] {
			right++
		}
	}
	// Held-out accuracy is that of the training rows but for what is learnt by heart.
	if v, train := numberAfter(t, fitted, "accuracy"), 100*float64(right)/float64(len(data)); math.Abs(v-train) > 10 {
		t.Errorf("fit prints a held-out accuracy of %v, on the training rows it is %v", v, train)
	}
	if v := numberAfter(t, r.errors, "accuracy"); math.Abs(v-100*float64(right)/float64(len(data))) > 0.0051 || right == len(data) {
		t.Errorf("the command prints accuracy %v, %d of %d rows are right", v, right, len(data))
	}
	if !strings.Contains(r.errors, fmt.Sprintf("%d of %d rows", right, len(data))) || !strings.Contains(r.errors, fmt.Sprintf("wrote %d predictions", len(data))) {
		t.Errorf("%q, %d of %d rows are right", r.errors, right, len(data))
	}
}

// One row has one prediction, wherever the blocks end.
func TestPrintedRows(t *testing.T) {
	dir := t.TempDir()
	save(t, dir, "t.csv", slope(400, 0, 2))
	must(t, dir, "fit", "--data", "t.csv", "--features", "16", "--sigma", "1.5", "--lambda", "1e-5", "--model", "m")
	lines := strings.SplitAfter(string(slope(2*blas.RowBlock+1, 0, 2)), "\n")
	for _, n := range []int{1, blas.RowBlock, blas.RowBlock + 1, 2 * blas.RowBlock, 2*blas.RowBlock + 1} {
		save(t, dir, "new.csv", []byte(strings.Join(lines[:n+1], "")))
		r := invoke(t, dir, "predict", "--model", "m", "--data", "new.csv", "--label", "y", "--output", "p.csv")
		_, all := records(t, dir, "p.csv")
		if len(all) != n || !strings.Contains(r.errors, "wrote "+message.Count(n, "prediction")+" to ") {
			t.Errorf("%d predictions of %d rows: %q", len(all), n, r.errors)
			continue
		}
		save(t, dir, "last.csv", []byte(lines[0]+lines[n]))
		must(t, dir, "predict", "--model", "m", "--data", "last.csv", "--label", "y", "--output", "p1.csv")
		if _, last := records(t, dir, "p1.csv"); len(last) != 1 || last[0][0] != all[n-1][0] {
			t.Errorf("the last of %d rows is %v, alone %v", n, all[n-1], last)
		}
	}
}

// A named set is fitted on its training part and predicted on its test part.
func TestPrintedNamedSet(t *testing.T) {
	dir := t.TempDir()
	out := must(t, dir, "fit", "--data", "letter", "--features", "64", "--sigma", "4", "--lambda", "1e-4", "--model", "m")
	if !strings.Contains(out, "15000 rows, 16 inputs, 26 classes") {
		t.Errorf("fit says %q", out)
	}
	r := invoke(t, dir, "predict", "--model", "m", "--data", "letter", "--output", "p.csv")
	_, rows := records(t, dir, "p.csv")
	test := dataset.Letter().Tail(15000)
	if len(rows) != test.Len() {
		t.Fatalf("%d predictions for %d test rows", len(rows), test.Len())
	}
	right := 0
	for i, row := range rows {
		if row[0] == test.Label(i) {
			right++
		}
	}
	if v := numberAfter(t, r.errors, "accuracy"); math.Abs(v-100*float64(right)/5000) > 0.0051 || right < 2500 {
		t.Errorf("the command prints accuracy %v, %d of 5000 rows are right", v, right)
	}
	// Another seed, another model: the flag arrives.
	must(t, dir, "fit", "--data", "letter", "--features", "64", "--sigma", "4", "--lambda", "1e-4", "--seed", "2", "--model", "m2")
	a, _ := krr.Load(filepath.Join(dir, "m"))
	b, _ := krr.Load(filepath.Join(dir, "m2"))
	if a.Map().Fingerprint() == b.Map().Fingerprint() {
		t.Error("--seed changes nothing")
	}
}

// rff solve takes the λ with the least generalised cross-validation, summed over
// the targets: n·RSS/(n − 1 − tr H)² or what is proportional to it, from the
// centred features themselves.
func TestPrintedLambda(t *testing.T) {
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(4, 4))
	b := []byte("x1,x2,kind\n")
	n := 150
	for range n {
		// The first class can be learnt, the others cannot be told apart: alone it
		// would have a smaller λ.
		x, y := 2*rng.NormFloat64(), rng.NormFloat64()
		k := "c"
		if math.Sin(x)+0.1*rng.NormFloat64() > 0.3 {
			k = "a"
		} else if y+4*rng.NormFloat64() > 0 {
			k = "b"
		}
		b = fmt.Appendf(b, "%.6f,%.6f,%s\n", x, y, k)
	}
	save(t, dir, "t.csv", b)
	out := must(t, dir, "gram", "--data", "t.csv", "--features", "32", "--sigma", "1", "--scale", "none", "--output", "g")
	g, err := krr.LoadGram(filepath.Join(dir, "g"))
	if err != nil {
		t.Fatal(err)
	}
	sums := regexp.MustCompile(`^150 rows, (.*, )?32 features, map ` + g.Map().Fingerprint()[:16])
	if !sums.MatchString(out) || !slices.Equal(g.Settings().Schema.Target.Classes, []string{"a", "b", "c"}) {
		t.Errorf("gram says %q", out)
	}
	_, data := records(t, dir, "t.csv")
	x, y := mat.NewDense(n, 2, nil), mat.NewDense(n, 3, nil)
	for i, row := range data {
		x.SetRow(i, []float64{parse(t, row[0]), parse(t, row[1])})
		for c, class := range []string{"a", "b", "c"} {
			v := -1.0
			if row[2] == class {
				v = 1
			}
			y.Set(i, c, v)
		}
	}
	var z mat.Dense
	if err := g.Map().Transform(&z, x); err != nil {
		t.Fatal(err)
	}
	for _, m := range []*mat.Dense{&z, y} { // centred
		_, cols := m.Dims()
		for j := range cols {
			mean := mat.Sum(m.ColView(j)) / float64(n)
			for i := range n {
				m.Set(i, j, m.At(i, j)-mean)
			}
		}
	}
	var svd mat.SVD
	if !svd.Factorize(&z, mat.SVDThin) {
		t.Fatal("no SVD")
	}
	var u, uy mat.Dense
	svd.UTo(&u)
	s := svd.Values(nil)
	uy.Mul(u.T(), y)
	least, best := math.Inf(1), 0.0
	leastFirst, bestFirst := math.Inf(1), 0.0
	for _, lambda := range []float64{1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1} {
		df, gcv := 1.0, 0.0
		for _, v := range s {
			df += v * v / (v*v + float64(n)*lambda)
		}
		for c := range 3 {
			rss := math.Pow(mat.Norm(y.ColView(c), 2), 2)
			for k, v := range s {
				h := v * v / (v*v + float64(n)*lambda)
				rss -= uy.At(k, c) * uy.At(k, c) * (1 - (1-h)*(1-h))
			}
			gcv += rss / ((float64(n) - df) * (float64(n) - df))
			if c == 0 && gcv < leastFirst {
				leastFirst, bestFirst = gcv, lambda
			}
		}
		if gcv < least {
			least, best = gcv, lambda
		}
	}
	grid := []float64{1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1}
	if best == grid[0] || best == grid[len(grid)-1] || best == bestFirst {
		t.Fatalf("the best λ, %v, is at the edge, or that of the first class, %v: the data show nothing", best, bestFirst)
	}
	text := must(t, dir, "solve", "--gram", "g", "--model", "m")
	if v := numberAfter(t, text, "lambda"); !printedAs(v, best, 3) || !strings.Contains(text, "150 rows") {
		t.Errorf("solve says %q, the least GCV is at %v", text, best)
	}
	m, err := krr.Load(filepath.Join(dir, "m"))
	if err != nil || math.Abs(m.Info().Lambda[0]/best-1) > 1e-12 {
		t.Errorf("%v, the model has λ %v, want %v", err, m.Info().Lambda, best)
	}
	must(t, dir, "solve", "--gram", "g", "--lambda", "0.037", "--model", "m")
	if m, err = krr.Load(filepath.Join(dir, "m")); err != nil || m.Info().Lambda[0] != 0.037 {
		t.Errorf("%v, --lambda 0.037 gives λ %v", err, m.Info().Lambda)
	}
	// Merged sums have the rows of all parts.
	save(t, dir, "t2.csv", b[:bytes.LastIndexByte(b[:len(b)-1], '\n')+1])
	must(t, dir, "gram", "--data", "t2.csv", "--like", "g", "--output", "g2")
	if text := must(t, dir, "merge", "--output", "all", "g", "g2"); !strings.HasPrefix(text, "299 rows, ") || !strings.Contains(text, " 32 features") {
		t.Errorf("merge says %q", text)
	}
}

// Every flag of a fit arrives in the model, with the value it was given.
func TestFlagsArrive(t *testing.T) {
	dir := t.TempDir()
	save(t, dir, "t.csv", slope(200, 0, 2))
	_, data := records(t, dir, "t.csv")
	column := func(j int) []float64 {
		var v []float64
		for _, row := range data {
			v = append(v, parse(t, row[j]))
		}
		return v
	}
	fit := func(args ...string) (*krr.Model, string) {
		t.Helper()
		out := must(t, dir, append([]string{"fit", "--data", "t.csv", "--features", "32", "--model", "m"}, args...)...)
		m, err := krr.Load(filepath.Join(dir, "m"))
		if err != nil {
			t.Fatal(err)
		}
		return m, out
	}
	a, b := column(0), column(1)
	for scale, want := range map[string]func(v []float64) (shift, scale float64){
		"minmax": func(v []float64) (float64, float64) { return slices.Min(v), slices.Max(v) - slices.Min(v) },
		"standard": func(v []float64) (float64, float64) {
			var mean, ss float64
			for _, x := range v {
				mean += x / float64(len(v))
			}
			for _, x := range v {
				ss += (x - mean) * (x - mean)
			}
			return mean, math.Sqrt(ss / float64(len(v)))
		},
		"none": func([]float64) (float64, float64) { return 0, 1 },
	} {
		m, _ := fit("--scale", scale, "--sigma", "2")
		s := m.Info().Scaling
		for j, v := range [][]float64{a, b} {
			shift, unit := want(v)
			gotShift, gotUnit := 0.0, 1.0
			if s.Shift != nil {
				gotShift = s.Shift[j]
			}
			if s.Scale != nil {
				gotUnit = s.Scale[j]
			}
			if math.Abs(gotShift-shift) > 1e-9 || math.Abs(gotUnit-unit) > 1e-9 {
				t.Errorf("--scale %s: column %d has shift %v and scale %v, want %v and %v", scale, j, gotShift, gotUnit, shift, unit)
			}
		}
		if scale == "none" {
			continue
		}
		// The median rule on the scaled rows: all pairs of 200 rows.
		m, _ = fit("--scale", scale)
		var d []float64
		for i := range a {
			for k := range i {
				_, ua := want(a)
				_, ub := want(b)
				d = append(d, math.Hypot((a[i]-a[k])/ua, (b[i]-b[k])/ub))
			}
		}
		slices.Sort(d)
		sigma := numberAfter(t, strings.ReplaceAll(m.Info().Provenance["kernel"], "sigma=", "sigma "), "gaussian:sigma")
		if median := d[len(d)/2]; math.Abs(sigma/median-1) > 0.02 {
			t.Errorf("--scale %s: the bandwidth is %v, the median distance %v", scale, sigma, median)
		}
	}
	m, out := fit("--sigma", "0.75", "--lambda", "3e-3", "--precision", "float32", "--sampler", "orf", "--kernel", "gaussian")
	_, features := m.Map().Dims()
	if features != 32 || m.Info().Lambda[0] != 3e-3 || m.Info().Precision != krr.Float32 || fmt.Sprint(m.Map().Kernel()) != "gaussian:sigma=0.75" || m.Info().Provenance["sampler"] != "orf" {
		t.Errorf("%d features, λ %v, %v, %v, %v", features, m.Info().Lambda, m.Info().Precision, m.Map().Kernel(), m.Info().Provenance)
	}
	if v := numberAfter(t, out, "lambda"); v != 3e-3 {
		t.Errorf("fit prints λ %v", v)
	}
	for _, want := range []string{"200 rows, 2 inputs, regression", "32 by orf, kernel gaussian:sigma=0.75"} {
		if !strings.Contains(out, want) {
			t.Errorf("fit does not say %q: %q", want, out)
		}
	}
	if m, _ = fit("--kernel", "matern:nu=1.5", "--sigma", "2"); fmt.Sprint(m.Map().Kernel()) != "matern:length=2,nu=1.5" {
		t.Errorf("kernel %v", m.Map().Kernel())
	}
	if m, _ = fit("--inputs", "b"); inside.Spec(m.Map()).Dim != 1 || strings.Join(m.Info().Schema.Names(), ",") != "b" {
		t.Errorf("--inputs b: %v", m.Info().Provenance)
	}
	if m, _ = fit("--label", "1"); m.Info().Schema.Target.Name != "a" || strings.Join(m.Info().Schema.Names(), ",") != "b,y" {
		t.Errorf("--label 1: %v", m.Info().Provenance)
	}
	// λ by cross-validation: that of the library on the same map and folds, and
	// the printed error is the one of that λ.
	m, out = fit("--sigma", "1", "--folds", "4")
	table, err := dataset.Read(context.Background(), dataset.Options{Label: "y", Task: dataset.Regression}, filepath.Join(dir, "t.csv"))
	if err != nil {
		t.Fatal(err)
	}
	fitted, report, err := krr.Fit(context.Background(), m.Map(), table.Source(), krr.Settings{Seed: 1, Folds: 4, Scaling: m.Info().Scaling})
	if err != nil {
		t.Fatal(err)
	}
	// A sampler that looks at the rows sees them scaled.
	looks, _ := fit("--sampler", "eerf", "--sigma", "1", "--scale", "standard")
	sampler, err := sampling.ByName("eerf")
	if err != nil {
		t.Fatal(err)
	}
	scaled := dataset.Scaled(table.Source(), dataset.FitScaling(dataset.Standard, table.X))
	if byHand, err := sampler.Sample(context.Background(), rff.Request{Kernel: rff.NewGaussian(1), Dim: 2, Features: 32, Data: scaled, Rand: rand.NewPCG(1, 32)}); err != nil || byHand.Fingerprint() != looks.Map().Fingerprint() {
		t.Errorf("--sampler eerf: the map is not that of the scaled rows, %v", err)
	}
	if m.Info().Lambda[0] != fitted.Info().Lambda[0] || !printedAs(numberAfter(t, out, "lambda"), fitted.Info().Lambda[0], 3) {
		t.Errorf("λ %v, printed in %q, the library has %v", m.Info().Lambda, out, fitted.Info().Lambda)
	}
	if strings.Contains(out, "held-out mean squared error") {
		if strings.Count(out, "mean squared error") != 1 {
			t.Errorf("fit prints more than one error: %q", out)
		}
		for _, p := range report.Path {
			if p.Lambda == fitted.Info().Lambda[0] && !printedAs(numberAfter(t, out, "held-out mean squared error"), fits.Total(p), 4) {
				t.Errorf("fit prints %q, the error is %v", out, fits.Total(p))
			}
		}
	}
}

// A cell of a comparison by hand: the same rows, scaling, features and fit.
func TestPrintedComparison(t *testing.T) {
	dir := t.TempDir()
	save(t, dir, "t.csv", moons(400, 3))
	save(t, dir, "r.csv", slope(400, 0, 2))
	for _, file := range []string{"t.csv", "r.csv"} {
		var r struct {
			Train int `json:"train_rows"`
			Test  int `json:"test_rows"`
			Cells []struct {
				Sampler       string
				Features, Rep int
				Score, Lambda float64
				Measures      fits.Values
				Kernel        string
				Times         struct{ Choose float64 }
			}
			Rows []struct{ Mean, SD float64 }
		}
		out := must(t, dir, "compare", "--data", file, "--samplers", "rff", "--features", "16,48", "--reps", "2", "--seed", "9", "--test", "0.3", "--scale", "standard", "--folds", "2", "--json", "-")
		if err := json.Unmarshal([]byte(out), &r); err != nil {
			t.Fatal(err)
		}
		table, err := dataset.Read(context.Background(), dataset.Options{}, filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		if r.Train != 280 || r.Test != 120 || len(r.Cells) != 4 {
			t.Fatalf("%d training and %d test rows, %d cells", r.Train, r.Test, len(r.Cells))
		}
		for _, c := range r.Cells {
			train, test, err := dataset.Split(table.Len(), 0.3, 9+uint64(c.Rep)*0x9e3779b97f4a7c15)
			if err != nil {
				t.Fatal(err)
			}
			slices.Sort(train)
			slices.Sort(test)
			fitted, held := table.Select(train), table.Select(test)
			scaling := dataset.FitScaling(dataset.Standard, fitted.X)
			fitted, held = fitted.Scaled(scaling), held.Scaled(scaling)
			kernel, err := rff.ParseKernel(c.Kernel)
			if err != nil {
				t.Fatal(err)
			}
			median, err := rff.MedianDistance(fitted.Matrix(), 1000, rand.NewPCG(9+uint64(c.Rep)*0x9e3779b97f4a7c15, 0x6b65726e656c))
			if err != nil || c.Kernel != fmt.Sprintf("gaussian:sigma=%v", median) {
				t.Errorf("%s: kernel %s, the median distance is %v, %v", file, c.Kernel, median, err)
			}
			fm, err := rff.New(kernel.(rff.Stationary), table.X.Cols, c.Features, rand.NewPCG(9, uint64(c.Rep)<<32|uint64(c.Features)))
			if err != nil {
				t.Fatal(err)
			}
			model, _, err := krr.Fit(context.Background(), fm, fitted.Source(), krr.Settings{Seed: 9, Folds: 2, ClipPredictions: file == "r.csv"})
			if err != nil {
				t.Fatal(err)
			}
			f := blas.NewGeneral[float64](held.Len(), 1)
			if err := fits.PredictBatch(model, f, held.X); err != nil {
				t.Fatal(err)
			}
			var right, rss, abs, ss, mean float64
			for i, y := range held.Y {
				mean += y / 120
				if (f.Row(i)[0] >= 0) == (y == 1) {
					right++
				}
				rss += (y - f.Row(i)[0]) * (y - f.Row(i)[0])
				abs += math.Abs(y - f.Row(i)[0])
			}
			for _, y := range held.Y {
				ss += (y - mean) * (y - mean)
			}
			near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-10*(1+math.Abs(b)) }
			if c.Lambda != model.Info().Lambda[0] {
				t.Errorf("%s, %d features: λ %v, by hand %v", file, c.Features, c.Lambda, model.Info().Lambda[0])
			}
			if file == "t.csv" && !near(c.Score, 100*right/120) {
				t.Errorf("%d features: accuracy %v, by hand %v", c.Features, c.Score, 100*right/120)
			}
			if m := c.Measures; file == "r.csv" && (!near(m[fits.RMSE], math.Sqrt(rss/120)) || !near(m[fits.MAE], abs/120) || !near(m[fits.R2], 1-rss/ss) || c.Score != m[fits.RMSE]) {
				t.Errorf("%d features: RMSE %v, MAE %v, R² %v, by hand %v, %v, %v", c.Features, m[fits.RMSE], m[fits.MAE], m[fits.R2], math.Sqrt(rss/120), abs/120, 1-rss/ss)
			}
		}
		for k := range 2 { // cells: repetition 0 with both sizes, then repetition 1
			a, b := r.Cells[k].Score, r.Cells[2+k].Score
			if math.Abs(r.Rows[k].Mean-(a+b)/2) > 1e-9 || math.Abs(r.Rows[k].SD-math.Abs(a-b)/math.Sqrt2) > 1e-9 {
				t.Errorf("%s: mean %v ± %v of %v and %v", file, r.Rows[k].Mean, r.Rows[k].SD, a, b)
			}
		}
	}
}

// Notes stand between lines of the report, however long it is, where both go to one place.
func TestNotesBetweenLines(t *testing.T) {
	t.Chdir(t.TempDir())
	for i := range 24 { // the report names all files
		save(t, ".", fmt.Sprintf("part-%s-%d.csv", strings.Repeat("0", 150), i), []byte(fmt.Sprintf("a,k,y\n%d,5,%.3f\n", i, math.Sin(float64(i)/7))))
	}
	var both bytes.Buffer
	if status := run(t.Context(), &stdio{out: &both, err: &both}, strings.Fields("fit --features 8 --data part-*.csv --model m")); status != 0 || both.Len() <= 4096 {
		t.Fatalf("status %d, %d bytes: %s", status, both.Len(), both.String())
	}
	for _, line := range strings.Split(both.String(), "\n") {
		if i := strings.Index(line, "rff: "); i > 0 {
			t.Errorf("a note stands within a line: %q", line)
		}
	}
	if !strings.Contains(both.String(), "rff: 1 input has one value") {
		t.Errorf("no note after the report began: %s", both.String())
	}
}
