// Package rahimi runs the experiments of A. Rahimi and B. Recht, "Random features for
// large-scale kernel machines" (NIPS 2007) again: Fourier features and least squares
// against exact support vector machines, and beside them exact kernel ridge regression,
// which has the same loss as the features.
//
// The paper's bandwidths and regularisation are not known: all are chosen on training
// rows. Exact solvers hold a matrix of rows × rows, so they have a sample of the rows
// where there are many.
package rahimi

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/bench/reproduce"
	"github.com/rffgo/rff/bench/reproduce/papers"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/cmd/rff/compare"
	"github.com/rffgo/rff/cmd/rff/fits"
	"github.com/rffgo/rff/cmd/rff/sets"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/internal/fold"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/krr"
	"github.com/rffgo/rff/sampling"
)

const name = "rahimi-recht"

// The methods.
const (
	fourier = "fourier" // cosines with random phases, and least squares
	kernel  = "krr"     // exact kernel ridge regression
	support = "svm"     // exact support vector machine
)

// exactRows is the most rows of an exact solver: its kernel matrix takes 340 MB.
const exactRows = 6500

// trainRows are those of the paper's cpu.
const trainRows = 6500

// Experiment returns the experiment.
func Experiment() *reproduce.Experiment {
	return &reproduce.Experiment{
		Name:    name,
		Paper:   "A. Rahimi, B. Recht, Random features for large-scale kernel machines, NIPS 2007, the table of experiments",
		Summary: "Fourier features and least squares against exact solvers: errors and seconds to train",
		Protocols: []reproduce.Protocol{{
			Experiment: name, Name: reproduce.Published, Version: 1,
			Sets:     order,
			Samplers: []string{fourier, kernel, support},
			Reps:     3, QuickReps: 1,
			Unit: "features, D", Sizes: sizes, Cost: cost,
			New:      func(o reproduce.Options) reproduce.Bench { return &bench{folder: o.Folder} },
			Document: document,
		}},
	}
}

// printed returns the paper's row of a set.
func printed(set string) papers.RahimiRecht {
	if set == "cpuact" {
		set = "cpu"
	}
	all := papers.RahimiRechtTable()
	return all[slices.IndexFunc(all, func(p papers.RahimiRecht) bool { return p.Data == set })]
}

// sizes is the paper's number of features. Exact solvers have none, and are run once.
func sizes(set string, _ bool) []int { return []int{printed(set).Features} }

// cost is about the number of multiply-adds.
func cost(k reproduce.Key) float64 {
	p := printed(k.Data)
	if k.Sampler == fourier {
		return 14*5000*512*512 + float64(p.Rows)*float64(k.Size*k.Size)
	}
	return exactRows*exactRows*exactRows/3 + 6e10
}

// bench measures cells.
type bench struct {
	folder string

	key         reproduce.Key // of the rows below; Sampler is empty
	train, test *dataset.Table
	sigma       float64
}

// prepare reads, divides and scales the rows of a repetition, and finds the bandwidth.
func (b *bench) prepare(ctx context.Context, k reproduce.Key) error {
	if k.Sampler = ""; b.key == k {
		return nil
	}
	t, err := sets.Named(ctx, k.Data, b.folder)
	if err != nil {
		return err
	}
	if err := b.divide(t, k); err != nil {
		return err
	}
	found, err := fits.SearchBandwidth(ctx, rff.NewGaussian(), b.train.Source(), fits.SearchedBandwidth, krr.Settings{Seed: k.Seed}, reproduce.Stream(k.Seed, "bandwidth", k.Data, k.Rep))
	if err != nil {
		return err
	}
	b.sigma, b.key = inside.FamilyOf(found, 1).Bandwidths[0], k
	return nil
}

