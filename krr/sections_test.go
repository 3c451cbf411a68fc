package krr_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/krr"
	"github.com/rffgo/rff/sampling"
)

// waves returns n rows of d inputs and two targets, smooth functions of them with
// noise and a mean of 30.
func waves(n, d int, seed uint64) (x, y *mat.Dense) {
	rng := rand.New(rand.NewPCG(seed, 4))
	x, y = mat.NewDense(n, d, nil), mat.NewDense(n, 2, nil)
	for i := range n {
		s := 0.0
		for j := range d {
			v := rng.NormFloat64()
			x.Set(i, j, v)
			s += v / math.Sqrt(float64(d)) * float64(1+j%3)
		}
		y.Set(i, 0, 30+math.Sin(s)+0.05*rng.NormFloat64())
		y.Set(i, 1, 30+s*s+0.05*rng.NormFloat64())
	}
	return x, y
}

func rowsOf(t testing.TB, x, y mat.Matrix) rff.Source {
	t.Helper()
	s, err := rff.FromMatrix(x, y)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// oneByOne is rowsOf with every row held out by itself.
func oneByOne(t testing.TB, x, y mat.Matrix) rff.Source {
	t.Helper()
	data := rowsOf(t, x, y)
	schema := data.Schema()
	schema.FoldRows = 1
	data, err := rff.WithSchema(data, schema)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// A Nyström fit has the coefficients and predictions that SciPy computes for
// (1/n)‖y − b − Kβ‖² + λβᵀK_mmβ by eigenvalues of the pair, with kernels of its own
// (cdist), from the landmarks of the model; and docs/read_model.py predicts the same.
func TestNystromAgainstSciPy(t *testing.T) {
	t.Parallel() // with other tests that wait for Python
	python := numpy(t)
	const script = `
import json, sys
sys.path.insert(0, sys.argv[1])
import numpy as np, scipy.linalg as la
from scipy.spatial.distance import cdist
import read_model
meta, t = read_model.read(sys.argv[2])
d = json.load(open(sys.argv[3]))
x, y, new, lam, kind, size = (np.array(d["x"]), np.array(d["y"]), np.array(d["new"]), d["lambda"], d["kind"], d["size"])
c = t["map.landmarks"]
def kernel(a, b):
    metric, own = {"l1": ("cityblock", {}), "power": ("minkowski", {"p": 1.5})}.get(kind, ("euclidean", {}))
    r = cdist(a / size, b / size, metric, **own)
    return {"gaussian": lambda: np.exp(-r*r/2), "0.5": lambda: np.exp(-r), "l1": lambda: np.exp(-r), "power": lambda: np.exp(-r**1.5),
            "1.5": lambda: (1 + 3**.5*r)*np.exp(-3**.5*r), "2.5": lambda: (1 + 5**.5*r + 5*r*r/3)*np.exp(-5**.5*r)}[kind]()
n, k = len(x), kernel(x, c)
kc, yc = k - k.mean(0), y - y.mean(0)
w, v = la.eigh(kc.T @ kc, kernel(c, c) + 1e-12*np.eye(len(c)))
beta = v @ ((v.T @ (kc.T @ yc)) / (w + n*lam)[:, None])
pred = (kernel(new, c) - k.mean(0)) @ beta + y.mean(0)
own = read_model.scores(meta, t, new)
print(json.dumps({"beta": beta.tolist(), "pred": pred.tolist(), "own": own.tolist()}))
`
	dir := t.TempDir()
	for _, c := range []struct {
		kind   string
		kernel rff.Kernel
		size   []float64 // one for each input, or of all
	}{{"l1", rff.NewLaplacian(2, 3, 4, 2, 3, 4), []float64{2, 3, 4, 2, 3, 4}},
		{"power", rff.NewExponentialPower(1.5, 1.5, 2, 3, 4, 2, 3, 4), []float64{2, 3, 4, 2, 3, 4}},
		{"gaussian", rff.NewGaussian(1.2), []float64{1.2}}, {"0.5", rff.NewMatern(0.5, 2), []float64{2}}, {"1.5", rff.NewMatern(1.5, 1.5), []float64{1.5}}, {"2.5", rff.NewMatern(2.5, 1.5), []float64{1.5}}} {
		const n, d, m, lambda = 700, 6, 60, 1e-4
		x, y := waves(n, d, 1)
		fresh, _ := waves(50, d, 2)
		features, err := sampling.Nystrom{}.Sample(context.Background(), rff.Request{Kernel: c.kernel, Dim: d, Features: m, Data: rowsOf(t, x, y), Rand: rand.NewPCG(3, 3)})
		if err != nil {
			t.Fatal(err)
		}
		model, report, err := krr.Fit(context.Background(), features, rowsOf(t, x, y), krr.Settings{Lambdas: []float64{lambda}, Engine: native()})
		if err != nil {
			t.Fatal(err)
		}
		if krr.InfoOf(report).Solved.Jitter != 0 || jitterOf(features) != 1e-12 {
			t.Errorf("%s: jitter %v and %v", c.kind, krr.InfoOf(report).Solved.Jitter, jitterOf(features))
		}
		path := filepath.Join(dir, c.kind)
		if err := model.Save(path); err != nil {
			t.Fatal(err)
		}
		list := func(a *mat.Dense) (rows [][]float64) {
			r, _ := a.Dims()
			for i := range r {
				rows = append(rows, a.RawRowView(i))
			}
			return rows
		}
		data, err := json.Marshal(map[string]any{"x": list(x), "y": list(y), "new": list(fresh), "lambda": lambda, "kind": c.kind, "size": c.size})
		if err != nil {
			t.Fatal(err)
		}
		in := filepath.Join(dir, "data.json")
		if err := os.WriteFile(in, data, 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(python, "-c", script, filepath.Join("..", "docs"), path, in)
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		var want struct{ Beta, Pred, Own [][]float64 }
		if err := json.Unmarshal(out, &want); err != nil {
			t.Fatal(err)
		}
		loaded, err := krr.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		var got mat.Dense
		if err := loaded.Predict(&got, fresh); err != nil {
			t.Fatal(err)
		}
		beta, _ := loaded.Coefficients()
		bound := 1e-8 * mat.Max(beta)
		if c.kind == "0.5" {
			// A landmark is a row, at the distance 0: of the rounding of its square, some
			// 10 eps, the root is 5e-8, where the other kernels are flat.
			bound *= 10
		}
		for i := range 50 {
			for k := range 2 {
				nearTo(t, fmt.Sprintf("%s: prediction %d of target %d", c.kind, i, k), got.At(i, k), want.Pred[i][k], 1e-8*30)
				nearTo(t, fmt.Sprintf("%s: read_model.py's prediction %d of target %d", c.kind, i, k), want.Own[i][k], got.At(i, k), 1e-9*30)
			}
		}
		for j := range m {
			for k := range 2 {
				nearTo(t, fmt.Sprintf("%s: coefficient %d of target %d", c.kind, j, k), beta.At(j, k), want.Beta[j][k], bound)
			}
		}
	}
}

// jitterOf returns what was added to the diagonal of the landmarks' kernel matrix.
func jitterOf(m *rff.Map) float64 {
	_, change := inside.Split(m)
	return change.Jitter()
}

func nearTo(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Fatalf("%s is %.12g, want %.12g (difference %.2g of %.2g)", what, got, want, math.Abs(got-want), tol)
	}
}

// With every row a landmark the fit is exact kernel ridge regression with an
// intercept: α and b of (K + nλI)α + b·1 = y, 1ᵀα = 0; by sums and by the dual.
func TestNystromOfAllRowsIsKernelRidge(t *testing.T) {
	const n, d, lambda = 90, 4, 1e-3
	x, y := waves(n, d, 5)
	fresh, _ := waves(40, d, 6)
	for _, k := range []rff.Kernel{rff.NewGaussian(1), rff.NewMatern(1.5, 1.5)} {
		m, err := rff.Nystrom(k, x)
		if err != nil {
			t.Fatal(err)
		}
		a := mat.NewDense(n+1, n+1, nil)
		rhs := mat.NewDense(n+1, 2, nil)
		for i := range n {
			for j := range n {
				a.Set(i, j, k.Eval(x.RawRowView(i), x.RawRowView(j)))
			}
			a.Set(i, i, 1+n*lambda)
			a.Set(i, n, 1)
			a.Set(n, i, 1)
			rhs.SetRow(i, y.RawRowView(i))
		}
		var alpha mat.Dense
		if err := alpha.Solve(a, rhs); err != nil {
			t.Fatal(err)
		}
		model, _, err := krr.Fit(context.Background(), m, rowsOf(t, x, y), krr.Settings{Lambdas: []float64{lambda}})
		if err != nil {
			t.Fatal(err)
		}
		var got mat.Dense
		if err := model.Predict(&got, fresh); err != nil {
			t.Fatal(err)
		}
		for i := range 40 {
			for c := range 2 {
				want := alpha.At(n, c)
				for j := range n {
					want += alpha.At(j, c) * k.Eval(fresh.RawRowView(i), x.RawRowView(j))
				}
				nearTo(t, fmt.Sprintf("%v: prediction %d, target %d", k, i, c), got.At(i, c), want, 1e-8*30)
			}
		}
	}
}

// Sums by a congruence are those of rows that were multiplied one by one, and so is
// what follows from them: coefficients, the λ path, leave-one-out errors, variances,
// probabilities.
func TestNystromByCongruence(t *testing.T) {
	const n, d, m = 600, 5, 40
	x, y := waves(n, d, 7)
	k := rff.NewMatern(0.5, 2.0)
	features, err := sampling.Nystrom{}.Sample(context.Background(), rff.Request{Kernel: k, Dim: d, Features: m, Data: rowsOf(t, x, y), Rand: rand.NewPCG(1, 1)})
	if err != nil {
		t.Fatal(err)
	}
	var z mat.Dense
	if err := features.Transform(&z, x); err != nil {
		t.Fatal(err)
	}
	// The same features as inputs of a map that hands them on.
	w := blas.NewGeneral[float64](m, m)
	ones := make([]float64, m)
	for i := range m {
		w.Row(i)[i], ones[i] = 1, 1
	}
	linear, err := inside.New(&blas.Spec{Dim: m, W: w, Func: asm.Linear, Weight: ones}, nil)
	if err != nil {
		t.Fatal(err)
	}
	analysed := func(m *rff.Map, x mat.Matrix) []krr.PathPoint {
		g := krr.NewGram(m, 2, krr.GramSettings{})
		if err := g.AddSource(context.Background(), rowsOf(t, x, y)); err != nil {
			t.Fatal(err)
		}
		a, err := g.Analyze(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	byRows := analysed(linear, &z)
	for i, a := range analysed(features, x) {
		b := byRows[i]
		nearTo(t, "freedom", a.Freedom, b.Freedom, 1e-6*b.Freedom)
		for c := range 2 {
			nearTo(t, "log evidence", a.LogEvidence[c], b.LogEvidence[c], 1e-6*math.Abs(b.LogEvidence[c]))
			nearTo(t, "GCV", a.Error[c], b.Error[c], 1e-7*b.Error[c])
		}
	}
	s := krr.Settings{Folds: 4, Uncertainty: "variance"}
	for _, criterion := range []krr.Criterion{krr.CrossValidation, krr.GCV, krr.LeaveOneOut} {
		s.Criterion = criterion
		got, a, err := krr.Fit(context.Background(), features, oneByOne(t, x, y), s)
		if err != nil {
			t.Fatal(err)
		}
		want, b, err := krr.Fit(context.Background(), linear, oneByOne(t, &z, y), s)
		if err != nil {
			t.Fatal(err)
		}
		if krr.InfoOf(a).Lambda[0] != krr.InfoOf(b).Lambda[0] {
			t.Fatalf("λ %v, by rows %v", krr.InfoOf(a).Lambda, krr.InfoOf(b).Lambda)
		}
		for i := range a.Path {
			for c := range 2 {
				nearTo(t, fmt.Sprintf("criterion %v at λ = %g", criterion, a.Path[i].Lambda), a.Path[i].Error[c], b.Path[i].Error[c], 1e-7*b.Path[i].Error[c])
			}
		}
		fresh, _ := waves(30, d, 8)
		var zf, p, q, vp, vq mat.Dense
		for _, err := range []error{features.Transform(&zf, fresh), got.Predict(&p, fresh), want.Predict(&q, &zf), got.Variance(&vp, fresh), want.Variance(&vq, &zf)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		for i := range 30 {
			for c := range 2 {
				nearTo(t, "prediction", p.At(i, c), q.At(i, c), 1e-7)
				nearTo(t, "variance", vp.At(i, c), vq.At(i, c), 1e-6*vq.At(i, c))
			}
		}
		var file bytes.Buffer
		if _, err := got.WriteTo(&file); err != nil {
			t.Fatal(err)
		}
		back, err := krr.ReadModel(&file)
		if err != nil {
			t.Fatal(err)
		}
		var again, vagain mat.Dense
		if err := back.Predict(&again, fresh); err != nil {
			t.Fatal(err)
		}
		if err := back.Variance(&vagain, fresh); err != nil {
			t.Fatal(err)
		}
		if !mat.Equal(&again, &p) || !mat.Equal(&vagain, &vp) {
			t.Error("the model read back predicts otherwise")
		}
	}
}

// A Gram that was saved, merged from parts and read back gives the model of one pass.
func TestNystromGramInParts(t *testing.T) {
	const n, d, m = 1100, 3, 30
	x, y := waves(n, d, 9)
	features, err := sampling.Nystrom{}.Sample(context.Background(), rff.Request{Kernel: rff.NewGaussian(1), Dim: d, Features: m, Data: rowsOf(t, x, y), Rand: rand.NewPCG(1, 1)})
	if err != nil {
		t.Fatal(err)
	}
	whole := krr.NewGram(features, 2, krr.GramSettings{})
	parts := krr.NewGram(features, 2, krr.GramSettings{})
	if err := whole.AddSource(context.Background(), rowsOf(t, x, y)); err != nil {
		t.Fatal(err)
	}
	for _, r := range [][2]int{{0, 400}, {400, n}} {
		g := krr.NewGram(features, 2, krr.GramSettings{})
		if err := g.AddSource(context.Background(), rowsOf(t, x.Slice(r[0], r[1], 0, d), y.Slice(r[0], r[1], 0, 2))); err != nil {
			t.Fatal(err)
		}
		data, err := g.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		back := new(krr.Gram)
		if err := back.UnmarshalBinary(data); err != nil {
			t.Fatal(err)
		}
		if err := parts.Merge(back); err != nil {
			t.Fatal(err)
		}
	}
	a, err := whole.Solve(context.Background(), 1e-5)
	if err != nil {
		t.Fatal(err)
	}
	b, err := parts.Solve(context.Background(), 1e-5)
	if err != nil {
		t.Fatal(err)
	}
	var p, q mat.Dense
	if a.Predict(&p, x) != nil || b.Predict(&q, x) != nil {
		t.Fatal("no prediction")
	}
	for i := range n {
		nearTo(t, "prediction", q.At(i, 0), p.At(i, 0), 1e-8*30)
	}
}

// Duplicated rows, equal rows, more landmarks than distinct rows and a ridge of
// 1e-12 leave finite models that predict no worse than the mean, and the map says
// what was added to its diagonal.
func TestNystromOfHardRows(t *testing.T) {
	const n, d, m = 800, 3, 200
	x, y := waves(n, d, 10)
	few, equal := mat.NewDense(n, d, nil), mat.NewDense(n, d, nil)
	fy := mat.NewDense(n, 2, nil)
	for i := range n {
		few.SetRow(i, x.RawRowView(i%50))
		fy.SetRow(i, y.RawRowView(i%50))
		equal.SetRow(i, x.RawRowView(0))
	}
	for name, c := range map[string]struct{ x, y *mat.Dense }{"distinct": {x, y}, "50 distinct": {few, fy}, "equal": {equal, y}} {
		for _, kernel := range []rff.Kernel{rff.NewGaussian(20), rff.NewMatern(2.5, 5)} {
			for _, s := range []krr.Settings{{Lambdas: []float64{1e-12}}, {}} {
				features, err := sampling.Nystrom{}.Sample(context.Background(), rff.Request{Kernel: kernel, Dim: d, Features: m, Data: rowsOf(t, c.x, c.y), Rand: rand.NewPCG(1, 1)})
				if err != nil {
					t.Fatal(err)
				}
				if !(jitterOf(features) > 1e-12) {
					t.Errorf("%s: jitter %v", name, jitterOf(features))
				}
				model, report, err := krr.Fit(context.Background(), features, rowsOf(t, c.x, c.y), s)
				if err != nil {
					t.Fatalf("%s, %v, λ = %v: %v", name, kernel, s.Lambdas, err)
				}
				for k, r2 := range report.Train.R2 {
					if !(r2 >= -1e-6 && r2 <= 1) {
						t.Errorf("%s, %v, λ = %v: R² of target %d is %v (%v)", name, kernel, s.Lambdas, k, r2, krr.InfoOf(report).Solved)
					}
				}
				var p mat.Dense
				if err := model.Predict(&p, c.x); err != nil {
					t.Fatal(err)
				}
				for k := range 2 {
					var rss, tss, mean float64
					for i := range n {
						mean += c.y.At(i, k) / n
					}
					for i := range n {
						rss += (p.At(i, k) - c.y.At(i, k)) * (p.At(i, k) - c.y.At(i, k))
						tss += (mean - c.y.At(i, k)) * (mean - c.y.At(i, k))
					}
					if !(rss <= 1.05*tss) {
						t.Errorf("%s, %v, λ = %v: residuals %v of %v (%v)", name, kernel, s.Lambdas, rss, tss, krr.InfoOf(report).Solved)
					}
				}
			}
		}
	}
}

// Conjugate gradients come to the coefficients of the direct solution.
func TestNystromByConjugateGradients(t *testing.T) {
	const n, d, m, lambda = 900, 4, 80, 1e-4
	x, y := waves(n, d, 11)
	features, err := sampling.Nystrom{}.Sample(context.Background(), rff.Request{Kernel: rff.NewMatern(1.5, 2), Dim: d, Features: m, Data: rowsOf(t, x, y), Rand: rand.NewPCG(1, 1)})
	if err != nil {
		t.Fatal(err)
	}
	want, _, err := krr.Fit(context.Background(), features, rowsOf(t, x, y), krr.Settings{Lambdas: []float64{lambda}})
	if err != nil {
		t.Fatal(err)
	}
	got, report, err := krr.Fit(context.Background(), features, rowsOf(t, x, y), krr.Settings{Lambdas: []float64{lambda}, Passes: &krr.Passes{Tolerance: 1e-6}})
	if err != nil {
		t.Fatal(err)
	}
	if krr.InfoOf(report).Solved.Iterations == 0 || krr.InfoOf(report).Solved.Iterations > 60 {
		t.Error(krr.InfoOf(report).Solved)
	}
	fresh, _ := waves(50, d, 12)
	var p, q mat.Dense
	if want.Predict(&p, fresh) != nil || got.Predict(&q, fresh) != nil {
		t.Fatal("no prediction")
	}
	for i := range 50 {
		nearTo(t, "prediction", q.At(i, 0), p.At(i, 0), 1e-4)
	}
	var wrong *rff.ParameterError
	if _, _, err := krr.Fit(context.Background(), features, rowsOf(t, x, y), krr.Settings{Lambdas: []float64{lambda}, Passes: &krr.Passes{Memory: 1000}}); !errors.As(err, &wrong) || wrong.Name != "memory" {
		t.Errorf("1000 bytes: %v", err)
	}
	// 80×80 numbers more than random features need, at least.
	least := func(m *rff.Map) (bytes int) {
		_, _, err := krr.Fit(context.Background(), m, rowsOf(t, x, y), krr.Settings{Lambdas: []float64{lambda}, Passes: &krr.Passes{Memory: 1 << 20}})
		if !errors.As(err, &wrong) || wrong.Value != int64(1<<20) {
			t.Fatalf("1 MiB: %v", err)
		}
		if _, err := fmt.Sscanf(wrong.Need, "conjugate gradients with 80 features need at least %d bytes", &bytes); err != nil {
			t.Fatalf("%q: %v", wrong.Need, err)
		}
		return bytes
	}
	if own, plain := least(features), least(gaussianMap(t, 1, d, m, 1)); own < plain+51200 {
		t.Errorf("%d bytes, %d of random features", own, plain)
	}
}

// Fits of landmarks are in float64 whatever is asked for, with the same bits and the same
// need of memory, and a Gram that says otherwise is refused.
func TestNystromInFloat32(t *testing.T) {
	const n, d, m = 900, 4, 80
	x, y := waves(n, d, 11)
	features, err := sampling.Nystrom{}.Sample(context.Background(), rff.Request{Kernel: rff.NewMatern(1.5, 2), Dim: d, Features: m, Data: rowsOf(t, x, y), Rand: rand.NewPCG(1, 1)})
	if err != nil {
		t.Fatal(err)
	}
	few := func() rff.Source {
		return rowsOf(t, x.Slice(0, 40, 0, d).(*mat.Dense), y.Slice(0, 40, 0, 2).(*mat.Dense))
	}
	for name, c := range map[string]struct {
		rows func() rff.Source
		s    krr.Settings
	}{
		"one λ":      {func() rff.Source { return rowsOf(t, x, y) }, krr.Settings{Lambdas: []float64{1e-4}}},
		"path":       {func() rff.Source { return rowsOf(t, x, y) }, krr.Settings{}},
		"iterations": {func() rff.Source { return rowsOf(t, x, y) }, krr.Settings{Lambdas: []float64{1e-4}, Passes: &krr.Passes{}}},
		"few rows":   {few, krr.Settings{Lambdas: []float64{1e-4}}},
	} {
		want, _, err := krr.Fit(context.Background(), features, c.rows(), c.s)
		if err != nil {
			t.Fatal(err)
		}
		c.s.Precision = krr.Float32
		got, report, err := krr.Fit(context.Background(), features, c.rows(), c.s)
		if err != nil {
			t.Fatal(err)
		}
		if krr.InfoOf(report).Precision != krr.Float64 || got.Info().Precision != krr.Float64 {
			t.Errorf("%s: %v, and a model of %v", name, krr.InfoOf(report).Precision, got.Info().Precision)
		}
		p, a := want.Coefficients()
		q, b := got.Coefficients()
		if !mat.Equal(p, q) || !slices.Equal(a, b) {
			t.Errorf("%s: other coefficients", name)
		}
	}
	s := krr.Settings{Lambdas: []float64{1e-4}, Precision: krr.Float32}
	if a, b := krr.Need(d, m, 2, 70, true, s), krr.Need(d, m, 2, 70, true, krr.Settings{Lambdas: []float64{1e-4}}); a != b {
		t.Errorf("%v bytes for float32, %v for float64", a, b)
	}

	g := krr.NewGram(features, 2, krr.GramSettings{Precision: krr.Float32})
	if g.Settings().Precision != krr.Float64 {
		t.Errorf("a Gram of %v", g.Settings().Precision)
	}
	file, err := g.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	other := krr.Seal(bytes.Replace(file, []byte(`"precision":"float64"`), []byte(`"precision":"float32"`), 1))
	if err := new(krr.Gram).UnmarshalBinary(other); err == nil || !strings.Contains(err.Error(), "sum the rows again") {
		t.Errorf("sums of float32: %v", err)
	}
}

// With fewer rows than landmarks the dual gives what the definition does: α and b of
// (K_xcK⁻¹K_cx + nλI)α + b·1 = y, 1ᵀα = 0, for landmarks of which no two are near.
func TestNystromOfFewRows(t *testing.T) {
	const n, m, d, lambda = 40, 70, 4, 1e-3
	c, _ := waves(m, d, 5)
	x, y := waves(n, d, 6)
	k := rff.NewMatern(0.5, 2)
	kernel := func(a, b *mat.Dense) *mat.Dense {
		rows, _ := a.Dims()
		cols, _ := b.Dims()
		out := mat.NewDense(rows, cols, nil)
		for i := range rows {
			for j := range cols {
				out.Set(i, j, k.Eval(a.RawRowView(i), b.RawRowView(j)))
			}
		}
		return out
	}
	features, err := rff.Nystrom(k, c)
	if err != nil {
		t.Fatal(err)
	}
	model, report, err := krr.Fit(context.Background(), features, rowsOf(t, x, y), krr.Settings{Lambdas: []float64{lambda}})
	if err != nil {
		t.Fatal(err)
	}
	if !krr.InfoOf(report).Solved.Dual() {
		t.Errorf("solved by %v", krr.InfoOf(report).Solved)
	}
	var projected, low mat.Dense // K⁻¹K_cx and K_xcK⁻¹K_cx
	if err := projected.Solve(kernel(c, c), kernel(c, x)); err != nil {
		t.Fatal(err)
	}
	low.Mul(kernel(x, c), &projected)
	a, rhs := mat.NewDense(n+1, n+1, nil), mat.NewDense(n+1, 2, nil)
	for i := range n {
		for j := range n {
			a.Set(i, j, low.At(i, j))
		}
		a.Set(i, i, low.At(i, i)+n*lambda)
		a.Set(i, n, 1)
		a.Set(n, i, 1)
		rhs.SetRow(i, y.RawRowView(i))
	}
	var alpha mat.Dense
	if err := alpha.Solve(a, rhs); err != nil {
		t.Fatal(err)
	}
	fresh, _ := waves(30, d, 8)
	var got, at, want mat.Dense
	if err := model.Predict(&got, fresh); err != nil {
		t.Fatal(err)
	}
	at.Mul(kernel(fresh, c), &projected)
	want.Mul(&at, alpha.Slice(0, n, 0, 2))
	for i := range 30 {
		for j := range 2 {
			nearTo(t, "prediction", got.At(i, j), want.At(i, j)+alpha.At(n, j), 1e-8*30)
		}
	}
}

// A fit on landmarks that was stopped goes on from its checkpoint to the same bits.
func TestNystromResumes(t *testing.T) {
	const n, d, m = 2000, 4, 50
	x, y := waves(n, d, 12)
	features, err := sampling.Nystrom{}.Sample(context.Background(), rff.Request{Kernel: rff.NewGaussian(2), Dim: d, Features: m, Data: rowsOf(t, x, y), Rand: rand.NewPCG(1, 1)})
	if err != nil {
		t.Fatal(err)
	}
	file := func(data rff.Source, s krr.Settings) []byte {
		model, _, err := krr.Fit(context.Background(), features, data, s)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if _, err := model.WriteTo(&b); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	want := file(rowsOf(t, x, y), krr.Settings{})
	s := krr.Settings{Checkpoint: krr.Checkpoint{Path: filepath.Join(t.TempDir(), "state"), Every: time.Nanosecond}}
	_, _, err = krr.Fit(context.Background(), features, brokenOff{rowsOf(t, x, y), 700}, s)
	if !errors.Is(err, errBreak) {
		t.Fatalf("the rows did not break off: %v", err)
	}
	_, report, err := krr.Fit(context.Background(), features, rowsOf(t, x, y), s)
	if err != nil {
		t.Fatal(err)
	}
	if report.Resumed == 0 {
		t.Error("nothing was resumed")
	}
	if !bytes.Equal(file(rowsOf(t, x, y), s), want) {
		t.Error("the model differs from that of a fit without a stop")
	}
}

var errBreak = errors.New("broken off")

// brokenOff gives its first rows one by one, and then an error.
type brokenOff struct {
	rff.Source
	rows int
}

func (b brokenOff) Batches(ctx context.Context) iter.Seq2[rff.Batch, error] {
	return func(yield func(rff.Batch, error) bool) {
		for batch, err := range b.Source.Batches(ctx) {
			for i := range batch.X.Rows {
				one := rff.Batch{First: batch.First + int64(i), X: batch.X.RowRange(i, i+1), Y: batch.Y.RowRange(i, i+1)}
				if int(one.First) == b.rows {
					yield(rff.Batch{}, errBreak)
					return
				}
				if !yield(one, err) {
					return
				}
			}
		}
	}
}
