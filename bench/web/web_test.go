package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// flats is a table of rents, with a word in each row.
func flats(rows int) string {
	var b strings.Builder
	b.WriteString("district,area,rooms,rent\n")
	for i := range rows {
		area, rooms := 30+float64(i*37%97), 1+i*13%5
		rent := 200 + float64(11*area) + 40*math.Sin(float64(i)) + float64(i%3*100)
		fmt.Fprintf(&b, "%s,%.1f,%d,%.2f\n", []string{"Hill", "Old Town", "Port"}[i%3], area, rooms, rent)
	}
	return b.String()
}

// sizes compares what a build said with docs/howto/browser.md, to a twentieth: every change of the
// library moves it a little.
func sizes(t *testing.T, said string) {
	doc, err := os.ReadFile("../../docs/howto/browser.md")
	if err != nil {
		t.Fatal(err)
	}
	format := regexp.MustCompile(`([\d.]+) MB of WebAssembly, ([\d.]+) MB compressed, in a page of ([\d.]+) MB`)
	got, want := format.FindStringSubmatch(string(doc)), format.FindStringSubmatch(said)
	if got == nil || want == nil {
		t.Fatalf("docs/howto/browser.md or the build, %q, gives no sizes as %s", said, format)
	}
	for i := range got[1:] {
		has, err := strconv.ParseFloat(got[1+i], 64)
		is, err2 := strconv.ParseFloat(want[1+i], 64)
		if err != nil || err2 != nil || math.Abs(has-is) > is/20 {
			t.Errorf("docs/howto/browser.md says %q where it is %q", got[0], want[0])
		}
	}
}

