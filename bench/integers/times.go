package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/bench/cputime"
	"github.com/rffgo/rff/bench/rival"
	"github.com/rffgo/rff/krr"
)

var (
	precisions = []krr.Precision{krr.Float32, "int12", "int8"}
	shapes     = [][3]int{{10000, 14, 1792}, {59535, 8, 1024}}
)

// numpy stands for the rival beside the precisions.
const numpy krr.Precision = "NumPy float32"

// settle is longer than OpenBLAS's threads spin after a product.
const settle = 100 * time.Millisecond

// taken are the least seconds of all measurements.
type taken struct{ processors, clock float64 }

func (t *taken) keep(processors, clock float64) {
	if t.clock == 0 {
		*t = taken{processors, clock}
	}
	*t = taken{min(t.processors, processors), min(t.clock, clock)}
}

// timed adds what f takes.
func (t *taken) timed(f func() error) error {
	start, used := time.Now(), cputime.Seconds()
	err := f()
	t.keep(cputime.Seconds()-used, time.Since(start).Seconds())
	return err
}

// problem returns rows of a smooth function with noise, and a map.
func problem(n, d, s, workers int) (rff.Source, *rff.Map, error) {
	r := rand.New(rand.NewPCG(1, 1))
	x, y := mat.NewDense(n, d, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		var sum float64
		for j := range d {
			v := r.NormFloat64()
			x.Set(i, j, v)
			sum += math.Sin(v * float64(j+1))
		}
		y.Set(i, 0, sum+0.1*r.NormFloat64())
	}
	data, err := rff.FromMatrix(x, y)
	if err != nil {
		return nil, nil, err
	}
	m, err := rff.New(rff.NewGaussian(2), d, s, rand.NewPCG(1, 2))
	if err != nil {
		return nil, nil, err
	}
	m, err = m.On(rff.Engine{Workers: workers})
	return data, m, err
}

// measured has the times of a shape with some workers.
type measured struct {
	sums, fit map[krr.Precision]*taken
	rmse      map[krr.Precision]float64
}

// measure times each side forwards and back, rounds times.
func measure(ctx context.Context, shape [3]int, workers, rounds int, py *rival.Process) (*measured, error) {
	data, m, err := problem(shape[0], shape[1], shape[2], workers)
	if err != nil {
		return nil, err
	}
	of := &measured{map[krr.Precision]*taken{}, map[krr.Precision]*taken{}, map[krr.Precision]float64{}}
	sides := slices.Clone(precisions)
	if py != nil {
		sides = append(sides, numpy)
	}
	for _, p := range sides {
		of.sums[p], of.fit[p] = new(taken), new(taken)
	}
	back := slices.Clone(sides)
	slices.Reverse(back)
	for range rounds {
		for _, p := range slices.Concat(sides, back) {
			if p == numpy {
				err = of.python(py, shape)
			} else {
				err = of.ours(ctx, p, m, data)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	return of, nil
}

func (of *measured) ours(ctx context.Context, p krr.Precision, m *rff.Map, data rff.Source) error {
	err := of.sums[p].timed(func() error {
		return krr.NewGram(m, 1, krr.GramSettings{Precision: p}).AddSource(ctx, data)
	})
	if err != nil {
		return err
	}
	return of.fit[p].timed(func() error {
		_, report, err := krr.Fit(ctx, m, data, krr.Settings{Precision: p, Lambdas: []float64{1e-4}})
		if err == nil {
			of.rmse[p] = report.Train.RMSE[0]
		}
		return err
	})
}

func (of *measured) python(py *rival.Process, shape [3]int) error {
	for _, block := range rival.Blocks {
		clock, processors, err := py.Times(shape[0], shape[1], shape[2], "f32", block)
		time.Sleep(settle)
		if err != nil {
			return err
		}
		of.fit[numpy].keep(processors, clock)
	}
	return nil
}

// times writes the table of all shapes.
func times(ctx context.Context, w io.Writer, workers []int, rounds int, python string) error {
	var about string
	var rows []string
	for _, n := range workers {
		var py *rival.Process
		if python != "" {
			var err error
			if py, err = rival.Start(python, rival.Fit, n); err != nil {
				return err
			}
			about = py.About
		}
		for _, s := range shapes {
			of, err := measure(ctx, s, n, rounds, py)
			if err != nil {
				return err
			}
			rows = append(rows, of.lines(s, n)...)
		}
	}
	if about != "" {
		fmt.Fprintf(w, "- The rival: %s, in blocks of 504, 2,016 or all rows, whichever is best, with as many threads as workers\n", about)
	}
	fmt.Fprint(w, "\n| n, d, s | workers | precision | sums, s | of float32 | GOP/s | fit, s | of float32 | of NumPy | by the clock: sums, s | of float32 | fit, s | of float32 | of NumPy | training RMSE |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, row := range rows {
		fmt.Fprintln(w, row)
	}
	return nil
}

// lines returns the lines of a shape.
func (of *measured) lines(shape [3]int, workers int) []string {
	var rows []string
	name := fmt.Sprintf("| %d, %d, %d | %d | ", shape[0], shape[1], shape[2], workers)
	operations := 1e-9 * float64(shape[0]) * float64(shape[2]) * float64(shape[2])
	rival := of.fit[numpy]
	ofRival := func(a float64, b func(*taken) float64) string {
		if rival == nil {
			return ""
		}
		return fmt.Sprintf("%.2f", a/b(rival))
	}
	processors, clock := func(t *taken) float64 { return t.processors }, func(t *taken) float64 { return t.clock }
	for _, p := range precisions {
		sums, fit, sums32, fit32 := of.sums[p], of.fit[p], of.sums[krr.Float32], of.fit[krr.Float32]
		rows = append(rows, fmt.Sprintf("%s%s | %.3f | %.2f | %.0f | %.3f | %.2f | %s | %.3f | %.2f | %.3f | %.2f | %s | %.5f |", name, p,
			sums.processors, sums.processors/sums32.processors, operations/sums.processors, fit.processors, fit.processors/fit32.processors, ofRival(fit.processors, processors),
			sums.clock, sums.clock/sums32.clock, fit.clock, fit.clock/fit32.clock, ofRival(fit.clock, clock), of.rmse[p]))
	}
	if rival != nil {
		rows = append(rows, fmt.Sprintf("%s%s | | | | %.3f | %.2f | 1.00 | | | %.3f | %.2f | 1.00 | |", name, numpy,
			rival.processors, rival.processors/of.fit[krr.Float32].processors, rival.clock, rival.clock/of.fit[krr.Float32].clock))
	}
	return rows
}
