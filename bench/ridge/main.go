// Command ridge times a streamed ridge fit against NumPy and SciPy on OpenBLAS,
// interleaved in one run, and what cross-validation adds to a fit. The shell
// script beside it does so for all shapes and writes bench/RESULTS-ridge.md.
//
//	go -C bench run ./ridge -workers 1 -reps 5
package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/bench/rival"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/krr"
)

type shape struct{ n, d, s int }

var shapes = []shape{{10000, 14, 1792}, {59535, 8, 1024}, {20000, 54, 3456}, {10000, 784, 4096}, {100000, 10, 256}}

func main() {
	workers := flag.Int("workers", 1, "workers of both sides")
	reps := flag.Int("reps", 5, "repetitions; the minimum counts")
	only := flag.String("shape", "", "n,d,s of one shape; empty: all")
	dtype := flag.String("dtype", "f64,f32", "element types")
	lambdas := flag.Int("cv", 20, "values of λ for cross-validation; 0: leave it out")
	python := flag.String("python", "/usr/bin/python3", "interpreter with numpy and scipy")
	norival := flag.Bool("norival", false, "time our side only")
	record := flag.String("record", "", "append the results to this `file`, too")
	render := flag.String("report", "", "write a Markdown table of the results in this `file`, made with -record, instead")
	file := flag.String("stream", "", "fit this CSV file as a stream instead, and report peak memory")
	times := flag.Int("times", 1, "with -stream: read the file this many times over")
	half := flag.String("accuracy", "", "fit half of this binary CSV file instead, with -solver, and score the other half")
	solver := flag.String("solver", "cholesky", "with -accuracy: cholesky or cg")
	features := flag.Int("features", 1024, "with -stream and -accuracy")
	memory := flag.Int64("memory", 512<<20, "with -solver cg: budget in bytes")
	lambda := flag.Float64("lambda", 1e-6, "with -accuracy")
	flag.Parse()
	precision := krr.Float64
	if *dtype == "f32" {
		precision = krr.Float32
	}
	var err error
	switch {
	case *render != "":
		err = report(os.Stdout, *render)
	case *file != "":
		err = stream(*file, *times, *features, *workers, *record)
	case *half != "":
		err = accuracy(*half, *solver, *features, *workers, *memory, *lambda, precision, *record)
	default:
		err = run(*workers, *reps, *only, *dtype, *lambdas, *norival, *python, *record)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "ridge:", err)
		os.Exit(1)
	}
}

// settle is longer than OpenBLAS's threads spin after a product, on processors
// that the next timing is to have.
const settle = 100 * time.Millisecond

func run(workers, reps int, only, dtypes string, lambdas int, norival bool, python, record string) error {
	var py *rival.Process
	if !norival {
		var err error
		if py, err = rival.Start(python, rival.Fit, workers); err != nil {
			return err
		}
	}
	e := rff.Engine{Workers: workers}
	fmt.Printf("%-18s %-5s %9s %9s %6s %9s %6s\n", "n,d,s", "dtype", "ours s", "rival s", "ratio", "cv s", "cv/fit")
	for _, s := range shapes {
		name := fmt.Sprintf("%d,%d,%d", s.n, s.d, s.s)
		if only != "" && only != name {
			continue
		}
		src, m, err := problem(s)
		if err != nil {
			return err
		}
		for _, dtype := range strings.Split(dtypes, ",") {
			set := krr.Settings{Lambdas: []float64{1e-4}, Engine: e}
			if dtype == "f32" {
				set.Precision = krr.Float32
			}
			r := result{Shape: name, Dtype: dtype, Workers: workers, Reps: reps, Ours: 1e99, Rival: 1e99, CV: 1e99}
			byBlock := map[int]float64{}
			for rep := range reps {
				t, err := fit(m, src, set)
				if err != nil {
					return err
				}
				r.Ours = min(r.Ours, t)
				for _, block := range rival.Blocks {
					if py == nil || (rep > 0 && byBlock[block] > 1.1*r.Rival) {
						continue // a tenth behind its best
					}
					t, err := py.Seconds(s.n, s.d, s.s, dtype, block)
					time.Sleep(settle)
					if err != nil {
						return err
					}
					if before, ok := byBlock[block]; !ok || t < before {
						byBlock[block] = t
					}
					r.Rival = min(r.Rival, t)
				}
				if lambdas > 1 {
					all := set
					all.Lambdas = grid(lambdas)
					t, err := fit(m, src, all)
					if err != nil {
						return err
					}
					r.CV = min(r.CV, t)
				}
			}
			fmt.Printf("%-18s %-5s %9.4f", name, dtype, r.Ours)
			if py != nil {
				r.About = py.About
				fmt.Printf(" %9.4f %6.3f", r.Rival, r.Ours/r.Rival)
			} else {
				r.Rival = 0
				fmt.Printf(" %9s %6s", "", "")
			}
			if lambdas > 1 {
				fmt.Printf(" %9.4f %6.2f", r.CV, r.CV/r.Ours)
			} else {
				r.CV = 0
			}
			fmt.Println()
			if err := r.append(record); err != nil {
				return err
			}
		}
	}
	return nil
}

func grid(n int) []float64 {
	l := make([]float64, n)
	for i := range l {
		l[i] = 1e-8 * float64(int(1)<<i)
	}
	return l
}

func problem(s shape) (rff.Source, *rff.Map, error) {
	rng := rand.New(rand.NewPCG(1, 2))
	x, y := blas.NewGeneral[float64](s.n, s.d), blas.NewGeneral[float64](s.n, 1)
	for i := range x.Data {
		x.Data[i] = rng.NormFloat64()
	}
	for i := range y.Data {
		y.Data[i] = x.Row(i)[0] + rng.NormFloat64()
	}
	src, err := rff.FromMatrix(mat.NewDense(x.Rows, x.Cols, x.Data), mat.NewDense(y.Rows, y.Cols, y.Data))
	if err != nil {
		return nil, nil, err
	}
	m, err := rff.New(rff.NewGaussian(3), s.d, s.s, rand.NewPCG(3, 4))
	return src, m, err
}

func fit(m *rff.Map, src rff.Source, s krr.Settings) (float64, error) {
	begin := time.Now()
	_, report, err := krr.Fit(context.Background(), m, src, s)
	t := time.Since(begin).Seconds()
	if err == nil && os.Getenv("RIDGE_VERBOSE") != "" {
		fmt.Fprintf(os.Stderr, "read %v select %v solve %v\n", report.Took["rows"], report.Took["select"], report.Took["solve"])
	}
	return t, err
}
