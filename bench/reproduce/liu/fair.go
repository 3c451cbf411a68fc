package liu

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/bench/compare"
	"github.com/rffgo/rff/bench/reproduce"
	"github.com/rffgo/rff/bench/sets"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/dataset"
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

// fairSizes has the inputs of the sets of the fair protocol: those of the table, and
// four more for other tasks.
var fairSizes = map[string]int{
	"eeg": 14, "magic04": 10, "cod-rna": 8, "covtype": 54, "adult": 123, "letter": 16, "cpuact": 21, "blogfeedback": 280,
}

var fairSets = []string{"eeg", "magic04", "cod-rna", "covtype", "adult", "letter", "cpuact", "blogfeedback"}

// Bounds of the fair protocol: rows drawn at random, and columns of features.
const (
	fairTrain   = 10000
	fairTest    = 20000
	fairColumns = 2048
)

// fairSizesOf has the paper's numbers up to fairColumns columns; a quick run the
// largest below an eighth of them.
func fairSizesOf(set string, quick bool) []int {
	m := slices.DeleteFunc(slices.Clone(all), func(m int) bool { return 2*m*fairSizes[set] > fairColumns })
	if !quick {
		return m
	}
	at := 0
	for i := range m {
		if 2*m[i]*fairSizes[set] <= fairColumns/8 {
			at = i
		}
	}
	return m[at : at+1]
}

// fairCost is about the number of multiply-adds. Learned features have a cost of
// their own, which hardly depends on their number.
func fairCost(k reproduce.Key) float64 {
	s := 2 * float64(k.Size*fairSizes[k.Data])
	cost := fairTrain*s*s + 15*s*s*s + 2e8
	if k.Sampler == "metric" || k.Sampler == "refined" {
		cost += 1e11
	}
	return cost
}

// fair measures cells with the same inputs and the same tuning for every sampler.
type fair struct {
	folder string

	name  string // of the set that is loaded
	table *dataset.Table

	key         reproduce.Key // of the rows below; Sampler is empty and PerInput 0
	train, test *dataset.Table
	kernel      rff.Kernel // with its bandwidth
}

func newFair(o reproduce.Options) reproduce.Bench { return &fair{folder: o.Folder} }

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
	if k.Sampler, k.Size = "", 0; p.key == k {
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
	var err error
	p.kernel, err = krr.SearchBandwidth(ctx, rff.Gaussian{}, p.train.Source(), krr.SearchedBandwidth, krr.Settings{Seed: k.Seed}, reproduce.Stream(k.Seed, "bandwidth", k.Data, k.Rep))
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
	dim := p.train.X.Cols
	src := rand.NewPCG(reproduce.Stream(c.Seed, "frequencies", c.Data, c.Size, c.Rep), 0)
	start := time.Now()
	m, err := sampler.Sample(ctx, sampling.KernelFor(sampler, p.kernel), dim, 2*c.Size*dim, p.train.Source(), src)
	if err != nil {
		return err
	}
	c.Seconds["choose"] = time.Since(start).Seconds()
	regression := p.train.Coding.Task == dataset.Regression
	model, report, err := krr.Fit(ctx, m, p.train.Source(), krr.Settings{Seed: reproduce.Stream(c.Seed, "folds", c.Data, c.Rep), ClipPredictions: regression})
	if err != nil {
		return err
	}
	c.Seconds["learn"] = time.Since(start).Seconds()
	out := blas.NewGeneral[float64](p.test.Len(), p.test.Coding.Targets())
	if err := model.PredictBatch(out, p.test.X); err != nil {
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
	c.Values["columns"], c.Values["lambda"] = float64(columns), report.Lambda[0]
	c.Values["train_rows"], c.Values["test_rows"] = float64(p.train.Len()), float64(p.test.Len())
	return nil
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
