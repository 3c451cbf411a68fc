package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/bench/cputime"
	"github.com/rffgo/rff/cmd/rff/fits"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/krr"
	"github.com/rffgo/rff/sampling"
)

// measure trains a method and measures it on the test rows.
func measure(ctx context.Context, p parts, method string, known *results, a asked) (result, error) {
	begin, work := time.Now(), cputime.Seconds()
	name, number, sized := strings.Cut(method, "-")
	features, budget, held := 0, a.budget, 0.0
	var m *krr.Model
	var note string
	var err error
	switch {
	case sized && name == "auto":
		budget, err = time.ParseDuration(number)
	case sized:
		features, err = strconv.Atoi(number)
	}
	if err != nil {
		return result{}, fmt.Errorf("no method %q: %w", method, err)
	}
	switch name {
	case "quick":
		m, note, held, err = auto(ctx, p, -1, features)
	case "auto":
		m, note, held, err = auto(ctx, p, budget, features)
	case "plain":
		if !sized {
			r := known.find(p.set, p.seed, a.rows, "auto")
			if r == nil {
				return result{}, errors.New("measure auto first: plain has its number of features")
			}
			features = r.Features
		}
		method = fmt.Sprintf("plain-%d", features)
		m, note, err = plain(ctx, p, features)
	default:
		err = fmt.Errorf("no method %q", method)
	}
	if err != nil {
		return result{}, err
	}
	_, features = m.Map().Dims()
	wrong, rmse, err := testError(m, p.test, p.classification())
	if !p.classification() { // Auto's unit is the standard deviation of the training targets
		held *= stat.PopStdDev(p.train.Y, nil) / stat.PopStdDev(p.test.Y, nil)
	}
	return result{Set: p.set, Seed: p.seed, Rows: p.train.Len(), Most: a.rows, Method: method, Error: wrong, RMSE: rmse, Held: held, Features: features,
		Seconds: time.Since(begin).Seconds(), Processor: cputime.Seconds() - work, Note: note}, err
}

// anyNumber of steps leaves the clock of a shared machine out of the search: what the
// budget counts does not depend on it.
const anyNumber = 1000

func auto(ctx context.Context, p parts, budget time.Duration, features int) (m *krr.Model, note string, held float64, err error) {
	m, r, err := krr.Auto(ctx, p.train.Source(), krr.AutoSettings{Budget: budget, Steps: anyNumber, Features: features, Fit: krr.Settings{Seed: p.seed}})
	if err != nil {
		return nil, "", 0, err
	}
	found := fits.Search(r)
	for _, s := range found.Steps {
		fmt.Printf("    %v [%v, %v]\n", s, s.Estimated.Round(time.Millisecond), s.Elapsed.Round(time.Millisecond))
	}
	note = fmt.Sprintf("%s %v λ %.0e", found.Scaling, m.Map().Kernel(), m.Info().Lambda[0])
	if found.Learned != "" {
		note += " " + found.Learned
	}
	if budget > 0 {
		note += fmt.Sprintf(", %.1f s estimated; %s", found.Estimated.Seconds(), r.Stopped)
	}
	return m, note, 100 * found.Error, nil
}

// testError is the share of wrong labels, or the RMSE over the standard deviation, in %;
// and the RMSE of a regression.
func testError(m *krr.Model, t *dataset.Table, classes bool) (percent, rmse float64, err error) {
	if classes {
		labels, err := m.Labels(t.Matrix())
		if err != nil {
			return 0, 0, err
		}
		return 100 * (1 - t.Accuracy(labels)), 0, nil
	}
	var f mat.Dense
	if err := m.Predict(&f, t.Matrix()); err != nil {
		return 0, 0, err
	}
	var se float64
	for i, y := range t.Y {
		se += (f.At(i, 0) - y) * (f.At(i, 0) - y)
	}
	rmse = math.Sqrt(se / float64(len(t.Y)))
	return 100 * rmse / stat.PopStdDev(t.Y, nil), rmse, nil
}

const gridRows = 20000 // most rows that the grid is searched on

// plain searches the full grid of kernel, bandwidth and λ on a fifth of the
// training rows held out, with features of the final number, and fits all rows.
func plain(ctx context.Context, p parts, features int) (*krr.Model, string, error) {
	n := min(p.train.Len(), gridRows)
	cut := n / 5
	order := make([]int, n)
	for i := range order {
		order[i] = i // rows are in random order
	}
	valid, train := p.train.Select(order[:cut]), p.train.Select(order[cut:])
	scaling := dataset.FitScaling(dataset.Robust, train.X)
	scaled := train.Scaled(scaling)
	median, err := rff.MedianDistance(scaled.Matrix(), 1000, rand.NewPCG(p.seed, 1))
	if err != nil {
		return nil, "", err
	}
	in, targets := train.Source().Schema().Dims()
	type choice struct {
		kernel   rff.Stationary
		bw, l, e float64
		m        *rff.Map
	}
	best := choice{e: math.Inf(1)}
	lambdas := []float64{1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2}
	schema := train.Source().Schema()
	if !p.classification() {
		schema.Target.Classes = nil
	}
	for _, k := range []rff.Stationary{rff.NewGaussian(), rff.NewMatern(1.5), rff.NewMatern(2.5), rff.NewLaplacian()} {
		unit := median
		if own, ok := k.(interface {
			FromEuclidean(r float64, dim int) float64
		}); ok {
			unit = own.FromEuclidean(median, in)
		}
		for at := -8; at <= 4; at++ {
			bw := unit * math.Pow(2, float64(at)/2)
			kernel, err := rff.WithBandwidth(k, bw)
			if err != nil {
				return nil, "", err
			}
			m, err := rffSampler.Sample(ctx, rff.Request{Kernel: kernel, Dim: in, Features: features, Rand: rand.NewPCG(p.seed, uint64(features))})
			if err != nil {
				return nil, "", err
			}
			g := krr.NewGram(m, targets, krr.GramSettings{Scaling: scaling, Schema: schema})
			if err := g.AddSource(ctx, train.Source()); err != nil {
				return nil, "", err
			}
			models, err := g.Path(ctx, lambdas)
			if err != nil {
				return nil, "", err
			}
			for _, model := range models {
				e, _, err := testError(model, valid, p.classification())
				if err != nil {
					return nil, "", err
				}
				if e < best.e {
					best = choice{k, bw, model.Info().Lambda[0], e, m}
				}
			}
		}
	}
	all := dataset.FitScaling(dataset.Robust, p.train.X)
	model, _, err := krr.Fit(ctx, best.m, p.train.Source(), krr.Settings{Seed: p.seed, Lambdas: []float64{best.l}, Scaling: all, ClipPredictions: schema.Target.Classes == nil})
	name := fmt.Sprintf("%v bandwidth %.3g λ %.0e, validation %.4f", best.kernel, best.bw/median, best.l, best.e)
	return model, name, err
}

var rffSampler = func() rff.Sampler {
	s, err := sampling.ByName("rff")
	if err != nil {
		panic(err)
	}
	return s
}()
