package main

import (
	"context"
	"fmt"
	"iter"

	flag "github.com/spf13/pflag"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/internal/classes"
)

// classWeight is the rule for the weights of classes, "" for none.
type classWeight string

const balancedClasses classWeight = "balanced"

func (c *classWeight) declare(f *flag.FlagSet) {
	choose(f, c, "class-weight", "`weights` of the classes: none, or balanced: all classes count alike, however many rows they have, in the fit and\nin its measures of held-out rows", "none", balancedClasses)
}

// balanced is rows with weights that give every class the same weight together.
type balanced struct {
	rff.Source
	weight []float64 // of the rows of each class
}

// balance counts the weight of the classes of data in one pass, and returns data with
// weights such that all classes have the same, and all rows together what they had.
func balance(ctx context.Context, data rff.Source) (*balanced, error) {
	k := len(data.Schema().Target.Classes)
	if k == 0 {
		return nil, fmt.Errorf("--class-weight: the label has numbers, not classes: a regression has none")
	}
	sums := make([]float64, k)
	var all float64
	for b, err := range data.Batches(ctx) {
		if err != nil {
			return nil, err
		}
		for i := range b.X.Rows {
			own, _ := classes.Of(b.Y.Row(i))
			w := weightOf(b, i)
			sums[own] += w
			all += w
		}
	}
	d := &balanced{Source: data, weight: sums}
	for c, w := range sums {
		if w > 0 {
			d.weight[c] = all / (float64(k) * w)
		}
	}
	return d, nil
}

// balanceTable is balance for a table in memory.
func balanceTable(ctx context.Context, t *dataset.Table) (*dataset.Table, error) {
	d, err := balance(ctx, t.Source())
	if err != nil {
		return nil, err
	}
	c := *t
	c.Weights = make([]float64, t.Len())
	for i, y := range t.Y {
		if c.Weights[i] = d.weight[int(y)]; t.Weights != nil {
			c.Weights[i] *= t.Weights[i]
		}
	}
	return &c, nil
}

func weightOf(b rff.Batch, row int) float64 {
	if b.Weight == nil {
		return 1
	}
	return b.Weight[row]
}

func (d *balanced) Schema() rff.Schema {
	s := d.Source.Schema()
	s.Target.Weights = d.weight
	return s
}

func (d *balanced) Batches(ctx context.Context) iter.Seq2[rff.Batch, error] {
	return func(yield func(rff.Batch, error) bool) {
		for b, err := range d.Source.Batches(ctx) {
			if err == nil {
				weights := make([]float64, b.X.Rows)
				for i := range weights {
					own, _ := classes.Of(b.Y.Row(i))
					weights[i] = weightOf(b, i) * d.weight[own]
				}
				b.Weight = weights
			}
			if !yield(b, err) {
				return
			}
		}
	}
}