// divide takes the set's own parts, the paper's number of rows of cpu, and four fifths
// of KDD Cup 1999, whose test part is not at hand.
func (b *bench) divide(t *dataset.Table, k reproduce.Key) error {
	train, test, err := compare.Parts(t, reproduce.Stream(k.Seed, "rows", k.Data, k.Rep), func(t *dataset.Table, seed uint64) (train, test []int, err error) {
		order, n := fold.Permutation(t.Len(), seed), t.Len()*4/5
		if k.Data == "cpuact" {
			n = min(trainRows, n)
		}
		return order[:n], order[n:], nil
	})
	if err != nil {
		return err
	}
	b.train, b.test = t.Select(train), t.Select(test)
	s := dataset.FitScaling(dataset.Robust, b.train.X)
	b.train, b.test = b.train.Scaled(s), b.test.Scaled(s)
	return nil
}

// targets are the labels, ±1, or the numbers of a regression.
func targets(t *dataset.Table) []float64 {
	y := slices.Clone(t.Y)
	if t.Coding.Task == dataset.Classification {
		for i := range y {
			y[i] = 2*y[i] - 1
		}
	}
	return y
}

// Measure implements reproduce.Bench.
func (b *bench) Measure(ctx context.Context, c *reproduce.Cell) error {
	if err := b.prepare(ctx, c.Key); err != nil {
		return err
	}
	var f []float64
	var err error
	if c.Sampler == fourier {
		f, err = b.fourier(ctx, c)
	} else {
		f, err = b.exact(ctx, c)
	}
	if err != nil {
		return err
	}
	c.Values["error"] = b.error(targets(b.test), f)
	c.Values["test_rows"] = float64(b.test.Len())
	if e := c.Values["error"]; math.IsNaN(e) || math.IsInf(e, 0) {
		return fmt.Errorf("the error is %v", e)
	}
	return nil
}

// fourier fits the paper's features: cosines with random phases.
func (b *bench) fourier(ctx context.Context, c *reproduce.Cell) ([]float64, error) {
	start := time.Now()
	src := rand.NewPCG(reproduce.Stream(c.Seed, "frequencies", c.Data, c.Size, c.Rep), 0)
	m, err := sampling.MonteCarlo{Form: rff.CosBias}.Sample(ctx, rff.Request{Kernel: rff.NewGaussian(b.sigma), Dim: b.train.X.Cols, Features: c.Size, Rand: src})
	if err != nil {
		return nil, err
	}
	model, _, err := krr.Fit(ctx, m, b.train.Source(), krr.Settings{Seed: reproduce.Stream(c.Seed, "folds", c.Data, c.Rep)})
	if err != nil {
		return nil, err
	}
	c.Seconds["train"] = time.Since(start).Seconds()
	c.Values["bandwidth"], c.Values["parameter"], c.Values["train_rows"] = b.sigma, model.Info().Lambda[0], float64(b.train.Len())
	out := blas.NewGeneral[float64](b.test.Len(), 1)
	if err := fits.PredictBatch(model, out, b.test.X); err != nil {
		return nil, err
	}
	return out.Data, nil
}

// exact fits an exact solver to the first rows, which are in random order.
func (b *bench) exact(ctx context.Context, c *reproduce.Cell) ([]float64, error) {
	n := min(exactRows, b.train.Len())
	x, y := b.train.X.RowRange(0, n), targets(b.train)[:n]
	var s exact = ridge{}
	machine := &vector{task: b.train.Coding.Task}
	if c.Sampler == support {
		s = machine
	}
	e, err := b.solve(ctx, c, s, x, y)
	if err != nil {
		return nil, err
	}
	c.Values["train_rows"] = float64(n)
	if c.Sampler == support {
		c.Values["vectors"], c.Values["iterations"] = float64(machine.machine.vectors), float64(machine.machine.iterations)
		if !machine.machine.converged {
			return nil, fmt.Errorf("the support vector machine does not converge in %d iterations", machine.machine.iterations)
		}
	}
	return e.Predict(ctx, b.test.X)
}

// error is the share of wrong signs, or ‖y − f‖/‖y‖, in %.
func (b *bench) error(y, f []float64) float64 {
	if b.train.Coding.Task == dataset.Classification {
		wrong := 0
		for i, v := range f {
			if (v >= 0) != (y[i] > 0) {
				wrong++
			}
		}
		return 100 * float64(wrong) / float64(len(y))
	}
	return 100 * reproduce.Relative(y, blas.General[float64]{Rows: len(f), Cols: 1, Stride: 1, Data: f})
}
