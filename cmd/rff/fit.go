package main

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/bench/compare"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/krr"
	"github.com/rffgo/rff/sampling"
)

var fitCommand = &command{
	name:    "fit",
	summary: "fit a model to a data set of any size and save it",
	details: `Fits ridge regression on random features: classification when the label has
classes, else regression. Files are read twice, as streams, and never held in memory:
once for the scaling, the classes and the bandwidth, once for the fit. The model is a
safetensors file that holds all that predicting raw rows needs. A long fit can write
checkpoints; the result after --resume has the bits of an uninterrupted one.`,
	example: `rff fit --data train-1.csv.gz,train-2.csv.gz --label y --features 2048 --model model.safetensors`,
	setup:   setupFit,
}

func setupFit(f *flag.FlagSet) func(context.Context, *stdio) error {
	var data dataFlags
	var learn learnFlags
	var features int
	var sampler, model string
	var auto, variance, probabilities bool
	var long checkpointFlags
	var solver string
	var memory size
	data.declare(f, "")
	f.StringVar(&model, "model", "", "`file` to write the model to")
	whole(f, &features, "features", 1024, 1, "`number` of features, in columns")
	f.StringVar(&sampler, "sampler", "rff", "`method` that chooses the features: "+strings.Join(sampling.Names(), ", "))
	learn.declare(f)
	f.BoolVar(&auto, "auto", false, "choose all that is not given: kernel and bandwidth by cross-validation on some rows,\nthe number of features by that of the rows, λ by cross-validation on all")
	f.StringVar(&solver, "solver", "cholesky", "`solver`: cholesky, or cg, which never holds features × features numbers")
	f.Var(&memory, "memory", "`size` that cg may use, such as 512MiB or 2GiB")
	f.BoolVar(&variance, "variance", false, "keep what predict --variance needs: features × features numbers")
	f.BoolVar(&probabilities, "probabilities", false, "calibrate class probabilities on held-out rows, in a further pass")
	long.declare(f)

	return func(ctx context.Context, s *stdio) error {
		if model == "" {
			return usagef("fit: say where the model goes: --model FILE")
		}
		chosen, err := sampling.ByName(sampler)
		if err != nil {
			return usagef("fit: --sampler: %s", oneLine(err))
		}
		given := map[string]bool{}
		f.Visit(func(f *flag.Flag) { given[f.Name] = true })
		if auto && given["sigma"] {
			return usagef("fit: --auto chooses the bandwidth itself: leave --sigma out")
		}
		if solver != "cholesky" && solver != "cg" {
			return usagef("invalid value %q for --solver: must be cholesky or cg", solver)
		}
		if given["memory"] && solver != "cg" {
			return usagef("fit: --memory is a bound for --solver cg; the Cholesky solver needs what features × features numbers need")
		}
		if err := long.check(); err != nil {
			return err
		}
		if err := learn.settle(); err != nil {
			return err
		}
		on, err := engine(learn.backend, learn.workers)
		if err != nil {
			return err
		}
		out, err := createOutput("model", model)
		if err != nil {
			return err
		}
		defer out.discard()

		line := newProgress(s)
		defer line.clear()
		set, err := data.open(ctx, func(rows int64) { line.show("looking at the data: %d rows", rows) })
		if err != nil {
			return err
		}
		settings := krr.Settings{Lambda: learn.lambda.value, Folds: learn.folds, Seed: learn.seed, Precision: learn.precision.Precision, Engine: on}
		settings.Solver, settings.Memory = krr.Solver(solver), int64(memory)
		settings.Variance, settings.Probabilities = variance, probabilities
		settings.Checkpoint = long.settings()
		settings.Progress = func(p krr.Progress) { line.show("%s", describe(p)) }
		settings.Provenance = map[string]string{"data": set.name, "method": sampler, "target": set.target, "seed": strconv.FormatUint(learn.seed, 10),
			"inputs": strings.Join(set.inputs, ",")}
		var fitted *krr.Model
		var report *krr.Report
		start := time.Now()
		var choosing time.Duration
		if auto {
			a := krr.AutoSettings{Settings: settings}
			if given["features"] {
				a.Features = features
			}
			if given["scale"] {
				a.Scaling = set.scaling(learn.scale)
			}
			if given["sampler"] {
				a.Sampler = chosen
			} else {
				sampler = "orf or rff"
			}
			if given["kernel"] {
				k, err := rff.ParseKernel(learn.kernel)
				if err != nil {
					return usagef("--kernel: %s", oneLine(err))
				}
				st, ok := k.(rff.Stationary)
				if !ok {
					return usagef("--kernel: %s has no bandwidth for --auto to choose", learn.kernel)
				}
				a.Kernels = []rff.Stationary{st}
			}
			var found *krr.AutoReport
			fitted, found, err = krr.Auto(ctx, set.source, a)
			if err == nil {
				report, choosing = found.Fit, found.Search
			}
		} else {
			if err := checkMemory(set.source, features, settings); err != nil {
				return err
			}
			var m *rff.Map
			m, settings.Scaling, err = learn.features(ctx, set, chosen, features, settings)
			if err != nil {
				return err
			}
			choosing = time.Since(start)
			settings.ClipPredictions = set.coding.Task == dataset.Regression
			settings.Provenance["scaling"] = learn.scale.String()
			fitted, report, err = krr.Fit(ctx, m, set.source, settings)
		}
		line.clear()
		if err != nil {
			return long.explain(ctx, s, err)
		}
		raw, err := fitted.MarshalBinary()
		if err != nil {
			return err
		}
		if _, err := out.Write(raw); err != nil {
			return err
		}
		if err := out.commit(); err != nil {
			return err
		}
		printFit(s, set, fitted.Map().Kernel(), sampler, report, choosing)
		fmt.Fprintf(s.out, "wrote %s\n", model)
		return nil
	}
}

