package krr

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/inside/hook"
	"github.com/rffgo/rff/internal/measure"
	"github.com/rffgo/rff/internal/trial"
	"github.com/rffgo/rff/krr/internal/holdout"
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
	// Learned features have seen the labels of the fit's folds, and folds would make an exact fit of classes
	// need sums.
	apart := c.Beside != nil || c.Learned != "" && (s.classes != nil || !given) || s.classes != nil && c.Exact
	if apart {
		settings.Probabilities = false
	}
	settings.HeldOut = settings.HeldOut && (!apart || s.classes != nil && c.Beside == nil)
	compares, by := s.Fit.comparesRows()
	if compares = compares && (c.Learned != "" || c.Exact); compares {
		settings.Uncertainty = ""
	}
	model, r, err := Fit(ctx, c.Map, data, settings)
	if err == nil && c.Beside != nil {
		model, err = s.join(ctx, data, model, r, c)
	}
	if err == nil && compares {
		err = s.keepHeld(ctx, model, c, given, by)
	}
	switch {
	case err != nil || !apart:
	case s.classes != nil:
		r.HeldOut, err = s.calibrate(ctx, model, c, given)
	case s.Fit.HeldOut:
		r.HeldOut, err = measureHeld(ctx, model, c)
	}
	if err != nil {
		return nil, nil, err
	}
	if apart {
		r.HeldOut.record(model.prov)
	}
	r.info = model.Info()
	r.AtEdge = r.AtEdge || found.AtEdge
	r.Took["search"] = found.Elapsed
	for _, s := range found.Steps {
		r.Steps = append(r.Steps, AutoStep{Name: s.Name, Rows: s.Rows, Features: s.Features, Best: s.Best, Error: s.Error, Why: s.Why})
	}
	r.Stopped, r.Importance = found.Stopped, c.Importance
	r.search = &hook.Search{Steps: found.Steps, Searched: found.Searched, Error: found.Error, Late: found.Late, LeastLambda: found.LeastLambda,
		Learned: c.Learned, Apart: apart, Compares: compares, Sampler: c.Sampler, Scaling: c.ScalingName, Estimated: c.Estimated}
	return model, r, nil
}

// join fits the choices beside one that is fitted, and returns the mean of all.
func (s *AutoSettings) join(ctx context.Context, data rff.Source, first *Model, r *Report, c *race.Choice) (*Model, error) {
	models, weight := []*Model{first}, []float64{c.Weight}
	text := []string{fmt.Sprintf("%.2g of the first", c.Weight)}
	for _, b := range c.Beside {
		set := s.Fit
		set.Scaling, set.Lambdas, set.Loss, set.HeldOut, set.Probabilities = b.Scaling, []float64{b.Lambda}, b.Rule, false, false
		m, of, err := Fit(ctx, b.Map, data, set)
		if err != nil {
			return nil, err
		}
		for stage, took := range of.Took {
			r.Took[stage] += took
		}
		models, weight = append(models, m), append(weight, b.Weight)
		by := b.Sampler
		if kernel := m.prov["kernel"]; kernel != "" { // trained frequencies are of none
			by += ", kernel " + kernel
		}
		what := m.prov["features"] + " features by " + by
		if trees := m.prov["trees"]; trees != "" {
			what = trees + " trees"
		}
		text = append(text, fmt.Sprintf("%.2g of %s, %s inputs, λ %g", b.Weight, what, b.ScalingName, b.Lambda))
	}
	first.prov["mean"] = gathered(text)
	r.Train.R2, r.Train.RMSE = nil, nil // those of the first
	delete(first.prov, "training R²")
	delete(first.prov, "training RMSE")
	return meanOf(models, weight), nil
}

// gathered joins texts. Those that follow each other and are the same are one, with their number.
func gathered(text []string) string {
	var out []string
	for i := 0; i < len(text); {
		n := 1
		for i+n < len(text) && text[i+n] == text[i] {
			n++
		}
		one := text[i]
		if n > 1 {
			one = fmt.Sprintf("%d times %s", n, one)
		}
		out, i = append(out, one), i+n
	}
	return strings.Join(out, "; ")
}

