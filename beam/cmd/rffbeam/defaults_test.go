package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// alone runs rffbeam on the Prism of its own process, and returns what it says.
func alone(args ...string) (string, error) {
	c := role("command", args...)
	out, err := c.CombinedOutput()
	return "\n" + string(out), err
}

// waves writes rows of a regression, more than the sample of a plan has, in gzipped
// files. The first has empty lines, and a quoted line end in a column that is no input:
// its lines are not its rows.
func waves(t *testing.T) (pattern string, files []string) {
	t.Helper()
	dir := t.TempDir()
	random := rand.New(rand.NewPCG(3, 4))
	for k := range 3 {
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		fmt.Fprintln(z, "u,note,v,w,y")
		for i := range 4200 + k {
			u, v, w := random.NormFloat64(), math.Exp(random.NormFloat64()), float64(random.IntN(3))
			note := "plain"
			if k == 0 && i%1000 == 10 {
				note = "\"two\nlines\""
				fmt.Fprintln(z)
			}
			fmt.Fprintf(z, "%v,%s,%v,%v,%v\n", u, note, v, w, math.Sin(2*u)*w+math.Log(v)+0.1*random.NormFloat64())
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		files = append(files, filepath.Join(dir, fmt.Sprintf("%d.csv.gz", k)))
		if err := os.WriteFile(files[k], packed.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "*.gz"), files
}

// With the same flags, rffbeam fit has the plan of rff gram --plan, bit for bit, also with
// words that most files lack, and the predictions of rff fit: the folds, λ and the range of
// a regression are the same.
func TestFitIsThatOfRff(t *testing.T) {
	if testing.Short() {
		t.Skip("builds rff")
	}
	letterPattern, letterFiles := letters(t, 5, true)
	wavePattern, waveFiles := waves(t)
	inputs := []string{"--inputs", "u,v,w", "--features", "64"}
	for name, c := range map[string]struct {
		pattern string
		files   []string
		args    []string
	}{
		"letters":  {letterPattern, letterFiles, []string{"--features", "256"}},
		"waves":    {wavePattern, waveFiles, inputs},
		"words":    {wavePattern, waveFiles, []string{"--inputs", "u,note,v,w", "--features", "64"}},
		"standard": {wavePattern, waveFiles, append([]string{"--scale", "standard", "--sigma", "cv", "--folds", "3", "--seed", "7"}, inputs...)},
	} {
		dir := t.TempDir()
		model, other := filepath.Join(dir, "model"), filepath.Join(dir, "other")
		rffCommand(t, append([]string{"fit", "--model", model, "--data", strings.Join(c.files, ",")}, c.args...)...)
		out, err := alone(append([]string{"fit", "--model", other, "--data", c.pattern}, c.args...)...)
		if err != nil || strings.Contains(out, "note:") != (name == "words") {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
		plan, args := filepath.Join(dir, "plan"), slices.Clone(c.args)
		if k := slices.Index(args, "--folds"); k >= 0 { // which no bandwidth depends on
			args = slices.Delete(args, k, k+2)
		}
		rffCommand(t, append([]string{"gram", "--plan", "--output", plan, "--data", strings.Join(c.files, ",")}, args...)...)
		a, err := os.ReadFile(plan)
		if err != nil {
			t.Fatal(err)
		}
		if b, err := os.ReadFile(other + ".plan"); err != nil || !bytes.Equal(a, b) {
			t.Errorf("%s: the plan is not that of rff gram --plan; %v", name, err)
		}
		if e := apartOn(t, model, other, c.files, c.args); e > 1e-9 {
			t.Errorf("%s: predictions differ by %g", name, e)
		}
	}
}

// What cannot be as rff fit has it is said.
func TestSampledFeaturesAreSaid(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second")
	}
	pattern, _ := waves(t)
	out, err := alone("fit", "--data", pattern, "--inputs", "u,v,w", "--features", "16", "--sampler", "leverage", "--lambda", "1e-3", "--model", filepath.Join(t.TempDir(), "m"))
	if err != nil || !strings.Contains(out, "note: --sampler leverage chose the features by a sample of 10000 rows") {
		t.Errorf("%v\n%s", err, out)
	}
}

// An input that never varies is named, as rff fit names it.
func TestHeldInputsAreSaid(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second")
	}
	dir := t.TempDir()
	var rows strings.Builder
	rows.WriteString("a,wap,y\n")
	for i := range 200 {
		fmt.Fprintf(&rows, "%d,100,%d\n", i, i*i%17)
	}
	data := filepath.Join(dir, "as.csv")
	if err := os.WriteFile(data, []byte(rows.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := alone("fit", "--data", data, "--label", "y", "--features", "16", "--lambda", "1e-3", "--model", filepath.Join(dir, "m"))
	if want := `note: 1 input has one value in all training rows, and no other one changes a prediction: "wap"`; err != nil || strings.Count(out, want) != 1 {
		t.Errorf("%v\n%s", err, out)
	}
}

// rffbeam compare measures samplers on the same folds.
func TestCompare(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	pattern, _ := waves(t)
	out, err := alone("compare", "--data", pattern, "--inputs", "u,v,w", "--features", "64", "--samplers", "rff,orf", "--folds", "3")
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range []string{"rff", "orf"} {
		var lambda, e float64
		at := strings.Index(out, "\n"+name+": ")
		if at < 0 {
			t.Fatalf("nothing about %s: %s", name, out)
		}
		var rows int64
		if _, err := fmt.Sscanf(out[at+1:], name+": %d rows, lambda %g, held-out squared error %g", &rows, &lambda, &e); err != nil || rows != 12603 || !(lambda > 0) || !(e > 0.01 && e < 0.9) {
			t.Errorf("%s: %d rows, λ %g, error %g, %v; the noise is 0.01, the variance 1.8\n%s", name, rows, lambda, e, err, out)
		}
	}
}

// Wrong flags and files are refused with a word about what to do.
func TestRefusals(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	pattern, _ := waves(t)
	model := filepath.Join(t.TempDir(), "m")
	for _, c := range []struct{ args, want string }{
		{"fit --data " + pattern, "say --model"},
		{"fit --data " + pattern + " --model " + model + " --missing most", `"most"`},
		{"fit --data " + pattern + " --model " + model + " --plan p --missing mean", "--missing does not go with --plan"},
		{"predict --data " + pattern + " --model " + model + " --output " + model + " --unseen zero", "--unseen"},
		{"fit --data " + pattern + " --model " + model + " --sigma -1", "--sigma"},
		{"fit --data " + pattern + " --model " + model + " --scale big", "--scale"},
		{"fit --data " + pattern + " --model " + model + " --label z", "no column"},
		{"fit --data " + pattern + ".none --model " + model, ".none"},
		{"fit --data s3://bucket/x*.csv --model " + model, `file system scheme "s3" not registered`},
		{"predict --data " + pattern + " --model " + model + ".none --output " + model, ".none"},
		{"predict --data " + pattern + " --model " + model + " --output " + model + " --folds 3", "--folds"},
		{"predict --data " + pattern, "say --model"},
		{"fat", "fit, predict, compare or pool"},
	} {
		out, err := alone(strings.Fields(c.args)...)
		if _, exited := err.(*exec.ExitError); !exited || !strings.Contains(out, c.want) || strings.Count(out, "\n") > 4 {
			t.Errorf("%s: %v\n%s", c.args, err, out)
		}
	}
}
