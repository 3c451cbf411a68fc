package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/require"
)

// Distances by hand, and the wishes of a hurried typist.
func TestClosest(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "abc", 0}, {"compre", "compare", 1}, {"ab", "ba", 1}, {"kitten", "sitting", 3}, {"ca", "abc", 3}, {"λx", "x", 1}} {
		if d := distance(c.a, c.b); d != c.want {
			t.Errorf("from %q to %q are %d steps, want %d", c.a, c.b, d, c.want)
		}
	}
	known := []string{"fit", "compare", "completion", "predict", "a"}
	for word, want := range map[string]string{"fti": "fit", "compre": "compare", "COMPARE": "compare", "pred": "predict", "zzz": "", "comp": "", "x": "", "y": ""} {
		if got := closest(word, known); got != want {
			t.Errorf("%q means %q, want %q", word, got, want)
		}
	}
}

// A wrong word is answered with the right one, and every wrong command line with
// the way to help.
func TestDidYouMean(t *testing.T) {
	dir := t.TempDir()
	save(t, dir, "t.csv", moons(40, 2))
	for _, c := range []struct {
		args, want string
		status     int
	}{
		{"compre", "did you mean compare? (see rff --help)", exitUsage},
		{"predcit --data x", "did you mean predict?", exitUsage},
		{"--data x", "the command comes first", exitUsage},
		{"fit --feature 3", "did you mean --features? (see rff fit --help)", exitUsage},
		{"fit --Label y", "did you mean --label?", exitUsage},
		{"solve sums.safetensors", "as in --gram sums.safetensors", exitUsage},
		{"fit --groups id", "did you mean --folds-by?", exitUsage},
		{"describe t.csv --target y", "did you mean --label?", exitUsage},
		{"predict --groups id", "there is no flag --groups (see", exitUsage},
		{"fit --zzzzzz 3", "there is no flag --zzzzzz (see rff fit --help)", exitUsage},
		{"predict --categories a --data t.csv", "its model keeps the rule", exitUsage},
		{"fit --data t.csv --model m --sampler surogate", "did you mean surrogate?", exitUsage},
		{"compare --data t.csv --samplers rff,levrage", "did you mean leverage?", exitUsage},
		{"compare --data t.csv --samplers surrogate:pol=8", "did you mean pool?", exitUsage},
		{"compare --data t.csv --kernel gausian", "did you mean gaussian?", exitUsage},
		{"compare --data leter", "did you mean letter?", exitFailure},
		{"compare --data t.csv --label kindd", "did you mean kind?", exitFailure},
		{"bench gemm", "rff bench is now rffbench roof: make rffbench builds it", exitUsage},
		{"reproduce liu-table3", "rff reproduce is now rffbench reproduce", exitUsage},
		{"data list", "rff data is now rffbench data", exitUsage},
		{"fit --data t.csv --model m --backend nativ", "did you mean native?", exitFailure},
	} {
		r := invoke(t, dir, strings.Fields(c.args)...)
		if r.status != c.status || r.out != "" || !strings.Contains(r.errors, c.want) || strings.Count(r.errors, "\n") != 1 {
			t.Errorf("rff %s: status %d, %q, want %q", c.args, r.status, r.errors, c.want)
		}
	}
}

// Numbers have bounds on both sides, and the refusal names them. None of these
// may take memory or time first.
func TestNumberBounds(t *testing.T) {
	dir := t.TempDir()
	save(t, dir, "t.csv", moons(40, 2))
	for _, c := range []struct{ args, want string }{
		{"fit --features 9223372036854775806", "from 1 to 1048576"},
		{"fit --features 9223372036854775808", "from 1 to 1048576"},
		{"fit --features 1_000", "from 1 to 1048576"},
		{"fit --folds 1000000", "from 2 to 100 ("},
		{"fit --folds 1000000000", "from 2 to 100 ("},
		{"fit --folds 1", "from 2 to 100 ("},
		{"fit --lambda 1e308", "from 1e-30 to 1e30"},
		{"fit --lambda 1e-310", "from 1e-30 to 1e30"},
		{"fit --lambda 1_0", "from 1e-30 to 1e30"},
		{"fit --lambda 0x_1p0", "from 1e-30 to 1e30"},
		{"solve --lambda 1e31", "from 1e-30 to 1e30, or gcv"},
		{"fit --seed 1_000", "from 0 to 2^64"},
		{"fit --seed -1", "from 0 to 2^64"},
		{"fit --workers 1000000", "from 0 to 1024"},
		{"fit --width 99999999999", "from 0 to 1048576"},
		{"compare --reps 99999999", "from 1 to 10000"},
		{"compare --features 16,9223372036854775806", "from 1 to 1048576"},
		{"compare --rows 1", "from 2 to"},
		{"compare --precision f16", "f64|float64 or f32|float32 or int12 or int8"},
	} {
		r := invoke(t, dir, strings.Fields(c.args)...)
		if r.status != exitUsage || r.out != "" || !strings.Contains(r.errors, c.want) {
			t.Errorf("rff %s: status %d, output %q, %q, want %q", c.args, r.status, r.out, r.errors, c.want)
		}
	}
}

