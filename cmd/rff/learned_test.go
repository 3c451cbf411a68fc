package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// crossed are rows of six columns of which b and d tell the class, together.
func crossed(n int) []byte {
	rng := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	b.WriteString("a,b,c,d,e,class\n")
	for range n {
		var x [5]float64
		for j := range x {
			x[j] = rng.NormFloat64()
			fmt.Fprintf(&b, "%.4f,", x[j])
		}
		b.WriteString(map[bool]string{true: "up", false: "down"}[math.Sin(2*x[1])+x[3] > 0] + "\n")
	}
	return []byte(b.String())
}

// TestLearnedFit: a fit with learned features says which inputs matter, the model keeps
// it, predicts, and approximates no kernel.
func TestLearnedFit(t *testing.T) {
	dir := t.TempDir()
	save(t, dir, "rows.csv", crossed(700))
	for _, sampler := range []string{"metric:preset=fast", "refined:preset=fast,epochs=8"} {
		out := must(t, dir, "fit", "--data", "rows.csv", "--label", "class", "--sampler", sampler, "--features", "48", "--model", "m.safetensors")
		if !strings.Contains(out, "learning  learned, on ") || strings.Contains(out, "kernel") {
			t.Errorf("%s says\n%s", sampler, out)
		}
		_, bars, _ := strings.Cut(out, "importance of the inputs")
		for i, line := range strings.Split(bars, "\n")[1:3] {
			if name := strings.Fields(line)[0]; name != "b" && name != "d" || !strings.Contains(line, "█") {
				t.Errorf("%s: input %d by importance is %q:\n%s", sampler, i+1, name, out)
			}
		}
		var shown struct {
			Inputs []struct {
				Name       string
				Importance *float64
			}
			Kernel     string
			Provenance map[string]string
		}
		if err := json.Unmarshal([]byte(must(t, dir, "show", "m.safetensors", "--json")), &shown); err != nil {
			t.Fatal(err)
		}
		var sum float64
		for _, v := range shown.Inputs {
			if v.Importance == nil {
				t.Fatalf("%s: %s has no importance", sampler, v.Name)
			}
			sum += *v.Importance
		}
		if math.Abs(sum-1) > 1e-4 || shown.Kernel != "" || !strings.HasPrefix(shown.Provenance["learned features"], "learned; on ") {
			t.Errorf("%s: importances sum to %g, kernel %q, provenance %q", sampler, sum, shown.Kernel, shown.Provenance)
		}
		must(t, dir, "show", "m.safetensors", "--svg", "m.svg")
		if svg, err := os.ReadFile(filepath.Join(dir, "m.svg")); err != nil || !strings.Contains(string(svg), ">"+strings.Fields(bars[strings.Index(bars, "\n"):])[0]+"</text>") {
			t.Errorf("%s: %v in the picture\n%s", sampler, err, svg)
		}
		must(t, dir, "predict", "--model", "m.safetensors", "--data", "rows.csv", "--output", "p-"+sampler[:4]+".csv")
	}
}

// TestLearnedRefusals: what such a sampler chooses cannot be given.
func TestLearnedRefusals(t *testing.T) {
	dir := t.TempDir()
	save(t, dir, "rows.csv", crossed(60))
	for _, c := range []struct{ flag, want string }{
		{"--sigma=2", "the sampler metric chooses the bandwidth"},
		{"--kernel=gaussian:sigma=2", "the sampler metric chooses the bandwidth: give the kernel without one"},
	} {
		r := invoke(t, dir, "fit", "--data", "rows.csv", "--label", "class", "--sampler", "metric", c.flag, "--model", "m.safetensors")
		if r.status != 2 || !strings.Contains(r.errors, c.want) {
			t.Errorf("%s: status %d, %s", c.flag, r.status, r.errors)
		}
	}
}

// TestLearnedState: a training goes on from the state that an earlier one left.
func TestLearnedState(t *testing.T) {
	dir := t.TempDir()
	save(t, dir, "rows.csv", crossed(700))
	fit := func(model string, more ...string) string {
		return must(t, dir, append([]string{"fit", "--data", "rows.csv", "--label", "class", "--sampler", "refined:preset=fast,epochs=8", "--features", "48", "--model", model}, more...)...)
	}
	fit("a.safetensors")
	save(t, dir, "c.training", []byte("something else"))
	r := invoke(t, dir, "fit", "--data", "rows.csv", "--label", "class", "--sampler", "refined:preset=fast,epochs=8", "--model", "b.safetensors", "--checkpoint", "c")
	if r.status != 2 || !strings.Contains(r.errors, "--resume goes on from it") {
		t.Errorf("a state that is there, without --resume: status %d, %s", r.status, r.errors)
	}
	r = invoke(t, dir, "fit", "--data", "rows.csv", "--label", "class", "--sampler", "refined:preset=fast,epochs=8", "--model", "b.safetensors", "--checkpoint", "c", "--resume")
	if r.status != 1 || !strings.Contains(r.errors, "cannot be gone on from") {
		t.Errorf("a state of something else: status %d, %s", r.status, r.errors)
	}
	fit("b.safetensors", "--checkpoint", "d")
	if files := must(t, dir, "show", "a.safetensors"); !strings.Contains(files, "importance") {
		t.Error(files)
	}
	if a, b := must(t, dir, "predict", "--model", "a.safetensors", "--data", "rows.csv", "--output", "-"), must(t, dir, "predict", "--model", "b.safetensors", "--data", "rows.csv", "--output", "-"); a != b {
		t.Error("with a checkpoint the predictions differ")
	}
}

// TestPictureRefused: of a model without importance, beside --json, and over the model.
func TestPictureRefused(t *testing.T) {
	dir := t.TempDir()
	save(t, dir, "rows.csv", crossed(200))
	must(t, dir, "fit", "--data", "rows.csv", "--label", "class", "--features", "32", "--model", "plain.safetensors")
	for _, c := range []struct{ args, want string }{
		{"show plain.safetensors --svg m.svg", "has no importance of inputs"},
		{"show plain.safetensors --svg m.svg --json", "give one of them"},
	} {
		if r := invoke(t, dir, strings.Fields(c.args)...); r.status == 0 || !strings.Contains(r.errors, c.want) {
			t.Errorf("%s: status %d, %s", c.args, r.status, r.errors)
		}
	}
	must(t, dir, "fit", "--data", "rows.csv", "--label", "class", "--sampler", "metric:preset=fast", "--features", "32", "--model", "m.safetensors")
	if r := invoke(t, dir, "show", "m.safetensors", "--svg", "m.safetensors"); r.status == 0 || !strings.Contains(r.errors, "would replace") {
		t.Errorf("over the model: status %d, %s", r.status, r.errors)
	}
}
