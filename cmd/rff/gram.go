package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"strings"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/krr"
	"github.com/rffgo/rff/sampling"
)

var gramCommand = &command{
	name:    "gram",
	summary: "sum up a part of a data set, to be merged with others",
	details: `Reads a part of a data set and saves what a fit needs of it: a few matrices of the
size features × features, whatever the number of rows. The first part decides on
scaling, bandwidth and features; every other part takes them, and the classes, from
it with --like. rff merge adds the parts up and rff solve makes the model, which is
that of a fit of all rows but for rounding.`,
	example: `rff gram --data part-1.csv --label y --features 2048 --output 1.gram
rff gram --like 1.gram --data part-2.csv --label y --output 2.gram
rff merge --output all.gram 1.gram 2.gram
rff solve --gram all.gram --model model.safetensors`,
	setup: setupGram,
}

func setupGram(f *flag.FlagSet) func(context.Context, *stdio) error {
	var data dataFlags
	var learn learnFlags
	var features int
	var sampler, like, outFile string
	data.declare(f, "")
	f.StringVar(&outFile, "output", "", "`file` to write the sums to")
	f.StringVar(&like, "like", "", "`file` of another part, whose features, scaling and classes to use")
	whole(f, &features, "features", 1024, 1, "`number` of features, in columns")
	f.StringVar(&sampler, "sampler", "rff", "`method` that chooses the features: "+strings.Join(sampling.Names(), ", "))
	learn.declareMap(f)

	return func(ctx context.Context, s *stdio) error {
		if outFile == "" {
			return usagef("gram: say where the sums go: --output FILE")
		}
		chosen, err := sampling.ByName(sampler)
		if err != nil {
			return usagef("gram: --sampler: %s", oneLine(err))
		}
		if err := learn.settle(); err != nil {
			return err
		}
		on, err := engine(learn.backend, learn.workers)
		if err != nil {
			return err
		}
		out, err := createOutput("output", outFile)
		if err != nil {
			return err
		}
		defer out.discard()
		line := newProgress(s)
		defer line.clear()
		look := func(rows int64) { line.show("looking at the data: %d rows", rows) }

		var gram *krr.Gram
		var source rff.Source
		if like != "" {
			first, err := krr.LoadGram(like)
			if err != nil {
				return &flagError{"like", err}
			}
			in, _ := first.Map().Dims()
			if data.options.Width == 0 {
				data.options.Width = in
			}
			files, err := data.files()
			if err != nil {
				return err
			}
			if files.Width() != in {
				return fmt.Errorf("--data: %s has %d inputs, those of %s are %d", files.Paths()[0], files.Width(), like, in)
			}
			source = files.Source(dataset.NewCoding(first.Classes()), -1)
			gram = krr.NewGram(first.Map().On(on), first.Targets(), krr.GramSettings{Precision: first.Precision(), Scaling: first.Scaling()})
			if err := setClasses(gram, first.Classes()); err != nil {
				return err
			}
		} else {
			set, err := data.open(ctx, look)
			if err != nil {
				return err
			}
			if err := checkMemory(set.source, features, krr.Settings{Lambda: 1, Variance: true, Engine: on}); err != nil { // one Gram, and no dual
				return err
			}
			m, scaling, err := learn.features(ctx, set, chosen, features, krr.Settings{Seed: learn.seed, Precision: learn.precision.Precision, Engine: on})
			if err != nil {
				return err
			}
			source = set.source
			gram = krr.NewGram(m.On(on), set.coding.Targets(), krr.GramSettings{Precision: learn.precision.Precision, Scaling: scaling})
			if err := setClasses(gram, set.coding.Classes); err != nil {
				return err
			}
		}
		for b, err := range source.Batches(ctx) {
			if err != nil {
				return err
			}
			if err := gram.Add(ctx, b); err != nil {
				return err
			}
			line.show("%d rows", gram.Rows())
		}
		line.clear()
		return saveGram(s, gram, out)
	}
}

