package main

import (
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rffgo/rff/krr"
)

// Sums of parts on a plan of all rows make the model of rff fit: the λ of the same
// criterion, the range that predictions are confined to, the predictions. The parts are
// unlike each other, and rows to predict lie outside: a plan of the first part alone, or
// predictions that are not confined, would be others.
func TestPartsOnAPlan(t *testing.T) {
	t.Chdir(t.TempDir())
	r := rand.New(rand.NewPCG(5, 6))
	const head = "a,b,y\n"
	parts, far := make([]string, 3), "a,b\n"
	for k := range parts {
		for range 400 + 100*k {
			a, b := r.NormFloat64()+2*float64(k), (1+float64(k))*r.NormFloat64()
			parts[k] += fmt.Sprintf("%.6f,%.6f,%.6f\n", a, b, 5*math.Sin(a)+b+0.1*r.NormFloat64())
		}
		save(t, ".", fmt.Sprint(k, ".csv"), []byte(head+parts[k]))
	}
	for range 300 {
		far += fmt.Sprintf("%.6f,%.6f\n", 2+9*r.NormFloat64(), 9*r.NormFloat64())
	}
	save(t, ".", "far.csv", []byte(far))
	const files = "0.csv,1.csv,2.csv"
	if text := ok(t, "gram --plan --data "+files+" --label y --features 48 --seed 3 --output plan").out; !strings.Contains(text, "without rows") {
		t.Errorf("a plan: %q", text)
	}
	for k := range parts {
		ok(t, fmt.Sprintf("gram --like plan --data %d.csv --label y --output %d.gram", k, k))
	}
	ok(t, "merge --output 01.gram 0.gram 1.gram")
	ok(t, "merge --output all.gram 01.gram 2.gram plan")
	for _, by := range []struct{ fit, solve string }{{"--criterion gcv", ""}, {"--lambda 1e-6", "--lambda 1e-6"}} {
		ok(t, "fit --data "+files+" --label y --features 48 --seed 3 --model whole "+by.fit)
		text := ok(t, "solve --gram all.gram --model sums "+by.solve).out
		if strings.Contains(text, "cross-validation") != (by.solve == "") {
			t.Errorf("how λ was chosen: %q", text)
		}
		whole, err := krr.Load("whole")
		if err != nil {
			t.Fatal(err)
		}
		sums, err := krr.Load("sums")
		if err != nil {
			t.Fatal(err)
		}
		w, s := whole.Info(), sums.Info()
		if w.Lambda[0] != s.Lambda[0] || !slices.Equal(w.Schema.Target.Range[0], s.Schema.Target.Range[0]) || whole.Map().Fingerprint() != sums.Map().Fingerprint() {
			t.Errorf("λ %g and %g, predictions in %v and in %v, maps %s and %s", w.Lambda, s.Lambda, w.Schema.Target.Range, s.Schema.Target.Range, whole.Map().Fingerprint(), sums.Map().Fingerprint())
		}
		a, b := predicted(t, "whole"), predicted(t, "sums")
		ends := 0
		for i, v := range a {
			if slices.Contains(w.Schema.Target.Range[0], v) {
				ends++
			}
			// Sums in another order: at most n·eps in ZᵀZ and ZᵀY, of targets up to 30,
			// times the condition, at most 1/λ; the errors of 1500 terms cancel to 2√n.
			if e := math.Abs(v - b[i]); e > 2*math.Sqrt(1500)*0x1p-52*30/w.Lambda[0] {
				t.Errorf("%s: row %d: %v of the fit, %v of the sums", by.fit, i+1, v, b[i])
			}
		}
		if ends == 0 || ends == len(a) {
			t.Errorf("%d of %d predictions lie at the ends: they show nothing", ends, len(a))
		}
	}
	refused(t, "solve --gram plan --model none", "--gram: plan has no rows", "--like plan")
}