// measureHeld measures the predictions of a mean on the held-out rows that it was chosen by.
func measureHeld(ctx context.Context, m *Model, c *race.Choice) (*Measures, error) {
	numbers := make([]measure.Numbers, len(m.intercept))
	err := c.Held(ctx, func(h race.Held) {
		for t, v := range h.Scores {
			numbers[t].Add(h.Y[t], min(max(v, m.lo[t]), m.hi[t]), h.Weight)
		}
	})
	held := &Measures{}
	for i := range numbers {
		n := numbers[i].Result()
		held.Rows = n.Rows
		held.RMSE, held.MAE, held.R2, held.numbers = append(held.RMSE, n.RMSE), append(held.MAE, n.MAE), append(held.R2, n.R2), append(held.numbers, n)
	}
	return held, err
}

// calibrate calibrates the probabilities of a model on held-out rows of the race, and measures
// them.
func (s *AutoSettings) calibrate(ctx context.Context, m *Model, c *race.Choice, given bool) (*Measures, error) {
	rows, parts := newScored(len(s.classes), len(m.intercept)), parts{}
	add := func(h race.Held) {
		rows.Scores.Data = append(rows.Scores.Data, h.Scores...)
		rows.add(h.Y, h.Weight, h.Copies, parts.of(int64(h.Unit)), int64(h.Unit))
	}
	if err := s.held(ctx, m, c, given, add); err != nil {
		return nil, err
	}
	return rows.calibrate(ctx, m)
}

// held calls each with held-out rows of the race and their scores: those by squares that the race has or, if the
// settings gave a loss, by that.
func (s *AutoSettings) held(ctx context.Context, m *Model, c *race.Choice, given bool, each func(race.Held)) error {
	if given {
		return s.refit(ctx, m.lambda, c, each)
	}
	return c.Held(ctx, each)
}

// keepHeld gives the model held-out rows of the race to compare new rows with. The features of the model have
// seen the targets of others, or each of these has a section of its own: their residuals are smaller than those
// of new rows.
func (s *AutoSettings) keepHeld(ctx context.Context, m *Model, c *race.Choice, given bool, by string) error {
	groups, err := inside.NewGrouping(by, m.schema)
	if err != nil {
		return err
	}
	in, _ := m.Dims()
	t := len(m.intercept)
	var at int64
	var unit uint64
	sample := holdout.NewSample(s.Fit.Seed+3, keptRows, in, 2*t) // of scores, and then targets
	sample.Unit = func(rff.Batch, int, int64) int64 { return int64(unit) }
	err = s.held(ctx, m, c, given, func(h race.Held) {
		row := slices.Clone(h.Scores)
		for _, v := range h.Y { // of quantiles, each has a score for every level
			row = append(row, slices.Repeat([]float64{v}, t/len(h.Y))...)
		}
		unit = h.Unit
		sample.Add(rff.Batch{First: at, X: dense.Vector(h.X), Y: dense.Vector(row)}, []float64{h.Weight}, holdout.Undivided)
		at++
	})
	if err != nil {
		return err
	}
	return sample.Each(0, keptRows, func(x blas.General[float64], y func(int) []float64, w func(int) float64, _ func(int) int64) error {
		f := blas.NewGeneral[float64](x.Rows, t)
		for i := range x.Rows {
			copy(f.Row(i), y(i))
		}
		return m.keepScored(x, f, func(i int) []float64 { return y(i)[t:] }, w, groups)
	})
}

// refit fits the race's splits by the loss of the settings, and calls each with the scores of
// every held-out row.
func (s *AutoSettings) refit(ctx context.Context, lambdas []float64, c *race.Choice, each func(race.Held)) error {
	set := s.Fit
	set.Lambdas, set.Probabilities, set.HeldOut, set.Uncertainty, set.Progress = lambdas[:1], false, false, "", nil
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
			each(race.HeldOf(split, i, out.Row(i)))
		}
		return nil
	})
}
