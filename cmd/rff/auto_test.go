package main

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rffgo/rff/cmd/rff/fits"
	"github.com/rffgo/rff/internal/inside/hook"
	"github.com/rffgo/rff/krr"
)

// Of the steps of a search one is said to be chosen, and of time only what was measured and
// what was estimated is said: that a step took longer is no news of the machine.
func TestPrintSearch(t *testing.T) {
	r := &fits.Fitted{Report: &krr.Report{Train: krr.Measures{Rows: 55}, Took: map[string]time.Duration{"search": 40 * time.Second}, Stopped: "it was over", Importance: []float64{0.25, 0.75}}}
	r.Schema.Target.Classes = []string{"a", "b"}
	s := &hook.Search{Searched: 55, Scaling: "ranks", Estimated: 8 * time.Second, Error: 0.1, Learned: "refined"}
	s.Steps = []hook.Step{
		{Name: "search", Candidates: 9, Best: "a", Error: 0.2, Kept: true}, {Name: "search", Candidates: 3, Best: "b", Error: 0.15, Kept: true},
		{Name: "refined", Candidates: 1, Best: "c", Error: 0.1, Kept: true, Gain: 0.05, StdErr: 0.01}, {Name: "features", Candidates: 1, Best: "d", Error: 0.3, Why: "worse"}}
	print := func(names []string) string {
		var f facts
		var b strings.Builder
		f.addSearch(r, s, names)
		f.print(&b)
		return b.String()
	}
	text := print([]string{"low", "high"})
	for _, want := range []string{" 20.000 %", " 15.000 %", "error     10.000 %", "matters   high 75 %, low 25 %"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Count(text, "best so far") != 2 || strings.Count(text, "chosen: better by 0.05 ± 0.01") != 1 || strings.Count(text, "kept") != 1 || !strings.Contains(text, "not kept: worse") {
		t.Errorf("%s", text)
	}
	if !strings.Contains(text, "took 40 s by the clock") || !strings.Contains(text, "estimated at 8 s") || strings.Contains(text, "busy") {
		t.Errorf("%s", text)
	}
	if !strings.Contains(text, "decided the choice: it is the least of 14,") {
		t.Errorf("%s", text)
	}
	s.Steps = []hook.Step{{Name: "search", Candidates: 1, Best: "a", Error: 0.1, Kept: true}}
	if text := print(nil); strings.Contains(text, "least of") {
		t.Errorf("the only one that was tried is the least:\n%s", text)
	}
	s.Late = true
	if text := print(nil); !strings.Contains(text, "depends on the clock") || strings.Contains(text, "is the same") {
		t.Errorf("%s", text)
	}
}

// A fit of --auto that is a mean says what it is a mean of, and measures it on the rows that the
// search held out, which no features were learned from. Nothing says the error of the first alone.
func TestAutoMean(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	random := rand.New(rand.NewPCG(1, 1))
	b := bytes.NewBufferString("a,b,c,y\n")
	for range 300 {
		x, y, z := random.NormFloat64(), random.NormFloat64(), random.NormFloat64()
		fmt.Fprintf(b, "%v,%v,%v,%v\n", x, y, z, math.Sin(3*x+y)+2*math.Abs(z)+0.2*random.NormFloat64())
	}
	if err := os.WriteFile(filepath.Join(dir, "t.csv"), b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	text := must(t, dir, "fit", "--auto", "--budget", "200ms", "--data", "t.csv", "--label", "y", "--model", "m", "--html", "h.html")
	page, err := os.ReadFile(filepath.Join(dir, "h.html"))
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`(?m)^mean +0\.\d+ of the first; 0\.\d+ of \d+ features by `).MatchString(text) || strings.Contains(text+string(page), "too good") {
		t.Errorf("the fit says\n%s", text)
	}
	over := regexp.MustCompile(`MAE .*, over (\d+) rows`).FindStringSubmatch(text)
	if over == nil || over[1] == "300" || !strings.Contains(string(page), over[1]+" of 300 rows") {
		t.Errorf("measured on %v rows, and the page says otherwise", over)
	}
	if shown := must(t, dir, "show", "m"); strings.Contains(shown, "training") || !strings.Contains(shown, "of the first; ") {
		t.Errorf("show says\n%s", shown)
	}
}