func TestSize(t *testing.T) {
	for text, want := range map[string]int64{"1": 1, "512MiB": 512 << 20, "2GiB": 2 << 30, "3KiB": 3 << 10, "4kB": 4000, "5 MB": 5e6, "6GB": 6e9, "0": -1, "-1": -1, "1.5GiB": -1, "9223372036854775807KiB": -1, "1_0": -1, "MiB": -1} {
		s, err := readSize(text)
		if err != nil {
			s = -1
		}
		if s != want {
			t.Errorf("%q is %d bytes, want %d: %v", text, s, want, err)
		}
	}
}

// Every flag of every command stands in a group and has no more than one meaning.
func TestFlagGroups(t *testing.T) {
	seen := map[string]string{}
	for _, g := range flagGroups {
		for _, name := range g.flags {
			if seen[name] != "" {
				t.Errorf("--%s is in the groups %s and %s", name, seen[name], g.name)
			}
			seen[name] = g.name
		}
	}
	dir := t.TempDir()
	for _, c := range commands(&stdio{}) {
		f := c.Flags()
		help := must(t, dir, c.Name(), "--help")
		at := -1
		for _, name := range flagNames(f) {
			if seen[name] == "" {
				t.Errorf("--%s of %s is in no group of flagGroups", name, c.Name())
			}
			place := regexp.MustCompile(`\n  --` + name + `[ \n]`).FindStringIndex(help)
			if place == nil {
				t.Fatalf("rff %s --help has no --%s", c.Name(), name)
			}
			i := place[0]
			if i < at {
				t.Errorf("rff %s --help: --%s stands before the flags that are used more", c.Name(), name)
			}
			at = i
		}
		n := 0
		f.VisitAll(func(*pflag.Flag) { n++ })
		if n != len(flagNames(f)) {
			t.Errorf("%s has %d flags, its help %d", c.Name(), n, len(flagNames(f)))
		}
	}
	help := must(t, dir, "fit", "--help")
	if d, m := strings.Index(help, "\nData\n"), strings.Index(help, "\nMachine\n"); d < 0 || m < d || !strings.Contains(help[d:m], "  --data FILE") {
		t.Errorf("rff fit --help has no groups:\n%s", help)
	}
}

func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"plain":              "plain",
		"λ ± 2 — naïve 数":    "λ ± 2 — naïve 数",
		"\x1b[31mred\x07":    `\x1b[31mred\a`,
		"a\nb\tc\rd":         `a\nb\tc\rd`,
		"\u009b2J":           `\u009b2J`,
		"evil\u202etxt.exe":  `evil\u202etxt.exe`,
		"bad \xff\xfe bytes": `bad \xff\xfe bytes`,
		"del\x7f":            `del\x7f`,
	} {
		if got := printable(text); got != want {
			t.Errorf("%q is printed as %q, want %q", text, got, want)
		}
	}
	// However the text is cut into writes.
	const text = "a\x1b[0m λ數\n\tb\xffc\u202e\xe2\x82"
	for cut := 1; cut < len(text); cut++ {
		var b bytes.Buffer
		p := &printer{w: &b}
		for _, part := range []string{text[:cut], text[cut:]} {
			if n, err := io.WriteString(p, part); n != len(part) || err != nil {
				t.Fatal(n, err)
			}
		}
		p.close()
		if want := "a\\x1b[0m λ數\n\tb\\xffc\\u202e\\xe2\\x82"; b.String() != want {
			t.Errorf("cut at %d: %q, want %q", cut, b.String(), want)
		}
	}
}

// control returns the first control character of text that a terminal would obey.
func control(text string) string {
	for _, r := range text {
		if r == '\n' || r == '\t' {
			continue
		}
		if r < ' ' || (r >= 0x7f && r < 0xa0) || r == '\u202e' {
			return fmt.Sprintf("%q", r)
		}
	}
	return ""
}

