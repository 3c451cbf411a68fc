// Package eerf runs Tables 3 and 5 of S. Shahrampour, A. Beirami and V. Tarokh, "On
// data-dependent random features for improved generalization in supervised learning"
// (AAAI 2018) again, with ridge regression and, on classes, with logistic regression and
// the squared hinge loss of a support vector machine, and the errors against M of its
// Figure 1 where there are data.
//
// As published, the ridge parameter of every method, and LKRF's ρ, are those with the
// least error on the test part: no error of it says what a user would get. ρ is that of
// ridge regression for every loss: another loss is fitted eleven times already, once for
// each ridge parameter. Labels are centred before they score features; with labels as
// they are, the paper's gains do not appear.
package eerf

import (
	"context"
	"errors"
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
	"github.com/rffgo/rff/internal/scaling"
	"github.com/rffgo/rff/krr"
	"github.com/rffgo/rff/sampling"
)

const name = "eerf"

// methods are the paper's, by name in its tables.
var methods = []struct{ method, paper string }{{"rks", "RKS"}, {"orf", "ORF"}, {"ses", "SES"}, {"lkrf", "LKRF"}, {"eerf", "EERF"}}

// setting is what the tables print of a set.
type setting struct {
	features, candidates int
	share                float64 // of the rows that are scored on
}

// settings are by set.
var settings = func() map[string]setting {
	out := map[string]setting{}
	for _, r := range papers.EERFTables() {
		if r.Candidates > 0 {
			out[r.Data] = setting{r.Features, r.Candidates, r.Share}
		}
	}
	return out
}()

// Experiment returns the experiment.
func Experiment() *reproduce.Experiment {
	e := &reproduce.Experiment{
		Name:    name,
		Paper:   "S. Shahrampour, A. Beirami, V. Tarokh, On data-dependent random features for improved generalization in supervised learning, AAAI 2018, Tables 3 and 5, Figure 1",
		Summary: "errors of RKS, ORF, SES, LKRF and EERF features with ridge and logistic regression and squared hinge",
	}
	for _, p := range []string{reproduce.Published, reproduce.Fair} {
		protocol := reproduce.Protocol{
			Experiment: name, Name: p, Version: 1,
			Sets:    []string{"buzz", "onlinenews", "adult", "mnist", "year", "letter", "hand"},
			Without: func(set, method string) bool { return arcCosine(set) && (method == "orf" || method == "ses") },
			Reps:    10, QuickReps: 2,
			Unit:   "features, M",
			Sizes:  sizes,
			Losses: losses,
			Cost: func(k reproduce.Key) float64 {
				cost := 6e4 * float64(k.Size*k.Size)
				if k.Sampler == "lkrf" || k.Sampler == "eerf" {
					cost += 3e4 * float64(settings[k.Data].candidates) * 100
				}
				if k.Sampler == "lkrf" && p == reproduce.Published {
					cost *= float64(len(grid))
				}
				return cost
			},
			New: func(o reproduce.Options) reproduce.Bench {
				return &bench{folder: o.Folder, best: p == reproduce.Published}
			},
			Document: document,
		}
		for _, m := range methods {
			protocol.Samplers = append(protocol.Samplers, m.method)
		}
		e.Protocols = append(e.Protocols, protocol)
	}
	return e
}

// sizes are the M of the tables, and for Figure 1 some around it.
func sizes(set string, quick bool) []int {
	m := settings[set].features
	switch {
	case quick && set == "mnist": // takes minutes
		return nil
	case !quick && (set == "adult" || set == "onlinenews"):
		return []int{m / 4, m / 2, m, 2 * m}
	}
	return []int{m}
}

// lossReps are the repetitions of losses other than squares on the sets of classes: as many
// as take some minutes together. A fit of mnist takes seven processor seconds with each ridge
// parameter, most of them for the features of 60,000 images in every pass.
var lossReps = map[string]int{"adult": 3, "letter": 2, "mnist": 1}

// losses are those of the sets of classes, with the M of the tables.
func losses(k reproduce.Key) []reproduce.Loss {
	reps, ok := lossReps[k.Data]
	if !ok || k.Size != settings[k.Data].features {
		return nil
	}
	return []reproduce.Loss{{Name: "logistic", Reps: reps}, {Name: "squared-hinge", Reps: reps}}
}

