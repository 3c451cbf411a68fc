package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Whatever would be ignored, done twice or overwritten is refused.
func TestCompareRefuses(t *testing.T) {
	dir := t.TempDir()
	save(t, dir, "t.csv", moons(200, 2))
	if err := os.Symlink("t.csv", filepath.Join(dir, "link.csv")); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(filepath.Join(dir, "t.csv"), filepath.Join(dir, "hard.csv")); err != nil {
		t.Fatal(err)
	}
	save(t, dir, "labels.csv", []byte("k\n"))
	for _, c := range []struct{ args, want string }{
		{"--data t.csv --samplers rff,orf,rff", "--samplers has rff twice"},
		{"--data t.csv --samplers rff,rff:form=pair --features 16", "the same"},
		{"--data t.csv --features 16,32,16", "has 16 twice"},
		{"--data t.csv --csv t.csv", "--csv: t.csv is the file of --"},
		{"--data t.csv --csv ./t.csv", "is the file of --"},
		{"--data t.csv --json link.csv", "is the file of --"},
		{"--data t.csv --html hard.csv", "is the file of --"},
		{"--data t.csv --labels labels.csv --csv labels.csv", "is the file of --"},
		{"--data t.csv --csv a --json a", "one file"},
		{"--data t.csv --html -", "--html"},
		{"--data t.csv --svg -", "--svg"},
		{"--data t.csv --svg t.csv", "--svg: t.csv is the file of --"},
		{"--data t.csv --lambda 1e-3 --folds 7", "--folds"},
		{"--data letter --test 0.3", "--test"},
	} {
		r := invoke(t, dir, append([]string{"compare"}, strings.Fields(c.args)...)...)
		if (r.status != exitUsage && r.status != exitFailure) || r.out != "" || !strings.Contains(r.errors, c.want) {
			t.Errorf("compare %s: status %d, %q, want %q", c.args, r.status, r.errors, c.want)
		}
	}
	if b, _ := os.ReadFile(filepath.Join(dir, "t.csv")); !bytes.Equal(b, moons(200, 2)) {
		t.Error("the data are gone")
	}
	if names, _ := filepath.Glob(filepath.Join(dir, "*")); len(names) != 4 {
		t.Errorf("files left: %q", names)
	}
}

// What was decided without being asked, and what does not bear on a sampler, is said.
func TestCompareSays(t *testing.T) {
	dir := t.TempDir()
	text := strings.NewReplacer(",up\n", ",1\n", ",down\n", ",0\n").Replace(string(moons(200, 2)))
	save(t, dir, "t.csv", []byte(text))
	out := must(t, dir, "compare", "--data", "t.csv", "--samplers", "rff,arccos", "--features", "16", "--quick", "--html", "t.html", "--json", "t.json")
	html, _ := os.ReadFile(filepath.Join(dir, "t.html"))
	raw, _ := os.ReadFile(filepath.Join(dir, "t.json"))
	for _, want := range []string{"kind has 2 integer values: taken as classes; --task regression for numbers", "arccos has a kernel of its own, arccos:order=1"} {
		if !strings.Contains(out, "note: "+want) || !bytes.Contains(html, []byte(want)) || !bytes.Contains(raw, []byte(want)) {
			t.Errorf("not everywhere: %q", want)
		}
	}
	for _, task := range []string{"classification", "regression"} {
		if out := must(t, dir, "compare", "--data", "t.csv", "--samplers", "rff", "--features", "16", "--quick", "--task", task); strings.Contains(out, "taken as") {
			t.Errorf("--task %s: %s", task, out)
		}
	}
	if out := must(t, dir, "compare", "--samplers", "rff", "--features", "16", "--quick", "--rows", "100"); strings.Contains(out, "taken as") {
		t.Errorf("letters are no integers: %s", out)
	}
	// The report says where it comes from; --quick does as many repetitions as asked for.
	if !bytes.Contains(html, []byte("rff compare --data t.csv --features 16 --html t.html --json t.json --quick --samplers rff,arccos")) {
		t.Error("the report does not have the command line")
	}
	if out := must(t, dir, "compare", "--data", "t.csv", "--samplers", "rff", "--features", "16", "--quick", "--reps", "2"); !strings.Contains(out, "2 repetitions") {
		t.Errorf("--quick --reps 2: %s", out)
	}
	first := must(t, dir, "compare", "--data", "t.csv", "--samplers", "rff", "--features", "16", "--no-times", "--html", "a.html")
	time.Sleep(1100 * time.Millisecond)
	must(t, dir, "compare", "--data", "t.csv", "--samplers", "rff", "--features", "16", "--no-times", "--html", "b.html", "--svg", "b.svg")
	if picture, err := os.ReadFile(filepath.Join(dir, "b.svg")); err != nil || !bytes.Contains(picture, []byte("Accuracy by number of features, t.csv")) {
		t.Errorf("%v: %s", err, picture)
	}
	a, _ := os.ReadFile(filepath.Join(dir, "a.html"))
	b, _ := os.ReadFile(filepath.Join(dir, "b.html"))
	if !bytes.Equal(a, bytes.ReplaceAll(b, []byte("b.html --no-times --samplers rff --svg b.svg"), []byte("a.html --no-times --samplers rff"))) || strings.Contains(first, "train s") {
		t.Error("--no-times leaves something that changes from run to run")
	}
}

