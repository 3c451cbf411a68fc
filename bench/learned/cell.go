package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/cmd/rff/compare"
	"github.com/rffgo/rff/cmd/rff/fits"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/internal/fold"
	columns "github.com/rffgo/rff/internal/scaling"
	"github.com/rffgo/rff/krr"
	"github.com/rffgo/rff/sampling"
)

// cell is one fit.
type cell struct {
	Set     string  `json:"set"`
	Method  string  `json:"method"`
	Seed    uint64  `json:"seed"`
	Inputs  int     `json:"inputs"`
	Train   int     `json:"train"`
	Test    int     `json:"test"`
	Error   float64 `json:"error"` // %, of classes or of the targets' standard deviation
	Lambda  float64 `json:"lambda"`
	Outcome string  `json:"outcome"`
}

// trainRows is the largest number of rows to train on.
func trainRows(set string) int {
	if set == "covtype" {
		return 20000
	}
	return 10000
}

const testRows = 20000

// divide returns scaled training and test rows.
func divide(data *dataset.Table, set string, seed uint64) (train, test *dataset.Table, err error) {
	a, b, err := compare.Parts(data, seed, compare.Quarter)
	if err != nil {
		return nil, nil, err
	}
	a, b = a[:min(len(a), trainRows(set))], b[:min(len(b), testRows)]
	slices.Sort(a)
	slices.Sort(b)
	train, test = data.Select(a), data.Select(b)
	s := dataset.FitScaling(dataset.Robust, train.X)
	columns.BentRows(s.From, s.To, s.Shift, s.Scale, train.X, train.X)
	columns.BentRows(s.From, s.To, s.Shift, s.Scale, test.X, test.X)
	return train, test, nil
}

// noisy gives a share of the rows, drawn at random, each other's targets.
func noisy(t *dataset.Table, share float64, seed uint64) {
	order := fold.Permutation(t.Len(), seed^0x6e6f697365)
	order = order[:int(math.Round(share*float64(t.Len())))]
	for i := 1; i < len(order); i++ {
		a, b := order[i-1], order[i]
		t.Y[a], t.Y[b] = t.Y[b], t.Y[a]
	}
}

// measure fits on the training rows and predicts the test rows.
func (c *cell) measure(ctx context.Context, data *dataset.Table) error {
	train, test, err := divide(data, c.Set, c.Seed)
	if err != nil {
		return err
	}
	if _, share, ok := strings.Cut(c.Set, "~"); ok {
		percent, err := strconv.ParseFloat(share, 64)
		if err != nil || !(percent >= 0 && percent <= 100) {
			return fmt.Errorf("the noise of %q must be a number of %% from 0 to 100", c.Set)
		}
		noisy(train, percent/100, c.Seed)
	}
	c.Inputs, c.Train, c.Test = train.X.Cols, train.Len(), test.Len()
	m, err := c.features(ctx, train)
	if err != nil {
		return err
	}
	model, _, err := krr.Fit(ctx, m, train.Source(), krr.Settings{Seed: c.Seed, ClipPredictions: train.Coding.Task == dataset.Regression})
	if err != nil {
		return err
	}
	c.Lambda = model.Info().Lambda[0]
	_, targets := test.Source().Schema().Dims()
	out := blas.NewGeneral[float64](test.Len(), targets)
	if err := fits.PredictBatch(model, out, test.X); err != nil {
		return err
	}
	if test.Coding.Task == dataset.Classification {
		c.Error = 100 - compare.Accuracy(test, out)
	} else {
		c.Error = 100 * math.Sqrt(1-compare.Measures(test, out, nil)[fits.R2])
	}
	return nil
}

// features chooses 16 frequencies per input on the training rows.
func (c *cell) features(ctx context.Context, train *dataset.Table) (*rff.Map, error) {
	dim := train.X.Cols
	src := rand.NewPCG(c.Seed, 0x6c6561726e)
	if c.Method == "rff" {
		return c.tuned(ctx, train, 32*dim, src)
	}
	s, err := sampling.ByName(c.Method)
	if err != nil {
		return nil, err
	}
	l, err := sampling.SampleLearned(ctx, s, rff.Request{Kernel: rff.NewGaussian(), Dim: dim, Features: 32 * dim, Data: train.Source(), Rand: src})
	if err != nil {
		return nil, err
	}
	c.Outcome = l.Outcome
	return l.Map, nil
}

// tuned draws plain features at the best bandwidth of the whole grid, at full size.
func (c *cell) tuned(ctx context.Context, train *dataset.Table, features int, src rand.Source) (*rff.Map, error) {
	c.Outcome = "tuned"
	k, err := fits.SearchBandwidth(ctx, rff.NewGaussian(), train.Source(), fits.MedianBandwidth, krr.Settings{}, c.Seed)
	if err != nil {
		return nil, err
	}
	m, err := sampling.MonteCarlo{}.Sample(ctx, rff.Request{Kernel: k, Dim: train.X.Cols, Features: features, Rand: src})
	if err != nil {
		return nil, err
	}
	lowest, at := math.Inf(1), m
	for octave := 4; octave >= -8; octave-- {
		scaled, err := m.Rescale(math.Exp2(float64(octave) / 2))
		if err != nil {
			return nil, err
		}
		_, report, err := krr.Fit(ctx, scaled, train.Source(), krr.Settings{Folds: 3, Seed: c.Seed})
		if err != nil {
			return nil, err
		}
		for _, p := range report.Path {
			if e := fits.Total(p); e < lowest {
				lowest, at = e, scaled
			}
		}
	}
	return at, nil
}
