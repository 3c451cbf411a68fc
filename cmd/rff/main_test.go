package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// binary is the built command: what is tested is what users run.
var binary string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "rff")
	if err != nil {
		panic(err)
	}
	binary = filepath.Join(dir, "rff")
	build := []string{"build", "-o", binary}
	if os.Getenv("GOCOVERDIR") != "" { // go tool covdata then shows what the tests ran
		build = append(build, "-cover")
	}
	if out, err := exec.Command("go", append(build, ".")...).CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
		os.Exit(1)
	}
	status := m.Run()
	os.RemoveAll(dir)
	os.Exit(status)
}

type outcome struct {
	status      int
	out, errors string
}

// invoke runs the command in folder dir.
func invoke(t *testing.T, dir string, args ...string) outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, binary, args...)
	c.Dir = dir
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return outcome{c.ProcessState.ExitCode(), out.String(), errs.String()}
}

// must fails the test unless the command succeeds, and returns its output.
func must(t *testing.T, dir string, args ...string) string {
	t.Helper()
	r := invoke(t, dir, args...)
	if r.status != 0 {
		t.Fatalf("rff %s: status %d\n%s", strings.Join(args, " "), r.status, r.errors)
	}
	return r.out
}

func save(t *testing.T, dir, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
		t.Fatal(err)
	}
}

// moons is two classes that no line separates: n rows, d inputs of which two matter.
func moons(n, d int) []byte {
	rng := rand.New(rand.NewPCG(5, uint64(n*d)))
	var b bytes.Buffer
	for j := range d {
		fmt.Fprintf(&b, "x%d,", j+1)
	}
	b.WriteString("kind\n")
	for i := range n {
		a := math.Pi * rng.Float64()
		x, y, kind := math.Cos(a), math.Sin(a), "up"
		if i%2 == 1 {
			x, y, kind = 1-x, 0.5-y, "down"
		}
		for j := range d {
			switch j {
			case 0:
				fmt.Fprintf(&b, "%.6f,", x+0.1*rng.NormFloat64())
			case 1:
				fmt.Fprintf(&b, "%.6f,", y+0.1*rng.NormFloat64())
			default:
				fmt.Fprintf(&b, "%.6f,", 0.1*rng.NormFloat64())
			}
		}
		fmt.Fprintln(&b, kind)
	}
	return b.Bytes()
}

func zipped(data []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(data)
	z.Close()
	return b.Bytes()
}

func TestHelp(t *testing.T) {
	dir := t.TempDir()
	save(t, dir, "part-1.csv", moons(40, 2))
	out := must(t, dir, "--help")
	for _, c := range commands(&stdio{}) {
		if !strings.Contains(out, "  "+c.Name()) {
			t.Errorf("rff --help does not list %s", c.Name())
		}
		for _, args := range [][]string{{c.Name(), "--help"}, {c.Name(), "-h"}, {"help", c.Name()}} {
			h := invoke(t, dir, args...)
			if h.status != 0 || h.errors != "" || !strings.Contains(h.out, "Example:") || !strings.Contains(h.out, "rff "+c.Name()) {
				t.Errorf("rff %s: status %d, %q", strings.Join(args, " "), h.status, h.errors)
			}
		}
		// The example runs as far as the first file it names.
		if words := strings.Fields(strings.Split(c.Example, "\n")[0]); words[0] == "rff" {
			for i := range words {
				words[i] = strings.Trim(words[i], "'")
			}
			if r := invoke(t, dir, words[1:]...); r.status == exitUsage {
				t.Errorf("the example of %s is refused: %s", c.Name(), r.errors)
			}
		}
	}
	// So do the lines to begin with, one after the other.
	for _, name := range []string{"train.csv", "new.csv"} {
		save(t, dir, name, bytes.Replace(moons(40, 2), []byte("kind"), []byte("y"), 1))
	}
	begin := regexp.MustCompile(`(?m)^    rff (.*)$`).FindAllStringSubmatch(out, -1)
	for _, line := range begin {
		must(t, dir, strings.Fields(line[1])...)
	}
	if len(begin) != 3 {
		t.Errorf("rff --help has %d lines to begin with, want 3", len(begin))
	}
	if out := must(t, dir, "--version"); !strings.HasPrefix(out, "rff ") {
		t.Errorf("version %q", out)
	}
	for _, want := range []string{"avx", "native", "gaussian", "rff-phase"} {
		if out := must(t, dir, "info"); !strings.Contains(out, want) && want != "avx" {
			t.Errorf("info has no %q", want)
		}
	}
}