// What an interrupted comparison has done goes beside the files asked for, which
// stay as they are.
func TestComparePartial(t *testing.T) {
	dir := t.TempDir()
	save(t, dir, "t.json", []byte("old"))
	var errs bytes.Buffer
	for wait := 500 * time.Millisecond; ; wait *= 3 { // a busy machine needs longer for the first fit
		c := exec.Command(binary, "compare", "--samplers", "rff", "--features", "16", "--reps", "9999", "--rows", "500", "--json", "t.json")
		c.Dir = dir
		errs.Reset()
		c.Stderr = &errs
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(wait)
		c.Process.Signal(syscall.SIGINT)
		c.Wait()
		if c.ProcessState.ExitCode() != exitInterrupted || !strings.HasSuffix(errs.String(), "rff: interrupted\n") {
			t.Fatalf("status %d, %q", c.ProcessState.ExitCode(), errs.String())
		}
		if strings.Contains(errs.String(), "of 9999 fits are done") && !strings.HasPrefix(errs.String(), "rff: 0 of") {
			break
		}
		if wait > 30*time.Second {
			t.Fatalf("no fit in %v: %q", wait, errs.String())
		}
	}
	var partial struct {
		Complete bool
		Cells    []struct{ Score float64 }
	}
	raw, err := os.ReadFile(filepath.Join(dir, "t.json.partial"))
	if err != nil || json.Unmarshal(raw, &partial) != nil || partial.Complete || len(partial.Cells) == 0 || !(partial.Cells[0].Score > 5) {
		t.Errorf("%v: %s", err, raw)
	}
	if b, _ := os.ReadFile(filepath.Join(dir, "t.json")); string(b) != "old" {
		t.Errorf("t.json holds %q", b)
	}
}

// Rows that repeat stay on one side of a division, so one repetition may have enough rows for its
// landmarks and the next too few. The results of the first are kept.
func TestCompareFailsInSomeRepetitions(t *testing.T) {
	dir := t.TempDir()
	text := "x,y\n"
	for v := range 40 {
		text += strings.Repeat(fmt.Sprintf("%d.5,%d\n", v, v*v), 1+v%13)
	}
	save(t, dir, "t.csv", []byte(text))
	r := invoke(t, dir, "compare", "--data", "t.csv", "--task", "regression", "--samplers", "nystrom", "--features", "200", "--reps", "4", "--no-times", "--html", "t.html")
	page, _ := os.ReadFile(filepath.Join(dir, "t.html"))
	want := regexp.MustCompile(`ot done: nystrom, 200 features, in [123] of 4 repetitions: .* it saw 1[0-9]+ rows and needs at least 200`)
	if r.status != exitFailure || !want.MatchString(r.out) || !want.Match(page) || !regexp.MustCompile(`nystrom +200 +[0-9]`).MatchString(r.out) {
		t.Errorf("status %d, %s%s", r.status, r.out, r.errors)
	}
}
