// Package compare measures samplers of random features against each other on
// one data set: samplers × feature counts, each repeated, with the same
// rows, bandwidth, learner and tuning for all.
//
// The scores depend on data, settings and seed only. Times and memory depend on the machine, and
// are kept apart from the scores.
package compare

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/cmd/rff/files"
	"github.com/rffgo/rff/cmd/rff/fits"
	"github.com/rffgo/rff/cmd/rff/wording"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/fold"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/loss"
	"github.com/rffgo/rff/internal/message"
	columns "github.com/rffgo/rff/internal/scaling"
	"github.com/rffgo/rff/internal/stream"
	"github.com/rffgo/rff/krr"
	"github.com/rffgo/rff/sampling"
)

// Settings of a comparison. The zero value of a field means what its comment says.
type Settings struct {
	Samplers []string // specifications of sampling.ByName; at least one
	Features []int    // columns; at least one
	Reps     int      // repetitions; 0: 1
	Seed     uint64

	// Test is the share of rows to test on if the set has no training part of its own. 0: a
	// quarter. Every repetition divides the rows anew.
	Test float64
	// MaxTrain and MaxTest bound the rows, drawn at random. 0: all.
	MaxTrain, MaxTest int

	Scale     dataset.Scale
	Kernel    string    // of rff.ParseKernel, without or with a bandwidth; "": gaussian
	Bandwidth Bandwidth // when Kernel gives none
	Lambda    float64   // 0: cross-validated
	Folds     int       // 0: krr's default
	FoldRows  int       // of rff.Schema; the rows of a run are on one side of the division, too
	Criterion krr.Criterion
	Loss      string // of krr.Settings
	Precision krr.Precision
	Engine    rff.Engine
	// Probabilities are calibrated on held-out training rows, for the log
	// loss of a classification.
	Probabilities bool
	// Balanced weighs rows so that all classes have the same total weight among the training rows.
	Balanced bool
	// Unseen is the rule for a test row with a word that no training row has; "": all inputs of
	// the known words are 0.
	Unseen string

	// Untimed leaves out the cell that warms up memory and caches, and the times.
	Untimed bool
	// Notes are printed below the table and in the report.
	Notes []string

	// Progress, if not nil, is called before each cell and after the last.
	Progress func(done, total int, what string)
}

// Lambdas are the values among which λ is chosen; nil stands for the grid of krr.Settings.
func (s Settings) Lambdas() []float64 {
	if s.Lambda == 0 {
		return nil
	}
	return []float64{s.Lambda}
}

// Bandwidth is a rule that finds a kernel's bandwidth from the training rows.
type Bandwidth = fits.BandwidthRule

// The rules.
const (
	Median         = fits.MedianBandwidth
	Neighbour      = fits.NeighbourBandwidth
	CrossValidated = fits.SearchedBandwidth
)

// Cell is one fit: a sampler with a number of features in one repetition.
type Cell struct {
	Sampler  string  `json:"sampler"`
	Features int     `json:"features"`
	Rep      int     `json:"rep"`
	Score    float64 `json:"score"` // accuracy in per cent, RMSE, or the mean of another loss
	// Measures of the test rows. They include the score, and that of guessing.
	Measures fits.Values `json:"measures,omitempty"`
	Lambda   float64     `json:"lambda"`
	Kernel   string      `json:"kernel"`
	Jitter   float64     `json:"jitter,omitempty"` // on the diagonal of the map's kernel matrix; package basis
	Raised   float64     `json:"raised,omitempty"` // on the diagonal of the system beside λ, see krr.Solved.Jitter
	// Finer is the precision of the fit if rounding errors hide the λ that was chosen in the one
	// asked for; see krr.Fit.
	Finer   krr.Precision `json:"finer,omitempty"`
	Failure string        `json:"failure,omitempty"` // why there is no score

	Times *Times `json:"times,omitempty"`

	losses []float64 // of every row of a fixed test part, until the repetition is over
}

// Times are the costs of a cell. Choose is the time to choose the features, and Generate the time
// to choose them and to evaluate them on all training rows. Train is the time of the whole fit,
// which evaluates the features again while it accumulates, and of the choice of λ. A user waits
// for Choose + Train.
type Times struct {
	Choose   float64 `json:"choose_seconds"`
	Generate float64 `json:"generate_seconds"`
	Train    float64 `json:"train_seconds"`
	Predict  float64 `json:"predict_seconds"`
	Peak     uint64  `json:"peak_bytes"` // most memory of the process
}

