// Rffbeam fits and applies models of package krr on an Apache Beam runner.
//
//	rffbeam fit     --data 'parts/*.csv.gz' --label y --features 1024 --model model.safetensors
//	rffbeam predict --data 'new/*.csv' --model model.safetensors --output predictions
//	rffbeam compare --data 'parts/*.csv.gz' --label y --samplers rff,orf,eerf
//
//	rffbeam pool --listen localhost:50000 --processes 4
//
// A pool runs the workers of Prism's jobs as processes of their own, and begins a
// bundle again whose process has died.
//
// Beam's own flags choose the runner: --runner prism (the default) runs here,
// --runner universal --endpoint HOST:PORT on a job server.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/textio"
	beamlog "github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/flink"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/transforms/stats"

	rffbeam "github.com/rffgo/rff/beam"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/krr"
)

var (
	data      = flag.String("data", "", "`glob` of the files")
	model     = flag.String("model", "", "`file` of the model")
	output    = flag.String("output", "", "`folder` of the predictions")
	label     = flag.String("label", "", "`column` of the label (default: the last)")
	inputs    = flag.String("inputs", "", "`columns` to use, separated by commas (default: all but the label)")
	weights   = flag.String("weights", "", "`column` of the weights")
	format    = flag.String("format", "", "`format` of the files, as in rff")
	width     = flag.Int("width", 0, "`number` of inputs of LIBSVM files")
	planFile  = flag.String("plan", "", "`file` of a plan, or of the sums of rff gram: scaling, map and classes are taken from it")
	features  = flag.Int("features", 1024, "`number` of features, in columns")
	sampler   = flag.String("sampler", "rff", "`method` that chooses the features, as in rff")
	samplers  = flag.String("samplers", "rff,orf", "`methods` to compare, separated by commas")
	kernel    = flag.String("kernel", "gaussian", "`kernel`, as in rff")
	sigma     = flag.String("sigma", "median", "`rule` for the bandwidth: median, knn or cv")
	scale     = flag.String("scale", "robust", "`scaling` of the inputs: robust, standard, minmax or none")
	task      = flag.String("task", "auto", "`task`: classification, regression or auto")
	precision = flag.String("precision", "f64", "`arithmetic` of the features: f64|float64 or f32|float32")
	seed      = flag.Uint64("seed", 1, "`seed` of every draw")
	lambda    = flag.Float64("lambda", 0, "ridge `parameter` per sample (default: by cross-validation)")
	folds     = flag.Int("folds", 0, "`number` of folds (default: 5, and none with --lambda)")
	fanout    = flag.Int("fanout", 8, "`number` of accumulators for each fold that are summed apart")
	badRows   = flag.String("bad-rows", "", "`file` for a line about each row that cannot be read; without it such a row is an error")
	attempts  = flag.Int("attempts", 0, "`number` of times to try a job that fails, for runners that try no bundle again (default: 1); a pool: a bundle (default: 4)")
	listen    = flag.String("listen", "localhost:50000", "`address` of a pool")
	processes = flag.Int("processes", 1, "`number` of worker processes of a pool, for each job")
	runner    = flag.String("runner", "prism", "`runner`: prism, universal or flink")
)

func main() {
	command := ""
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-") {
		command = os.Args[1]
		os.Args = slices.Delete(os.Args, 1, 2)
	}
	flag.Parse()
	beam.Init() // a worker does not return from it
	ctx := context.Background()
	run, ok := map[string]func(context.Context) error{"fit": fit, "predict": predict, "compare": compare, "pool": poolOf}[command]
	if !ok {
		fmt.Fprintln(os.Stderr, "rffbeam: say what to do: fit, predict, compare or pool (rffbeam --help lists the flags)")
		os.Exit(2)
	}
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "rffbeam: %q is no flag\n", flag.Arg(0))
		os.Exit(2)
	}
	if err := run(ctx); err != nil {
		fmt.Fprintf(os.Stderr, "rffbeam: %s: %v\n", command, err)
		os.Exit(1)
	}
}

func reading() rffbeam.Reading {
	r := rffbeam.Reading{Format: dataset.Format(*format), Label: *label, Weights: *weights, Width: *width}
	if *inputs != "" {
		r.Inputs = strings.Split(*inputs, ",")
	}
	return r
}

func fit(ctx context.Context) error {
	if err := need("data", "model"); err != nil {
		return err
	}
	if err := unused("output", "samplers"); err != nil {
		return err
	}
	if *planFile != "" {
		if err := unusedWith("plan", "features", "sampler", "kernel", "sigma", "scale", "task", "precision", "seed"); err != nil {
			return err
		}
	}
	plan, err := makePlan(ctx, *sampler, *model)
	if err != nil {
		return err
	}
	return job(ctx, func(p *beam.Pipeline, s beam.Scope) error {
		fitted, err := fitting(s, plan)
		if err != nil {
			return err
		}
		rffbeam.WriteModel(s, *model, fitted)
		report(s, "", fitted)
		return nil
	})
}

