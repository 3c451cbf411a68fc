// Reach fits a model of every kind, lets all that reads models predict the same rows, and
// writes a page with the largest differences from rff predict: the package for Python, the
// model's ONNX graph in onnxruntime in Python and in Node, docs/read_model.py, and rff predict
// compiled to WebAssembly, in Node.
//
//	sh ci/onnx.sh FOLDER
//	make wheel && FOLDER/bin/pip install out/python/rff-*.whl pandas pyarrow scikit-learn
//	go -C bench run ./reach -runtimes FOLDER -o RESULTS-reach.md
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

var (
	runtimes = flag.String("runtimes", "", "`folder` of ci/onnx.sh, with the package for Python installed")
	out      = flag.String("o", "", "`file` to write the page to (default: standard output)")
)

// kind is a model: the flags of its fit, and whether its rows have words and gaps.
type kind struct {
	flags  string
	worded bool
}

// kinds are all that a model's file can be: maps, precisions, links, classes, rules.
func kinds() (all []kind) {
	for _, flags := range []string{"rff", "rff-phase", "orf", "sorf", "fastfood", "halton", "sobol", "compact", "tefm-g", "linear",
		"arccos:order=0", "arccos:order=1", "arccos:order=2", "leverage", "metric", "refined", "rff --kernel cauchy",
		"nystrom", "nystrom --kernel laplacian", "nystrom --kernel cauchy --inputs a", "nystrom --kernel matern:nu=0.5", "nystrom --kernel matern:nu=1.5", "nystrom --kernel matern:nu=2.5", "nystrom:metric=diagonal",
		"rff --precision float32", "rff --precision int12", "rff --precision int8", "rff --scale minmax",
		"rff --loss quantile:0.1,0.9", "rff --loss poisson --label count --task regression",
		"rff --label two", "rff --label three", "rff --label two --probabilities", "rff --label three --loss logistic"} {
		all = append(all, kind{flags: flags})
	}
	return append(all, kind{"rff --missing mean --unseen zero", true}, kind{"rff --missing drop", true})
}

// write writes rows as CSV: numbers, or words and gaps as well.
func (k kind) write(path string, rows int, seed uint64) error {
	random := rand.New(rand.NewPCG(seed, 1))
	label := "y"
	if _, after, ok := strings.Cut(k.flags, "--label "); ok {
		label, _, _ = strings.Cut(after, " ")
	}
	b := bytes.NewBufferString("a,b,c,d," + label + "\n")
	for i := range rows {
		x, cells := make([]float64, 4), make([]string, 4)
		sum := 0.0
		for j := range x {
			x[j] = float64(float32(random.NormFloat64())) * float64(j+1)
			sum += math.Sin(x[j]/float64(j+1) + float64(j))
			cells[j] = fmt.Sprint(x[j])
		}
		if k.worded {
			word := random.IntN(3)
			cells[3] = []string{"red", "green", "blue"}[word]
			sum += float64(word)
			if i > 0 && random.IntN(10) == 0 {
				cells[random.IntN(4)] = ""
			}
		}
		target := map[string]string{"y": fmt.Sprint(sum), "count": fmt.Sprint(math.Floor(max(0, sum+1))),
			"two": []string{"no", "yes"}[min(1, max(0, int(sum)))], "three": []string{"one", "two", "three"}[min(2, max(0, int(sum+1)))]}[label]
		fmt.Fprintf(b, "%s,%s\n", strings.Join(cells, ","), target)
	}
	return os.WriteFile(path, b.Bytes(), 0o666)
}

// readers are the columns of the table, by the files that hold what they predict.
var readers = []struct{ file, name string }{{"python", "Python"}, {"onnx-python", "ONNX, Python"}, {"onnx-node", "ONNX, Node"}, {"read_model", "read_model.py"}, {"wasm", "WebAssembly"}}

func main() {
	flag.Parse()
	page, err := run()
	if err == nil && *out != "" {
		err = os.WriteFile(*out, []byte(page), 0o666)
	} else if err == nil {
		fmt.Print(page)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "reach:", err)
		os.Exit(1)
	}
}

func run() (page string, err error) {
	folder, err := filepath.Abs(*runtimes)
	if err != nil {
		return "", err
	}
	root, err := filepath.Abs("..")
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "reach")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	rff, wasm := filepath.Join(dir, "rff"), filepath.Join(dir, "rff.wasm")
	if _, err := command(root, nil, "go", "build", "-tags", "small,netgo", "-o", rff, "./cmd/rff"); err != nil {
		return "", err
	}
	if _, err := command(root, nil, "go", "-C", "bench", "run", "./web", "-module", "-o", wasm); err != nil {
		return "", err
	}
	goroot, err := command(root, nil, "go", "env", "GOROOT")
	if err != nil {
		return "", err
	}
	all := kinds()
	for i, k := range all {
		if err := k.prepare(filepath.Join(dir, fmt.Sprintf("%02d", i)), rff); err != nil {
			return "", err
		}
	}
	versions, err := command(dir, nil, filepath.Join(folder, "bin/python"), filepath.Join(root, "bench/reach/reach.py"), dir, filepath.Join(root, "docs"))
	if err != nil {
		return "", err
	}
	more, err := command(dir, []string{"NODE_PATH=" + filepath.Join(folder, "node_modules")}, "node", "--stack-size=8192", filepath.Join(root, "bench/reach/reach.cjs"), dir, filepath.Join(strings.TrimSpace(goroot), "lib/wasm/wasm_exec.js"))
	if err != nil {
		return "", err
	}
	return table(dir, all, strings.TrimSpace(versions)+", "+strings.TrimSpace(more))
}