// Learn is the time from the rows to the model: choosing the features, and the fit.
func (t *Times) Learn() float64 { return t.Choose + t.Train }

// Run compares the samplers. A cell that a sampler cannot do with this kernel or these data gets
// a Failure. A setting that is wrong in itself, a *rff.ParameterError, ends the run. The end of
// ctx ends it too, and the result then has the cells that were done.
//
// The order of the samplers rotates from one repetition to the next. One cell is first run
// without being counted, because the first one finds memory and caches cold.
func Run(ctx context.Context, data *dataset.Table, s Settings) (*Result, error) {
	samplers, err := s.check(data)
	if err != nil {
		return nil, err
	}
	data = s.inRuns(data)
	r := &Result{Data: data.Name, Digest: Digest(data), Inputs: data.X.Cols, Target: data.Target, Classes: len(data.Coding.Classes), Weighted: data.Weights != nil || s.Balanced, Settings: s}
	r.Planned = s.Reps * len(s.Samplers) * len(s.Features)
	r.Divided = !(data.Train > 0 && data.Train < data.Len())
	err = s.run(ctx, data, samplers, r)
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	r.sort()
	r.summarise()
	r.compareWithFirst()
	if err != nil {
		return r, context.Cause(ctx)
	}
	return r, nil
}

// run does the cells one after the other.
func (s *Settings) run(ctx context.Context, data *dataset.Table, samplers []rff.Sampler, r *Result) error {
	say := func(what string) {
		if s.Progress != nil {
			s.Progress(len(r.Cells), r.Planned, what)
		}
	}
	for rep := range s.Reps {
		p, err := s.prepare(ctx, data, rep)
		if err != nil {
			return err
		}
		r.divisions = append(r.divisions, [2]int{p.train.Len(), p.test.Len()})
		r.countRows()
		if rep == 0 {
			r.Kernel = kernelText(p.kernel)
			r.Notes = append(slices.Clone(s.Notes), s.ownKernels(samplers, p.kernel)...)
			if _, repeats := units(data); r.Divided && repeats > 0 && data.Groups == nil {
				r.Notes = append(r.Notes, message.Count(repeats, "row has", "rows have")+" the inputs of an earlier row, and its side of the division")
			}
			if held := wording.Held(p.held, data.Inputs); held != "" {
				r.Notes = append(r.Notes, held)
			}
			if !s.Untimed {
				say("warming up")
				// An error is ignored here: the cell itself reports it.
				s.cell(ctx, &Cell{Features: slices.Max(s.Features)}, samplers[0], p)
			}
		}
		for k := range s.Samplers {
			i := (k + rep) % len(s.Samplers)
			for _, features := range s.Features {
				say(fmt.Sprintf("%s, %d features, repetition %d of %d", s.Samplers[i], features, rep+1, s.Reps))
				c := Cell{Sampler: s.Samplers[i], Features: features, Rep: rep}
				if err := s.cell(ctx, &c, samplers[i], p); err != nil {
					err = p.named(err, data)
					if ctx.Err() != nil {
						return err
					}
					var wrong *rff.ParameterError
					if errors.As(err, &wrong) && wrong.Name != "kernel" { // a kernel that does not suit the sampler fails this cell only
						return fmt.Errorf("%s with %d features: %w", c.Sampler, features, err)
					}
					c.Failure, c.Score, c.Measures, c.Times = plain(err), math.NaN(), nil, nil
				}
				if r.Divided {
					c.losses = nil
				}
				r.Cells = append(r.Cells, c)
			}
		}
		if !r.Divided {
			r.measureRows(rep)
		}
	}
	r.Notes = append(r.Notes, r.jitters()...)
	if text := r.guess(); text != "" {
		r.Notes = append(r.Notes, text)
	}
	say("done")
	return nil
}

// guess says how well guessing does that looks at no input, over the repetitions.
func (r *Result) guess() string {
	var class, mean []float64
	for _, c := range r.Cells {
		if v, ok := c.Measures[fits.Guess]; ok {
			class = append(class, 100*v)
		} else if v, ok := c.Measures[fits.Spread]; ok {
			mean = append(mean, v)
		}
	}
	if class != nil {
		v, _ := MeanSD(class)
		return fmt.Sprintf("naming the most frequent class always has accuracy %.2f %%", v)
	}
	if mean != nil {
		v, _ := MeanSD(mean)
		return fmt.Sprintf("predicting the mean always has RMSE %.5g", v)
	}
	return ""
}