func setClasses(g *krr.Gram, classes []string) error {
	if len(classes) == 0 {
		return nil
	}
	return g.SetClasses(classes)
}

func saveGram(s *stdio, g *krr.Gram, out *output) error {
	raw, err := g.MarshalBinary()
	if err != nil {
		return err
	}
	if _, err := out.Write(raw); err != nil {
		return err
	}
	if err := out.commit(); err != nil {
		return err
	}
	_, features := g.Map().Dims()
	fmt.Fprintf(s.out, "%d rows, %d features, map %s\nwrote %s\n", g.Rows(), features, g.Map().Fingerprint().String()[:16], out.name)
	return nil
}

var mergeCommand = &command{
	name:     "merge",
	summary:  "add up the sums of several parts",
	details:  `Adds up files that rff gram wrote for parts of the same data set.`,
	example:  `rff merge --output all.gram 1.gram 2.gram 3.gram`,
	operands: "GRAM …",
	setup: func(f *flag.FlagSet) func(context.Context, *stdio) error {
		var outFile string
		f.StringVar(&outFile, "output", "", "`file` to write to")
		return func(ctx context.Context, s *stdio) error {
			if outFile == "" {
				return usagef("merge: say where the sums go: --output FILE")
			}
			if f.NArg() == 0 {
				return usagef("merge: say which files to merge")
			}
			out, err := createOutput("output", outFile)
			if err != nil {
				return err
			}
			defer out.discard()
			var total *krr.Gram
			for _, name := range f.Args() {
				g, err := krr.LoadGram(name)
				if err != nil {
					return err
				}
				if total == nil {
					total = g
				} else if err := total.Merge(g); err != nil {
					return fmt.Errorf("%s and %s: %w", f.Arg(0), name, err)
				}
				if ctx.Err() != nil {
					return ctx.Err()
				}
			}
			return saveGram(s, total, out)
		}
	},
}

var solveCommand = &command{
	name:    "solve",
	summary: "make a model of merged sums",
	details: `Solves the ridge regression of the rows that were summed up and saves the model. λ is
chosen by generalised cross-validation, which needs no rows.`,
	example: `rff solve --gram all.gram --model model.safetensors`,
	setup: func(f *flag.FlagSet) func(context.Context, *stdio) error {
		var gramFile, model string
		lambda := number{automatic: "gcv", need: "must be a positive number, or gcv", ok: func(v float64) bool { return v > 0 }}
		f.StringVar(&gramFile, "gram", "", "`file` that gram or merge wrote")
		f.StringVar(&model, "model", "", "`file` to write the model to")
		f.Var(&lambda, "lambda", "ridge `parameter` per sample, or gcv for generalised cross-validation")
		return func(ctx context.Context, s *stdio) error {
			if gramFile == "" || model == "" {
				return usagef("solve: say which sums and where the model goes: --gram FILE --model FILE")
			}
			if err := asm.Select(); err != nil {
				return err
			}
			out, err := createOutput("model", model)
			if err != nil {
				return err
			}
			defer out.discard()
			g, err := krr.LoadGram(gramFile)
			if err != nil {
				return &flagError{"gram", err}
			}
			best := lambda.value
			if !lambda.set {
				path, err := g.Analyze(ctx, krr.DefaultLambdas())
				if err != nil {
					return err
				}
				least := math.Inf(1)
				for _, a := range path {
					var sum float64
					for _, v := range a.GCV {
						sum += v
					}
					if sum < least {
						least, best = sum, a.Lambda
					}
				}
			}
			m, err := g.Solve(ctx, best)
			if err != nil {
				return err
			}
			raw, err := m.MarshalBinary()
			if err != nil {
				return err
			}
			if _, err := out.Write(raw); err != nil {
				return err
			}
			if err := out.commit(); err != nil {
				return err
			}
			fmt.Fprintf(s.out, "%d rows, lambda %.3g, %v\nwrote %s\n", g.Rows(), best, m.Solved(), model)
			return nil
		}
	},
}
