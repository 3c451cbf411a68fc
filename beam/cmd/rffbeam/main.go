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
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	beamlog "github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/flink"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal"

	"github.com/rffgo/rff"
	rffbeam "github.com/rffgo/rff/beam"
	"github.com/rffgo/rff/cmd/rff/fits"
	"github.com/rffgo/rff/cmd/rff/wording"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/internal/stream"
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
	sigma     = flag.String("sigma", "median", "`bandwidth` in scaled inputs: a number, or a rule: median, knn or cv")
	scale     = flag.String("scale", "robust", "`scaling` of the inputs: robust, standard, minmax or none")
	task      = flag.String("task", "auto", "`task`: classification, regression or auto")
	precision = flag.String("precision", "f64", "`arithmetic` of the features: f64|float64 or f32|float32 or int12 or int8")
	seed      = flag.Uint64("seed", 1, "`seed` of every draw")
	lambda    = flag.Float64("lambda", 0, "ridge `parameter` per sample (default: by cross-validation)")
	folds     = flag.Int("folds", 0, "`number` of folds (default: 5, and none with --lambda)")
	fanout    = flag.Int("fanout", 0, "`number` of accumulators for each fold that are summed apart (default: one for every 16 files, 8 at most)")
	badRows   = flag.String("bad-rows", "", "`file` for a line about each row that cannot be read; without it such a row is an error")
	attempts  = flag.Int("attempts", 0, "`number` of times to try a job that fails, for runners that try no bundle again (default: 1); a pool: a bundle (default: 4)")
	listen    = flag.String("listen", "localhost:50000", "`address` of a pool")
	processes = flag.Int("processes", 1, "`number` of worker processes of a pool, for each job")
	missing   = flag.String("missing", "error", "`rule` for empty cells and nulls: error, mean or drop, as in rff")
	unseen    = flag.String("unseen", "error", "`rule` for words that the fit has not seen: error or zero, as in rff")
	words     = flag.String("categories", "", "`columns` of words although they may have numbers, separated by commas")
	keep      = flag.String("keep", "", "`columns` to use although they look like ids, separated by commas")
	order     = flag.String("date-order", "", "`order` of day and month in dates such as 3/4/2025: dmy or mdy")
	verbose   = flag.Bool("verbose", false, "show all that the runner logs, and the whole of its errors")
	provision = flag.String("provision_endpoint", "", "`address` of the engine that starts this program as a worker (--environment_type PROCESS)")
	runner    = flag.String("runner", "prism", "`runner`: prism, universal or flink")
)

func main() {
	command := ""
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-") {
		command = os.Args[1]
		os.Args = slices.Delete(os.Args, 1, 2)
	}
	flag.CommandLine.Init(os.Args[0], flag.ContinueOnError)
	flag.CommandLine.SetOutput(io.Discard)
	switch err := flag.CommandLine.Parse(os.Args[1:]); {
	case errors.Is(err, flag.ErrHelp):
		flag.CommandLine.SetOutput(os.Stdout)
		fmt.Println(usage)
		flag.PrintDefaults()
		return
	case err != nil:
		fmt.Fprintf(os.Stderr, "rffbeam: %v (rffbeam --help lists the flags)\n", err)
		os.Exit(2)
	}
	ctx := context.Background()
	if *provision != "" {
		if err := provisioned(ctx, *provision); err != nil {
			fmt.Fprintf(os.Stderr, "rffbeam: --provision_endpoint: %v\n", err)
			os.Exit(1)
		}
	}
	beam.Init() // a worker does not return from it
	run, ok := map[string]func(context.Context) error{"fit": fit, "predict": predict, "compare": compare, "pool": poolOf}[command]
	if !ok {
		fmt.Fprintln(os.Stderr, "rffbeam: say what to do: fit, predict, compare or pool (rffbeam --help lists the flags)")
		os.Exit(2)
	}
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "rffbeam: %q is no flag\n", flag.Arg(0))
		os.Exit(2)
	}
	err := cmp.Or(checkFitting(), checkRunner(), reachable(ctx))
	if err == nil {
		logs()
		err = run(ctx)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "rffbeam: %s: %s\n", command, wording.Flags(causeOf(err)))
		os.Exit(1)
	}
}

func reading() rffbeam.Reading {
	list := func(text string) []string {
		if text == "" {
			return nil
		}
		return strings.Split(text, ",")
	}
	return rffbeam.Reading{Format: *format, Label: *label, Inputs: list(*inputs), Weights: *weights, Width: *width, Aside: *badRows != "",
		Missing: rff.Missing(*missing), Unseen: *unseen, Categories: list(*words), DateOrder: *order, IDs: list(*keep)}
}