// A wrong command line is refused with status 2 and one line that names the flag.
func TestUsage(t *testing.T) {
	dir := t.TempDir()
	save(t, dir, "t.csv", moons(40, 2))
	for _, c := range []struct{ args, want string }{
		{"", "say what to do"},
		{"compre", `"compre"`},
		{"compare --feature 3", "--feature"},
		{"compare --features", "--features"},
		{"compare --features 64,x", "--features"},
		{"compare --features 0", "--features"},
		{"compare --features=-8", "--features"},
		{"compare --reps 0", "--reps"},
		{"compare --workers -1", "--workers"},
		{"compare --test 1", "--test"},
		{"compare --sigma 0 --data t.csv", "--sigma"},
		{"compare --sigma -2 --data t.csv", "--sigma"},
		{"compare --sigma nan --data t.csv", "--sigma"},
		{"compare --sigma wide --data t.csv", "--sigma"},
		{"compare --lambda 0 --data t.csv", "--lambda"},
		{"compare --lambda -1 --data t.csv", "--lambda"},
		{"compare --lambda inf --data t.csv", "--lambda"},
		{"compare --kernel gauss --data t.csv", "--kernel"},
		{"compare --kernel gaussian:sigma=2 --sigma 3 --data t.csv", "--sigma"},
		{"compare --samplers rff,best --data t.csv", `"best"`},
		{"compare --samplers rff:form=triple --data t.csv", "triple"},
		{"compare --scale big", "--scale"},
		{"compare --task guess", "--task"},
		{"compare --header maybe --data t.csv", "--header"},
		{"compare --precision float16", "--precision"},
		{"compare t.csv", `"t.csv"`},
		{"compare --json - --csv -", "--json"},
		{"fit --data t.csv", "--model"},
		{"fit --model m", "--data"},
		{"fit --data t.csv --model m --lambda 0", "--lambda"},
		{"fit --data t.csv --model m --sigma 0", "--sigma"},
		{"fit --data t.csv --model m --sigma 1e-310", "--sigma"},
		{"fit --data t.csv --model m --sampler none", "--sampler"},
		{"fit --data t.csv --model m --resume", "--checkpoint"},
		{"fit --data t.csv --model m --resume --checkpoint none", "none"},
		{"fit --data t.csv --model m --checkpoint t.csv", "--resume"},
		{"fit --data t.csv --model m --checkpoint c --every 0s", "--every"},
		{"fit --data t.csv --model m --memory lots --solver cg", "--memory"},
		{"fit --data t.csv --model m --memory 1GiB", "--solver"},
		{"fit --data t.csv --model m --solver lu", "--solver"},
		{"fit --data t.csv --model m --auto --sigma 2", "--sigma"},
		{"gram --data t.csv", "--output"},
		{"gram --output g", "--data"},
		{"merge --output g", "files"},
		{"merge t.csv", "--output"},
		{"solve --gram g", "--model"},
		{"predict --data t.csv", "--model"},
	} {
		r := invoke(t, dir, strings.Fields(c.args)...)
		lines := strings.Split(strings.TrimSpace(r.errors), "\n")
		last := lines[len(lines)-1]
		if r.status != exitUsage || r.out != "" || !strings.Contains(last, c.want) || !strings.HasPrefix(last, "rff: ") || (c.args != "" && len(lines) != 1) {
			t.Errorf("rff %s: status %d, output %q, message %q, want %q in it", c.args, r.status, r.out, r.errors, c.want)
		}
	}
	if names, _ := filepath.Glob(filepath.Join(dir, "*")); len(names) != 1 {
		t.Errorf("files left behind: %q", names)
	}
}