// The page fits a dropped file and predicts another one with the bits of the command, refuses
// what the command refuses with its words, and stops. It is opened as a file.
func TestPage(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the command for browsers")
	}
	b := startBrowser(t)
	dir := t.TempDir()
	page := filepath.Join(dir, "rff.html")
	said, err := run(page, false)
	if err != nil {
		t.Fatal(err)
	}
	sizes(t, said)
	work, err := goEnv("GOWORK")
	if err != nil {
		t.Fatal(err)
	}
	rff := filepath.Join(dir, "rff")
	// With the flags of bench/site: go build compiles the main package again for others.
	build := exec.Command("go", "build", "-buildvcs=auto", "-gcflags=all=-dwarf=false", "-ldflags=-s -w", "-tags", "small,netgo", "-o", rff, filepath.Join(filepath.Dir(work), "cmd/rff"))
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, text := range map[string]string{"flats.csv": flats(250), "broken.csv": flats(250) + "Hill,large,1,500\n", "new.csv": flats(20)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	command := func(args ...string) (string, error) {
		c := exec.Command(rff, args...)
		c.Dir = dir
		var wrong bytes.Buffer
		c.Stderr = &wrong
		out, err := c.Output()
		if err != nil {
			return strings.TrimSpace(wrong.String()), err
		}
		return string(out), nil
	}
	b.call("Page.navigate", map[string]any{"url": "file://" + page}, nil)
	b.until("document.readyState == 'complete' && document.getElementById('drop').ondrop")
	fit := func(file, budget string) {
		b.choose("file", filepath.Join(dir, file))
		b.until("document.getElementById('name').textContent.startsWith('" + file + "') && !document.getElementById('settings').hidden")
		b.eval("document.getElementById('budget').value = '" + budget + "'; show()")
		b.eval("document.querySelector('#fit .start').click()")
	}
	const idle = "!document.querySelector('#fit .start').hidden && running == null"

	// A word in a column of numbers.
	fit("broken.csv", "0")
	b.until(idle)
	want, err := command("fit", "--auto", "--budget", "0", "--data", "broken.csv", "--label", "rent", "--model", "m")
	if got := b.eval("document.querySelector('#fit .wrong').textContent"); err == nil || got != want {
		t.Errorf("the page says %q, the command %q", got, want)
	}

	// A long fit, stopped.
	fit("flats.csv", "10s")
	b.until("running != null && /tried|choosing|drawing|reading/.test(document.querySelector('#fit .progress').textContent)")
	b.eval("document.querySelector('#fit .stop').click()")
	b.until(idle)
	if got := b.eval("document.querySelector('#fit .wrong').textContent"); got != "stopped" {
		t.Errorf("after Stop the page says %q", got)
	}

	// The model of the page against that of its command line.
	same := func() {
		b.until(idle)
		line := b.eval("document.getElementById('line').textContent")
		if wrong := b.eval("document.querySelector('#fit .wrong').textContent"); wrong != "stopped" {
			t.Fatalf("%s: %s", line, wrong)
		}
		if out, err := command(strings.Fields(line)[1:]...); err != nil {
			t.Fatalf("%s: %v %s", line, err, out)
		}
		model, err := os.ReadFile(filepath.Join(dir, "flats.safetensors"))
		if err != nil {
			t.Fatal(err)
		}
		got, err := base64.StdEncoding.DecodeString(b.eval("btoa(Array.from(trained.model, c => String.fromCharCode(c)).join(''))"))
		if err != nil || !bytes.Equal(got, model) {
			t.Errorf("%s: the model of the page has other bits than that of the command (%v, %d and %d bytes)", line, err, len(got), len(model))
		}
	}
	// As in a browser without relaxed vectors, and with flags of one's own.
	b.eval("kept = simd.slice(); simd.fill(0); document.getElementById('flags').value = '--features 32 --kernel gaussian'; document.getElementById('fit').oninput()")
	fit("flats.csv", "0")
	same()
	b.eval("simd.set(kept); document.getElementById('flags').value = ''; document.getElementById('fit').oninput()")
	fit("flats.csv", "0")
	same()
	b.until("document.getElementById('report').contentDocument?.querySelectorAll('svg').length > 1")
	if title := b.eval("document.getElementById('report').contentDocument.title"); title != "rff fit: flats.csv" {
		t.Errorf("the report is %q", title)
	}

	b.choose("new", filepath.Join(dir, "new.csv"))
	b.until("!document.getElementById('predictions').hidden")
	predicted := b.eval("fetch(document.getElementById('predicted').href).then(r => r.text())")
	want, err = command("predict", "--model", "flats.safetensors", "--data", "new.csv")
	if err != nil || predicted != want {
		t.Errorf("%v: the page predicts\n%s, the command\n%s", err, predicted, want)
	}
	b.pictures()

	// Models of every kind of map predict with the bits of the command.
	for _, kind := range []string{"rff", "rff-phase", "orf", "sorf", "fastfood", "halton", "sobol", "compact", "linear", "arccos:order=1", "leverage", "metric", "refined",
		"nystrom", "nystrom --kernel laplacian", "nystrom --kernel matern:nu=0.5", "nystrom --kernel matern:nu=1.5", "nystrom --kernel matern:nu=2.5",
		"rff --precision float32", "nystrom:metric=diagonal", "rff --loss logistic --label district", "rff --loss quantile:0.1,0.9", "rff --loss poisson"} {
		args := append([]string{"fit", "--data", "flats.csv", "--features", "64", "--lambda", "1e-6", "--model", "kind", "--sampler"}, strings.Fields(kind)...)
		if out, err := command(args...); err != nil {
			t.Errorf("%s: %s", kind, out)
			continue
		}
		model, err := os.ReadFile(filepath.Join(dir, "kind"))
		if err != nil {
			t.Fatal(err)
		}
		want, err := command("predict", "--model", "kind", "--data", "new.csv")
		if err != nil {
			t.Fatal(want)
		}
		got := b.eval("run(['predict', '--model', 'kind', '--data', 'new.csv'], {'new.csv': document.getElementById('new').files[0], kind: new Blob([Uint8Array.from(atob('" +
			base64.StdEncoding.EncodeToString(model) + "'), c => c.charCodeAt(0))])}, () => {}).then(r => r.out + (r.status ? r.err : ''))")
		if got != want {
			t.Errorf("%s: the page predicts\n%s, the command\n%s", kind, got, want)
		}
	}
}
