// Command integers measures fits by exact sums of integers beside those in float32, and writes
// bench/RESULTS-integers.md.
//
//	for p in f64 int12 int8; do
//	  rff compare --data letter --samplers rff --features 512 --rows 10000 --precision $p --json out/letter.$p.json
//	done
//	go -C bench run ./integers -compared out
//
// It takes processor time, in the order float32, int12, int8, int8, int12, float32, and the
// least of all rounds.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/bench/cputime"
	"github.com/rffgo/rff/krr"
)

var (
	precisions = []krr.Precision{krr.Float32, "int12", "int8"}
	shapes     = [][3]int{{10000, 14, 1792}, {59535, 8, 1024}}
)

func main() {
	rounds := flag.Int("rounds", 3, "times that each is measured twice")
	page := flag.String("o", "RESULTS-integers.md", "`file` to write the table to")
	compared := flag.String("compared", "", "`folder` with what rff compare --json wrote, as SET.PRECISION.json; none: no table of errors")
	flag.Parse()
	if err := run(context.Background(), *rounds, *compared, *page); err != nil {
		fmt.Fprintln(os.Stderr, "integers:", err)
		os.Exit(1)
	}
}

// rows returns rows of a smooth function with noise.
func rows(n, d int) (rff.Source, error) {
	r := rand.New(rand.NewPCG(1, 1))
	x, y := mat.NewDense(n, d, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		var s float64
		for j := range d {
			v := r.NormFloat64()
			x.Set(i, j, v)
			s += math.Sin(v * float64(j+1))
		}
		y.Set(i, 0, s+0.1*r.NormFloat64())
	}
	return rff.FromMatrix(x, y)
}

func run(ctx context.Context, rounds int, compared, page string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# Fits by sums of integers\n\nProcessor seconds of one worker: the sums of all rows (features, ZᵀZ, ZᵀY), and the whole fit with one λ. Each was measured in the order float32, int12, int8, int8, int12, float32, %d times; the least is shown. The rate counts n·s² operations of the sums, features included. [Exact sums](../docs/exact.md) says what int12 and int8 are.\n\n- Command: `go -C bench run ./integers -rounds %d -compared out`\n- Date: %s\n- Machine: %s/%s, %d processors, %s\n\n| n, d, s | precision | sums | of float32 | GOP/s | fit | of float32 | training RMSE |\n|---|---|---|---|---|---|---|---|\n",
		rounds, rounds, time.Now().UTC().Format("2 January 2006, 15:04 UTC"), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
	for _, s := range shapes {
		if err := measure(ctx, &b, s, rounds); err != nil {
			return err
		}
	}
	if compared != "" {
		if err := scores(&b, compared); err != nil {
			return err
		}
	}
	return os.WriteFile(page, []byte(b.String()), 0o666)
}

// scores writes the scores on the sets of a folder.
func scores(b *strings.Builder, folder string) error {
	files, err := filepath.Glob(filepath.Join(folder, "*.f64.json"))
	if err != nil {
		return err
	}
	fmt.Fprint(b, "\n## Scores\n\nThe mean of the repetitions of `rff compare --samplers rff --features 512 --rows 10000`, with λ by cross-validation; the deviation is between draws of the features.\n\n| set | score | float64 | deviation | int12 less float64 | int8 less float64 |\n|---|---|---|---|---|---|\n")
	for _, file := range files {
		set := strings.TrimSuffix(file, ".f64.json")
		var of [3]struct {
			Score string
			Rows  []struct{ Mean, SD float64 }
		}
		for i, p := range []string{"f64", "int12", "int8"} {
			text, err := os.ReadFile(set + "." + p + ".json")
			if err == nil {
				err = json.Unmarshal(text, &of[i])
			}
			if err != nil {
				return err
			}
		}
		f64 := of[0].Rows[0]
		fmt.Fprintf(b, "| %s | %s | %.4g | %.2g | %+.2g | %+.2g |\n", filepath.Base(set), of[0].Score, f64.Mean, f64.SD, of[1].Rows[0].Mean-f64.Mean, of[2].Rows[0].Mean-f64.Mean)
	}
	return nil
}

// measure writes the lines of a shape.
func measure(ctx context.Context, b *strings.Builder, shape [3]int, rounds int) error {
	data, err := rows(shape[0], shape[1])
	if err != nil {
		return err
	}
	m, err := rff.New(rff.NewGaussian(2), shape[1], shape[2], rand.NewPCG(1, 2))
	if err != nil {
		return err
	}
	if m, err = m.On(rff.Engine{Workers: 1}); err != nil {
		return err
	}
	sums, fits, rmse := map[krr.Precision]float64{}, map[krr.Precision]float64{}, map[krr.Precision]float64{}
	back := slices.Clone(precisions)
	slices.Reverse(back)
	for range rounds {
		for _, p := range slices.Concat(precisions, back) {
			start := cputime.Seconds()
			g := krr.NewGram(m, 1, krr.GramSettings{Precision: p})
			if err := g.AddSource(ctx, data); err != nil {
				return err
			}
			keep(sums, p, cputime.Seconds()-start)
			start = cputime.Seconds()
			_, report, err := krr.Fit(ctx, m, data, krr.Settings{Precision: p, Lambdas: []float64{1e-4}})
			if err != nil {
				return err
			}
			keep(fits, p, cputime.Seconds()-start)
			rmse[p] = report.Train.RMSE[0]
		}
	}
	operations := float64(shape[0]) * float64(shape[2]) * float64(shape[2])
	for _, p := range precisions {
		fmt.Fprintf(b, "| %d, %d, %d | %s | %.3f | %.2f | %.0f | %.3f | %.2f | %.5f |\n", shape[0], shape[1], shape[2], p,
			sums[p], sums[p]/sums[krr.Float32], operations/sums[p]/1e9, fits[p], fits[p]/fits[krr.Float32], rmse[p])
	}
	return nil
}

// keep keeps the least of all measurements.
func keep(least map[krr.Precision]float64, p krr.Precision, seconds float64) {
	if old, ok := least[p]; !ok || seconds < old {
		least[p] = seconds
	}
}
