package main

import (
	"os"
	"strings"
	"testing"
)

// Landmarks go all the way: a model is fitted and predicts, sums in parts give the
// predictions of one fit, a comparison has the column; wide bandwidths are said to
// need jitter, and kernels without sections are refused.
func TestLandmarks(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, rows := range map[string][2]int{"all.csv": {0, 401}, "a.csv": {0, 201}, "b.csv": {201, 401}} {
		lines := strings.SplitAfter(string(moons(400, 3)), "\n")
		text := lines[0] + strings.Join(lines[max(1, rows[0]):min(rows[1], len(lines))], "")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ok(t, "fit --data all.csv --sampler nystrom:pick=rpcholesky --kernel matern:nu=2.5 --features 40 --probabilities --variance --model m.rff")
	if out := ok(t, "predict --data all.csv --model m.rff --output p.csv").out; out == "" && read(t, "p.csv") == "" {
		t.Error("no predictions")
	}
	ok(t, "gram --data a.csv --sampler nystrom --features 32 --scale none --sigma 1 --output a.gram")
	ok(t, "gram --data b.csv --like a.gram --output b.gram")
	ok(t, "merge --output all.gram a.gram b.gram")
	ok(t, "solve --gram all.gram --lambda 1e-6 --model s.rff")
	ok(t, "predict --data all.csv --model s.rff --output q.csv")
	if n := strings.Count(read(t, "q.csv"), "\n"); n != 401 {
		t.Errorf("%d lines of predictions", n)
	}
	out := ok(t, "compare --data all.csv --samplers rff,nystrom --features 16 --reps 1").out
	if !strings.Contains(out, "nystrom") {
		t.Error(out)
	}
	r := ok(t, "fit --data all.csv --sampler nystrom --sigma 50 --features 64 --model w.rff")
	if !strings.Contains(r.errors, "diagonal of their kernel matrix") {
		t.Errorf("no word of jitter: %q", r.errors)
	}
	if r := ok(t, "gram --data a.csv --sampler nystrom --scale none --sigma 50 --features 64 --output w.gram"); !strings.Contains(r.errors, "diagonal of their kernel matrix") {
		t.Errorf("gram: no word of jitter: %q", r.errors)
	}
	const searched = "searched with random features"
	if r := ok(t, "fit --data all.csv --sampler nystrom --sigma cv --features 32 --model c.rff"); !strings.Contains(r.errors, searched) {
		t.Errorf("the search of landmarks is not said: %s", r.errors)
	}
	if r := ok(t, "gram --data a.csv --sampler nystrom --scale none --sigma cv --features 32 --output c.gram"); !strings.Contains(r.errors, searched) {
		t.Errorf("the search of landmarks is not said: %s", r.errors)
	}
	if r := ok(t, "fit --data all.csv --sampler nystrom --sigma 2 --features 32 --model c.rff"); strings.Contains(r.errors, searched) {
		t.Errorf("a search of a given bandwidth: %s", r.errors)
	}
	for line, said := range map[string]bool{
		"fit --data all.csv --sampler nystrom --sigma 2 --features 32 --precision f32 --model c.rff": true,
		"fit --data all.csv --sampler nystrom --sigma 2 --features 32 --model c.rff":                 false,
		"fit --data all.csv --sigma 2 --features 32 --precision f32 --model c.rff":                   false,
		"gram --data a.csv --sampler nystrom --features 32 --precision f32 --output c.gram":          true,
	} {
		if r := ok(t, line); strings.Contains(r.errors, "landmarks are fitted in f64") != said {
			t.Errorf("rff %s: the precision is said: %v: %s", line, !said, r.errors)
		}
	}
	if r := ok(t, "compare --data all.csv --samplers rff,nystrom --features 64 --sigma 50"); !strings.Contains(r.out, "diagonal of their kernel matrix, in") {
		t.Errorf("compare says no jitter: %s", r.out)
	}
	if r := ok(t, "fit --data all.csv --sampler nystrom:metric=diagonal --features 40 --model d.rff"); !strings.Contains(r.out, "sigma=") {
		t.Errorf("a learned metric: %s", r.out)
	}
	ok(t, "predict --data all.csv --model d.rff --output d.csv")
	refused(t, "fit --data all.csv --sampler metric:base=nystrom --features 40 --model x.rff", "base of metric")
	// The search of everything takes kernels that have sections.
	ok(t, "fit --data all.csv --sampler nystrom --auto --budget 100ms --model auto.rff")
	if r := ok(t, "fit --data all.csv --sampler nystrom --auto --budget 0 --features 32 --model quick.rff"); strings.Contains(r.out, "cauchy") {
		t.Errorf("auto: %s", r.out)
	}
	ok(t, "fit --data all.csv --sampler nystrom:pick=rpcholesky --kernel laplacian --features 16 --model l.rff")
	ok(t, "predict --data all.csv --model l.rff --output l.csv")
	refused(t, "fit --data all.csv --sampler nystrom --kernel cauchy --features 16 --model x.rff", "laplacian")
	refused(t, "fit --data all.csv --sampler nystrom --features 2000 --model x.rff", "400")
}