// describe writes the state of a pass on one line.
func describe(p krr.Progress) string {
	text := fmt.Sprintf("%s: %d", p.Stage, p.Rows)
	if p.Total > 0 {
		text += fmt.Sprintf(" of %d", p.Total)
	}
	text += fmt.Sprintf(", %.0f per second", p.Rate())
	if eta := p.ETA(); eta > 0 {
		text += fmt.Sprintf(", %s to go", eta.Round(time.Second))
	}
	return text
}

// printFit says what was fitted and chosen.
func printFit(s *stdio, set *openSet, kernel rff.Kernel, sampler string, r *krr.Report, choosing time.Duration) {
	task := "regression"
	if len(r.Classes) > 0 {
		task = fmt.Sprintf("%d classes", len(r.Classes))
	}
	fmt.Fprintf(s.out, "data      %s: %d rows, %d inputs, %s\n", set.name, r.Rows, r.Inputs, task)
	fmt.Fprintf(s.out, "features  %d by %s, kernel %s\n", r.Features, sampler, compare.ShortNumbers(fmt.Sprint(kernel)))
	lambda := fmt.Sprintf("%.3g", slices.Max(r.Lambda))
	for _, p := range r.Path {
		if p.Lambda == r.Lambda[0] {
			lambda += fmt.Sprintf(", held-out mean squared error %.4g", p.Total())
		}
	}
	if r.AtEdge {
		lambda += " (at the edge of the grid: the best may lie beyond)"
	}
	fmt.Fprintf(s.out, "lambda    %s\n", lambda)
	if r.Resumed > 0 {
		fmt.Fprintf(s.out, "resumed   after %d rows of the checkpoint\n", r.Resumed)
	}
	if h := r.HeldOut; h != nil {
		fmt.Fprintf(s.out, "held out  accuracy %.2f %%, log loss %.4f, over %d rows\n", 100*h.Accuracy, h.LogLoss, h.Rows)
	}
	if r.Solved.Solver == krr.ConjugateGradients {
		fmt.Fprintf(s.out, "solver    %v\n", r.Solved)
	}
	if r.Solved.Regularised() {
		s.note("the system was close to singular: %v", r.Solved)
	}
	fmt.Fprintf(s.out, "seconds   %.2f choosing features, %.2f reading, %.2f choosing λ, %.2f solving\n",
		choosing.Seconds(), r.Read.Seconds(), r.Select.Seconds(), r.Solve.Seconds())
}

// openSet is a data set ready to be streamed.
type openSet struct {
	name    string
	source  rff.Source
	coding  dataset.Coding
	inputs  []string
	target  string
	sample  *dataset.Table // unscaled
	scaling func(dataset.Scale) rff.Scaling
}

// open looks through the data once.
func (d *dataFlags) open(ctx context.Context, progress func(int64)) (*openSet, error) {
	if name, ok := d.named(); ok {
		t, err := dataset.Named(ctx, name, d.folder)
		if err != nil {
			return nil, err
		}
		if t.Train > 0 { // the rest is for testing
			t = t.Head(t.Train)
		}
		return &openSet{t.Name, t.Source(), t.Coding, t.Inputs, t.Target, t,
			func(s dataset.Scale) rff.Scaling { return dataset.FitScaling(s, t.X) }}, nil
	}
	f, err := d.files()
	if err != nil {
		return nil, err
	}
	sum, err := f.Scan(ctx, d.task, progress)
	if err != nil {
		return nil, d.flagged(err)
	}
	return &openSet{strings.Join(f.Paths(), ", "), f.Source(sum.Coding, sum.Rows), sum.Coding, f.Inputs(), f.Target(), sum.Sample, sum.Scaling}, nil
}
