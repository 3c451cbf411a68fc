// Package compare measures strategies of choosing random features against each
// other on one data set: methods × feature counts, each repeated, with the same
// rows, bandwidth, learner and tuning for all.
//
// The scores depend on data, settings and seed only; times and memory, which do
// not, are kept apart from them.
package compare

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/krr"
	"github.com/rffgo/rff/sampling"
)

// Settings of a comparison. The zero value of a field means what its comment says.
type Settings struct {
	Methods  []string // specifications of sampling.ByName; at least one
	Features []int    // columns; at least one
	Reps     int      // repetitions; 0: 1
	Seed     uint64

	// Test is the share of rows to test on, when the set has no training part
	// of its own: 0: a quarter. Every repetition divides anew.
	Test float64
	// MaxTrain and MaxTest bound the rows, drawn at random. 0: all.
	MaxTrain, MaxTest int

	Scale     dataset.Scale
	Kernel    string    // of rff.ParseKernel, without or with a bandwidth; "": gaussian
	Bandwidth Bandwidth // when Kernel gives none
	Lambda    float64   // 0: cross-validated
	Folds     int       // 0: krr's default
	Precision krr.Precision
	Engine    blas.Engine

	// Progress, if not nil, is called before each cell and after the last.
	Progress func(done, total int, what string)
}

// Bandwidth is a rule that finds a kernel's bandwidth from the training rows.
type Bandwidth uint8

// The rules.
const (
	Median         Bandwidth = iota // the median distance between rows
	Neighbour                       // the mean distance to the 50th nearest row
	CrossValidated                  // the best multiple 2^(k/2), k = −7 … 2, of the median for Monte Carlo features
)

var bandwidthNames = [...]string{"median", "knn", "cv"}

func (b Bandwidth) String() string { return bandwidthNames[b] }

// ParseBandwidth returns the rule of that name.
func ParseBandwidth(s string) (Bandwidth, error) {
	for i, n := range bandwidthNames {
		if n == s {
			return Bandwidth(i), nil
		}
	}
	return 0, &rff.ParameterError{Name: "bandwidth", Value: s, Need: "must be median, knn, cv or a number"}
}

// Cell is one fit: a method with a number of features in one repetition.
type Cell struct {
	Method   string  `json:"method"`
	Features int     `json:"features"`
	Rep      int     `json:"rep"`
	Score    float64 `json:"score"`
	Lambda   float64 `json:"lambda"`
	Kernel   string  `json:"kernel"`
	Failure  string  `json:"failure,omitempty"` // why there is no score

	Times *Times `json:"times,omitempty"`
}

// Times are what a cell cost. Generating is choosing the features and
// evaluating them on all training rows; training is the whole fit, which
// evaluates them again while it accumulates, and the choice of λ.
type Times struct {
	Choose   float64 `json:"choose_seconds"`
	Generate float64 `json:"generate_seconds"`
	Train    float64 `json:"train_seconds"`
	Predict  float64 `json:"predict_seconds"`
	Peak     uint64  `json:"peak_bytes"` // most memory of the process
}

// Run compares. Cells that a method cannot do with this kernel or these data
// carry a Failure; a setting that is wrong in itself, a *rff.ParameterError, and
// the end of ctx end the run.
func Run(ctx context.Context, data *dataset.Table, s Settings) (*Result, error) {
	samplers, err := s.check(data)
	if err != nil {
		return nil, err
	}
	r := &Result{Data: data.Name, Inputs: data.X.Cols, Classes: len(data.Coding.Classes), Settings: s}
	total := s.Reps * len(s.Methods) * len(s.Features)
	for rep := range s.Reps {
		p, err := s.prepare(ctx, data, rep)
		if err != nil {
			return nil, err
		}
		r.Train, r.Test = p.train.Len(), p.test.Len()
		for i, method := range s.Methods {
			for _, features := range s.Features {
				if s.Progress != nil {
					s.Progress(len(r.Cells), total, fmt.Sprintf("%s, %d features, repetition %d of %d", method, features, rep+1, s.Reps))
				}
				c := Cell{Method: method, Features: features, Rep: rep}
				if err := s.cell(ctx, &c, samplers[i], p); err != nil {
					if ctx.Err() != nil {
						return nil, context.Cause(ctx)
					}
					var wrong *rff.ParameterError
					if errors.As(err, &wrong) {
						return nil, fmt.Errorf("%s with %d features: %w", method, features, err)
					}
					c.Failure, c.Score, c.Times = strings.TrimPrefix(err.Error(), "sampling: "), math.NaN(), nil
				}
				r.Cells = append(r.Cells, c)
			}
		}
	}
	if s.Progress != nil {
		s.Progress(total, total, "done")
	}
	r.summarise()
	return r, nil
}

func (s *Settings) check(data *dataset.Table) ([]rff.Sampler, error) {
	if len(s.Methods) == 0 || len(s.Features) == 0 {
		return nil, &rff.ParameterError{Name: "methods and features", Value: "empty", Need: "give at least one of each"}
	}
	if data.Len() == 0 || data.Coding.Task == dataset.AutoTask {
		return nil, &rff.ParameterError{Name: "data", Value: data.Name, Need: "has no rows or no labels"}
	}
	var samplers []rff.Sampler
	for _, m := range s.Methods {
		sampler, err := sampling.ByName(m)
		if err != nil {
			return nil, err
		}
		samplers = append(samplers, sampler)
	}
	for _, f := range s.Features {
		if f < 1 {
			return nil, &rff.ParameterError{Name: "features", Value: f, Need: "must be at least 1"}
		}
	}
	if s.Reps == 0 {
		s.Reps = 1
	}
	if s.Test == 0 {
		s.Test = 0.25
	}
	if s.Kernel == "" {
		s.Kernel = "gaussian"
	}
	if _, err := rff.ParseKernel(s.Kernel); err != nil {
		return nil, err
	}
	if s.Lambda < 0 || math.IsNaN(s.Lambda) || math.IsInf(s.Lambda, 0) {
		return nil, &rff.ParameterError{Name: "lambda", Value: s.Lambda, Need: "must be positive"}
	}
	return samplers, nil
}