// Bad data: status 1, one line that names the file and the place, and whatever
// was in the output's place before is still there.
func TestBadInput(t *testing.T) {
	dir := t.TempDir()
	good := moons(200, 3)
	header, body, _ := strings.Cut(string(good), "\n")
	tail := func(line string) []byte { return append(slices.Clone(good), line+"\n"...) }
	save(t, dir, "good.csv", good)
	save(t, dir, "ragged.csv", tail("1,2,up"))
	save(t, dir, "text.csv", tail("1,two,3,up"))
	save(t, dir, "nan.csv", tail("1,2,NaN,up"))
	save(t, dir, "inf.csv", tail("-Inf,2,3,up"))
	save(t, dir, "missing.csv", tail("1,,3,up"))
	save(t, dir, "empty.csv", nil)
	save(t, dir, "header.csv", []byte(header+"\n"))
	save(t, dir, "oneclass.csv", []byte(header+"\n"+strings.ReplaceAll(body, "down", "up")))
	save(t, dir, "equal.csv", []byte("x,y\n"+strings.Repeat("1,a\n1,b\n", 50)))
	save(t, dir, "cut.csv.gz", zipped(good)[:len(zipped(good))/2])
	save(t, dir, "junk.bin", append([]byte("\x7fELF\x02\x01\x00\x00"), bytes.Repeat([]byte{0, 7, 255, 10}, 300)...))
	save(t, dir, "labels.csv", []byte("kind\nup\ndown\nup\n"))
	save(t, dir, "x.csv", []byte("x1,x2\n"+strings.Repeat("1,2\n3,5\n", 20)))
	save(t, dir, "wide.csv", moons(30, 5))
	save(t, dir, "otherclasses.csv", []byte(header+"\n1,2,3,left\n"))
	save(t, dir, "textlabel.csv", tail("1,2,3,4"))
	must(t, dir, "fit", "--data", "good.csv", "--features", "32", "--model", "good.model")
	save(t, dir, "bad.model", []byte("not a model"))
	model, err := os.ReadFile(filepath.Join(dir, "good.model"))
	if err != nil {
		t.Fatal(err)
	}
	save(t, dir, "cut.model", model[:len(model)/2])
	model[len(model)/2] ^= 1
	save(t, dir, "flipped.model", model)

	outputs := []string{"old.html", "old.json", "old.csv", "old.model", "old.predictions"}
	for _, name := range outputs {
		save(t, dir, name, []byte("precious "+name))
	}
	before, _ := filepath.Glob(filepath.Join(dir, "*"))
	learning := []struct {
		args string // after the command
		want []string
	}{
		{"--data nosuch.csv", []string{"nosuch.csv", "no such file"}},
		{"--data .", []string{"which it would replace"}},
		{"--data nosuchset", []string{`"nosuchset"`, "letter"}},
		{"--data good.csv --label kindd", []string{"--label", "good.csv", `"kindd"`, `"kind"`}},
		{"--data good.csv --label 9", []string{"--label", "good.csv", `"9"`}},
		{"--data good.csv --inputs x1,x9", []string{"--inputs", "good.csv", `"x9"`}},
		{"--data ragged.csv", []string{"ragged.csv", "row 201", "3 fields", "4"}},
		{"--data text.csv", []string{"text.csv", "row 201", `column 2 "x2"`, `"two"`}},
		{"--data nan.csv", []string{"nan.csv", "row 201", `column 3 "x3"`, "NaN"}},
		{"--data inf.csv", []string{"inf.csv", "row 201", `column 1 "x1"`, "-Inf"}},
		{"--data missing.csv", []string{"missing.csv", "row 201", `column 2 "x2"`, "missing"}},
		{"--data good.csv --task regression", []string{"good.csv", "not a number"}},
		{"--data empty.csv", []string{"empty.csv", "empty"}},
		{"--data header.csv", []string{"header.csv", "no rows"}},
		{"--data oneclass.csv", []string{"oneclass.csv", "one class", `"up"`}},
		{"--data equal.csv", []string{"equal.csv", "--sigma"}},
		{"--data cut.csv.gz", []string{"cut.csv.gz", "truncated"}},
		{"--data junk.bin", []string{"junk.bin", "neither text"}},
		{"--data x.csv --labels labels.csv", []string{"labels.csv", "another set"}},
		{"--data good.csv,wide.csv", []string{"wide.csv", "5 inputs", "good.csv", "3"}},
		{"--data good.csv --kernel matern:nu=2", []string{"nu"}},
		{"--data good.csv --backend fast", []string{"--backend", `"fast"`}},
	}
	check := func(args []string, want []string) {
		t.Helper()
		r := invoke(t, dir, args...)
		text := strings.TrimSpace(r.errors)
		if (r.status != exitFailure && r.status != exitUsage) || r.out != "" || !strings.HasPrefix(text, "rff: ") || strings.Contains(text, "\n") {
			t.Errorf("rff %s: status %d, output %q, message %q", strings.Join(args, " "), r.status, r.out, r.errors)
		}
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("rff %s: %q is not in %q", strings.Join(args, " "), w, text)
			}
		}
		for _, name := range outputs {
			if b, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(b) != "precious "+name {
				t.Errorf("rff %s: %s is not what it was: %q, %v", strings.Join(args, " "), name, b, err)
				save(t, dir, name, []byte("precious "+name))
			}
		}
		if after, _ := filepath.Glob(filepath.Join(dir, "*")); !slices.Equal(before, after) {
			t.Errorf("rff %s: files before %q, after %q", strings.Join(args, " "), before, after)
			before = after
		}
	}
	for _, c := range learning {
		args := strings.Fields(c.args)
		check(append([]string{"compare", "--quick", "--samplers", "rff", "--features", "16", "--html", "old.html", "--json", "old.json", "--csv", "old.csv"}, args...), c.want)
		check(append([]string{"fit", "--features", "16", "--model", "old.model"}, args...), c.want)
	}
	for _, c := range []struct {
		args string
		want []string
	}{
		{"compare --data good.csv --samplers rff --features 33 --html old.html", []string{"rff with 33 features", "even"}},
		{"fit --data good.csv --features 33 --model old.model", []string{"--features 33", "even"}},
		{"compare --data good.csv --features 16 --samplers rff --html nosuch/report.html", []string{"--html", "nosuch/report.html", "no such file"}},
		{"compare --data good.csv --features 16 --samplers rff --json .", []string{"--json", "folder"}},
		{"fit --data good.csv --features 16 --model nosuch/m", []string{"--model", "nosuch/m"}},
		{"fit --data good.csv --features 16 --model /proc/rff.model", []string{"--model", "/proc/rff.model"}},
		{"predict --data good.csv --label kind --model good.model --output nosuch/p.csv", []string{"--output", "nosuch/p.csv"}},
		{"predict --data x.csv --model good.model --output old.predictions", []string{"x.csv", "3 inputs", "missing", `"x3"`}},
		{"predict --data text.csv --label kind --model good.model --output old.predictions", []string{"text.csv", "row 201", `"two"`}},
		{"predict --data otherclasses.csv --label kind --model good.model --output old.predictions", []string{"otherclasses.csv", "row 1", `"left"`, `"down", "up"`}},
		{"predict --data good.csv --label kind --model nosuch.model --output old.predictions", []string{"--model", "nosuch.model"}},
		{"predict --data good.csv --label kind --model bad.model --output old.predictions", []string{"bad.model"}},
		{"predict --data good.csv --label kind --model cut.model --output old.predictions", []string{"cut.model"}},
		{"predict --data good.csv --label kind --model flipped.model --output old.predictions", []string{"flipped.model"}},
		{"predict --data good.csv --label kind --model good.model --probabilities --output old.predictions", []string{"--probabilities", "good.model"}},
		{"predict --data good.csv --label kind --model good.model --variance --output old.predictions", []string{"--variance", "good.model"}},
		{"fit --data good.csv --model old.model --checkpoint bad.model --resume", []string{"bad.model", "checkpoint"}},
	} {
		check(strings.Fields(c.args), c.want)
	}
}

