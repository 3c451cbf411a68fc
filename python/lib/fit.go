package main

import (
	"context"
	"math"
	"strconv"
	"strings"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/cmd/rff/fits"
	"github.com/rffgo/rff/krr"
)

// settings of a fit.
func (r *request) settings(l *look) krr.Settings {
	s := krr.Settings{Lambdas: r.Lambdas, Folds: r.Folds, Criterion: krr.Criterion(r.Criterion), Loss: r.Loss, Precision: krr.Precision(r.Precision),
		Uncertainty: r.Uncertainty, Probabilities: r.Probabilities, HeldOut: r.HeldOut, ClipPredictions: r.Clip,
		Seed: r.Seed, Engine: r.engine(), Progress: r.report, Provenance: r.Provenance}
	if l != nil {
		s.Scaling = l.scaling
	}
	return s
}

// prepared are rows with targets, and the features for them.
func (r *request) prepared(ctx context.Context) (*look, rff.Source, *rff.Map, []float64, error) {
	l, err := r.look(ctx)
	if err != nil {
		return nil, nil, nil, nil, err
	}
	data, err := r.label(l.data)
	if err != nil {
		return nil, nil, nil, nil, err
	}
	m, importance, err := r.draw(ctx, l, data)
	if err != nil {
		return nil, nil, nil, nil, err
	}
	if importance != nil {
		text := make([]string, len(importance))
		for i, v := range importance {
			text[i] = strconv.FormatFloat(v, 'g', 6, 64)
		}
		r.Provenance[importanceOf] = strings.Join(text, ",")
	}
	return l, data, m, importance, nil
}

// fit draws features and fits a model.
func (r *request) fit(ctx context.Context) (any, error) {
	l, data, m, importance, err := r.prepared(ctx)
	if err != nil {
		return nil, err
	}
	model, done, err := krr.Fit(ctx, m, data, r.settings(l))
	if err != nil {
		return nil, err
	}
	out := fittedOf(model, reportOf(model, done))
	out.Report.Importance = importance
	return out, nil
}

// auto has krr.Auto choose features, and fit.
func (r *request) auto(ctx context.Context) (any, error) {
	r.Scale = "none" // Auto chooses one
	l, err := r.look(ctx)
	if err != nil {
		return nil, err
	}
	data, err := r.label(l.data)
	if err != nil {
		return nil, err
	}
	s := krr.AutoSettings{Fit: r.settings(nil), Features: r.Features, Budget: time.Duration(r.Budget * float64(time.Second))}
	model, done, err := krr.Auto(ctx, data, s)
	if err != nil {
		return nil, err
	}
	return fittedOf(model, reportOf(model, done)), nil
}

// features draws features. What holds them, with the scaling and the schema, is a model of two
// of the rows, whose coefficients are of no use.
func (r *request) features(ctx context.Context) (any, error) {
	l, data, m, importance, err := r.prepared(ctx)
	if err != nil {
		return nil, err
	}
	x := l.sample.X
	two, err := rff.FromMatrix(dense(pick(x, []int{0, min(1, x.Rows-1)})), mat.NewDense(2, 1, []float64{0, 1}))
	if err != nil {
		return nil, err
	}
	schema := data.Schema()
	schema.Rows, schema.Target = 2, rff.Target{Columns: 1}
	if two, err = rff.WithSchema(two, schema); err != nil {
		return nil, err
	}
	model, _, err := krr.Fit(ctx, m, two, krr.Settings{Lambdas: []float64{1}, Scaling: l.scaling, Engine: r.engine(), Provenance: r.Provenance})
	if err != nil {
		return nil, err
	}
	return fittedOf(model, &report{Importance: importance}), nil
}

// gram draws features for the first rows of a stream, and adds these rows to new sums.
func (r *request) gram(ctx context.Context) (any, error) {
	l, data, m, importance, err := r.prepared(ctx)
	if err != nil {
		return nil, err
	}
	schema := data.Schema()
	schema.Rows = 0
	g := krr.NewGram(m, schema.Target.Columns, krr.GramSettings{Precision: krr.Precision(r.Precision), Scaling: l.scaling, Schema: schema, ClipPredictions: r.Clip, Variance: r.Uncertainty == "variance"})
	if err := g.AddSource(ctx, data); err != nil {
		return nil, err
	}
	schema = g.Settings().Schema
	return &fitted{Handle: hold(g), Report: &report{Importance: importance}, Schema: &schema}, nil
}

// add adds rows to sums.
func (r *request) add(ctx context.Context) (any, error) {
	g, err := of[*krr.Gram](r.Handle)
	if err != nil {
		return nil, err
	}
	schema := g.Settings().Schema
	data, err := r.inputs(ctx, schema)
	if err != nil {
		return nil, err
	}
	r.Classes = schema.Target.Classes
	unseen := fits.NewUnseen(schema)
	if data, err = r.label(unseen.Watch(data)); err != nil {
		return nil, err
	}
	if err := g.AddSource(ctx, data); err != nil {
		return nil, err
	}
	return noted{unseen.Note()}, nil
}

// solve solves sums, with the λ that generalised cross-validation finds best.
func (r *request) solve(ctx context.Context) (any, error) {
	g, err := of[*krr.Gram](r.Handle)
	if err != nil {
		return nil, err
	}
	set := g.Settings()
	set.ClipPredictions, set.Variance = r.Clip, r.Uncertainty == "variance"
	if err := g.Set(set); err != nil {
		return nil, err
	}
	out := &report{Rows: g.Rows(), Lambda: r.Lambdas}
	if len(r.Lambdas) != 1 {
		path, err := g.Analyze(ctx, r.Lambdas)
		if err != nil {
			return nil, err
		}
		out.addPath(path)
		least := math.Inf(1)
		for _, p := range path {
			var sum float64
			for _, e := range p.Error {
				sum += e
			}
			if !p.Solved.Unresolved && sum < least || out.Lambda == nil {
				least, out.Lambda = sum, []float64{p.Lambda}
			}
		}
	}
	model, err := g.Solve(ctx, out.Lambda...)
	if err != nil {
		return nil, err
	}
	return fittedOf(model, out), nil
}
