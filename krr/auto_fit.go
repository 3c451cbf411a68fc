package krr

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/krr/internal/reweight"
	"github.com/rffgo/rff/krr/internal/sample"
	"github.com/rffgo/rff/krr/internal/search"
	"github.com/rffgo/rff/krr/internal/stream"
)

// fit fits what a search chose to all rows.
func (s AutoSettings) fit(ctx context.Context, data rff.Source, found *search.Report, c *search.Choice) (*Model, *AutoReport, error) {
	_, features := c.Map.Dims()
	r := &AutoReport{Rows: found.Rows, Searched: found.Searched, Error: found.Error, Stopped: found.Stopped, Late: found.Late,
		Learned: c.Learned, Landmarks: c.Landmarks, Importance: c.Importance, LeastLambda: found.LeastLambda, AtEdge: found.AtEdge,
		Sampler: c.Sampler, Kernel: c.Map.Kernel(), Features: features, Scaling: c.Scaling, ScalingName: c.ScalingName, Search: found.Elapsed, Estimated: c.Estimated}
	for _, step := range found.Steps {
		r.Steps = append(r.Steps, AutoStep(step))
	}
	s.Scaling = c.Scaling
	if c.HardWeight > 0 {
		s.HardWeight, r.HardWeight = c.HardWeight, c.HardWeight
	}
	switch {
	case s.Lambda != 0:
	case c.Lambda != 0:
		s.Lambda = c.Lambda
	default:
		s.Lambdas, r.AtEdge = c.Lambdas, false
	}
	settings := s.final(c.Summary, c.Sampler)
	if c.Importance != nil { // as rff fit records it
		var text []string
		for _, v := range c.Importance {
			text = append(text, strconv.FormatFloat(v, 'g', 6, 64))
		}
		settings.Provenance["importance"] = strings.Join(text, ",")
	}
	model, fitted, err := Fit(ctx, c.Map, data, settings)
	if err != nil {
		return nil, nil, err
	}
	r.Fit = fitted
	return model, r, nil
}

// learner lets a search fit by Grams.
type learner struct {
	data rff.Source
	s    Settings
}

// Sample is that of search.Learner.
func (l learner) Sample(ctx context.Context, count int) (*sample.Rows, int64, error) {
	in, targets := l.data.Schema().Dims()
	begun := time.Now()
	reported, known := begun, stream.Count(l.data)
	r, n, err := sample.Reservoir(ahead(ctx, l.data, 1), in, targets, sample.Settings{Count: count, Rows: known, Seed: l.s.Seed, Run: l.s.foldRows(), Read: func(n int64) {
		if now := time.Now(); l.s.Progress != nil && now.Sub(reported) > progressEvery {
			reported = now
			l.s.Progress(Progress{Stage: "rows", Rows: n, Total: known, Elapsed: now.Sub(begun)})
		}
	}})
	if err == nil && n == 0 {
		err = none("rows")
	}
	return r, n, err
}

// Check is that of search.Learner.
func (l learner) Check(features int, rows int64) error {
	in, targets := l.data.Schema().Dims()
	return CheckMemory(in, features, targets, rows, false, l.s)
}

// Path is that of search.Learner.
func (l learner) Path(ctx context.Context, m *rff.Map, s rff.Scaling, rows *sample.Rows, grid []float64, x blas.General[float64], each func(row int, scores []float64)) error {
	_, targets := rows.Schema().Dims()
	g := NewGram(m, targets, GramSettings{Precision: l.s.Precision, Scaling: s})
	if err := g.Add(ctx, rff.Batch{X: rows.X, Y: rows.Y, Weight: rows.Weight}); err != nil {
		return err
	}
	models, err := g.Path(ctx, grid)
	if err != nil {
		return unsolved(err)
	}
	return l.scores(models, s, x, each)
}

// Harder is that of search.Learner.
func (l learner) Harder(ctx context.Context, m *rff.Map, s rff.Scaling, rows *sample.Rows, lambdas, weights []float64, x blas.General[float64], each func(row int, scores []float64)) error {
	_, targets := rows.Schema().Dims()
	set := GramSettings{Precision: l.s.Precision, Scaling: s}
	all := NewGram(m, targets, set)
	if err := all.Add(ctx, rff.Batch{X: rows.X, Y: rows.Y, Weight: rows.Weight}); err != nil {
		return err
	}
	var models []*Model
	for _, lambda := range lambdas {
		first, err := all.Solve(ctx, lambda)
		if err != nil {
			return unsolved(err)
		}
		hard, _, err := (&reweight.Round{Rule: reweight.Hard(2), Score: first.predict}).More(rff.Batch{X: rows.X, Y: rows.Y, Weight: rows.Weight})
		if err != nil {
			return err
		}
		more := make([]float64, hard.X.Rows)
		for _, weight := range weights {
			for i, w := range hard.Weight {
				more[i] = (weight - 1) * w
			}
			g := NewGram(m, targets, set)
			if err := g.Merge(all); err != nil {
				return err
			}
			if err := g.Add(ctx, rff.Batch{X: hard.X, Y: hard.Y, Weight: more}); err != nil {
				return err
			}
			model, err := g.Solve(ctx, lambda)
			if err != nil {
				return unsolved(err)
			}
			models = append(models, model)
		}
	}
	return l.scores(models, s, x, each)
}

// unsolved returns what a search understands of an error of solving.
func unsolved(err error) error {
	if e := (*SolveError)(nil); errors.As(err, &e) {
		return &search.Unsolved{Err: err}
	}
	return err
}

// scores calls each with the scores of the models, side by side, of every row of x.
func (l learner) scores(models []*Model, s rff.Scaling, x blas.General[float64], each func(row int, scores []float64)) error {
	coef, intercept := joined(models)
	joint := newModel(models[0].Map(), models[0].precision, s, coef, intercept)
	if err := joint.checkRows(x); err != nil {
		return err
	}
	block := min(x.Rows, max(16, (1<<20)/len(intercept)))
	out := blas.NewGeneral[float64](block, len(intercept))
	for i := 0; i < x.Rows; i += block {
		n := min(block, x.Rows-i)
		if err := joint.predict(out.RowRange(0, n), x.RowRange(i, i+n), 0); err != nil {
			return err
		}
		for j := range n {
			each(i+j, out.Row(j))
		}
	}
	return nil
}

// joined returns the coefficients of models side by side.
func joined(models []*Model) (blas.General[float64], []float64) {
	t := len(models[0].intercept)
	coef := blas.NewGeneral[float64](models[0].coef.Rows, t*len(models))
	var intercept []float64
	for l, m := range models {
		for i := range coef.Rows {
			copy(coef.Row(i)[l*t:], m.coef.Row(i))
		}
		intercept = append(intercept, m.intercept...)
	}
	return coef, intercept
}
