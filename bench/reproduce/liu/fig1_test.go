package liu

import (
	"context"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/bench/reproduce"
	"github.com/rffgo/rff/cmd/rff/report"
)

// Figure 1 has the accuracies of Table 3, and kernel errors that fall with s.
func TestFigure1(t *testing.T) {
	table := made(600)
	f := &fig1{published: *bench(table), scaled: made(600)}
	fitUnit(f.scaled.X).scale(f.scaled.X)
	p := bench(table)
	for _, s := range []string{plain, qmc, leverage, surrogate} {
		last := math.Inf(1)
		for _, size := range []int{1, 64} {
			k := reproduce.Key{Experiment: fig1Name, Data: "made", Sampler: s, Size: size, Seed: 2}
			c := reproduce.Cell{Key: k, Values: map[string]float64{}, Seconds: map[string]float64{}}
			if err := f.Measure(context.Background(), &c); err != nil {
				t.Fatalf("%s, %d: %v", s, size, err)
			}
			k.Experiment = name
			if want := measure(t, p, k); c.Values["accuracy"] != want.Values["accuracy"] {
				t.Errorf("%s, %d: accuracy %v, Table 3 has %v", s, size, c.Values["accuracy"], want.Values["accuracy"])
			}
			// 64 times the frequencies: an eighth of the error by the Monte Carlo rate.
			// Half is beyond the noise of 5 frequencies.
			if e := c.Values["kernel_error"]; !(e > 0 && e < last/2) {
				t.Errorf("%s, %d: kernel error %v after %v", s, size, e, last)
			} else {
				last = e
			}
		}
	}
}

func TestKernelAsPrinted(t *testing.T) {
	x, y := []float64{0.1, 0.9}, []float64{0.4, 0.2}
	want := math.Exp(-(0.3*0.3 + 0.7*0.7))
	if got := rff.NewGaussian(sigmaAsPrinted).Eval(x, y); math.Abs(got-want) > 1e-15 {
		t.Errorf("k = %v, want %v", got, want)
	}
}

// The words of the figure come from its numbers, and the page has no number without
// a cell.
func TestFigure1Document(t *testing.T) {
	p, err := Figure1().Protocol(reproduce.Published)
	if err != nil {
		t.Fatal(err)
	}
	o := reproduce.Options{Reps: 2, Sizes: []int{1, 2, 4, 8}}
	keys, err := p.Plan(o)
	if err != nil {
		t.Fatal(err)
	}
	r := &reproduce.Result{Options: o, Protocol: p, Planned: keys, Missing: map[string]string{}, Failures: map[reproduce.Key]string{}}
	for _, k := range keys {
		if k.Size == 8 {
			continue
		}
		e := 0.1 / math.Sqrt(float64(k.Size))
		accuracy := 80.0
		switch k.Sampler {
		case qmc:
			e /= 2
		case surrogate:
			accuracy = 90
		}
		r.Cells = append(r.Cells, reproduce.Cell{Key: k, Values: map[string]float64{"accuracy": accuracy, "kernel_error": e}})
	}
	dir := t.TempDir()
	if _, err := r.Write(dir, report.About{}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(reproduce.RecordPath(dir, p)[:len(reproduce.RecordPath(dir, p))-len(".jsonl")] + ".md")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"QMC 0.50, leverage 1.00, surrogate 1.00", "exponents RFF -0.50, QMC -0.50", "With s = 4d, QMC has the least kernel error (0.0250, accuracy 80.00 %), but surrogate the highest accuracy (90.00 %", "| eeg | 8 | RFF |  | not done yet |"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
