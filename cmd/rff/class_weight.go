package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	flag "github.com/spf13/pflag"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/cmd/rff/fits"
	"github.com/rffgo/rff/cmd/rff/looks"
	"github.com/rffgo/rff/internal/classes"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/stream"
)

// classWeight is the rule for the weights of classes; "" is no rule.
type classWeight string

const balancedClasses classWeight = "balanced"

func (c *classWeight) declare(f *flag.FlagSet) {
	choose(f, c, "class-weight", "`weights` of the classes: none, or balanced: all classes count alike, however many rows they have, in the fit and\nin its measures of held-out rows", "none", balancedClasses)
}

// balanced is a source whose weights give every class the same total weight.
type balanced struct {
	rff.Source
	weight []float64 // per class, the factor for the weights of its rows
}

var errNoClasses = errors.New("--class-weight: the label has numbers, not classes: a regression has none")

// balance sums up the weight of each class of data in one pass. It returns data with weights
// that give every class the same total weight, and leave that of all rows as it was.
func balance(ctx context.Context, data rff.Source) (*balanced, error) {
	k := len(data.Schema().Target.Classes)
	if k == 0 {
		return nil, errNoClasses
	}
	sums := make([]float64, k)
	for b, err := range data.Batches(ctx) {
		if err != nil {
			return nil, err
		}
		for i := range b.X.Rows {
			own, _ := classes.Of(b.Y.Row(i))
			sums[own] += stream.Weight(b.Weight, i)
		}
	}
	return &balanced{data, fits.EvenWeights(sums)}, nil
}

// balanceSet returns the rows of a set with weights that balance the classes of all rows of the
// data. It takes the counts of looks, or makes a pass over the rows.
func balanceSet(ctx context.Context, set *openSet, looked bool) (rff.Source, error) {
	var weight []float64
	switch {
	case !looked:
		b, err := balance(ctx, set.source)
		if err != nil {
			return nil, err
		}
		weight = b.weight
	case set.sample.Weights != nil:
		return nil, errors.New("--class-weight: looks count rows, and these have weights: plan by all rows (--plan --data)")
	case set.coding.Classes == nil:
		return nil, errNoClasses
	default:
		weight = evenCounts(set)
	}
	if k := slices.Index(weight, 0); k >= 0 {
		return nil, fmt.Errorf("--class-weight: %s has no rows of class %q, to be weighed by their number: plan by all rows (--plan)", set.name, set.coding.Classes[k])
	}
	return &looks.Watched{Source: &balanced{set.source, weight}}, nil
}

// evenCounts is fits.EvenWeights for the numbers of rows that looks counted.
func evenCounts(set *openSet) []float64 {
	sums := make([]float64, len(set.coding.Classes))
	for k, class := range set.coding.Classes {
		sums[k] = float64(set.seen.Counts[class])
	}
	return fits.EvenWeights(sums)
}

func (d *balanced) Schema() rff.Schema {
	s := d.Source.Schema()
	s.Target.Weights = d.weight
	return s
}

func (d *balanced) Batches(ctx context.Context) iter.Seq2[rff.Batch, error] {
	return inside.Batches(ctx, d.Source, func(b *rff.Batch) error {
		weights := make([]float64, b.X.Rows)
		for i := range weights {
			own, _ := classes.Of(b.Y.Row(i))
			weights[i] = stream.Weight(b.Weight, i) * d.weight[own]
		}
		b.Weight = weights
		return nil
	})
}
