package liu

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os/exec"
	"testing"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/bench/reproduce"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/require"
)

// numpy returns a Python with NumPy, or ends the test.
func numpy(t *testing.T) string {
	for _, p := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(p, "-c", "import numpy").Run() == nil {
			return p
		}
	}
	require.Absent(t, require.Python, "no Python here has NumPy (Debian: python3-numpy)")
	return ""
}

// theirs is the published protocol, as the comment of the package has it, in
// NumPy, from the rows and the frequencies alone.
const theirs = `
import json, sys
import numpy as np
d = json.load(sys.stdin)
X, y, T, u, W = (np.array(d[k]) for k in ("x", "y", "tx", "ty", "w"))
F = len(W)
def features(X):
    P = X @ W.T
    return np.hstack([np.cos(P), np.sin(P)]) / np.sqrt(F)
def fit(Z, y, ridge):
    m = y.mean()
    return np.linalg.solve(Z.T @ Z + ridge * np.eye(Z.shape[1]), Z.T @ (y - m)), m
def sign(v): return np.where(v >= 0, 1, -1)
Z, S = features(X), features(T)
n = len(y)
def accuracy(weight, ridges):
    A, B = Z * weight, S * weight
    right = np.zeros(len(ridges), int)
    for f in range(3):
        held = np.zeros(n, bool); held[n * f // 3:n * (f + 1) // 3] = True
        for i, r in enumerate(ridges):
            b, m = fit(A[~held], y[~held], r)
            right[i] += (sign(A[held] @ b + m) == y[held]).sum()
    best = max(range(len(ridges)), key=lambda i: (right[i], ridges[i]))
    b, m = fit(A, y, ridges[best])
    return 100 * (sign(B @ b + m) == u).mean(), ridges[best]
ridges = np.array([0.05, 0.1, 0.5, 1])
one = np.ones(2 * F)
v = (y @ Z) ** 2
G = Z.T @ Z
tau = 1 - n * 0.05 * np.diag(np.linalg.inv(G + n * 0.05 * np.eye(2 * F)))
json.dump({
    "rff": accuracy(one, ridges),
    "rff-λ/2s": accuracy(one, ridges / (2 * F)),
    "surrogate": accuracy(1 / np.sqrt(v / v.sum()), ridges),
    "leverage": accuracy(1 / np.sqrt(tau / tau.sum()), ridges),
}, sys.stdout)
`

// made is a table of two classes that a curved line divides, standardised row by row.
func made(n int) *dataset.Table {
	rng := rand.New(rand.NewPCG(3, 4))
	t := &dataset.Table{Name: "made", X: blas.NewGeneral[float64](n, 5), Coding: dataset.Coding{Task: dataset.Classification, Classes: []string{"-1", "1"}}}
	for i := range n {
		row := t.X.Row(i)
		for j := range row {
			row[j] = rng.NormFloat64()
		}
		class := 0.0
		if row[0]*row[1]+0.5*row[2]-0.3+0.3*rng.NormFloat64() > 0 {
			class = 1
		}
		t.Y = append(t.Y, class)
	}
	standardizeRows(t.X)
	return t
}

// bench returns the published protocol on a table.
func bench(t *dataset.Table) *published { return &published{name: t.Name, table: t} }

func measure(t *testing.T, p *published, k reproduce.Key) reproduce.Cell {
	t.Helper()
	c := reproduce.Cell{Key: k, Values: map[string]float64{}, Seconds: map[string]float64{}}
	if err := p.Measure(context.Background(), &c); err != nil {
		t.Fatalf("%v: %v", k, err)
	}
	return c
}