// arcCosine says whether the paper has another kernel than the Gaussian on a set.
func arcCosine(set string) bool { return set == "letter" }

// grid has the ridge parameters, and ρ.
var grid = []float64{1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100, 1e3, 1e4, 1e5}

// lossRidge is the largest ridge parameter of losses other than squares. All of grid above it had
// more errors on adult and letter, with every method.
const lossRidge = 100

// bench measures cells.
type bench struct {
	folder string
	best   bool // of the test part, as published; otherwise by cross-validation

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
	return b.divide(t, k)
}

func (b *bench) divide(t *dataset.Table, k reproduce.Key) error {
	train, test, err := compare.Parts(t, reproduce.Stream(k.Seed, "rows", k.Data, k.Rep), func(t *dataset.Table, seed uint64) (train, test []int, err error) {
		order, n := fold.Permutation(t.Len(), seed), t.Len()*2/3 // the paper has 26,561 of 39,644 rows of Online News
		return order[:n], order[n:], nil
	})
	if err != nil {
		return err
	}
	if t.Coding.Task == dataset.Regression {
		rescale(t.Y)
	}
	b.train, b.test = t.Select(train), t.Select(test)
	s := dataset.FitScaling(dataset.Standard, b.train.X)
	scaling.BentRows(s.From, s.To, s.Shift, s.Scale, b.train.X, b.train.X)
	scaling.BentRows(s.From, s.To, s.Shift, s.Scale, b.test.X, b.test.X)
	if arcCosine(k.Data) {
		b.kernel = rff.NewArcCosine(2)
	} else {
		near := b.train.Head(min(b.train.Len(), 10000))
		sigma, err := rff.NeighbourDistance(near.Matrix(), 50, 1000, rand.NewPCG(reproduce.Stream(k.Seed, "bandwidth", k.Data, k.Rep), 0))
		if err != nil {
			return err
		}
		b.kernel = rff.NewGaussian(sigma)
	}
	b.key = k
	return nil
}

// rescale maps y to [−1, 1].
func rescale(y []float64) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range y {
		low, high = min(low, v), max(high, v)
	}
	for i := range y {
		y[i] = 2*(y[i]-low)/(high-low) - 1
	}
}

// samplers returns the samplers that a cell chooses from: one, or for LKRF one per ρ.
func (b *bench) samplers(k reproduce.Key) []rff.Sampler {
	var base rff.Sampler = sampling.MonteCarlo{Form: rff.CosBias}
	if arcCosine(k.Data) {
		base = sampling.MonteCarlo{} // of the arc-cosine kernel
	}
	s := settings[k.Data]
	pool := sampling.Pool{Base: base, Size: max(s.candidates, k.Size)}
	switch k.Sampler {
	case "orf":
		return []rff.Sampler{sampling.ORF{Form: rff.CosBias}}
	case "ses":
		return []rff.Sampler{sampling.SES{Pool: sampling.Pool{Base: base}}}
	case "eerf":
		return []rff.Sampler{sampling.EERF{Pool: pool, Fraction: s.share}}
	case "lkrf":
		if !b.best {
			return []rff.Sampler{sampling.LKRF{Pool: pool, Fraction: s.share}}
		}
		var all []rff.Sampler
		for _, rho := range grid {
			all = append(all, sampling.LKRF{Pool: pool, Fraction: s.share, Rho: rho})
		}
		return all
	}
	return []rff.Sampler{base}
}

// Measure implements reproduce.Bench.
func (b *bench) Measure(ctx context.Context, c *reproduce.Cell) error {
	if err := b.prepare(ctx, c.Key); err != nil {
		return err
	}
	all, first := b.samplers(c.Key), c.Loss
	if len(all) > 1 {
		first = "" // which chooses ρ
	}
	best := fitted{error: math.Inf(1)}
	var refused error
	for _, s := range all {
		src := rand.NewPCG(reproduce.Stream(c.Seed, "features", c.Data, c.Size, c.Rep), 0)
		start := time.Now()
		m, err := s.Sample(ctx, rff.Request{Kernel: b.kernel, Dim: b.train.X.Cols, Features: c.Size, Data: b.train.Source(), Rand: src})
		var degenerate *rff.DegenerateDataError
		if errors.As(err, &degenerate) { // a ρ that leaves too few candidates
			refused = err
			continue
		}
		if err != nil {
			return err
		}
		choose := time.Since(start).Seconds()
		f, err := b.least(ctx, m, c.Key, first)
		if err != nil {
			return err
		}
		if f.error < best.error {
			best, best.choose = f, choose
		}
	}
	if best.features != nil && first != c.Loss {
		choose := best.choose
		f, err := b.least(ctx, best.features, c.Key, c.Loss)
		if err != nil {
			return err
		}
		best, best.choose = f, choose
	}
	if math.IsInf(best.error, 1) {
		if refused != nil {
			return refused
		}
		return errors.New("no error is finite")
	}
	c.Values["error"], c.Seconds["choose"], c.Seconds["train"] = best.error, best.choose, best.train
	if b.best {
		c.Values["ridge"] = best.ridge
	}
	return nil
}