// prepare fits a model and writes rows, the graph, the predictions of the command, and the
// command line for its other build.
func (k kind) prepare(dir, rff string) error {
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	for name, seed := range map[string]uint64{"fit.csv": 1, "new.csv": 2} {
		if err := k.write(filepath.Join(dir, name), 300, seed); err != nil {
			return err
		}
	}
	if _, err := command(dir, nil, rff, append(strings.Fields("fit --data fit.csv --features 64 --lambda 1e-4 --quiet --model model --sampler"), strings.Fields(k.flags)...)...); err != nil {
		return err
	}
	if _, err := command(dir, nil, rff, "export", "model", "--onnx", "graph.onnx", "--quiet"); err != nil {
		return err
	}
	predict := strings.Fields("predict --model model --data new.csv --quiet --output rff.csv")
	switch {
	case strings.Contains(k.flags, "--probabilities") || strings.Contains(k.flags, "logistic"):
		predict = append(predict, "--probabilities")
	case strings.Contains(k.flags, "--label t"):
		predict = append(predict, "--scores")
	}
	if _, err := command(dir, nil, rff, predict...); err != nil {
		return err
	}
	predict[slices.Index(predict, "rff.csv")] = "wasm.csv"
	return os.WriteFile(filepath.Join(dir, "wasm.txt"), []byte(strings.Join(predict, " ")), 0o666)
}

// table compares and makes the page.
func table(dir string, all []kind, versions string) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "# What else predicts with a model\n\nThe largest difference from `rff predict` over 300 rows, relative to 1 or to the prediction if that is larger: of predictions, or of the scores or probabilities of classes. All graphs are of float64. A dash is no difference in any bit. [Models in ONNX](../docs/howto/onnx.md) has more kinds, and float32.\n\n- Command: `go -C bench run ./reach -runtimes FOLDER -o RESULTS-reach.md`\n- Versions: %s\n\n| `--sampler` |", versions)
	for _, r := range readers {
		fmt.Fprintf(&b, " %s |", r.name)
	}
	b.WriteString("\n|---|" + strings.Repeat("---:|", len(readers)) + "\n")
	for i, k := range all {
		at := filepath.Join(dir, fmt.Sprintf("%02d", i))
		want, err := read(at, "rff")
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "| %s |", k.flags)
		for _, r := range readers {
			have, err := read(at, r.file)
			if err != nil {
				return "", err
			}
			worst, err := difference(want, have)
			if err != nil {
				return "", fmt.Errorf("%s, %s: %w", k.flags, r.name, err)
			}
			if worst == 0 {
				b.WriteString(" – |")
			} else {
				fmt.Fprintf(&b, " %.0e |", worst)
			}
		}
		b.WriteString("\n")
	}
	return b.String(), nil
}

// read reads predictions: lists of numbers in JSON, null where there are none, or the CSV
// of rff predict, with labels before scores.
func read(dir, name string) (rows [][]*float64, err error) {
	if data, err := os.ReadFile(filepath.Join(dir, name+".json")); err == nil {
		return rows, json.Unmarshal(data, &rows)
	}
	data, err := os.ReadFile(filepath.Join(dir, name+".csv"))
	if err != nil {
		return nil, err
	}
	for _, line := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")[1:] {
		var row []*float64
		for _, cell := range strings.Split(line, ",") {
			if v, err := strconv.ParseFloat(cell, 64); err == nil {
				row = append(row, &v)
			} else if strings.Trim(cell, `"`) == "" {
				row = append(row, nil)
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// difference returns the largest one. Rows must have predictions where the others do.
func difference(want, have [][]*float64) (worst float64, err error) {
	if len(want) != len(have) {
		return 0, fmt.Errorf("%d rows, not %d", len(have), len(want))
	}
	for i := range want {
		for j := range max(len(want[i]), len(have[i])) {
			switch {
			case j >= len(want[i]) || j >= len(have[i]), (want[i][j] == nil) != (have[i][j] == nil):
				return 0, fmt.Errorf("row %d: %d numbers, not %d, or other gaps", i+1, len(have[i]), len(want[i]))
			case want[i][j] != nil:
				worst = max(worst, math.Abs(*have[i][j]-*want[i][j])/max(1, math.Abs(*want[i][j])))
			}
		}
	}
	return worst, nil
}

// command runs a program in a folder and returns what it prints.
func command(dir string, environment []string, name string, args ...string) (string, error) {
	c := exec.Command(name, args...)
	c.Dir, c.Env = dir, append(os.Environ(), environment...)
	var wrong bytes.Buffer
	c.Stderr = &wrong
	printed, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), strings.Join(args, " "), err, wrong.Bytes())
	}
	return string(printed), nil
}
