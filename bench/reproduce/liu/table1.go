package liu

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/bench/reproduce"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/cmd/rff/fits"
	"github.com/rffgo/rff/cmd/rff/sets"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/krr"
	"github.com/rffgo/rff/quality"
	"github.com/rffgo/rff/sampling"
)

const table1Name = "liu-table1"

// exactly is the "sampler" of the cells that have the kernel itself.
const exactly = "exact"

// table1Samplers are the exact kernel and the features that the theorem is about: drawn
// in proportion to their scores, with the weights that keep the kernel.
var table1Samplers = []string{exactly, plain, leverage, surrogate}

// Rows of Table 1: the largest kernel matrix has 128 MB.
var table1Rows = []int{500, 1000, 2000, 4000}

// table1Frequencies are the numbers of frequencies that errors are measured at.
var table1Frequencies = []int{8, 16, 32, 64, 128, 256, 512}

const table1Test = 5000

// Table1 returns the experiment.
func Table1() *reproduce.Experiment {
	e := &reproduce.Experiment{
		Name:    table1Name,
		Paper:   "F. Liu, X. Huang, Y. Chen, J. Yang, J. Suykens, Random Fourier features via fast surrogate leverage weighted sampling, AAAI 2020, Table 1 and Theorem 1",
		Summary: "d_K^λ, D_K^λ and the features that the theory asks for, beside those that test errors ask for",
	}
	for _, p := range []string{reproduce.Published, reproduce.Fair} {
		e.Protocols = append(e.Protocols, reproduce.Protocol{
			Experiment: table1Name, Name: p, Version: 1,
			Sets:     []string{"eeg", "magic04", "cod-rna", "covtype", "adult", "cpuact"},
			Samplers: table1Samplers,
			Reps:     3, QuickReps: 1,
			Unit: "rows n",
			Sizes: func(_ string, quick bool) []int {
				if quick {
					return table1Rows[:2]
				}
				return table1Rows
			},
			Cost: func(k reproduce.Key) float64 {
				n := float64(k.Size)
				switch k.Sampler {
				case exactly:
					return 2e7 + n*n*(n+300)
				case leverage:
					return 2e7 + n*4e6*4
				}
				return 2e7 + n*2e6
			},
			New: func(o reproduce.Options) reproduce.Bench {
				return &dimensions{folder: o.Folder, tuned: p == reproduce.Fair}
			},
			Document: table1Document,
		})
	}
	return e
}

// dimensions measures cells of Table 1.
type dimensions struct {
	folder string
	tuned  bool // λ is chosen on held-out rows, and not 1/√n

	name  string // of the set that is loaded
	table *dataset.Table

	key         reproduce.Key // of the rows below; Sampler is empty
	train, test rows
	sigma       float64
	lambda      float64
}

// prepare divides and scales the rows of a repetition, finds the bandwidth on the most
// rows that it has, and λ on those of the cell.
func (d *dimensions) prepare(ctx context.Context, k reproduce.Key) error {
	if d.name != k.Data {
		t, err := sets.Named(ctx, k.Data, d.folder)
		if err != nil {
			return err
		}
		d.name, d.table, d.key = k.Data, t, reproduce.Key{}
	}
	if k.Sampler = ""; d.key == k {
		return nil
	}
	train, test := divide(d.table, k)
	train, test = train[:min(len(train), slices.Max(table1Rows))], test[:min(len(test), table1Test)]
	if len(train) < k.Size {
		return fmt.Errorf("there are %d training rows", len(train))
	}
	all := d.table.Select(train)
	held := d.table.Select(test)
	u := fitUnit(all.X)
	u.scale(all.X)
	u.scale(held.X)
	kernel, err := fits.SearchBandwidth(ctx, rff.NewGaussian(), all.Source(), fits.SearchedBandwidth, krr.Settings{Seed: k.Seed}, reproduce.Stream(k.Seed, "bandwidth", k.Data, k.Rep))
	if err != nil {
		return err
	}
	d.sigma = inside.FamilyOf(kernel, 1).Bandwidths[0]
	targets := coded(all)
	d.train, d.test = rows{all.X, targets.y}.from(0, k.Size), rows{held.X, targets.of(held)}
	d.lambda = 1 / math.Sqrt(float64(k.Size))
	if d.tuned {
		if d.lambda, err = d.choose(ctx); err != nil {
			return err
		}
	}
	d.key = k
	return nil
}

