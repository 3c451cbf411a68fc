package race

import (
	"context"
	"fmt"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/trial"
)

// Choices returns ways to fit to all rows, one for every trial that was the best once, the best
// first. If one of them cannot be fitted to all rows, the next takes its place.
func (r *Race) Choices() []*Choice {
	var out []*Choice
	if m := r.mean; m != nil {
		for i, t := range m.of {
			out = append(out, &Choice{race: r, of: t, Weight: m.weight[i]})
		}
		out[0].Beside = out[1:]
		out = out[:1:1]
	}
	for i := len(r.kept) - 1; i >= 0; i-- {
		out = append(out, &Choice{race: r, of: r.kept[i]})
	}
	if out == nil {
		c := candidate{sampler: r.Sampler, kind: kindOf(r.Sampler)}
		out = append(out, &Choice{race: r, of: &tried{job: job{candidate: c}, size: size{features: r.target()}}})
	}
	return out
}

// Bandwidth returns the bandwidth of the best trial, or the unit of bandwidths if there is
// none.
func (r *Race) Bandwidth() float64 {
	if r.best == nil {
		return r.medians[0][0]
	}
	return r.bandwidth(r.best.candidate)
}

// Make makes the features of a choice. The error is that of Settings.Check if there is no
// memory for the fit, or of the sampler.
func (c *Choice) Make(ctx context.Context) error {
	r, t := c.race, c.of
	c.features = t.features
	if t.Result == nil || !r.measured(t) {
		c.features = r.target()
	}
	if err := r.Check(c.features, r.n); err != nil {
		return err
	}
	sc := r.scalings[t.scaling]
	c.Sampler, c.Scaling, c.ScalingName, c.Lambdas, c.Exact = r.samplerName(t.candidate), sc.Scaling, sc.name, r.grid, t.isExact()
	if t.kind == learned {
		l := t.maps[0] // of the first split, as measured
		if of, ok := r.onAll(t); ok {
			var err error
			if l, err = r.train(ctx, r.engine, of, t.features, r.rows, nil, t.draw); err != nil {
				return err
			}
		}
		c.Map, c.Importance, c.Learned = inside.On(l.Map, r.engine), l.Importance, c.Sampler
	} else {
		m, _, err := r.sampled(ctx, r.engine, t.candidate, c.features, 0, r.rows, nil)
		if err != nil {
			return err
		}
		c.Map = m
	}
	left := r.left - r.fitWork(t, c.features)
	if t.Result != nil {
		if r.measured(t) {
			if c.Lambda = t.Lambda; t.Rule != nil {
				c.Rule = t.Rule.String()
			}
		}
		c.Summary = fmt.Sprintf("%s, %d features: held-out error %.4g after %d steps of a budget of %v; %s",
			r.describe(t), c.features, r.told(t), len(r.report.Steps), r.Budget, r.report.Stopped)
		if t.Rule != nil {
			left -= r.ruleWork()
		}
	}
	c.Estimated = duration(r.whole - left)
	for _, b := range c.Beside {
		if err := b.Make(ctx); err != nil {
			return err
		}
		c.Estimated += duration(r.fitWork(b.of, b.features))
	}
	if c.Beside != nil {
		c.Summary = fmt.Sprintf("a mean of %d models with a held-out error of %.4g, whose first has: %s", 1+len(c.Beside), r.mean.told, c.Summary)
	}
	return nil
}

// heldSplits returns how many splits of one repeat a trial was measured on.
func (r *Race) heldSplits(t *tried) int { return min(t.splits, r.folds) }

// Splits calls each with every split that a choice was measured on, and with features that were
// made from the training rows of that split alone.
func (c *Choice) Splits(ctx context.Context, each func(m *rff.Map, s trial.Split) error) error {
	r, t := c.race, c.of
	made := r.makerOf(t.candidate, t.features)
	for i, s := range r.splits[:r.heldSplits(t)] {
		var m *rff.Map
		var err error
		if i < len(t.maps) {
			m = inside.On(t.maps[i].Map, r.engine)
		} else if m, _, err = made(ctx, r.engine, i, s.Train, nil); err != nil {
			return err
		}
		if err := each(m, s); err != nil {
			return err
		}
	}
	return nil
}

// Held is a row that was held out.
type Held struct {
	X, Scores, Y []float64
	Unit         uint64 // shared by rows that share a fold
	Weight       float64
	Copies       int64 // how many equal rows of the data it is
}

// HeldOf returns row i of those that a split holds out, with its scores.
func HeldOf(s trial.Split, i int, scores []float64) Held {
	v := s.Valid
	return Held{v.X.Row(i), scores, v.Y.Row(i), v.Unit(i), v.WeightOf(i), v.CopiesOf(i)}
}

// Held calls each with held-out rows and their scores by squares.
func (c *Choice) Held(ctx context.Context, each func(Held)) error {
	r, t := c.race, c.of
	var scores blas.General[float64]
	switch {
	case c.Beside != nil:
		t, scores = r.best, r.mean.scores
	case t.splits == 0: // nothing was measured
		return nil
	default:
		of := r.on(ctx, r.engine, t, r.heldSplits(t))
		if of.err != nil {
			return of.err
		}
		scores = of.Scores(r.targets)
	}
	n := 0
	for _, s := range r.splits[:r.heldSplits(t)] {
		for i := range s.Valid.X.Rows {
			each(HeldOf(s, i, scores.Row(n)))
			n++
		}
	}
	return nil
}