func fit(ctx context.Context) error {
	if err := need("data", "model"); err != nil {
		return err
	}
	if err := unused("output", "samplers"); err != nil {
		return err
	}
	if *planFile != "" {
		if err := unusedWith("plan", "features", "sampler", "kernel", "sigma", "scale", "task", "precision", "missing", "unseen", "categories", "keep", "date-order"); err != nil {
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
func fitting(s beam.Scope, p rffbeam.Planned) (beam.PCollection, error) {
	f := rffbeam.Fitting{Lambda: *lambda, Folds: *folds, Fanout: *fanout, Seed: *seed, Shares: p.Shares}
	fitted, aside, err := rffbeam.Fit(s, *data, p.Plan, reading(), f)
	if err == nil && *badRows != "" {
		list(s, *badRows, beam.ParDo(s, wording.Flags, aside))
		count(s, "bad row", ", listed in "+*badRows, aside)
	}
	return fitted, err
}

// makePlan reads the plan, or runs the job that makes it; it is kept beside name.
func makePlan(ctx context.Context, sampler, name string) (planned rffbeam.Planned, err error) {
	file := *planFile
	if file == "" {
		file = name + ".plan"
		p, err := planning(sampler)
		if err != nil {
			return planned, err
		}
		err = job(ctx, func(_ *beam.Pipeline, s beam.Scope) error {
			rffbeam.WritePlan(s, file, rffbeam.Plan(s, *data, reading(), p))
			return nil
		})
		if err != nil {
			return planned, err
		}
		seen, err := read(ctx, file+".rows")
		if err == nil {
			err = json.Unmarshal(seen, &planned)
		}
		if err != nil {
			return planned, err
		}
		say(planned, sampler)
	}
	plan, err := read(ctx, file)
	if err != nil {
		return planned, fmt.Errorf("--plan: %w", err)
	}
	if planned.Plan = plan; *planFile != "" { // which may be sums
		if planned.Plan, err = rffbeam.EmptyPlan(plan); err != nil {
			return planned, fmt.Errorf("--plan: %s: %w", file, err)
		}
	}
	return planned, nil
}

// planning returns what the flags say about a plan.
func planning(sampler string) (p rffbeam.Planning, err error) {
	p = rffbeam.Planning{Features: *features, Sampler: sampler, Kernel: *kernel, Scale: dataset.Scale(*scale), Task: dataset.Task(strings.TrimPrefix(*task, "auto")), Folds: *folds, Seed: *seed}
	known := stream.Named(*precision)
	if known == nil {
		_, sentence := stream.Names()
		return p, fmt.Errorf("--precision %q: must be %s", *precision, sentence)
	}
	p.Precision = krr.Precision(known.Name)
	switch p.Scale {
	case dataset.Robust, dataset.Standard, dataset.MinMax, dataset.Unscaled:
	default:
		return p, fmt.Errorf("--scale %q: must be robust, standard, minmax or none", *scale)
	}
	switch p.Task {
	case "", dataset.Classification, dataset.Regression:
	default:
		return p, fmt.Errorf("--task %q: must be classification, regression or auto", *task)
	}
	switch rule := fits.BandwidthRule(*sigma); rule {
	case fits.MedianBandwidth, fits.NeighbourBandwidth, fits.SearchedBandwidth:
		p.Bandwidth = rule
		return p, nil
	}
	v, err := strconv.ParseFloat(*sigma, 64)
	if err != nil || !(v > 0) || v > 1e300 {
		return p, fmt.Errorf("--sigma %q: must be a positive number, median, knn or cv", *sigma)
	}
	k, err := rff.ParseKernel(*kernel)
	if err == nil {
		k, err = rff.WithBandwidth(k, v)
	}
	if err != nil {
		return p, fmt.Errorf("--sigma: %w", err)
	}
	p.Kernel = fmt.Sprint(k)
	return p, nil
}

// say prints what was planned, and where it is not what rff fit would plan.
func say(p rffbeam.Planned, sampler string) {
	of := ""
	if p.Kernel != "" {
		of = ", kernel " + p.Kernel
	}
	shares, word := "", "files"
	if p.Files == 1 {
		word = "file"
	}
	if p.Shares > p.Files {
		shares = fmt.Sprintf(", whose row groups are dealt out in %d shares", p.Shares)
	}
	fmt.Fprintf(os.Stderr, "planned from %d rows in %d %s%s%s\n", p.Rows, p.Files, word, shares, of)
	for _, n := range p.Notes {
		fmt.Fprintln(os.Stderr, "note: "+wording.Flags(n))
	}
	if p.Held != "" {
		fmt.Fprintln(os.Stderr, "note: "+p.Held)
	}
	if p.Sampled {
		fmt.Fprintf(os.Stderr, "note: --sampler %s chose the features by a sample of %d rows; rff fit shows it all rows, and makes another model\n", sampler, p.Sample)
	}
}

// read reads a file of Beam's file systems.
func read(ctx context.Context, name string) ([]byte, error) {
	fs, err := filesystem.New(ctx, name)
	if err != nil {
		return nil, err
	}
	defer fs.Close()
	return filesystem.Read(ctx, fs, name)
}

func predict(ctx context.Context) error {
	if err := need("data", "model", "output"); err != nil {
		return err
	}
	if err := unused("plan", "features", "sampler", "samplers", "kernel", "sigma", "scale", "task", "precision", "seed", "lambda", "folds", "fanout", "bad-rows", "missing", "unseen", "categories", "keep", "date-order"); err != nil {
		return err
	}
	return job(ctx, func(_ *beam.Pipeline, s beam.Scope) error {
		names := rffbeam.Predict(s, *data, *model, *output, reading())
		count(s, "file", " of predictions in "+*output, names)
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