// predicted returns the predictions of far.csv.
func predicted(t *testing.T, model string) []float64 {
	t.Helper()
	lines, err := csv.NewReader(strings.NewReader(ok(t, "predict --data far.csv --model "+model).out)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var out []float64
	for _, line := range lines[1:] {
		v, err := strconv.ParseFloat(line[0], 64)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}

// λ whose ridge is below the rounding errors of the sums are not chosen, and their estimates count
// these errors: in float32 a function of one input with a kink would have the least of them there.
func TestSolveChoosesAmongResolved(t *testing.T) {
	t.Chdir(t.TempDir())
	rows := []byte("x,y\n")
	for i := range 3000 {
		x := float64(i)/1500 - 1
		rows = fmt.Appendf(rows, "%.9f,%.9f\n", x, math.Abs(x))
	}
	save(t, ".", "t.csv", rows)
	ok(t, "gram --data t.csv --label y --features 256 --sigma 0.5 --precision f32 --output g")
	g, err := krr.LoadGram("g")
	if err != nil {
		t.Fatal(err)
	}
	path, err := g.Analyze(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	least, unresolved := path[0], 0
	for _, a := range path {
		if a.Error[0] < least.Error[0] {
			least = a
		}
		if a.Solved.Unresolved {
			unresolved++
		}
	}
	if unresolved == 0 || unresolved == len(path) {
		t.Fatalf("%d of %d λ are not resolved: they show nothing", unresolved, len(path))
	}
	if least.Solved.Unresolved {
		t.Errorf("λ = %g has the least estimate, and is not resolved", least.Lambda)
	}
	got := numberAfter(t, ok(t, "solve --gram g --model m").out, "lambda")
	for _, a := range path {
		if a.Lambda == got && a.Solved.Unresolved {
			t.Errorf("λ = %g is chosen, and is not resolved", got)
		}
	}
}

// A λ that is not resolved is neither chosen nor an end of the grid, even if its estimate is the least.
func TestLeastAmongResolved(t *testing.T) {
	point := func(lambda, estimate float64, unresolved bool) krr.PathPoint {
		return krr.PathPoint{Lambda: lambda, Error: []float64{estimate}, Solved: krr.Solved{Unresolved: unresolved}}
	}
	for _, c := range []struct {
		path []krr.PathPoint
		want float64
		edge string
	}{
		{[]krr.PathPoint{point(1, 0.1, true), point(2, 0.3, false), point(3, 0.2, false), point(4, 0.4, false)}, 3, ""},
		{[]krr.PathPoint{point(1, 0.5, true), point(2, 0.1, false), point(3, 0.2, false)}, 2, atEdge},
		{[]krr.PathPoint{point(1, 0.1, true), point(2, 0.2, true)}, 2, ""},
	} {
		if lambda, edge := leastGCV(c.path); lambda != c.want || edge != c.edge {
			t.Errorf("%+v: λ = %g%s, want %g%s", c.path, lambda, edge, c.want, c.edge)
		}
	}
}

// The best λ of the grid may lie beyond its end: rff solve says so where rff fit does.
func TestSolveSaysWhereTheGridEnds(t *testing.T) {
	t.Chdir(t.TempDir())
	r := rand.New(rand.NewPCG(7, 8))
	const edge = "at the edge of the grid"
	for noise, want := range map[float64]bool{0: true, 0.5: false} {
		rows := []byte("x,y\n")
		for range 500 {
			x := r.Float64()
			rows = fmt.Appendf(rows, "%.9f,%.9f\n", x, math.Sin(3*x)+noise*r.NormFloat64())
		}
		save(t, ".", "t.csv", rows)
		fit := ok(t, "fit --data t.csv --label y --features 32 --criterion gcv --model m").out
		ok(t, "gram --data t.csv --label y --features 32 --output g")
		solve := ok(t, "solve --gram g --model m").out
		if strings.Contains(fit, edge) != want || strings.Contains(solve, edge) != want {
			t.Errorf("noise %v: rff fit says\n%s\nrff solve says\n%s", noise, fit, solve)
		}
	}
}
