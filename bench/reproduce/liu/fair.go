package liu

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
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
	"github.com/rffgo/rff/krr"
	"github.com/rffgo/rff/sampling"
)

// printed is Algorithm 1 of the paper as it is printed: as many frequencies as
// features are drawn, scored by the labels as they are, and drawn from with
// replacement, with the weights that keep the kernel.
const printed = "surrogate:pool=1,pick=multinomial,weight=importance,labels=raw"

// fairSamplers are the paper's methods as this library has them, the algorithm as
// printed, and the others that one would take instead. The first is what they are
// measured against.
var fairSamplers = []string{"rff", "halton", "leverage", "surrogate", printed, "orf", "sobol", "eerf", "nystrom", "metric", "refined"}

// fairSets are those of the table, and
// all others that there are, for other tasks and dimensions.
var fairSets = []string{"eeg", "magic04", "cod-rna", "covtype", "adult", "letter", "kddcup99", "mnist", "ujiindoorloc", "cpuact", "onlinenews", "blogfeedback"}

// fairRegressions are those of them that are no classification.
var fairRegressions = []string{"cpuact", "onlinenews", "blogfeedback"}

// fairMany are those with more than 21 inputs.
var fairMany = []string{"covtype", "adult", "kddcup99", "mnist", "ujiindoorloc", "blogfeedback"}

// Bounds of the fair protocol: rows drawn at random.
const (
	fairTrain = 5000
	fairTest  = 20000
)

// fairColumns are the numbers of columns: the same for all sets, since columns are
// what a fit costs. A frequency has two.
var fairColumns = []int{64, 256, 1024}

func fairSizesOf(_ string, quick bool) []int {
	if quick {
		return fairColumns[:1]
	}
	return fairColumns
}

// fairCost is about the number of multiply-adds of four Gram matrices and nine
// decompositions. Learned features have a cost of their own, which hardly depends on
// their number, and leverage scores those of a pool of four times as many columns.
func fairCost(k reproduce.Key) float64 {
	s := float64(k.Size)
	gram := fairTrain*s*s/2 + s*s*s
	cost := 4*gram + 5*s*s*s + 1e8
	switch k.Sampler {
	case "metric", "refined":
		cost += 5e10
	case "leverage":
		cost += 4 * 16 * gram
	}
	return cost
}

// fair measures cells with the same inputs and the same tuning for every sampler.
type fair struct {
	folder string

	name  string // of the set that is loaded
	table *dataset.Table

	key         reproduce.Key // group of the rows below
	train, test *dataset.Table
	fitted      *dataset.Table // the part of train that bandwidths are fitted on
	held        *dataset.Table // and the rest, to choose one
	kernel      rff.Kernel     // with the bandwidth of plain features
}

// prepare divides and scales the rows of a repetition, and finds the bandwidth, all on
// the training rows.
func (p *fair) prepare(ctx context.Context, k reproduce.Key) error {
	if p.name != k.Data {
		t, err := sets.Named(ctx, k.Data, p.folder)
		if err != nil {
			return err
		}
		p.name, p.table, p.key = k.Data, t, reproduce.Key{}
	}
	if k = k.Group(); p.key == k {
		return nil
	}
	train, test := divide(p.table, k)
	train, test = train[:min(len(train), fairTrain)], test[:min(len(test), fairTest)]
	slices.Sort(train) // file order: neighbours in memory
	slices.Sort(test)
	p.train, p.test = p.table.Select(train), p.table.Select(test)
	unit := fitUnit(p.train.X)
	unit.scale(p.train.X)
	unit.scale(p.test.X)
	// In file order rows may be sorted by class: those held out are drawn.
	order := fold.Permutation(p.train.Len(), reproduce.Stream(k.Seed, "held", k.Data, k.Rep))
	held := int(fairHeld * float64(p.train.Len()))
	slices.Sort(order[:held])
	slices.Sort(order[held:])
	p.held, p.fitted = p.train.Select(order[:held]), p.train.Select(order[held:])
	var err error
	p.kernel, err = fits.SearchBandwidth(ctx, rff.NewGaussian(), p.train.Source(), fits.SearchedBandwidth, krr.Settings{Seed: k.Seed}, reproduce.Stream(k.Seed, "bandwidth", k.Data, k.Rep))
	if err != nil {
		return err
	}
	p.key = k
	return nil
}

// Measure implements reproduce.Bench.
func (p *fair) Measure(ctx context.Context, c *reproduce.Cell) error {
	sampler, err := sampling.ByName(c.Sampler)
	if err != nil {
		return err
	}
	if err := p.prepare(ctx, c.Key); err != nil {
		return err
	}
	start := time.Now()
	kernel, err := p.bandwidth(ctx, c, sampler)
	if err != nil {
		return err
	}
	m, err := p.sample(ctx, c.Key, sampler, kernel, p.train)
	if err != nil {
		return err
	}
	c.Seconds["choose"] = time.Since(start).Seconds()
	regression := p.train.Coding.Task == dataset.Regression
	model, _, err := krr.Fit(ctx, m, p.train.Source(), krr.Settings{Seed: reproduce.Stream(c.Seed, "folds", c.Data, c.Rep), ClipPredictions: regression})
	if err != nil {
		return err
	}
	c.Seconds["learn"] = time.Since(start).Seconds()
	_, targets := p.test.Source().Schema().Dims()
	out := blas.NewGeneral[float64](p.test.Len(), targets)
	if err := fits.PredictBatch(model, out, p.test.X); err != nil {
		return err
	}
	if regression {
		c.Values["error"] = 100 * reproduce.Relative(p.test.Y, out)
	} else {
		c.Values["error"] = 100 - compare.Accuracy(p.test, out)
	}
	if e := c.Values["error"]; math.IsNaN(e) || math.IsInf(e, 0) {
		return fmt.Errorf("the error is %v", e)
	}
	_, columns := m.Dims()
	c.Values["columns"], c.Values["lambda"] = float64(columns), model.Info().Lambda[0]
	c.Values["train_rows"], c.Values["test_rows"] = float64(p.train.Len()), float64(p.test.Len())
	return nil
}