// What looks odd but is sound must work.
func TestOddButSound(t *testing.T) {
	dir := t.TempDir()
	save(t, dir, "moons.csv", moons(300, 2))
	// A constant column changes nothing.
	lines := strings.Split(strings.TrimSpace(string(moons(300, 2))), "\n")
	for i := range lines {
		v := "3.25,"
		if i == 0 {
			v = "constant,"
		}
		lines[i] = v + lines[i]
	}
	save(t, dir, "constant.csv", []byte(strings.Join(lines, "\n")))
	score := func(args ...string) float64 {
		t.Helper()
		var r struct{ Rows []struct{ Mean float64 } }
		out := must(t, dir, append([]string{"compare", "--samplers", "rff", "--reps", "2", "--json", "-"}, args...)...)
		if err := json.Unmarshal([]byte(out), &r); err != nil {
			t.Fatalf("%v in %s", err, out)
		}
		return r.Rows[0].Mean
	}
	plain := score("--data", "moons.csv", "--features", "64")
	if plain < 95 {
		t.Errorf("two moons: %v %%", plain)
	}
	if with := score("--data", "constant.csv", "--features", "64"); math.Abs(with-plain) > 3 {
		t.Errorf("with a constant column %v %%, without %v %%", with, plain)
	}
	if v := score("--data", "moons.csv", "--features", "512"); v < 95 { // s > n
		t.Errorf("more features than rows: %v %%", v)
	}
	if v := score("--data", "moons.csv", "--inputs", "x2", "--features", "64"); v < 60 || v > plain {
		t.Errorf("d = 1: %v %%", v)
	}
	must(t, dir, "fit", "--data", "moons.csv", "--inputs", "x2", "--features", "1024", "--model", "m")
	r := invoke(t, dir, "predict", "--data", "moons.csv", "--inputs", "x2", "--label", "kind", "--model", "m", "--scores")
	if r.status != 0 || !strings.Contains(r.errors, "accuracy") {
		t.Errorf("d = 1: status %d, %q", r.status, r.errors)
	}
	rows, err := csv.NewReader(strings.NewReader(r.out)).ReadAll()
	if err != nil || len(rows) != 301 || !slices.Equal(rows[0], []string{"predicted", "score"}) {
		t.Errorf("%d lines of predictions, %v", len(rows), err)
	}
}