// Names with escape sequences, in files, columns and classes, reach neither
// standard output nor standard error as they are; the CSV for programs has them.
func TestNoControlCharacters(t *testing.T) {
	dir := t.TempDir()
	const esc = "\x1b]0;owned\x07"
	text := strings.Replace(string(moons(200, 2)), "x1,x2,kind", "x1"+esc+",x2,ki"+esc+"nd", 1)
	text = strings.ReplaceAll(text, ",up\n", ",\"u\x1b[2Jp\"\n")
	file := "da" + esc + "ta.csv"
	save(t, dir, file, []byte(text))
	clean := func(args ...string) outcome {
		t.Helper()
		r := invoke(t, dir, args...)
		if c := control(r.out + r.errors); c != "" {
			t.Errorf("rff %q prints %s: %q %q", args, c, r.out, r.errors)
		}
		return r
	}
	model := "mo" + esc + "del"
	if r := clean("fit", "--data", file, "--features", "16", "--model", model); r.status != 0 || !strings.Contains(r.out, `da\x1b]0;owned\ata.csv`) {
		t.Fatalf("fit: %d %q %q", r.status, r.out, r.errors)
	}
	if r := clean("show", model); r.status != 0 || !strings.Contains(r.out, `u\x1b[2Jp`) || !strings.Contains(r.out, `x1\x1b]0;`) {
		t.Errorf("show: %q %q", r.out, r.errors)
	}
	clean("show", model, "--json")
	clean("describe", file)
	clean("describe", esc)
	clean("show", esc)
	clean("gram", "--data", file, "--features", "16", "--output", "gr"+esc)
	clean("show", "gr"+esc)
	clean("merge", "--output", "all"+esc, "gr"+esc)
	clean("solve", "--gram", "gr"+esc, "--model", "m2"+esc)
	clean("compare", "--data", file, "--samplers", "rff", "--features", "16", "--quick", "--csv", "c"+esc)
	clean("compare", "--data", file, "--label", "x"+esc)
	clean("compare", "--data", esc)
	clean("fit" + esc)
	clean("fit", "--"+esc)
	clean("fit", "--lambda", esc)
	clean("predict", "--model", model, "--data", file, "--label", "nothing"+esc)
	clean("predict", "--model", model, "--data", file, "--label", "ki"+esc+"nd", "--output", "p"+esc)
	raw, err := os.ReadFile(filepath.Join(dir, "p"+esc))
	if err != nil || !bytes.Contains(raw, []byte("u\x1b[2Jp")) {
		t.Errorf("the predictions for programs have not the classes as they are: %v", err)
	}
	// Standard output is for programs too, unless a person looks at it.
	predict := []string{"predict", "--model", filepath.Join(dir, model), "--data", filepath.Join(dir, file), "--label", "ki" + esc + "nd"}
	for _, screen := range []bool{false, true} {
		var out, errs bytes.Buffer
		if status := run(context.Background(), &stdio{out: &out, err: &errs, screen: screen}, predict); status != 0 {
			t.Fatalf("predict: %d, %q", status, errs.String())
		}
		if (control(out.String()) == "") != screen || control(errs.String()) != "" {
			t.Errorf("screen %v: control character %s, %q", screen, control(out.String()), errs.String())
		}
	}
}