// sample draws a map with the same draws for every bandwidth.
func (p *fair) sample(ctx context.Context, k reproduce.Key, s rff.Sampler, kernel rff.Kernel, rows *dataset.Table) (*rff.Map, error) {
	src := rand.NewPCG(reproduce.Stream(k.Seed, "frequencies", k.Data, k.Size, k.Rep), 0)
	return s.Sample(ctx, rff.Request{Kernel: inside.KernelFor(s, kernel), Dim: p.train.X.Cols, Features: k.Size, Data: rows.Source(), Rand: src})
}

// The share of the training rows that a bandwidth is chosen on, and the most steps
// away from that of plain features.
const (
	fairHeld  = 0.2
	fairSteps = 6
)

// bandwidth returns the kernel with the sampler's own bandwidth: from the one that
// cross-validation of plain features found, it is halved or doubled for as long as the
// error on held-out training rows falls, each time with features chosen without these
// rows and the best λ. Samplers that learn a bandwidth themselves have the first.
func (p *fair) bandwidth(ctx context.Context, c *reproduce.Cell, s rff.Sampler) (rff.Kernel, error) {
	factor := 1.0
	switch s.(type) {
	case sampling.Metric, sampling.Refined:
	default:
		errors := map[float64]float64{}
		at := func(f float64) (float64, error) {
			if e, ok := errors[f]; ok {
				return e, nil
			}
			e, err := p.heldOut(ctx, c.Key, s, f)
			if err == nil {
				errors[f] = e
			}
			return e, err
		}
		best, err := at(1)
		if err != nil {
			return nil, err
		}
		for _, step := range []float64{2, 0.5} {
			for range fairSteps {
				e, err := at(factor * step)
				if err != nil {
					return nil, err
				}
				if !(e < best) {
					break
				}
				best, factor = e, factor*step
			}
			if factor != 1 {
				break
			}
		}
	}
	c.Values["bandwidth"] = factor
	return p.scaled(factor)
}

func (p *fair) scaled(factor float64) (rff.Kernel, error) {
	return rff.WithBandwidth(rff.NewGaussian(), factor*inside.FamilyOf(p.kernel, 1).Bandwidths[0])
}

// heldOut returns the squared error on held-out training rows at a multiple of the
// bandwidth of plain features, with the best λ.
func (p *fair) heldOut(ctx context.Context, k reproduce.Key, s rff.Sampler, factor float64) (float64, error) {
	kernel, err := p.scaled(factor)
	if err != nil {
		return 0, err
	}
	m, err := p.sample(ctx, k, s, kernel, p.fitted)
	if err != nil {
		return 0, err
	}
	_, targets := p.held.Source().Schema().Dims()
	g := krr.NewGram(m, targets, krr.GramSettings{})
	if err := g.AddSource(ctx, p.fitted.Source()); err != nil {
		return 0, err
	}
	models, err := g.Path(ctx, nil)
	if err != nil {
		return 0, err
	}
	least := math.Inf(1)
	out := blas.NewGeneral[float64](p.held.Len(), targets)
	for _, model := range models {
		if err := fits.PredictBatch(model, out, p.held.X); err != nil {
			return 0, err
		}
		least = min(least, squared(p.held, out))
	}
	return least, nil
}

// squared is the sum of the squared errors over the columns that t's targets are coded
// as: ±1 for two classes, one such column per class for more.
func squared(t *dataset.Table, f blas.General[float64]) float64 {
	var sum float64
	for i, y := range t.Y {
		for j, v := range f.Row(i) {
			want := y
			if t.Coding.Task == dataset.Classification {
				at := j // the class that this column is +1 of
				if f.Cols == 1 {
					at = 1
				}
				if want = -1; int(y) == at {
					want = 1
				}
			}
			sum += float64((v - want) * (v - want))
		}
	}
	return sum
}

// unit maps columns to [0, 1] and cuts off what is beyond.
type unit struct{ low, width []float64 }

// fitUnit takes the 0.1 % and the 99.9 % quantile of every column of x for 0 and 1:
// four rows of EEG have values ten thousand times as large as all others. Where the
// quantiles are equal it takes the least and the largest value; a constant column
// becomes 0.
func fitUnit(x blas.General[float64]) *unit {
	u := &unit{make([]float64, x.Cols), make([]float64, x.Cols)}
	column := make([]float64, x.Rows)
	for j := range x.Cols {
		for i := range column {
			column[i] = x.Row(i)[j]
		}
		slices.Sort(column)
		beyond := x.Rows / 1000
		low, high := column[beyond], column[x.Rows-1-beyond]
		if low == high {
			low, high = column[0], column[x.Rows-1]
		}
		u.low[j], u.width[j] = low, high-low
	}
	return u
}

func (u *unit) scale(x blas.General[float64]) {
	for i := range x.Rows {
		for j, v := range x.Row(i) {
			if u.width[j] > 0 {
				x.Row(i)[j] = min(max((v-u.low[j])/u.width[j], 0), 1)
			} else {
				x.Row(i)[j] = 0
			}
		}
	}
}