// The same seed gives the same scores, twice, and on one and two workers; times
// go to columns of their own that --no-times leaves out.
func TestReproducible(t *testing.T) {
	dir := t.TempDir()
	run := func(workers, seed string) string {
		return must(t, dir, "compare", "--quick", "--samplers", "rff,surrogate", "--features", "32,128", "--reps", "2",
			"--no-times", "--seed", seed, "--workers", workers)
	}
	first := run("1", "7")
	if !strings.Contains(first, "accuracy %") || strings.Contains(first, "train s") {
		t.Fatalf("table:\n%s", first)
	}
	for _, workers := range []string{"1", "2", "5"} {
		if again := run(workers, "7"); again != first {
			t.Errorf("with %s workers:\n%s\nthe first time:\n%s", workers, again, first)
		}
	}
	if run("1", "8") == first {
		t.Error("the seed changes nothing")
	}
}

// All forms of output tell the same.
func TestOutputs(t *testing.T) {
	dir := t.TempDir()
	save(t, dir, "moons.csv", moons(400, 2))
	save(t, dir, "t.html", []byte("old"))
	table := must(t, dir, "compare", "--data", "moons.csv", "--samplers", "rff,rff-phase", "--features", "16,64", "--reps", "2",
		"--json", "t.json", "--csv", "t.csv", "--html", "t.html")
	var r struct {
		Rows []struct {
			Sampler  string
			Features int
			Mean, SD float64
			Times    struct {
				Train float64 `json:"train_seconds"`
				Peak  float64 `json:"peak_bytes"`
			}
		}
		Cells []struct{ Score float64 }
	}
	raw, _ := os.ReadFile(filepath.Join(dir, "t.json"))
	if err := json.Unmarshal(raw, &r); err != nil {
		t.Fatal(err)
	}
	f, _ := os.ReadFile(filepath.Join(dir, "t.csv"))
	lines, err := csv.NewReader(bytes.NewReader(f)).ReadAll()
	if err != nil || len(lines) != 5 || len(r.Rows) != 4 || len(r.Cells) != 8 {
		t.Fatalf("%d lines, %d rows, %d cells, %v", len(lines), len(r.Rows), len(r.Cells), err)
	}
	page, _ := os.ReadFile(filepath.Join(dir, "t.html"))
	for i, row := range r.Rows {
		score := fmt.Sprintf("%.2f ± %.2f", row.Mean, row.SD)
		if !strings.Contains(table, score) || !bytes.Contains(page, []byte(score)) || lines[i+1][5] != fmt.Sprint(row.Mean) {
			t.Errorf("%s with %d features: %s is not in every output", row.Sampler, row.Features, score)
		}
		if !(row.Times.Train > 0) || !(row.Times.Peak > 1<<20) {
			t.Errorf("%+v", row)
		}
	}
	for _, name := range []string{"t.json", "t.csv", "t.html"} {
		if !strings.Contains(table, "wrote "+name) {
			t.Errorf("the table does not say that %s was written", name)
		}
	}
	if bytes.Count(page, []byte("<figure>")) != 4 || bytes.Contains(page, []byte("http")) {
		t.Error("the report has not four plots of its own")
	}
}

