package krr

import (
	"fmt"
	"math"
	"slices"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	coding "github.com/rffgo/rff/internal/classes"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/krr/internal/holdout"
)

// newConformal returns c with the fields that follow from its sample. The error is a
// *rff.DegenerateDataError.
func newConformal(p *posterior, c conformal) (*conformal, error) {
	var sum, squares float64
	for _, w := range c.weight {
		sum += w
		squares += float64(w * w)
	}
	c.unit = squares / sum
	for _, w := range c.weight {
		c.count = append(c.count, w/c.unit)
	}
	c.groups = byGroup(c.group, c.count)
	if c.turned == nil { // κ is 0
		c.left, c.none = [][]float64{slices.Repeat([]float64{1}, len(c.weight))}, []near{{cross: make([]float64, len(c.weight)), more: 1}}
	}
	for _, turned := range c.turned {
		left := make([]float64, turned.Rows)
		for i, w := range c.weight {
			left[i] = 1 - float64(w*p.form(turned.Row(i), turned.Row(i)))
			if !(left[i] > 0) {
				return nil, &rff.DegenerateDataError{What: "intervals", Why: "the fit goes through a row whatever its target is, so the other rows say nothing about it: increase λ"}
			}
		}
		c.left = append(c.left, left)
	}
	return &c, nil
}

// keep gives the model the rows of a sample, with their groups. These are rows that the model
// was fitted to or, if it has no posterior, rows that were kept apart.
func (m *Model) keep(sample *holdout.Sample, by inside.Grouping) error {
	return sample.Each(0, keptRows, func(x blas.General[float64], y func(int) []float64, w func(int) float64, _ func(int) int64) error {
		f := blas.NewGeneral[float64](x.Rows, len(m.intercept))
		if err := m.unclipped().predict(f, x, 0); err != nil {
			return err
		}
		return m.keepScored(x, f, y, w, by)
	})
}

// keepScored is keep of rows with the scores f, which become their residuals.
func (m *Model) keepScored(x, f blas.General[float64], y func(int) []float64, w func(int) float64, by inside.Grouping) (err error) {
	c := conformal{residual: f, by: by}
	if m.post != nil {
		m.turn(x, x.Rows, func(_ int, turned []blas.General[float64]) { c.turned = turned })
	}
	for i := range x.Rows {
		c.weight = append(c.weight, w(i))
		if by.Name != "" {
			c.group = append(c.group, by.Of(x.Row(i)))
		}
		for t, v := range y(i) {
			c.residual.Row(i)[t] = v - f.Row(i)[t]
		}
		if m.schema.Target.Classes != nil {
			own, _ := coding.Of(y(i))
			c.class = append(c.class, own)
		}
	}
	if m.sample, err = newConformal(m.post, c); err != nil {
		return err
	}
	// A row of probabilities is compared by its class, the likeliest, as if it had that label:
	// the score without row i is then still 2p − 1 less residual/left, or 1 less what is kept.
	label := make([]float64, len(m.intercept))
	for i, own := range c.class {
		coding.Encode(label, own, len(m.schema.Target.Classes))
		for t, v := range y(i) {
			c.residual.Row(i)[t] += float64((label[t] - v) * m.sample.left[m.factor(t)][i])
		}
	}
	if len(m.sample.groups) > mostGroups {
		err = setting("intervals by", by.Name, fmt.Sprintf("has %d different values in %d rows: give a column of few, at most %d", len(m.sample.groups), x.Rows, mostGroups))
	}
	return err
}

// unclipped returns the model without a range of its predictions.
func (m *Model) unclipped() *Model {
	c := *m
	c.lo, c.hi = nil, nil
	return &c
}

// among returns the rows that a raw row is compared with.
func (c *conformal) among(row []float64) *peers {
	if p := c.groups[c.by.Of(row)]; p != nil {
		return p
	}
	return new(peers)
}

// checkLevels returns a *rff.ParameterError if no group has enough rows for one of the levels,
// or if the model has no rows.
func (m *Model) checkLevels(levels []float64) error {
	if m.sample == nil {
		return setting("the model", nil, "has no rows for intervals and label sets: set Settings.Uncertainty to intervals, and fit again")
	}
	for _, level := range levels {
		if err := m.sample.checkLevel(level); err != nil {
			return err
		}
	}
	return nil
}

func (c *conformal) checkLevel(level float64) error {
	if !(level > 0 && level < 1) {
		return setting("level", level, "must be above 0 and below 1, such as 0.9")
	}
	var largest peers
	for _, p := range c.groups {
		if p.count > largest.count {
			largest = *p
		}
	}
	if largest.enough(level) {
		return nil
	}
	need := math.Ceil(float64(level/(1-level)) * (1 - rounding))
	of := ""
	if c.by.Name != "" {
		of = fmt.Sprintf(" of one %s", c.by.Name)
	}
	text := fmt.Sprintf("takes %.0f rows%s, and the model has %.0f: the highest level is %.4f", need, of, math.Floor(largest.count*(1+rounding)), largest.count/(largest.count+1))
	if need <= keptRows/2 {
		text += ", or fit to more rows"
	}
	return setting("level", level, text)
}

// near holds the numbers by which a new row x is compared with the sample, for one factor of
// the posterior.
type near struct {
	cross []float64 // κ(x,i) of every row i
	more  float64   // 1 + vκ(x,x)
}

// compare calls f for every row of x, on several workers, with one near for every factor.
func (m *Model) compare(x blas.General[float64], f func(i int, of []near)) {
	e, c := inside.Engine(m.m), m.sample
	if c.turned == nil {
		e.Each(x.Rows, func(_ blas.Engine, i int) { f(i, c.none) })
		return
	}
	const block = 128 // rows, each with a number per row of the sample
	m.turn(x, block, func(first int, turned []blas.General[float64]) {
		rows := turned[0].Rows
		cross := make([]blas.General[float64], len(turned))
		for k, t := range turned {
			cross[k] = blas.NewGeneral[float64](rows, len(c.weight))
			blas.Gemm(e, false, true, 1, t, c.turned[k], 0, cross[k])
		}
		e.Each(rows, func(_ blas.Engine, i int) {
			of := make([]near, len(turned))
			for k, t := range turned {
				of[k] = near{cross[k].Row(i), 1 + float64(c.unit*m.post.form(t.Row(i), t.Row(i)))}
				for j := range of[k].cross {
					of[k].cross[j] += 1 / m.post.weight
				}
			}
			f(first+i, of)
		})
	})
}
