package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/cmd/rff/compare"
	"github.com/rffgo/rff/krr"
	"github.com/rffgo/rff/sampling"
)

// The shape of the fit that a search is timed against.
const (
	costRows    = 60000
	costInputs  = 14
	costColumns = 448
)

// cost times the search of the fast metric against one fit, with λ by cross-validation,
// on one worker: in the order fit, search, search, fit, reps times.
func cost(ctx context.Context, reps int) error {
	rng := rand.New(rand.NewPCG(1, 2))
	x, y := mat.NewDense(costRows, costInputs, nil), mat.NewDense(costRows, 1, nil)
	for i := range costRows {
		row := x.RawRowView(i)
		for j := range row {
			row[j] = rng.NormFloat64()
		}
		y.Set(i, 0, math.Sin(row[0]+row[1])+math.Cos(row[2]*row[3])+0.1*rng.NormFloat64())
	}
	data, err := rff.FromMatrix(x, y)
	if err != nil {
		return err
	}
	one := rff.Engine{Workers: 1}
	m, err := rff.New(rff.NewGaussian(4), costInputs, costColumns, rand.NewPCG(3, 4))
	if err != nil {
		return err
	}
	fit := func() error {
		_, _, err := krr.Fit(ctx, m, data, krr.Settings{Seed: 1, Engine: one})
		return err
	}
	search := func() error {
		_, err := sampling.SampleLearned(ctx, sampling.Metric{Fast: true}, rff.Request{Kernel: rff.NewGaussian(), Dim: costInputs, Features: costColumns, Data: data, Rand: rand.NewPCG(5, 6), Engine: one})
		return err
	}
	times := [2][]float64{}
	for range reps {
		for i, f := range []func() error{fit, search, search, fit} {
			start := time.Now()
			if err := f(); err != nil {
				return err
			}
			which := (i + 1) / 2 % 2 // 0, 1, 1, 0
			times[which] = append(times[which], time.Since(start).Seconds())
		}
	}
	for i, name := range []string{"fit", "fast metric"} {
		slices.Sort(times[i])
		fmt.Printf("%-12s n=%d d=%d s=%d workers=1: min %.3f s, median %.3f s of %d\n", name, costRows, costInputs, costColumns, times[i][0], median(times[i]), len(times[i]))
	}
	fmt.Printf("fast metric / fit: %.2f of the minima, %.2f of the medians. %s\n", times[1][0]/times[0][0], median(times[1])/median(times[0]), compare.Machine())
	return nil
}

func median(sorted []float64) float64 {
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
