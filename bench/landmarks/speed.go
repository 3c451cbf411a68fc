package main

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/bench/cputime"
	"github.com/rffgo/rff/bench/jsonl"
	"github.com/rffgo/rff/bench/rival"
	"github.com/rffgo/rff/krr"
	"github.com/rffgo/rff/sampling"
)

//go:embed rival.py
var rivalSource string

// rivalBlock is the rows whose sections the rival makes at once.
const rivalBlock = 1008

// speedFile is the record of speed beside that of the fits.
const speedFile = "speed.jsonl"

// timing is what one case took: CPU seconds of one worker, by run.
type timing struct {
	Rows      int       `json:"rows"`
	Inputs    int       `json:"inputs"`
	Columns   int       `json:"columns"`
	Precision string    `json:"precision"` // asked for
	Lambda    float64   `json:"lambda"`    // 0: chosen of nine by five folds
	Landmarks []float64 `json:"landmarks"`
	Random    []float64 `json:"random"`
	SciPy     []float64 `json:"scipy,omitempty"` // in float64
	Rival     string    `json:"rival"`           // versions
}

func (t *timing) key() string {
	return fmt.Sprint(t.Rows, t.Inputs, t.Columns, t.Precision, t.Lambda)
}

// speedCases are rows, inputs and columns in float64, and one of them in float32.
func speedCases() []timing {
	var all []timing
	for _, s := range [][3]int{{10000, 14, 256}, {10000, 14, 1024}, {10000, 14, 1792}, {60000, 14, 1024}, {10000, 54, 1024}} {
		for _, lambda := range []float64{1e-4, 0} {
			all = append(all, timing{Rows: s[0], Inputs: s[1], Columns: s[2], Precision: string(krr.Float64), Lambda: lambda})
		}
	}
	for _, lambda := range []float64{1e-4, 0} {
		all = append(all, timing{Rows: 10000, Inputs: 14, Columns: 1024, Precision: string(krr.Float32), Lambda: lambda})
	}
	return all
}

// speed times fits of landmarks, of random features of as many columns, and of NumPy and
// SciPy, on one worker each, in the order A B C C B A so many times: CPU seconds, since
// the machine may have other work. It appends the cases that file lacks.
func speed(ctx context.Context, file, python string, reps int) error {
	done := map[string]bool{}
	old, err := jsonl.Read[timing](file)
	if err != nil {
		return err
	}
	for _, t := range old {
		done[t.key()] = true
	}
	py, err := rival.Start(python, rivalSource, 1)
	if err != nil {
		return err
	}
	for _, t := range speedCases() {
		if done[t.key()] {
			continue
		}
		t.Rival = py.About
		if err := t.measure(ctx, py, reps); err != nil {
			return err
		}
		if err := jsonl.Append(file, t); err != nil {
			return err
		}
	}
	return nil
}

// measure takes the times.
func (t *timing) measure(ctx context.Context, py *rival.Process, reps int) error {
	src, err := normalRows(t.Rows, t.Inputs)
	if err != nil {
		return err
	}
	settings := krr.Settings{Lambdas: []float64{t.Lambda}, Engine: rff.Engine{Workers: 1}}
	if t.Precision == string(krr.Float32) {
		settings.Precision = krr.Float32
	}
	fit := func(by rff.Sampler) func() (float64, error) {
		return func() (float64, error) {
			start := cputime.Seconds()
			f, err := by.Sample(ctx, rff.Request{Kernel: rff.NewGaussian(math.Sqrt(float64(t.Inputs))), Dim: t.Inputs, Features: t.Columns, Data: src, Rand: rand.NewPCG(1, 1), Engine: settings.Engine})
			if err != nil {
				return 0, err
			}
			_, _, err = krr.Fit(ctx, f, src, settings)
			return cputime.Seconds() - start, err
		}
	}
	type side struct {
		run   func() (float64, error)
		times *[]float64
	}
	sides := []side{{fit(sampling.Nystrom{}), &t.Landmarks}, {fit(sampling.MonteCarlo{}), &t.Random}}
	if t.Lambda > 0 && settings.Precision == krr.Float64 {
		sides = append(sides, side{func() (float64, error) { return py.Seconds(t.Rows, t.Inputs, t.Columns, rivalBlock) }, &t.SciPy})
	}
	for range 2 * reps {
		for _, s := range sides {
			seconds, err := s.run()
			if err != nil {
				return err
			}
			*s.times = append(*s.times, math.Round(seconds*1e5)/1e5)
		}
		slices.Reverse(sides)
	}
	return nil
}

// reportSpeed writes a Markdown table of the record of speed beside a file: the least of
// every side, the ratio of the landmarks' seconds to those of either other side, of the
// sums over A-B-C-C-B-A: the median round, the least and the most; and the ratio that
// the multiply-adds have.
func reportSpeed(w io.Writer, file string) error {
	all, err := jsonl.Read[timing](filepath.Join(filepath.Dir(file), speedFile))
	if err != nil || len(all) == 0 {
		return cmp.Or(err, fmt.Errorf("%s has no %s beside it: -speed makes it", file, speedFile))
	}
	fmt.Fprint(w, "| rows, inputs, columns | type | λ | landmarks s | random features s | ratio | of multiply-adds | SciPy s | ratio |\n|---|---|---|---|---|---|---|---|---|\n")
	for _, t := range all {
		lambda := "by 5 folds"
		if t.Lambda > 0 {
			lambda = fmt.Sprintf("%.0e", t.Lambda)
		}
		fmt.Fprintf(w, "| %d, %d, %d | %s | %s | %s | %s | %s | %.2f | %s | %s |\n", t.Rows, t.Inputs, t.Columns, t.Precision, lambda,
			least(t.Landmarks), least(t.Random), ratios(t.Landmarks, t.Random), t.floor(), least(t.SciPy), ratios(t.Landmarks, t.SciPy))
	}
	return nil
}

// floor is the ratio of the multiply-adds in float64, in units of m³ for m columns, without
// those of the features: n/2m of the Gram, of random features half as much in float32, ⅙
// of a factor, ⅔ of the reduction of every fold; of landmarks ⅙ more of the factor of
// their kernel, and for folds ⅙ of its inverse and ½ of each one's congruence.
func (t *timing) floor() float64 {
	gram, folds := float64(t.Rows)/float64(2*t.Columns), 0.0
	if t.Lambda == 0 {
		folds = 5
	}
	landmarks := gram + 1.0/6 + 1.0/6 + folds*(2.0/3+1.0/2)
	if folds > 0 {
		landmarks += 1.0 / 6
	}
	if t.Precision == string(krr.Float32) {
		gram /= 2
	}
	return landmarks / (gram + 1.0/6 + folds*2/3)
}

func least(times []float64) string {
	if len(times) == 0 {
		return "–"
	}
	return fmt.Sprintf("%.3f", slices.Min(times))
}

func ratios(a, b []float64) string {
	if len(b) == 0 {
		return "–"
	}
	var r []float64
	for k := 0; k < len(a); k += 2 {
		r = append(r, (a[k]+a[k+1])/(b[k]+b[k+1]))
	}
	slices.Sort(r)
	return fmt.Sprintf("%.2f (%.2f … %.2f)", r[len(r)/2], r[0], r[len(r)-1])
}

func normalRows(n, d int) (rff.Source, error) {
	rng := rand.New(rand.NewPCG(1, 2))
	x, y := mat.NewDense(n, d, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		for j := range d {
			x.Set(i, j, rng.NormFloat64())
		}
		y.Set(i, 0, rng.NormFloat64())
	}
	return rff.FromMatrix(x, y)
}