// fitting adds the fit to a pipeline.
func fitting(s beam.Scope, plan []byte) (beam.PCollection, error) {
	f := rffbeam.Fitting{Lambda: *lambda, Folds: *folds, Fanout: *fanout, Aside: *badRows != ""}
	fitted, aside, err := rffbeam.Fit(s, *data, plan, reading(), f)
	if err == nil && *badRows != "" {
		textio.Write(s, *badRows, aside)
		beam.ParDo0(s, &countFn{What: "bad rows, listed in " + *badRows}, stats.CountElms(s, aside))
	}
	return fitted, err
}

// makePlan reads the plan, or runs the job that makes it; it is kept beside name.
func makePlan(ctx context.Context, sampler, name string) ([]byte, error) {
	file := *planFile
	if file == "" {
		file = name + ".plan"
		p := rffbeam.Planning{Features: *features, Sampler: sampler, Kernel: *kernel, Bandwidth: krr.BandwidthRule(*sigma), Scale: dataset.Scale(*scale), Task: dataset.Task(strings.TrimPrefix(*task, "auto")), Seed: *seed}
		switch *precision {
		case "f64", "float64":
		case "f32", "float32":
			p.Float32 = true
		default:
			return nil, fmt.Errorf("--precision %q: must be f64|float64 or f32|float32", *precision)
		}
		err := job(ctx, func(_ *beam.Pipeline, s beam.Scope) error {
			rffbeam.WriteBytes(s, file, rffbeam.Plan(s, *data, reading(), p))
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	fs, err := filesystem.New(ctx, file)
	if err != nil {
		return nil, err
	}
	defer fs.Close()
	data, err := filesystem.Read(ctx, fs, file)
	if err != nil {
		return nil, fmt.Errorf("--plan: %s: %w", file, err)
	}
	return rffbeam.EmptyPlan(data)
}

func predict(ctx context.Context) error {
	if err := need("data", "model", "output"); err != nil {
		return err
	}
	if err := unused("plan", "features", "sampler", "samplers", "kernel", "sigma", "scale", "task", "precision", "seed", "lambda", "folds", "fanout", "bad-rows"); err != nil {
		return err
	}
	return job(ctx, func(_ *beam.Pipeline, s beam.Scope) error {
		names := rffbeam.Predict(s, *data, *model, *output, reading())
		beam.ParDo0(s, &countFn{What: "files of predictions in " + *output}, stats.CountElms(s, names))
		return nil
	})
}

func compare(ctx context.Context) error {
	if err := need("data"); err != nil {
		return err
	}
	if err := unused("model", "output", "plan", "sampler", "lambda"); err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "rffbeam")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	for _, name := range strings.Split(*samplers, ",") {
		plan, err := makePlan(ctx, name, folder+"/"+strings.ReplaceAll(name, "/", "_"))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		err = job(ctx, func(_ *beam.Pipeline, s beam.Scope) error {
			fitted, err := fitting(s, plan)
			if err == nil {
				report(s, name, fitted)
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// job runs a pipeline, several times if it fails and --attempts allows it: nothing
// of an attempt that failed is left in the result.
func job(ctx context.Context, build func(*beam.Pipeline, beam.Scope) error) error {
	var err error
	for n := range max(1, *attempts) {
		p, s := beam.NewPipelineWithRoot()
		if err := build(p, s); err != nil {
			return err
		}
		if _, err = beam.Run(ctx, *runner, p); err == nil {
			return nil
		}
		if n+1 < *attempts {
			beamlog.Warnf(ctx, "attempt %d of %d failed: %v", n+1, *attempts, err)
		}
	}
	return err
}

// given reports whether a flag is on the command line.
func given(name string) bool {
	found := false
	flag.Visit(func(f *flag.Flag) { found = found || f.Name == name })
	return found
}

func need(names ...string) error {
	for _, n := range names {
		if !given(n) {
			return fmt.Errorf("say --%s", n)
		}
	}
	return nil
}

func unused(names ...string) error {
	for _, n := range names {
		if given(n) {
			return fmt.Errorf("--%s is of no use here", n)
		}
	}
	return nil
}

func unusedWith(other string, names ...string) error {
	for _, n := range names {
		if given(n) {
			return fmt.Errorf("--%s does not go with --%s, which has it", n, other)
		}
	}
	return nil
}
