package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/bench/cputime"
	"github.com/rffgo/rff/bench/reproduce/papers"
	"github.com/rffgo/rff/bench/roofline"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/cmd/rff/sets"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/sampling"
)

// claimSets are the data sets of Table 3 of Liu et al. (2020).
var claimSets = []string{"eeg", "cod-rna", "covtype", "magic04"}

// mostRows bounds the rows of a set, and so the time and the memory of Z.
const mostRows = 10000

// samplers are the paper's methods, and its tables' words for them.
var samplers = []struct{ name, paper string }{{"RFF", "rff"}, {"QMC", "qmc"}, {"leverage-RFF", "leverage"}, {"surrogate", "surrogate"}}

// runs of a path; one of those without vector instructions, which are not near the others.
func runs(path string) int {
	if slow(path) {
		return 1
	}
	return 3
}

// sampler returns the sampler that one of the paper's names stands for, as the
// paper defines it: a pool as large as the map, multinomial draws, importance
// weights.
func sampler(name string) rff.Sampler {
	pool := sampling.Pool{Multiple: 1, Pick: "multinomial", Importance: true}
	switch name {
	case "QMC":
		return sampling.Halton{}
	case "leverage-RFF":
		return sampling.Leverage{Pool: pool}
	case "surrogate":
		return sampling.Surrogate{Pool: pool}
	}
	return sampling.MonteCarlo{}
}

// claims times what the paper times: choosing frequencies and evaluating the
// features of the training half of the rows.
func claims(ctx context.Context, w io.Writer, chosen []string, folder string, most int) error {
	fmt.Fprintf(w, "\n## The paper's timing claims\n\nCPU seconds to choose F frequencies and evaluate their 2F features on half of the rows, at most 10,000 (Liu et al. 2020, Table 3), float64, one worker, least of 3 (gonum: of 1), samplers in turn, and the seconds that the paper prints, of MATLAB on an Intel i5-6500 with the rows that it has. Exponents are least-squares slopes of log seconds over log F from F = 8d on; the claim is O(ns²) for surrogate and O(ns²+s³) for leverage where a ridge fit follows, and O(ns) against O(ns²+s³) for the scores alone.\n")
	for _, set := range chosen {
		if !slices.Contains(claimSets, set) {
			return fmt.Errorf("the paper's part has no set %q: it has %s", set, strings.Join(claimSets, ", "))
		}
		t, err := sets.Named(ctx, set, folder)
		if err != nil {
			return err
		}
		train, _, err := dataset.Split(t.Len(), 0.5, 1)
		if err != nil {
			return err
		}
		half := t.Select(train[:min(len(train), mostRows)])
		half = half.Scaled(dataset.FitScaling(dataset.Standard, half.X))
		if err := oneSet(ctx, w, set, half, most); err != nil {
			return fmt.Errorf("%s: %w", set, err)
		}
	}
	return nil
}

func oneSet(ctx context.Context, w io.Writer, set string, t *dataset.Table, most int) error {
	d := t.X.Cols
	var multiples []int
	for m := 1; m <= most && 2*m*d <= 4096; m *= 2 {
		multiples = append(multiples, m)
	}
	fmt.Fprintf(w, "\n### %s: %d rows, d = %d\n\n| path | sampler |", set, t.Len(), d)
	for _, m := range multiples {
		fmt.Fprintf(w, " %dd |", m)
	}
	fmt.Fprint(w, " exponent | over RFF |\n|---|---|")
	for range len(multiples) + 2 {
		fmt.Fprint(w, "---:|")
	}
	fmt.Fprintln(w)
	z := make([]float64, t.Len()*2*multiples[len(multiples)-1]*d)
	for _, path := range roofline.Paths() {
		if path == "native-go" {
			continue // minutes, and the operations above give their ratio
		}
		e := rff.Engine{Backend: roofline.Backend(path), Workers: 1}
		seconds := map[string][]float64{}
		for _, m := range multiples {
			fmt.Fprintf(os.Stderr, "paths: %s, %s, F = %dd\n", set, path, m)
			best := map[string]float64{}
			for range runs(path) {
				for _, by := range samplers {
					s, err := generate(ctx, sampler(by.name), e, t, 2*m*d, z)
					if err != nil {
						return fmt.Errorf("%s: %w", by.name, err)
					}
					if v, ok := best[by.name]; !ok || s < v {
						best[by.name] = s
					}
				}
			}
			for name, s := range best {
				seconds[name] = append(seconds[name], s)
			}
		}
		for _, by := range samplers {
			row(w, path, by.name, multiples, seconds[by.name], seconds["RFF"])
		}
	}
	printed := map[string][]float64{}
	for _, p := range papers.LiuTable3() {
		if at := slices.Index(multiples, p.PerInput); p.Data == set && at == len(printed[p.Method]) {
			printed[p.Method] = append(printed[p.Method], p.Generate)
		}
	}
	for _, by := range samplers {
		row(w, "the paper", by.name, multiples, printed[by.paper], printed["rff"])
	}
	return nil
}

// row writes the seconds of a sampler at the first of the multiples.
func row(w io.Writer, path, name string, multiples []int, seconds, plain []float64) {
	fmt.Fprintf(w, "| %s | %s |", path, name)
	for i := range multiples {
		if i < len(seconds) {
			fmt.Fprintf(w, " %.2g |", seconds[i])
		} else {
			fmt.Fprint(w, " – |")
		}
	}
	last := len(seconds) - 1
	fmt.Fprintf(w, " %.2f | %.2f |\n", slope(multiples[:len(seconds)], seconds), seconds[last]/plain[last])
}

// generate returns the CPU seconds to choose the features and evaluate them into buffer.
func generate(ctx context.Context, s rff.Sampler, e rff.Engine, t *dataset.Table, columns int, buffer []float64) (float64, error) {
	k := rff.NewGaussian(math.Sqrt(float64(t.X.Cols)))
	start := cputime.Seconds()
	m, err := s.Sample(ctx, rff.Request{Kernel: k, Dim: t.X.Cols, Features: columns, Data: t.Source(), Rand: rand.NewPCG(1, 2), Engine: e})
	if err != nil {
		return 0, err
	}
	_, distinct := m.Dims() // repeats merge into one column
	z := blas.General[float64]{Rows: t.Len(), Cols: distinct, Stride: columns, Data: buffer}
	inside.Features64(m).Transform(inside.Engine(m), z, t.X)
	return cputime.Seconds() - start, nil
}

// slope is the least-squares slope of log y over log x from x = 8 on.
func slope(x []int, y []float64) float64 {
	var n, sx, sy, sxx, sxy float64
	for i := range x {
		if x[i] < 8 {
			continue
		}
		a, b := math.Log(float64(x[i])), math.Log(y[i])
		n, sx, sy, sxx, sxy = n+1, sx+a, sy+b, sxx+a*a, sxy+a*b
	}
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}
