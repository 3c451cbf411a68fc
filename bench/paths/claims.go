package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"time"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/bench/roofline"
	"github.com/rffgo/rff/bench/sets"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/sampling"
)

// claim is what Liu et al. (2020), Table 3, print for one data set: seconds to
// make features from 128d frequencies.
type claim struct {
	set                      string
	rff, leverage, surrogate float64 // 0: not compared here
}

var published = []claim{
	{"eeg", 0.82, 3.91, 0.96},
	{"cod-rna", 0, 0, 0}, {"covtype", 0, 0, 0}, {"magic04", 0, 0, 0},
}

// mostRows bounds the rows of a set, and so the time and the memory of Z.
const mostRows = 10000

var samplers = []string{"RFF", "QMC", "leverage-RFF", "surrogate"}

// sampler returns the sampler that one of the paper's names stands for, as the
// paper defines it: a pool as large as the map, multinomial draws, importance
// weights.
func sampler(name string, e blas.Engine) rff.Sampler {
	pool := sampling.Pool{Multiple: 1, Pick: "multinomial", Importance: true, Engine: e}
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
func claims(ctx context.Context, w io.Writer, folder string, most int) error {
	fmt.Fprintf(w, "\n## The paper's timing claims\n\nSeconds to choose F frequencies and evaluate their 2F features on half of the rows, at most 10,000 (Liu et al. 2020, Table 3), float64, one worker, least of 2, paths and samplers in turn. Exponents are least-squares slopes of log seconds over log F from F = 8d on; the claim is O(ns²) for surrogate and O(ns²+s³) for leverage where a ridge fit follows, and O(ns) against O(ns²+s³) for the scores alone.\n")
	for _, c := range published {
		t, err := sets.Named(ctx, c.set, folder)
		if err != nil {
			return err
		}
		train, _, err := dataset.Split(t.Len(), 0.5, 1)
		if err != nil {
			return err
		}
		half := t.Select(train[:min(len(train), mostRows)])
		half = half.Scaled(dataset.FitScaling(dataset.Standard, half.X))
		if err := oneSet(ctx, w, c, half, most); err != nil {
			return fmt.Errorf("%s: %w", c.set, err)
		}
	}
	return nil
}

func oneSet(ctx context.Context, w io.Writer, c claim, t *dataset.Table, most int) error {
	d := t.X.Cols
	var multiples []int
	for m := 1; m <= most && 2*m*d <= 4096; m *= 2 {
		multiples = append(multiples, m)
	}
	fmt.Fprintf(w, "\n### %s: %d rows, d = %d\n\n| path | sampler |", c.set, t.Len(), d)
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
		if slow(path) {
			continue // minutes, and the operations above give their ratio
		}
		e := blas.Engine{Workers: 1}
		var err error
		if e.Backend, err = roofline.Backend(path); err != nil {
			return err
		}
		seconds := map[string][]float64{}
		for _, m := range multiples {
			fmt.Fprintf(os.Stderr, "paths: %s, %s, F = %dd\n", c.set, path, m)
			best := map[string]float64{}
			for range 2 {
				for _, name := range samplers {
					s, err := generate(ctx, sampler(name, e), e, t, 2*m*d, z)
					if err != nil {
						return fmt.Errorf("%s: %w", name, err)
					}
					if v, ok := best[name]; !ok || s < v {
						best[name] = s
					}
				}
			}
			for name, s := range best {
				seconds[name] = append(seconds[name], s)
			}
		}
		last := len(multiples) - 1
		for _, name := range samplers {
			fmt.Fprintf(w, "| %s | %s |", path, name)
			for _, s := range seconds[name] {
				fmt.Fprintf(w, " %.2g |", s)
			}
			fmt.Fprintf(w, " %.2f | %.2f |\n", slope(multiples, seconds[name]), seconds[name][last]/seconds["RFF"][last])
		}
	}
	if c.rff > 0 {
		fmt.Fprintf(w, "\nThe paper, at 128d: RFF %.2f s, leverage-RFF %.2f s (%.2f × RFF), surrogate %.2f s (%.2f × RFF).\n", c.rff, c.leverage, c.leverage/c.rff, c.surrogate, c.surrogate/c.rff)
	}
	return nil
}

// generate returns the seconds to choose the features and evaluate them into buffer.
func generate(ctx context.Context, s rff.Sampler, e blas.Engine, t *dataset.Table, columns int, buffer []float64) (float64, error) {
	k := rff.NewGaussian(math.Sqrt(float64(t.X.Cols)))
	start := time.Now()
	m, err := s.Sample(ctx, k, t.X.Cols, columns, t.Source(), rand.NewPCG(1, 2))
	if err != nil {
		return 0, err
	}
	_, distinct := m.Dims() // repeats merge into one column
	z := blas.General[float64]{Rows: t.Len(), Cols: distinct, Stride: columns, Data: buffer}
	m.Features64().Transform(e, z, t.X)
	return time.Since(start).Seconds(), nil
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
