package krr

import (
	"context"
	"strconv"
	"strings"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside/hook"
	"github.com/rffgo/rff/internal/trial"
	"github.com/rffgo/rff/krr/internal/race"
)

// fit fits what a race chose to all rows.
func (s AutoSettings) fit(ctx context.Context, data rff.Source, found *race.Report, c *race.Choice) (*Model, *Report, error) {
	set, given := &s.Fit, s.Fit.Loss != ""
	set.Scaling = c.Scaling
	if c.Rule != "" {
		set.Loss = c.Rule
	}
	switch {
	case len(set.Lambdas) == 1:
	case set.ownLoss(): // the race chose λ by squares
		found.AtEdge = false
	case c.Lambda != 0:
		set.Lambdas = []float64{c.Lambda}
	default:
		set.Lambdas, found.AtEdge = c.Lambdas, false
	}
	settings := s.final(c.Summary, c.Sampler)
	if c.Importance != nil { // as rff fit records it
		var text []string
		for _, v := range c.Importance {
			text = append(text, strconv.FormatFloat(v, 'g', 6, 64))
		}
		settings.Provenance["importance"] = strings.Join(text, ",")
	}
	apart := s.classes != nil && (c.Learned != "" || c.Exact)
	if apart { // learned features have seen the labels of the fit's folds, and folds would make an exact fit need sums
		settings.Probabilities = false
	}
	model, r, err := Fit(ctx, c.Map, data, settings)
	if err == nil && apart {
		r.HeldOut, err = s.calibrate(ctx, model, c, given)
	}
	if err != nil {
		return nil, nil, err
	}
	r.info = model.Info()
	r.AtEdge = r.AtEdge || found.AtEdge
	r.Took["search"] = found.Elapsed
	for _, s := range found.Steps {
		r.Steps = append(r.Steps, AutoStep{Name: s.Name, Rows: s.Rows, Features: s.Features, Best: s.Best, Error: s.Error, Why: s.Why})
	}
	r.Stopped, r.Importance = found.Stopped, c.Importance
	r.search = &hook.Search{Steps: found.Steps, Searched: found.Searched, Error: found.Error, Late: found.Late, LeastLambda: found.LeastLambda,
		Learned: c.Learned, Sampler: c.Sampler, Scaling: c.ScalingName, Estimated: c.Estimated}
	return model, r, nil
}

// calibrate calibrates the probabilities of a model on held-out rows of the race, and measures
// them. The race has scored these rows by squares. If the settings gave a loss, calibrate
// scores them again by that.
func (s *AutoSettings) calibrate(ctx context.Context, m *Model, c *race.Choice, given bool) (*Measures, error) {
	rows := newScored(len(s.classes), len(m.intercept))
	add := func(scores, y []float64, w float64) {
		rows.Scores.Data = append(rows.Scores.Data, scores...)
		rows.add(y, w, -1)
	}
	held := func() error { return c.Held(ctx, add) }
	if given {
		held = func() error { return s.refit(ctx, m.lambda, c, add) }
	}
	if err := held(); err != nil {
		return nil, err
	}
	return rows.calibrate(ctx, m)
}

// refit fits the race's splits by the loss of the settings, and calls each with the scores of
// every held-out row.
func (s *AutoSettings) refit(ctx context.Context, lambdas []float64, c *race.Choice, each func(scores, y []float64, w float64)) error {
	set := s.Fit
	set.Lambdas, set.Probabilities, set.HeldOut, set.Progress = lambdas[:1], false, false, nil
	return c.Splits(ctx, func(m *rff.Map, split trial.Split) error {
		model, _, err := Fit(ctx, m, split.Train, set)
		if err != nil {
			return err
		}
		out := blas.NewGeneral[float64](split.Valid.X.Rows, len(model.intercept))
		if err := model.predict(out, split.Valid.X, 0); err != nil {
			return err
		}
		for i := range out.Rows {
			each(out.Row(i), split.Valid.Y.Row(i), split.Valid.WeightOf(i))
		}
		return nil
	})
}