func TestShow(t *testing.T) {
	dir := t.TempDir()
	save(t, dir, "t.csv", moons(300, 2))
	must(t, dir, "fit", "--data", "t.csv", "--features", "64", "--sigma", "0.7", "--lambda", "1e-4", "--probabilities", "--precision", "float32", "--model", "m")
	text := must(t, dir, "show", "m")
	for _, want := range []string{"m: a model", "rows         300", "2 classes: down, up of kind", "64 columns, kernel gaussian:sigma=0.7, float32", "lambda       0.0001",
		"probabilities", "lowest", "highest", "centre", "x1 ", "x2 ", "data         t.csv", "sampler      rff"} {
		if !strings.Contains(text, want) {
			t.Errorf("rff show has no %q:\n%s", want, text)
		}
	}
	if behind := must(t, dir, "show", "--json", "m"); behind != must(t, dir, "show", "m", "--json") {
		t.Error("the file behind the flags gives another text")
	}
	var c contents
	if err := json.Unmarshal([]byte(must(t, dir, "show", "m", "--json")), &c); err != nil {
		t.Fatal(err)
	}
	st, _ := os.Stat(filepath.Join(dir, "m"))
	if c.Kind != "model" || c.Bytes != st.Size() || c.Rows != 300 || c.Target != "kind" || !slices.Equal(c.Classes, []string{"down", "up"}) ||
		c.Features != 64 || c.Kernel != "gaussian:sigma=0.7" || c.Precision != "float32" || !slices.Equal(c.Lambda, []float64{1e-4}) || len(c.Inputs) != 2 || len(c.Fingerprint) != 64 {
		t.Errorf("%+v", c)
	}
	// The ranges are those of the file.
	lines, _ := csv.NewReader(bytes.NewReader(moons(300, 2))).ReadAll()
	for j, in := range c.Inputs {
		lo, hi := math.Inf(1), math.Inf(-1)
		for _, line := range lines[1:] {
			var v float64
			fmt.Sscan(line[j], &v)
			lo, hi = min(lo, v), max(hi, v)
		}
		if in.Name != lines[0][j] || in.Low == nil || *in.Low != lo || *in.High != hi || in.Centre == nil || in.Unit == nil {
			t.Errorf("column %d: %+v, want %v … %v", j, in, lo, hi)
		}
	}
	must(t, dir, "gram", "--data", "t.csv", "--features", "32", "--output", "g")
	if text := must(t, dir, "show", "g"); !strings.Contains(text, "g: sums of rows") || !strings.Contains(text, "rows         300") || !strings.Contains(text, "32 columns") {
		t.Errorf("sums:\n%s", text)
	}
	if text := must(t, dir, "show", state(t, dir)); !strings.Contains(text, "the checkpoint of a fit") || !strings.Contains(text, "rows ") {
		t.Errorf("checkpoint:\n%s", text)
	}
	save(t, dir, "junk", bytes.Repeat([]byte{255}, 4000))
	save(t, dir, "short", []byte("abc"))
	for _, name := range []string{"junk", "short", "t.csv", "none", ".", "/dev/zero"} {
		if r := invoke(t, dir, "show", name); r.status != exitFailure || r.out != "" || !strings.Contains(r.errors, name) {
			t.Errorf("rff show %s: status %d, %q", name, r.status, r.errors)
		}
	}
	if r := invoke(t, dir, "show", "/dev/zero"); !strings.Contains(r.errors, "device") {
		t.Errorf("a device: %q", r.errors)
	}
	if r := invoke(t, dir, "show"); r.status != exitUsage {
		t.Errorf("rff show: status %d, %q", r.status, r.errors)
	}
}

