// Package tefm runs the experiments of X. Chen, H. Yang, I. King and M. Lyu,
// "Training-efficient feature map for shift-invariant kernels" (IJCAI 2015) again:
// kernel error, relative error of ridge regression and time against the number of
// columns. The paper states its bound for any convex loss and names the logistic one and
// the smoothed hinge, but has no figure of either: on the sets of classes they are
// fitted, to see whether half the kernel error is of use to them.
//
// The paper's bandwidths are not known: as published, σ is the median distance between
// rows, in the fair protocol it is chosen by cross-validation.
package tefm

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/bench/reproduce"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/cmd/rff/compare"
	"github.com/rffgo/rff/cmd/rff/fits"
	"github.com/rffgo/rff/cmd/rff/sets"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/internal/fold"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/scaling"
	"github.com/rffgo/rff/krr"
	"github.com/rffgo/rff/sampling"
)

const name = "tefm"

// methods are the paper's, by sampler.
var methods = []struct{ sampler, paper string }{
	{"rff", "RKS"}, {"tefm-g", "TEFM-G"}, {"tefm-s", "TEFM-S"}, {"compact", "Comp"}, {"halton", "Quasi"}, {"fastfood", "Ffood"},
}

// The bounds of the experiment.
const (
	trainRows  = 6500 // of the paper's cpu
	kernelRows = 6000 // to measure the kernel error on
)

// lossReps are the repetitions of losses other than squares, of the sets of classes: as many as
// take some minutes together.
var lossReps = map[string]int{"adult": 3, "mnist": 1}

// inputs of the sets, of the training rows of which there are at most trainRows.
var inputs = map[string]float64{"cpuact": 21, "adult": 123, "blogfeedback": 280, "slice": 384, "ujiindoorloc": 520, "mnist": 784}

// Experiment returns the experiment.
func Experiment() *reproduce.Experiment {
	e := &reproduce.Experiment{
		Name:    name,
		Paper:   "X. Chen, H. Yang, I. King, M. Lyu, Training-efficient feature map for shift-invariant kernels, IJCAI 2015, Figures 1 to 3",
		Summary: "kernel error, relative error of ridge regression and time of projected maps, errors of logistic regression and smoothed hinge",
	}
	for _, p := range []string{reproduce.Published, reproduce.Fair} {
		protocol := reproduce.Protocol{
			Experiment: name, Name: p, Version: 1,
			Sets: []string{"cpuact", "adult", "blogfeedback", "slice", "ujiindoorloc", "mnist"}, Reps: 5, QuickReps: 1,
			Unit: "columns of features, l",
			Sizes: func(_ string, quick bool) []int {
				if quick {
					return []int{50, 200}
				}
				return []int{50, 100, 200, 400, 800}
			},
			Losses: func(k reproduce.Key) []reproduce.Loss {
				reps, ok := lossReps[k.Data]
				if !ok || k.Size > 200 {
					return nil
				}
				return []reproduce.Loss{{Name: "logistic", Reps: reps}, {Name: "smoothed-hinge", Reps: reps}}
			},
			Cost: func(k reproduce.Key) float64 {
				return kernelRows*kernelRows*(inputs[k.Data]+float64(k.Size)+40) + trainRows*float64(k.Size*k.Size)*20
			},
			New: func(o reproduce.Options) reproduce.Bench {
				return &bench{folder: o.Folder, searched: p == reproduce.Fair}
			},
			Document: document,
		}
		for _, m := range methods {
			protocol.Samplers = append(protocol.Samplers, m.sampler)
		}
		e.Protocols = append(e.Protocols, protocol)
	}
	return e
}

// bench measures cells.
type bench struct {
	folder   string
	searched bool // the bandwidth, by cross-validation

	key         reproduce.Key // group of the rows below
	train, test *dataset.Table
	kernel      rff.Kernel
}

// prepare reads, divides and scales the rows of a repetition, and finds the bandwidth.
func (b *bench) prepare(ctx context.Context, k reproduce.Key) error {
	if k = k.Group(); b.key == k {
		return nil
	}
	t, err := sets.Named(ctx, k.Data, b.folder)
	if err != nil {
		return err
	}
	return b.divide(ctx, t, k)
}