// Accuracy and λ of every method are those of NumPy.
func TestPublishedIsNumPys(t *testing.T) {
	python := numpy(t)
	table := made(900)
	for rep := range 2 {
		p := bench(table)
		k := reproduce.Key{Experiment: name, Protocol: reproduce.Published, Version: 1, Data: "made", Sampler: plain, Size: 8, Rep: rep, Seed: 11}
		got := map[string][2]float64{}
		for _, s := range []string{plain, divided, surrogate, leverage} {
			k.Sampler = s
			c := measure(t, p, k)
			got[s] = [2]float64{c.Values["accuracy"], c.Values["lambda"]}
		}
		_, base := method(plain)
		m, err := p.sample(context.Background(), base, k, 2*8*5)
		if err != nil {
			t.Fatal(err)
		}
		matrix := func(g blas.General[float64]) (out [][]float64) {
			for i := range g.Rows {
				out = append(out, g.Row(i))
			}
			return out
		}
		in, err := json.Marshal(map[string]any{"x": matrix(p.train.x), "y": p.train.y.Data, "tx": matrix(p.test.x), "ty": p.test.y.Data, "w": matrix(inside.Spec(m).W)})
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(python, "-c", theirs)
		w, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		go func() { w.Write(in); w.Close() }()
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		var want map[string][2]float64
		if err := json.Unmarshal(out, &want); err != nil {
			t.Fatal(err)
		}
		t.Log(got, want)
		for s, w := range want {
			// Rounding may turn a row whose prediction is zero but for rounding: one of
			// the 450 test rows at most. The λ are 0.05 … 1, over 80 for the plain ones.
			if g := got[s]; math.Abs(g[0]-w[0]) > 100/450.+1e-9 || math.Abs(g[1]-w[1]) > 1e-12*w[1] {
				t.Errorf("repetition %d, %s: accuracy and λ %v, NumPy has %v", rep, s, g, w)
			}
		}
		if got[plain] == got[divided] && got[plain] == got[surrogate] {
			t.Error("the methods do not differ: the test sees nothing")
		}
	}
}

// What a cell gives does not depend on the cells before it.
func TestCellsAreIndependent(t *testing.T) {
	table := made(300)
	together := bench(table)
	for _, perInput := range []int{1, 4} {
		for rep := range 2 {
			for _, s := range []string{surrogate, qmc, divided, plain, leverage} {
				k := reproduce.Key{Experiment: name, Data: "made", Sampler: s, Size: perInput, Rep: rep, Seed: 5}
				a, b := measure(t, together, k), measure(t, bench(table), k)
				if a.Values["accuracy"] != b.Values["accuracy"] || a.Values["lambda"] != b.Values["lambda"] {
					t.Errorf("%v: %v after others, %v alone", k, a.Values, b.Values)
				}
			}
		}
	}
}

// A cancelled context ends a cell.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	c := reproduce.Cell{Key: reproduce.Key{Data: "made", Sampler: plain, Size: 1}, Values: map[string]float64{}, Seconds: map[string]float64{}}
	if err := bench(made(100)).Measure(ctx, &c); err == nil {
		t.Error("it went on")
	}
}

// The paper's methods have the frequencies of plain features.
func TestSameFrequencies(t *testing.T) {
	p := bench(made(200))
	k := reproduce.Key{Data: "made", Size: 2, Seed: 1}
	if err := p.group(context.Background(), k); err != nil {
		t.Fatal(err)
	}
	w := map[string]*rff.Map{}
	for _, s := range []string{plain, leverage, surrogate, divided} {
		own, _ := method(s)
		m, err := p.sample(context.Background(), own, k, 20)
		if err != nil {
			t.Fatal(err)
		}
		w[s] = m
		for i, v := range inside.Spec(m).W.Data {
			if v != inside.Spec(w[plain]).W.Data[i] {
				t.Fatalf("%s has other frequencies", s)
			}
		}
	}
	// Columns divided by √p, Σp = 1, have a mean square of at least their number.
	var sum float64
	r := ratio(w[surrogate], w[plain])
	for _, v := range r {
		sum += 1 / (v * v)
	}
	if math.Abs(sum-1) > 1e-12 {
		t.Errorf("Σp = %v", sum)
	}
}

// Rows have mean 0 and standard deviation 1; equal values become zeros.
func TestStandardizeRows(t *testing.T) {
	x := blas.General[float64]{Rows: 2, Cols: 3, Stride: 3, Data: []float64{1, 2, 3, 7, 7, 7}}
	standardizeRows(x)
	for i, want := range []float64{-1, 0, 1, 0, 0, 0} {
		if math.Abs(x.Data[i]-want) > 1e-15 {
			t.Errorf("%v", x.Data)
		}
	}
}