// prepared is what one repetition works on.
type prepared struct {
	train, test *dataset.Table // scaled
	kernel      rff.Kernel
}

// prepare divides and scales the rows and finds the bandwidth.
func (s *Settings) prepare(ctx context.Context, data *dataset.Table, rep int) (*prepared, error) {
	seed := s.Seed + uint64(rep)*0x9e3779b97f4a7c15
	var train, test []int
	if data.Train > 0 && data.Train < data.Len() {
		for _, i := range dataset.Shuffle(data.Len(), seed) {
			if i < data.Train {
				train = append(train, i)
			} else {
				test = append(test, i)
			}
		}
	} else {
		var err error
		if train, test, err = dataset.Split(data.Len(), s.Test, seed); err != nil {
			return nil, err
		}
	}
	if s.MaxTrain > 0 {
		train = train[:min(len(train), s.MaxTrain)]
	}
	if s.MaxTest > 0 {
		test = test[:min(len(test), s.MaxTest)]
	}
	slices.Sort(train) // file order: neighbours in memory
	slices.Sort(test)
	p := &prepared{train: data.Select(train), test: data.Select(test)}
	scaling := dataset.FitScaling(s.Scale, p.train.X)
	rff.ApplyScaling(scaling, p.train.X, p.train.X)
	rff.ApplyScaling(scaling, p.test.X, p.test.X)
	var err error
	if p.kernel, err = s.kernel(ctx, p.train, seed); err != nil {
		return nil, fmt.Errorf("%s: %w", data.Name, err)
	}
	return p, nil
}

// cell fits, predicts and scores.
func (s *Settings) cell(ctx context.Context, c *Cell, sampler rff.Sampler, p *prepared) error {
	memory := watchMemory()
	defer memory.stop()
	src := rand.NewPCG(s.Seed, uint64(c.Rep)<<32|uint64(c.Features))
	c.Kernel = kernelText(sampling.KernelFor(sampler, p.kernel))
	start := time.Now()
	m, err := sampler.Sample(ctx, sampling.KernelFor(sampler, p.kernel), p.train.X.Cols, c.Features, p.train.Source(), src)
	if err != nil {
		return err
	}
	c.Times = &Times{Choose: time.Since(start).Seconds()}
	m = m.On(s.Engine)
	if err := generate(ctx, m, p.train.X, s.Precision, s.Engine); err != nil {
		return err
	}
	c.Times.Generate = time.Since(start).Seconds()

	start = time.Now()
	model, report, err := krr.Fit(ctx, m, p.train.Source(), krr.Settings{Lambda: s.Lambda, Folds: s.Folds, Seed: s.Seed,
		Precision: s.Precision, ClipPredictions: p.train.Coding.Task == dataset.Regression})
	if err != nil {
		return err
	}
	c.Times.Train = time.Since(start).Seconds()
	c.Lambda = report.Lambda[0]

	start = time.Now()
	out := blas.NewGeneral[float64](p.test.Len(), p.test.Coding.Targets())
	if err := model.PredictBatch(out, p.test.X); err != nil {
		return err
	}
	c.Times.Predict = time.Since(start).Seconds()
	c.Times.Peak = memory.stop()
	c.Score = Score(p.test, out)
	return nil
}

// generate evaluates the features of all rows, block by block, and drops them.
func generate(ctx context.Context, m *rff.Map, x blas.General[float64], precision krr.Precision, e blas.Engine) error {
	const rows = 4 * blas.RowBlock
	_, out := m.Dims()
	if precision == krr.Float32 {
		x32, z := blas.NewGeneral[float32](rows, x.Cols), blas.NewGeneral[float32](rows, out)
		for at := 0; at < x.Rows; at += rows {
			n := min(rows, x.Rows-at)
			for i := range n {
				for j, v := range x.Row(at + i) {
					x32.Row(i)[j] = float32(v)
				}
			}
			m.Features32().Transform(e, z.RowRange(0, n), x32.RowRange(0, n))
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		return nil
	}
	z := blas.NewGeneral[float64](rows, out)
	for at := 0; at < x.Rows; at += rows {
		n := min(rows, x.Rows-at)
		m.Features64().Transform(e, z.RowRange(0, n), x.RowRange(at, at+n))
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// Score returns the accuracy in per cent for classification, and for
// regression the root mean square error in per cent of the targets' standard
// deviation, of predictions f for the rows of t.
func Score(t *dataset.Table, f blas.General[float64]) float64 {
	n := float64(t.Len())
	if t.Coding.Task == dataset.Classification {
		right := 0
		for i, y := range t.Y {
			if t.Coding.Decode(f.Row(i)) == int(y) {
				right++
			}
		}
		return 100 * float64(right) / n
	}
	var mean, ss, rss float64
	for _, y := range t.Y {
		mean += y / n
	}
	for i, y := range t.Y {
		d, e := y-mean, y-f.Row(i)[0]
		ss += float64(d * d)
		rss += float64(e * e)
	}
	return 100 * math.Sqrt(rss/ss)
}
