package onnx

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	_ "github.com/rffgo/rff/internal/golden" // for its flag -update
	"github.com/rffgo/rff/internal/require"
)

// The runtimes take minutes to install. RFF_ONNX names the folder where ci/onnx.sh has put them:
// a Python environment, and node_modules.
func runtimes(t *testing.T) (python, node []string) {
	folder := os.Getenv("RFF_ONNX")
	for _, p := range []string{filepath.Join(folder, "bin", "python"), "python3"} {
		if exec.Command(p, "-c", "import onnx, onnxruntime").Run() == nil {
			python = []string{p, filepath.Join("testdata", "run.py")}
			break
		}
	}
	if folder != "" {
		t.Setenv("NODE_PATH", filepath.Join(folder, "node_modules"))
	}
	if exec.Command("node", "-e", `require("onnxruntime-node")`).Run() == nil {
		node = []string{"node", filepath.Join("testdata", "run.cjs")}
	}
	return python, node
}

// onnxruntime says what the model says, of every kind, in Python and in Node. The page of docs has
// the largest differences: -update writes them anew.
func TestRuntimes(t *testing.T) {
	if testing.Short() {
		t.Skip("two runtimes load a graph of every kind")
	}
	python, node := runtimes(t)
	if python == nil {
		require.Absent(t, "onnx", "no Python here has onnx and onnxruntime: sh ci/onnx.sh FOLDER, and RFF_ONNX=FOLDER")
	}
	dir := t.TempDir()
	all := kinds(t)
	for i := range all {
		for _, float := range []string{"32", "64"} {
			all[i].put(t, filepath.Join(dir, fmt.Sprintf("%02d-%s", i, float)), Options{Float32: float == "32"})
		}
	}
	run := func(command []string) {
		c := exec.Command(command[0], append(command[1:], dir)...)
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", command[0], err, bytes.TrimSpace(out))
		}
	}
	run(python)
	who := []string{"python"}
	if node == nil {
		t.Log("no onnxruntime-node here: sh ci/onnx.sh FOLDER, and RFF_ONNX=FOLDER")
	} else {
		run(node)
		who = append(who, "node")
	}
	table := "| model | Python, float32 | Python, float64 | Node, float32 | Node, float64 |\n|---|---:|---:|---:|---:|\n"
	for i := range all {
		k := &all[i]
		table += "| " + k.name
		for _, by := range who {
			for _, float := range []string{"32", "64"} {
				have := got(t, filepath.Join(dir, fmt.Sprintf("%02d-%s.%s.json", i, float, by)))
				worst := k.differs(t, have)
				if bound := k.bound(float == "32"); !(worst <= bound) {
					t.Errorf("%s, float%s in %s: %.2g, more than %.2g", k.name, float, by, worst, bound)
				}
				table += fmt.Sprintf(" | %.0e", worst)
			}
		}
		table += " |\n"
	}
	if flag.Lookup("update").Value.String() == "true" && node != nil {
		written(t, filepath.Join("..", "docs", "howto", "onnx.md"), table)
	}
}

// put writes the graph and the rows of a model.
func (k *kindOf) put(t *testing.T, base string, o Options) {
	t.Helper()
	f, err := os.Create(base + ".onnx")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := Write(f, k.model, o); err != nil {
		t.Fatal(k.name, err)
	}
	names, columns := k.given(t)
	texts := []string{}
	all := map[string]any{" rows": len(k.rows)}
	for _, name := range names {
		v := columns[name]
		if v.s != nil {
			texts, all[name] = append(texts, name), v.s
			continue
		}
		list := []string{}
		for _, x := range v.f {
			list = append(list, strconv.FormatFloat(x, 'g', -1, 64))
		}
		all[name] = list
	}
	all[" texts"] = texts
	b, err := json.Marshal(all)
	if err == nil {
		err = os.WriteFile(base+".json", b, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// got reads the outputs that a runtime gave.
func got(t *testing.T, path string) map[string]*tensor {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var texts map[string][]string
	if err := json.Unmarshal(b, &texts); err != nil {
		t.Fatal(err)
	}
	out := map[string]*tensor{}
	for name, list := range texts {
		v := &tensor{s: list}
		for _, text := range list {
			x, err := strconv.ParseFloat(text, 64)
			if err != nil {
				x = math.NaN()
			}
			v.f = append(v.f, x)
		}
		out[name] = v
	}
	return out
}

// differs returns the largest difference of outputs, and complains of labels.
func (k *kindOf) differs(t testing.TB, have map[string]*tensor) float64 {
	t.Helper()
	want, labels, probabilities := k.want(t)
	if labels == nil {
		return difference(t, k.name, have["y"].f, want)
	}
	worst := difference(t, k.name, have["scores"].f, want)
	if p := have["probabilities"]; p != nil {
		worst = max(worst, difference(t, k.name, p.f, probabilities))
	} else if k.model.Info().Probabilities {
		t.Errorf("%s: no probabilities", k.name)
	}
	for i, l := range labels {
		if s := have["label"].s[i]; s != l {
			t.Errorf("%s, row %d: label %q, want %q", k.name, i, s, l)
		}
	}
	return worst
}

// written puts the table into the page.
func written(t *testing.T, page, table string) {
	const begin, end = "<!-- near -->\n", "<!-- /near -->\n"
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(data), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no table", page)
	}
	if err := os.WriteFile(page, []byte(before+begin+table+end+after), 0o666); err != nil {
		t.Fatal(err)
	}
}