// coding makes labels ±1, and standardises the targets of a regression by those of the
// training rows.
type coding struct {
	y        blas.General[float64]
	mean, sd float64
}

func coded(t *dataset.Table) coding {
	c := coding{mean: 0.5, sd: 0.5}
	if t.Coding.Task == dataset.Regression {
		c.mean, c.sd = 0, 0
		for _, v := range t.Y {
			c.mean += v / float64(t.Len())
		}
		for _, v := range t.Y {
			c.sd += float64((v-c.mean)*(v-c.mean)) / float64(t.Len())
		}
		c.sd = math.Sqrt(c.sd)
	}
	c.y = c.of(t)
	return c
}

func (c coding) of(t *dataset.Table) blas.General[float64] {
	y := blas.NewGeneral[float64](t.Len(), 1)
	for i, v := range t.Y {
		y.Data[i] = (v - c.mean) / c.sd
	}
	return y
}

// choose returns the λ of the exact solver with the least squared error on a fifth of
// the training rows.
func (d *dimensions) choose(ctx context.Context) (float64, error) {
	n := d.train.x.Rows
	held := d.train.from(0, n/5)
	fitted := d.train.from(n/5, n)
	least, best := math.Inf(1), 0.0
	for _, lambda := range []float64{1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7} {
		e, err := d.exact(ctx, fitted, held, lambda)
		if err != nil {
			return 0, err
		}
		if e < least {
			least, best = e, lambda
		}
	}
	return best, nil
}

// exact returns the error of kernel ridge regression.
func (d *dimensions) exact(ctx context.Context, train, test rows, lambda float64) (float64, error) {
	if ctx.Err() != nil {
		return 0, context.Cause(ctx)
	}
	k := blas.NewGeneral[float64](train.x.Rows, train.x.Rows)
	reproduce.Gaussian(k, train.x, train.x, d.sigma)
	coef, offset, err := reproduce.KernelRidge(k, train.y.Data, lambda)
	if err != nil {
		return 0, err
	}
	f, err := (&reproduce.Expansion{X: train.x, Coef: coef, Offset: offset, Sigma: d.sigma}).Predict(ctx, test.x)
	if err != nil {
		return 0, err
	}
	return reproduce.Relative(test.y.Data, blas.General[float64]{Rows: len(f), Cols: 1, Stride: 1, Data: f}), nil
}

// Measure implements reproduce.Bench.
func (d *dimensions) Measure(ctx context.Context, c *reproduce.Cell) error {
	if err := d.prepare(ctx, c.Key); err != nil {
		return err
	}
	c.Values["lambda"] = d.lambda
	n := d.train.x.Rows
	if c.Sampler == exactly {
		r, err := quality.MeasureRidge(rff.NewGaussian(d.sigma), mat.NewDense(n, d.train.x.Cols, d.train.x.Data), mat.NewDense(n, 1, d.train.y.Data), d.lambda)
		if err != nil {
			return err
		}
		c.Values["d"], c.Values["D"], c.Values["theorem"] = r.Effective, r.Surrogate, r.Sufficient
		c.Values["error"], err = d.exact(ctx, d.train, d.test, d.lambda)
		return err
	}
	weighted := sampling.Pool{Pick: "multinomial", Importance: true}
	var sampler rff.Sampler = sampling.MonteCarlo{}
	switch c.Sampler {
	case leverage:
		sampler = sampling.Leverage{Pool: weighted, Lambda: d.lambda}
	case surrogate:
		sampler = sampling.Surrogate{Pool: weighted, Lambda: d.lambda}
	}
	data, err := d.train.source()
	if err != nil {
		return err
	}
	for _, f := range table1Frequencies {
		src := rand.NewPCG(reproduce.Stream(c.Seed, "frequencies", c.Data, c.Size, c.Rep, f), 0)
		m, err := sampler.Sample(ctx, rff.Request{Kernel: rff.NewGaussian(d.sigma), Dim: d.train.x.Cols, Features: 2 * f, Data: data, Rand: src})
		if err != nil {
			return err
		}
		model, _, err := krr.Fit(ctx, m, data, krr.Settings{Lambdas: []float64{d.lambda}})
		if err != nil {
			return err
		}
		out := blas.NewGeneral[float64](d.test.x.Rows, 1)
		if err := fits.PredictBatch(model, out, d.test.x); err != nil {
			return err
		}
		c.Values[fmt.Sprintf("error_%d", f)] = reproduce.Relative(d.test.y.Data, out)
	}
	return nil
}
