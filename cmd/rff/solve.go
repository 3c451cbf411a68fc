package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/spf13/cobra"
	flag "github.com/spf13/pflag"

	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/cmd/rff/fits"
	"github.com/rffgo/rff/internal/message"
	"github.com/rffgo/rff/krr"
)

func solveCommand(s *stdio) *cobra.Command {
	return newCommand(s, new(solving), &cobra.Command{
		Use:   "solve",
		Short: "make a model of merged sums",
		Long: `Solves the ridge regression of the rows that were summed up and saves the model. λ is
chosen by generalised cross-validation, which needs no rows. The model is that of
rff fit --criterion gcv, or of rff fit with the same --lambda, on the features and the
scaling of the sums. (By default rff fit leaves out folds to choose λ, which needs the rows,
and so may choose another λ.) The model has no probabilities and no variances.`,
		Example: `rff solve --gram all.gram --model model.safetensors`,
	})
}

// solving is rff solve as the command line asks for it.
type solving struct {
	gram, model string
	lambda      number
}

func (c *solving) declare(f *flag.FlagSet) {
	f.StringVar(&c.gram, "gram", "", "`file` that gram or merge wrote")
	f.StringVar(&c.model, "model", "", "`file` to write the model to; - for standard output")
	declareLambda(f, &c.lambda, "gcv", "ridge `parameter` per sample, or gcv for generalised cross-validation")
}

func (c *solving) check(*flag.FlagSet) error {
	if c.gram == "" || c.model == "" {
		return usagef("say which sums and where the model goes: --gram FILE --model FILE")
	}
	return apart(places("model", c.model), places("gram", c.gram)...)
}

func (c *solving) run(ctx context.Context, s *stdio) error {
	if err := asm.Select(); err != nil {
		return err
	}
	return s.produce("model", c.model, "reading "+c.gram, func(at *stages) (io.WriterTo, string, error) { return c.solve(ctx, at) })
}

// solve makes the model, and says how it was made.
func (c *solving) solve(ctx context.Context, at *stages) (io.WriterTo, string, error) {
	g, err := loadGram(ctx, c.gram)
	if err == nil {
		g, err = clipped(g)
	}
	if err != nil {
		return nil, "", &flagError{"gram", err}
	}
	if g.Rows() == 0 {
		return nil, "", fmt.Errorf("--gram: %s has no rows: sum up the parts with rff gram --like %[1]s, and merge them", c.gram)
	}
	lambda, by := c.lambda.value, ""
	if !c.lambda.set {
		at.stage("choosing λ")
		path, err := g.Analyze(ctx, nil)
		if err != nil {
			return nil, "", err
		}
		var edge string
		lambda, edge = leastGCV(path)
		by = " by generalised cross-validation" + edge
	}
	at.stage("solving")
	m, err := g.Solve(ctx, lambda)
	if err != nil {
		return nil, "", err
	}
	return m, fmt.Sprintf("%s, lambda %.3g%s, %v", message.Count(g.Rows(), "row"), lambda, by, m.Info().Solved), nil
}

// clipped returns g with ClipPredictions set, so that its models confine predictions as those of
// rff fit do. A file of sums does not keep this setting, and a classification does not use it.
func clipped(g *krr.Gram) (*krr.Gram, error) {
	settings := g.Settings()
	if settings.Schema.Target.Classes != nil {
		return g, nil
	}
	settings.ClipPredictions = true
	c := krr.NewGram(g.Map(), g.Settings().Schema.Target.Columns, settings)
	return c, c.Merge(g)
}

// leastGCV returns the λ of a path with the least generalised cross-validation, summed over targets, of those
// that are resolved, and atEdge if it is the first or last of these.
func leastGCV(path []krr.PathPoint) (lambda float64, edge string) {
	lambda, least := path[len(path)-1].Lambda, math.Inf(1)
	path = slices.DeleteFunc(path, func(a krr.PathPoint) bool { return a.Solved.Unresolved })
	for i, a := range path {
		if sum := fits.Total(a); sum < least {
			least, lambda, edge = sum, a.Lambda, ""
			if i == 0 || i == len(path)-1 {
				edge = atEdge
			}
		}
	}
	return lambda, edge
}