func (b *bench) divide(ctx context.Context, t *dataset.Table, k reproduce.Key) error {
	var train, test []int
	for _, i := range fold.Permutation(t.Len(), reproduce.Stream(k.Seed, "rows", k.Data, k.Rep)) {
		official := t.Train > 0 && t.Train < t.Len()
		switch {
		case len(train) < min(trainRows, t.Len()*4/5) && (!official || i < t.Train):
			train = append(train, i)
		case !official || i >= t.Train:
			test = append(test, i)
		}
	}
	b.train, b.test = t.Select(train), t.Select(test)
	s := dataset.FitScaling(dataset.Standard, b.train.X)
	scaling.BentRows(s.From, s.To, s.Shift, s.Scale, b.train.X, b.train.X)
	scaling.BentRows(s.From, s.To, s.Shift, s.Scale, b.test.X, b.test.X)
	rule := fits.MedianBandwidth
	if b.searched {
		rule = fits.SearchedBandwidth
	}
	kernel, err := fits.SearchBandwidth(ctx, rff.NewGaussian(), b.train.Source(), rule, krr.Settings{Seed: k.Seed}, reproduce.Stream(k.Seed, "bandwidth", k.Data, k.Rep))
	if err != nil {
		return err
	}
	b.kernel, b.key = kernel, k
	return nil
}

// Measure implements reproduce.Bench.
func (b *bench) Measure(ctx context.Context, c *reproduce.Cell) error {
	if err := b.prepare(ctx, c.Key); err != nil {
		return err
	}
	name := c.Sampler
	if name == "compact" { // as its figures were made
		name = "compact:projection=sign"
	}
	sampler, err := sampling.ByName(name)
	if err != nil {
		return err
	}
	start := time.Now()
	src := rand.NewPCG(reproduce.Stream(c.Seed, "frequencies", c.Data, c.Size, c.Rep), 0)
	m, err := sampler.Sample(ctx, rff.Request{Kernel: b.kernel, Dim: b.train.X.Cols, Features: c.Size, Data: b.train.Source(), Rand: src})
	if err != nil {
		return err
	}
	regression := b.train.Coding.Task == dataset.Regression
	if regression || c.Loss != "" {
		model, _, err := krr.Fit(ctx, m, b.train.Source(), krr.Settings{Seed: reproduce.Stream(c.Seed, "folds", c.Data, c.Rep), ClipPredictions: regression, Loss: c.Loss})
		if err != nil {
			return err
		}
		c.Seconds["learn"] = time.Since(start).Seconds()
		_, targets := b.test.Source().Schema().Dims()
		out := blas.NewGeneral[float64](b.test.Len(), targets)
		if err := fits.PredictBatch(model, out, b.test.X); err != nil {
			return err
		}
		if !regression { // the kernel error is that of the cell of squares
			c.Values["error"] = 100 - compare.Accuracy(b.test, out)
			return nil
		}
		c.Values["error"] = reproduce.Relative(b.test.Y, out)
	}
	e, err := kernelError(ctx, m, b.kernel, b.train.X.RowRange(0, min(kernelRows, b.train.X.Rows)))
	if err != nil {
		return err
	}
	c.Values["kernel_error"] = e
	if math.IsNaN(e) || math.IsNaN(c.Values["error"]) || math.IsInf(c.Values["error"], 0) {
		return fmt.Errorf("an error is not finite")
	}
	return nil
}

// kernelError is ‖K − ZZᵀ‖/‖K‖ in the Frobenius norm over the rows of x. No n×n matrix
// is kept: K and ZZᵀ are made for a block of rows at a time, right of the diagonal.
func kernelError(ctx context.Context, m *rff.Map, k rff.Kernel, x blas.General[float64]) (float64, error) {
	n := x.Rows
	_, s := m.Dims()
	z := blas.NewGeneral[float64](n, s)
	inside.Features64(m).Transform(blas.Engine{}, z, x)
	exact, approx := blas.NewGeneral[float64](blas.RowBlock, n), blas.NewGeneral[float64](blas.RowBlock, n)
	var off, norm float64
	for at := 0; at < n; at += blas.RowBlock {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		rows, columns := min(blas.RowBlock, n-at), n-at
		left := blas.General[float64]{Rows: rows, Cols: columns, Stride: n, Data: exact.Data}
		right := blas.General[float64]{Rows: rows, Cols: columns, Stride: n, Data: approx.Data}
		reproduce.Gaussian(left, x.RowRange(at, at+rows), x.RowRange(at, n), inside.FamilyOf(k, 1).Bandwidths[0])
		blas.Gemm(blas.Engine{}, false, true, 1, z.RowRange(at, at+rows), z.RowRange(at, n), 0, right)
		for i := range rows {
			for j, exactly := range left.Row(i) {
				if j < i {
					continue
				}
				d := right.Row(i)[j] - exactly
				times := 2.0 // this element and the one across the diagonal
				if i == j {
					times = 1
				}
				off, norm = off+float64(times*float64(d*d)), norm+float64(times*float64(exactly*exactly))
			}
		}
	}
	return math.Sqrt(off / norm), nil
}