// fitted is features with the fit that has the least error on them.
type fitted struct {
	features      *rff.Map
	error, ridge  float64
	choose, train float64 // seconds; train is of all ridge parameters
}

// least fits a loss on features with every ridge parameter, or with the one that
// cross-validation chooses.
func (b *bench) least(ctx context.Context, m *rff.Map, k reproduce.Key, loss string) (fitted, error) {
	best, start := fitted{features: m, error: math.Inf(1)}, time.Now()
	set := krr.Settings{Seed: reproduce.Stream(k.Seed, "folds", k.Data, k.Rep), Loss: loss}
	if !b.best {
		model, _, err := krr.Fit(ctx, m, b.train.Source(), set)
		if err == nil {
			best.train = time.Since(start).Seconds()
			best.error, err = b.error(model)
		}
		return best, err
	}
	lambdas := make([]float64, len(grid)) // per sample
	for i, v := range grid {
		lambdas[i] = v / float64(b.train.Len())
	}
	if loss != "" {
		err := b.descend(ctx, m, set, lambdas, &best)
		return best, err
	}
	models, err := b.path(ctx, m, lambdas)
	if err != nil {
		return best, err
	}
	best.train = time.Since(start).Seconds()
	for i, model := range models {
		e, err := b.error(model)
		if err != nil {
			return best, err
		}
		if e < best.error {
			best.error, best.ridge = e, grid[i]
		}
	}
	return best, nil
}

// descend fits a loss with one ridge parameter after the other, from lossRidge down, until two
// in a row are worse than the best: smaller ones take most of the time. A parameter for which
// passes over the rows do not reach the solution is none.
func (b *bench) descend(ctx context.Context, m *rff.Map, set krr.Settings, lambdas []float64, best *fitted) error {
	worse := 0
	for i := slices.Index(grid, lossRidge); i >= 0 && worse < 2; i-- {
		start := time.Now()
		set.Lambdas = lambdas[i : i+1]
		model, _, err := krr.Fit(ctx, m, b.train.Source(), set)
		best.train += time.Since(start).Seconds()
		var slow *krr.SolveError
		if errors.As(err, &slow) {
			continue
		}
		if err != nil {
			return err
		}
		e, err := b.error(model)
		switch {
		case err != nil:
			return err
		case e < best.error:
			best.error, best.ridge, worse = e, grid[i], 0
		case e > best.error:
			worse++
		default:
			worse = 0
		}
	}
	return nil
}

// path returns the ridge regressions, which have their sums in common.
func (b *bench) path(ctx context.Context, m *rff.Map, lambdas []float64) ([]*krr.Model, error) {
	set := krr.GramSettings{}
	if b.train.Coding.Task == dataset.Classification {
		set.Schema = b.train.Source().Schema()
	}
	_, targets := b.train.Source().Schema().Dims()
	g := krr.NewGram(m, targets, set)
	if err := g.AddSource(ctx, b.train.Source()); err != nil {
		return nil, err
	}
	return g.Path(ctx, lambdas)
}

// error is the share of wrong labels, or ‖y − f‖/‖y‖, of the test part in %.
func (b *bench) error(model *krr.Model) (float64, error) {
	_, targets := b.test.Source().Schema().Dims()
	out := blas.NewGeneral[float64](b.test.Len(), targets)
	if err := fits.PredictBatch(model, out, b.test.X); err != nil {
		return 0, err
	}
	if b.test.Coding.Task == dataset.Classification {
		return 100 - compare.Accuracy(b.test, out), nil
	}
	return 100 * reproduce.Relative(b.test.Y, out), nil
}