// fit and predict work on streams and agree with each other and with the data.
func TestFitPredict(t *testing.T) {
	dir := t.TempDir()
	all := strings.SplitAfter(strings.TrimSpace(string(moons(3000, 2))), "\n")
	save(t, dir, "a.csv", []byte(strings.Join(all[:1001], "")))
	save(t, dir, "b.csv.gz", zipped([]byte(all[0]+strings.Join(all[1001:2001], ""))))
	save(t, dir, "new.csv", []byte(all[0]+strings.Join(all[2001:], "")))
	out := must(t, dir, "fit", "--data", "a.csv,b.csv.gz", "--label", "kind", "--features", "128", "--model", "m")
	if !strings.Contains(out, "2000 rows, 2 inputs, 2 classes") || !strings.Contains(out, "wrote m") {
		t.Errorf("fit says %q", out)
	}
	r := invoke(t, dir, "predict", "--model", "m", "--data", "new.csv", "--label", "kind", "--output", "p.csv")
	if r.status != 0 || r.out != "" {
		t.Fatalf("status %d, output %q, %s", r.status, r.out, r.errors)
	}
	raw, _ := os.ReadFile(filepath.Join(dir, "p.csv"))
	lines, err := csv.NewReader(bytes.NewReader(raw)).ReadAll()
	if err != nil || len(lines) != 1001 {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	right := 0
	for i, line := range lines[1:] {
		if strings.HasSuffix(strings.TrimSpace(all[2001+i]), ","+line[0]) {
			right++
		}
	}
	if right < 970 || !strings.Contains(r.errors, fmt.Sprintf("%d of 1000 rows", right)) {
		t.Errorf("%d of 1000 right; rff says %q", right, r.errors)
	}
	// The same model, twice and on other workers.
	must(t, dir, "fit", "--data", "a.csv,b.csv.gz", "--label", "kind", "--features", "128", "--model", "m2", "--workers", "3")
	must(t, dir, "predict", "--model", "m2", "--data", "new.csv", "--label", "kind", "--output", "p2.csv", "--scores")
	must(t, dir, "predict", "--model", "m", "--data", "new.csv", "--label", "kind", "--output", "p1.csv", "--scores", "--workers", "1")
	must(t, dir, "fit", "--data", "a.csv,b.csv.gz", "--label", "kind", "--auto", "--budget", "100ms", "--features", "64", "--variance", "--probabilities", "--model", "m3")
	must(t, dir, "predict", "--model", "m3", "--data", "new.csv", "--label", "kind", "--scores", "--probabilities", "--variance", "--output", "p3.csv")
	raw, _ = os.ReadFile(filepath.Join(dir, "p3.csv"))
	lines, err = csv.NewReader(bytes.NewReader(raw)).ReadAll()
	if err != nil || !slices.Equal(lines[0], []string{"predicted", "score", "probability down", "probability up", "variance"}) {
		t.Fatalf("header %q, %v", lines[0], err)
	}
	for i, line := range lines[1:] {
		var v [4]float64
		for j := range v {
			if _, err := fmt.Sscan(line[j+1], &v[j]); err != nil {
				t.Fatalf("line %d: %q", i+2, line)
			}
		}
		if math.Abs(v[1]+v[2]-1) > 1e-12 || !(v[3] >= 0) || (line[0] == "up") != (v[0] >= 0) {
			t.Fatalf("line %d: %q", i+2, line)
		}
	}
	must(t, dir, "fit", "--data", "a.csv,b.csv.gz", "--solver", "cg", "--memory", "64MiB", "--features", "64", "--model", "cg")
	if r := invoke(t, dir, "predict", "--model", "cg", "--data", "new.csv", "--label", "kind", "--output", "p4.csv"); !strings.Contains(r.errors, "accuracy 9") {
		t.Errorf("conjugate gradients: %s", r.errors)
	}
	p1, _ := os.ReadFile(filepath.Join(dir, "p1.csv"))
	p2, _ := os.ReadFile(filepath.Join(dir, "p2.csv"))
	if !bytes.Equal(p1, p2) {
		t.Error("the same fit on other workers scores otherwise")
	}
}

// Parts that are summed up apart make the model of the whole.
func TestParts(t *testing.T) {
	dir := t.TempDir()
	all := strings.SplitAfter(strings.TrimSpace(string(moons(3000, 2))), "\n")
	save(t, dir, "all.csv", []byte(strings.Join(all[:3001], "")))
	save(t, dir, "1.csv", []byte(strings.Join(all[:1201], "")))
	save(t, dir, "2.csv", []byte(all[0]+strings.Join(all[1201:1500], "")))
	save(t, dir, "3.csv", []byte(all[0]+strings.Join(all[1500:], "")))
	must(t, dir, "fit", "--data", "all.csv", "--scale", "none", "--sigma", "0.5", "--features", "128", "--lambda", "1e-4", "--model", "whole")
	must(t, dir, "gram", "--data", "1.csv", "--scale", "none", "--sigma", "0.5", "--features", "128", "--output", "1.gram")
	must(t, dir, "gram", "--data", "2.csv", "--like", "1.gram", "--output", "2.gram")
	must(t, dir, "gram", "--data", "3.csv", "--like", "1.gram", "--output", "3.gram")
	if out := must(t, dir, "merge", "--output", "all.gram", "1.gram", "2.gram", "3.gram"); !strings.Contains(out, "3000 rows") {
		t.Errorf("merge says %q", out)
	}
	must(t, dir, "solve", "--gram", "all.gram", "--lambda", "1e-4", "--model", "parts")
	must(t, dir, "solve", "--gram", "all.gram", "--model", "chosen")
	scores := func(model string) [][]string {
		lines, err := csv.NewReader(strings.NewReader(must(t, dir, "predict", "--model", model, "--data", "all.csv", "--label", "kind", "--scores"))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		return lines
	}
	whole, parts := scores("whole"), scores("parts")
	for i := range whole[1:] {
		var a, b float64
		fmt.Sscan(whole[i+1][1], &a)
		fmt.Sscan(parts[i+1][1], &b)
		// Only the order of the sums differs: a relative error of n·eps in ZᵀZ,
		// magnified by the condition, at most 1/λ.
		if math.Abs(a-b) > 3000*0x1p-52/1e-4 {
			t.Fatalf("row %d: score %v of the whole, %v of the parts", i+1, a, b)
		}
	}
	if lines := scores("chosen"); len(lines) != 3001 {
		t.Errorf("%d lines", len(lines))
	}
	must(t, dir, "gram", "--data", "1.csv", "--scale", "none", "--sigma", "0.6", "--features", "128", "--output", "other.gram")
	before, _ := os.ReadFile(filepath.Join(dir, "all.gram"))
	r := invoke(t, dir, "merge", "--output", "all.gram", "1.gram", "other.gram")
	after, _ := os.ReadFile(filepath.Join(dir, "all.gram"))
	if r.status != exitFailure || !strings.Contains(r.errors, "other.gram") || !strings.Contains(r.errors, "map") || !bytes.Equal(before, after) {
		t.Errorf("merging other features: status %d, %q", r.status, r.errors)
	}
}

// A fit that was interrupted goes on from its checkpoint to the same bits.
func TestResume(t *testing.T) {
	dir := t.TempDir()
	save(t, dir, "moons.csv", moons(60000, 6))
	args := []string{"fit", "--data", "moons.csv", "--features", "1024", "--lambda", "1e-6", "--workers", "1"}
	must(t, dir, append(args, "--model", "whole")...)
	args = append(args, "--model", "resumed", "--checkpoint", "state", "--every", "50ms")
	c := exec.Command(binary, args...)
	c.Dir = dir
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for i := 0; ; i++ { // killed, not asked to stop, once there is a checkpoint
		if _, err := os.Stat(filepath.Join(dir, "state")); err == nil {
			break
		}
		if i > 3000 {
			t.Fatal("no checkpoint after 30 s")
		}
		time.Sleep(10 * time.Millisecond)
	}
	c.Process.Kill()
	c.Wait()
	if _, err := os.Stat(filepath.Join(dir, "resumed")); err == nil {
		t.Fatal("the fit was done before it could be killed: give it more rows")
	}
	out := must(t, dir, append(args, "--resume")...)
	if !strings.Contains(out, "resumed") {
		t.Errorf("fit does not say that it resumed: %q", out)
	}
	whole, _ := os.ReadFile(filepath.Join(dir, "whole"))
	resumed, _ := os.ReadFile(filepath.Join(dir, "resumed"))
	if len(whole) == 0 || !bytes.Equal(whole, resumed) {
		t.Error("the resumed fit differs from an uninterrupted one")
	}
	if _, err := os.Stat(filepath.Join(dir, "state")); err == nil {
		t.Error("the checkpoint is still there")
	}
}

// An interrupt ends the work at once and leaves nothing half-written.
func TestInterrupt(t *testing.T) {
	dir := t.TempDir()
	save(t, dir, "t.html", []byte("old"))
	c := exec.Command(binary, "compare", "--samplers", "rff", "--features", "2048", "--reps", "100", "--html", "t.html")
	c.Dir = dir
	var errs bytes.Buffer
	c.Stderr = &errs
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(700 * time.Millisecond)
	c.Process.Signal(syscall.SIGINT)
	start := time.Now()
	c.Wait()
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("took %v to end", took)
	}
	if c.ProcessState.ExitCode() != exitInterrupted || !strings.HasSuffix(errs.String(), "fits are done\nrff: interrupted\n") {
		t.Errorf("status %d, %q", c.ProcessState.ExitCode(), errs.String())
	}
	names, _ := filepath.Glob(filepath.Join(dir, "*"))
	if b, _ := os.ReadFile(filepath.Join(dir, "t.html")); string(b) != "old" || len(names) != 1 {
		t.Errorf("t.html holds %q beside %q", b, names)
	}
}