// state returns the file of a checkpoint that a killed fit left.
func state(t *testing.T, dir string) string {
	t.Helper()
	save(t, dir, "many.csv", moons(40000, 6))
	c := exec.Command(binary, "fit", "--data", "many.csv", "--features", "1024", "--lambda", "1e-4", "--model", "late", "--checkpoint", "state", "--every", "20ms", "--workers", "1")
	c.Dir = dir
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer c.Wait()
	defer c.Process.Kill()
	for range 3000 {
		if _, err := os.Stat(filepath.Join(dir, "state")); err == nil {
			return "state"
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("no checkpoint after 30 s")
	return ""
}

// Rows far outside the training range are counted, and only those.
func TestOutside(t *testing.T) {
	dir := t.TempDir()
	train := []byte("a,b,y\n")
	for i := range 200 { // a in 0 … 199, b constant
		train = fmt.Appendf(train, "%d,5,%g\n", i, math.Sin(float64(i)/30))
	}
	save(t, dir, "t.csv", train)
	must(t, dir, "fit", "--data", "t.csv", "--features", "32", "--model", "m")
	predict := func(model string, rows ...string) string {
		t.Helper()
		save(t, dir, "new.csv", []byte("a,b,y\n"+strings.Join(rows, "\n")+"\n"))
		r := invoke(t, dir, "predict", "--model", model, "--data", "new.csv", "--label", "y", "--output", "p.csv")
		if r.status != 0 {
			t.Fatalf("predict: %s", r.errors)
		}
		return r.errors
	}
	if text := predict("m", "0,5,0", "398,5,0", "-199,5,0", "150,6,0"); strings.Contains(text, "outside") {
		t.Errorf("within one further range: %q", text)
	}
	if text := predict("m", "0,5,0", "399,5,0"); !strings.Contains(text, `1 of 2 rows lies far outside`) || !strings.Contains(text, `first: row 2, column "a" = 399`) {
		t.Errorf("beyond: %q", text)
	}
	if text := predict("m", "0,5,0", "-200,5,0"); !strings.Contains(text, `row 2, column "a" = -200`) {
		t.Errorf("beyond: %q", text)
	}
	// No prediction depends on b, which never varied.
	if text := predict("m", "0,6.5,0", "1e9,5,0", "3,5,0", "-1e9,5,0"); !strings.Contains(text, `2 of 4 rows lie far outside`) || !strings.Contains(text, `first: row 2, column "a" = 1e+09`) {
		t.Errorf("beyond: %q", text)
	}
	// A model of sums has the ranges, too.
	must(t, dir, "gram", "--data", "t.csv", "--features", "32", "--output", "g")
	must(t, dir, "solve", "--gram", "g", "--model", "m2")
	if text := predict("m2", "0,5,0", "500,5,0"); !strings.Contains(text, "1 of 2 rows lies") {
		t.Errorf("from sums: %q", text)
	}
	// A further part has those of its own rows.
	must(t, dir, "gram", "--data", "t.csv", "--like", "g", "--output", "g2")
	must(t, dir, "solve", "--gram", "g2", "--model", "m2")
	if text := predict("m2", "0,5,0", "500,5,0"); !strings.Contains(text, "1 of 2 rows lies") {
		t.Errorf("from sums of a further part: %q", text)
	}
	// Many rows come in batches, and the first of them alone goes down to -150.
	for name, label := range map[string]func(int) string{"numbers": func(i int) string { return fmt.Sprint(i % 9) }, "classes": func(i int) string { return "uv"[i%2 : i%2+1] }} {
		few, many := []byte("a,b,y\n"), []byte("a,b,y\n-150,5,"+label(0)+"\n")
		for i := range 20000 {
			many = fmt.Appendf(many, "%d,5,%s\n", i%200, label(i))
			if i < 200 {
				few = fmt.Appendf(few, "%d,5,%s\n", i, label(i))
			}
		}
		save(t, dir, "few.csv", few)
		save(t, dir, "many.csv", many)
		must(t, dir, "gram", "--data", "few.csv", "--features", "32", "--output", "g")
		must(t, dir, "gram", "--data", "many.csv", "--like", "g", "--output", "g2")
		must(t, dir, "solve", "--gram", "g2", "--model", "m2")
		if text := predict("m2", "0,5,"+label(0), "-340,5,"+label(0)); strings.Contains(text, "outside") {
			t.Errorf("%s within one further range of all batches: %q", name, text)
		}
		if text := predict("m2", "0,5,"+label(0), "600,5,"+label(0)); !strings.Contains(text, "1 of 2 rows lies") {
			t.Errorf("%s from sums of many rows: %q", name, text)
		}
	}
	// The rows of the fit themselves are never outside, rare indicators included.
	rare := []byte("a,b,y\n")
	for i := range 3000 {
		rare = fmt.Appendf(rare, "%d,%d,%g\n", i%17, b2i(i == 7), math.Sin(float64(i)/300))
	}
	save(t, dir, "rare.csv", rare)
	must(t, dir, "fit", "--data", "rare.csv", "--features", "32", "--model", "m3")
	if r := invoke(t, dir, "predict", "--model", "m3", "--data", "rare.csv", "--label", "y", "--output", "p.csv"); strings.Contains(r.errors, "outside") {
		t.Errorf("the rows of the fit: %q", r.errors)
	}
}

// The ranges of a named set, which is in memory.
func TestColumnRanges(t *testing.T) {
	lo, hi := columnRanges(blas.General[float64]{Rows: 3, Cols: 2, Stride: 2, Data: []float64{1, -5, 7, -9, 3, -2}})
	if !slices.Equal(lo, []float64{1, -9}) || !slices.Equal(hi, []float64{7, -2}) {
		t.Errorf("%v … %v", lo, hi)
	}
	s := rff.Schema{Inputs: make([]rff.Column, 2)}
	if l, _ := ranges(s); l != nil {
		t.Errorf("%v is not known", l)
	}
	if l, h := ranges(inside.Observed(s, nil, lo, hi)); !slices.Equal(l, lo) || !slices.Equal(h, hi) {
		t.Errorf("%v … %v", l, h)
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// A signal ends the work with the status that shells know.
func TestSignals(t *testing.T) {
	dir := t.TempDir()
	for signal, status := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143} {
		c := exec.Command(binary, "compare", "--samplers", "rff", "--features", "2048", "--reps", "100")
		c.Dir = dir
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(400 * time.Millisecond)
		c.Process.Signal(signal)
		c.Wait()
		if got := c.ProcessState.ExitCode(); got != status {
			t.Errorf("%v: status %d, want %d", signal, got, status)
		}
	}
}

// The scripts ask the command what there is, in words that shells read: one proposal a
// line, and a last line that says whether files are proposed, too.
func TestCompletion(t *testing.T) {
	dir := t.TempDir()
	for _, args := range [][]string{{"completion"}, {"completion", "ksh"}} {
		if r := invoke(t, dir, args...); r.status != exitUsage || !strings.Contains(r.errors, "bash, zsh") {
			t.Errorf("rff %q: status %d, %q", args, r.status, r.errors)
		}
	}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		script := must(t, dir, "completion", shell)
		if !strings.Contains(script, "__complete") {
			t.Errorf("the script for %s does not ask the command", shell)
		}
		if path, err := exec.LookPath(shell); err == nil { // where it is there, it must be able to read it
			save(t, dir, "script", []byte(script))
			if out, err := exec.Command(path, "-n", filepath.Join(dir, "script")).CombinedOutput(); err != nil {
				t.Errorf("%s cannot read its script: %v\n%s", shell, err, out)
			}
		}
	}
	complete := func(line ...string) (words []string, files bool) {
		t.Helper()
		lines := strings.Split(strings.TrimSpace(must(t, dir, append([]string{"__complete"}, line...)...)), "\n")
		for _, l := range lines[:len(lines)-1] {
			word, _, _ := strings.Cut(l, "\t") // before its description
			words = append(words, word)
		}
		return words, lines[len(lines)-1] == ":0"
	}
	for _, c := range []struct {
		line  string // words by blanks; a last blank begins a new word
		want  []string
		files bool
	}{
		{"f", []string{"fit"}, false},
		{"co", []string{"compare", "completion"}, false},
		{"fit --sam", []string{"--sampler"}, false},
		{"fit --pr", []string{"--precision", "--probabilities"}, false},
		{"fit --sampler sur", []string{"surrogate"}, false},
		{"compare --samplers rff,sur", []string{"rff,surrogate"}, false},
		{"fit --scale=mi", []string{"minmax"}, false},
		{"fit --data da", nil, true},
		{"fit --data lett", []string{"letter"}, true},
		{"show da", nil, true},
		{"merge da", nil, true},
		{"help pre", []string{"predict"}, false},
		{"completion z", []string{"zsh"}, false},
		{"fit --features ", nil, false},
	} {
		if got, files := complete(strings.Split(c.line, " ")...); !slices.Equal(got, c.want) && len(got)+len(c.want) > 0 || files != c.files {
			t.Errorf("%q is completed by %q and files: %v, want %q, %v", c.line, got, files, c.want, c.files)
		}
	}
	// Every flag of every command.
	for _, c := range commands(&stdio{}) {
		want := []string{"--help"}
		for _, name := range flagNames(c.Flags()) {
			want = append(want, "--"+name)
		}
		slices.Sort(want)
		got, _ := complete(c.Name(), "--")
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("flags of %s: %q, want %q", c.Name(), got, want)
		}
	}
	completeInBash(t, dir)
}

// completeInBash runs the script in bash as bash calls it, with the one function of
// the package bash-completion that it uses in place of the package.
func completeInBash(t *testing.T, dir string) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		require.Absent(t, "bash", "there is no bash to complete in")
	}
	save(t, dir, "rff.bash", []byte(must(t, dir, "completion", "bash")))
	c := exec.Command(bash, "-c", `_get_comp_words_by_ref() { words=("${COMP_WORDS[@]}"); cword=$COMP_CWORD; cur=${words[cword]}; prev=${words[cword-1]}; }
. ./rff.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); COMP_TYPE=9; __start_rff; printf '%s\n' "${COMPREPLY[@]}"`, "bash", "rff", "fit", "--sampler", "sur")
	c.Dir = dir
	c.Env = append(os.Environ(), "PATH="+filepath.Dir(binary)+":"+os.Getenv("PATH"))
	if out, err := c.Output(); err != nil || strings.TrimSpace(string(out)) != "surrogate" {
		t.Errorf("bash: %v, %q", err, out)
	}
}