// ownKernels says which samplers approximate another kernel than the one asked for.
func (s *Settings) ownKernels(samplers []rff.Sampler, kernel rff.Kernel) []string {
	var notes []string
	for i, sampler := range samplers {
		switch sampler.(type) {
		case sampling.Nystrom:
			if s.Bandwidth == CrossValidated && s.openBandwidth() {
				notes = append(notes, s.Samplers[i]+": its bandwidth was searched with random features, as that of the others; krr.Auto and rff fit --auto search with its own")
			}
		case sampling.Metric, sampling.Refined:
			notes = append(notes, s.Samplers[i]+" chooses its bandwidth with what it learns: that of the others does not bear on it")
		}
		if own := kernelText(inside.KernelFor(sampler, kernel)); own != kernelText(kernel) {
			notes = append(notes, fmt.Sprintf("%s has a kernel of its own, %s: the kernel and the bandwidth of the others do not bear on it", s.Samplers[i], own))
		}
	}
	return notes
}

func (s *Settings) check(data *dataset.Table) ([]rff.Sampler, error) {
	if len(s.Samplers) == 0 || len(s.Features) == 0 {
		return nil, &rff.ParameterError{Name: "samplers and features", Value: "empty", Need: "give at least one of each"}
	}
	if data.Len() == 0 || data.Coding.Task == "" {
		return nil, &rff.ParameterError{Name: "data", Value: data.Name, Need: "has no rows or no labels"}
	}
	var samplers []rff.Sampler
	for i, m := range s.Samplers {
		sampler, err := sampling.ByName(m)
		if err != nil {
			return nil, err
		}
		for j, other := range samplers {
			if reflect.DeepEqual(sampler, other) {
				return nil, &rff.ParameterError{Name: "samplers", Value: s.Samplers[j] + " and " + s.Samplers[i], Need: "must be different samplers: these are the same"}
			}
		}
		samplers = append(samplers, sampler)
	}
	for i, f := range s.Features {
		if f < 1 {
			return nil, &rff.ParameterError{Name: "features", Value: f, Need: "must be at least 1"}
		}
		if slices.Contains(s.Features[:i], f) {
			return nil, &rff.ParameterError{Name: "features", Value: f, Need: "must be different numbers: this one is there twice"}
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
	if _, _, err := loss.Parse(s.Loss, 1); err != nil {
		return nil, err
	}
	if s.Lambda < 0 || math.IsNaN(s.Lambda) || math.IsInf(s.Lambda, 0) {
		return nil, &rff.ParameterError{Name: "lambda", Value: s.Lambda, Need: "must be positive"}
	}
	return samplers, nil
}

// plain returns the text of an error without the package that says it.
func plain(err error) string {
	text := err.Error()
	for _, p := range []string{"sampling: ", "krr: ", "rff: "} {
		text = strings.TrimPrefix(text, p)
	}
	return text
}

// prepared has the data of one repetition.
type prepared struct {
	train, test *dataset.Table // scaled
	kernel      rff.Kernel
	rows        []int // of the data that train has
	held        []int // inputs that scaling holds at their one value
}

// named names the row of the data in an error about one of the training rows.
func (p *prepared) named(err error, data *dataset.Table) error {
	return files.BadRow(err, p.train, data, func(i int) int { return p.rows[i] })
}

// Parts deals the rows of a set out, in random order: to the parts that it has for training and
// testing, or as otherwise does.
func Parts(data *dataset.Table, seed uint64, otherwise func(data *dataset.Table, seed uint64) (train, test []int, err error)) (train, test []int, err error) {
	if data.Train <= 0 || data.Train >= data.Len() {
		return otherwise(data, seed)
	}
	for _, i := range fold.Permutation(data.Len(), seed) {
		if i < data.Train {
			train = append(train, i)
		} else {
			test = append(test, i)
		}
	}
	return train, test, nil
}

// Quarter is for Parts: a random quarter of the rows is for testing.
func Quarter(data *dataset.Table, seed uint64) (train, test []int, err error) {
	return dataset.Split(data.Len(), 0.25, seed)
}

// prepare divides and scales the rows and finds the bandwidth.
func (s *Settings) prepare(ctx context.Context, data *dataset.Table, rep int) (*prepared, error) {
	seed := s.Seed + uint64(rep)*0x9e3779b97f4a7c15
	train, test, err := Parts(data, seed, s.split)
	if err != nil {
		return nil, err
	}
	if s.MaxTrain > 0 {
		train = train[:min(len(train), s.MaxTrain)]
	}
	if s.MaxTest > 0 {
		test = test[:min(len(test), s.MaxTest)]
	}
	slices.Sort(train) // file order: neighbours in memory
	slices.Sort(test)
	p := &prepared{train: data.Select(train), test: data.Select(test), rows: train}
	if s.Balanced {
		p.balance()
	}
	if err := s.unseen(p, data, rep); err != nil {
		return nil, err
	}
	scaling := dataset.FitScaling(s.Scale, p.train.X)
	p.held = inside.Held(scaling)
	columns.BentRows(scaling.From, scaling.To, scaling.Shift, scaling.Scale, p.train.X, p.train.X)
	columns.BentRows(scaling.From, scaling.To, scaling.Shift, scaling.Scale, p.test.X, p.test.X)
	fit := krr.Settings{Lambdas: s.Lambdas(), Folds: s.Folds, Seed: s.Seed, Precision: s.Precision, Engine: s.Engine}
	if p.kernel, err = FindKernel(ctx, s.Kernel, s.Bandwidth, p.train, fit, seed); err != nil {
		if named := p.named(err, data); named != err {
			return nil, named
		}
		return nil, fmt.Errorf("%s: %w", data.Name, err)
	}
	return p, nil
}

// balance weighs training and test rows by their classes, as the training rows say. A class that
// these lack keeps its weights.
func (p *prepared) balance() {
	sums := make([]float64, len(p.train.Coding.Classes))
	own := func(t *dataset.Table, each func(class int, w *float64)) {
		if t.Weights == nil {
			t.Weights = slices.Repeat([]float64{1}, t.Len())
		}
		for i, y := range t.Y {
			each(int(y), &t.Weights[i])
		}
	}
	own(p.train, func(class int, w *float64) { sums[class] += *w })
	even := fits.EvenWeights(sums)
	weigh := func(class int, w *float64) {
		if even[class] > 0 {
			*w *= even[class]
		}
	}
	own(p.train, weigh)
	own(p.test, weigh)
}

// unseen takes the words that no training row has from the test rows, or refuses them.
func (s *Settings) unseen(p *prepared, data *dataset.Table, rep int) error {
	at := 0
	for _, c := range data.Source().Schema().Inputs {
		for k := range c.Words {
			if slices.ContainsFunc(column(p.train.X, at+k), func(v float64) bool { return v != 0 }) {
				continue
			}
			for i, v := range column(p.test.X, at+k) {
				if v != 0 && s.Unseen == "error" {
					at := files.Place(p.test, i)
					return &dataset.ParseError{Place: dataset.Place{File: at.File, Row: at.Row}, Name: c.Name, Value: c.Words[k], Need: fmt.Sprintf("in column %q is a level that no training row of repetition %d has: say --unseen zero, or leave the row out", c.Name, rep+1)}
				}
				p.test.X.Row(i)[at+k] = 0
			}
		}
		at += inside.Width(c)
	}
	return nil
}

// column returns a copy of the values of column j.
func column(x blas.General[float64], j int) []float64 {
	out := make([]float64, x.Rows)
	dense.Column(out, x, j)
	return out
}

// units returns a key for each row, its group or a hash of its inputs. Rows with equal keys stay
// together. repeats is the number of rows that have the inputs of an earlier row.
func units(data *dataset.Table) (of []uint64, repeats int) {
	of, seen := make([]uint64, data.Len()), map[uint64]bool{}
	for i := range of {
		of[i] = uint64(fold.Content(data.X.Row(i)))
		if seen[of[i]] {
			repeats++
		}
		seen[of[i]] = true
	}
	if data.Groups != nil {
		return data.Groups, repeats
	}
	return of, repeats
}

// split divides the rows into rows to train on and rows to test on. Rows of a group stay
// together. Without groups, rows with equal inputs stay together.
func (s *Settings) split(data *dataset.Table, seed uint64) (train, test []int, err error) {
	of, repeats := units(data)
	if data.Groups == nil && (repeats == 0 || repeats == data.Len()-1) { // if all rows are alike, the fit says why it is impossible
		return dataset.Split(data.Len(), s.Test, seed)
	}
	var groups []uint64
	seen := map[uint64]int{}
	for _, g := range of {
		if _, known := seen[g]; !known {
			seen[g] = len(groups)
			groups = append(groups, g)
		}
	}
	_, held, err := dataset.Split(len(groups), s.Test, seed)
	if err != nil {
		return nil, nil, err
	}
	out := make([]bool, len(groups))
	for _, g := range held {
		out[g] = true
	}
	// Rows are in random order. A limit on their number takes the first ones.
	for _, i := range fold.Permutation(data.Len(), seed) {
		if out[seen[of[i]]] {
			test = append(test, i)
		} else {
			train = append(train, i)
		}
	}
	return train, test, nil
}

// inRuns returns the table with runs of FoldRows rows as its groups, if it has none: rows that are
// selected from it no longer follow each other.
func (s *Settings) inRuns(data *dataset.Table) *dataset.Table {
	if s.FoldRows == 0 || data.Groups != nil {
		return data
	}
	t := *data
	t.Groups = make([]uint64, data.Len())
	for i := range t.Groups {
		t.Groups[i] = uint64(i / s.FoldRows)
	}
	return &t
}

// rows returns the rows of a table as a source in which FoldRows rows are held out together.
func (s *Settings) rows(t *dataset.Table) rff.Source {
	schema := t.Source().Schema()
	schema.FoldRows = s.FoldRows
	data, err := rff.WithSchema(t.Source(), schema)
	if err != nil {
		panic(err) // of the same columns
	}
	return data
}

// cell fits, predicts and scores.
func (s *Settings) cell(ctx context.Context, c *Cell, sampler rff.Sampler, p *prepared) error {
	memory := watchMemory()
	defer memory.stop()
	src := rand.NewPCG(s.Seed, uint64(c.Rep)<<32|uint64(c.Features))
	c.Kernel = kernelText(inside.KernelFor(sampler, p.kernel))
	start := time.Now()
	m, err := sampler.Sample(ctx, rff.Request{Kernel: inside.KernelFor(sampler, p.kernel), Dim: p.train.X.Cols, Features: c.Features, Data: s.rows(p.train), Rand: src, Engine: s.Engine})
	if err != nil {
		return err
	}
	_, change := inside.Split(m)
	c.Times, c.Jitter = &Times{Choose: time.Since(start).Seconds()}, change.Jitter()
	if err := stream.Named(string(s.Precision)).On(false).Evaluate(ctx, m, p.train.X); err != nil {
		return err
	}
	c.Times.Generate = time.Since(start).Seconds()

	start = time.Now()
	model, _, err := krr.Fit(ctx, m, s.rows(p.train), krr.Settings{Lambdas: s.Lambdas(), Folds: s.Folds, Criterion: s.Criterion, Loss: s.Loss, Seed: s.Seed, Probabilities: s.Probabilities,
		Precision: s.Precision, ClipPredictions: p.train.Coding.Task == dataset.Regression})
	if err != nil {
		return err
	}
	c.Times.Train = time.Since(start).Seconds()
	c.Lambda, c.Raised = model.Info().Lambda[0], model.Info().Solved.Jitter
	if fitted := model.Info().Precision; string(fitted) != stream.Named(string(s.Precision)).For(m).Name {
		c.Finer = fitted
	}

	start = time.Now()
	_, outputs := model.Dims()
	out := blas.NewGeneral[float64](p.test.Len(), outputs)
	if err := fits.PredictBatch(model, out, p.test.X); err != nil {
		return err
	}
	c.Times.Predict = time.Since(start).Seconds()
	c.Times.Peak = memory.stop()
	if s.Untimed {
		c.Times = nil
	}
	c.Measures, c.losses = Measures(p.test, out, model), losses(p.test, out, model, s.ownLoss())
	switch {
	case p.test.Coding.Task == dataset.Classification:
		c.Score = 100 * c.Measures[fits.Accuracy]
	case s.ownLoss() != nil:
		c.Score, _ = MeanSD(c.losses)
		c.Measures[fits.Loss] = c.Score
	default:
		c.Score = c.Measures[fits.RMSE]
	}
	if math.IsInf(c.Score, 0) || math.IsNaN(c.Score) {
		return errors.New("the squared errors are beyond what numbers hold: divide the target by a power of ten")
	}
	return nil
}
