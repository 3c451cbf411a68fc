package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	flag "github.com/spf13/pflag"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/cmd/rff/files"
	"github.com/rffgo/rff/cmd/rff/fits"
	"github.com/rffgo/rff/cmd/rff/wording"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/internal/fold"
	"github.com/rffgo/rff/internal/inside/hook"
	"github.com/rffgo/rff/internal/message"
	"github.com/rffgo/rff/internal/stream"
	"github.com/rffgo/rff/krr"
)

func fitCommand(s *stdio) *cobra.Command {
	return newCommand(s, new(fitting), &cobra.Command{
		Use:   "fit",
		Short: "fit a model to a data set of any size and save it",
		Long: `Fits ridge regression on random features: classification when the label has
classes, else regression. Files are streamed, of any size: first for the scaling, the
classes and the bandwidth, then for the fit, which reads them again unless their rows
could be kept in 256 MiB, packed; with --memory none are kept. The command prints how
well the model does on held-out rows: the accuracy, or R², RMSE and MAE in the unit of
the target. Rows are held out to choose λ; with --lambda, or a --criterion that leaves
out no folds, only if --folds is given. The model is a safetensors file with all that
predicting raw rows needs. A long fit can write checkpoints; the result after --resume
has the bits of an uninterrupted one.`,
		Example: `rff fit --data train-1.csv.gz,train-2.csv.gz --label y --features 2048 --model model.safetensors`,
	})
}

func (c *fitting) declare(f *flag.FlagSet) {
	c.data.declare(f, "")
	c.data.declareWeights(f)
	c.data.declareGroups(f)
	c.data.declareCells(f, "error", "zero")
	f.StringVar(&c.model, "model", "", "`file` to write the model to; - for standard output")
	c.by.declare(f)
	c.learn.declare(f)
	f.StringVar(&c.html, "html", "", "write a page that draws the fit to this `file`: λ, held-out rows and those of --test, importance, and\nwhat --auto tried")
	whole(f, &c.foldRows, "fold-rows", 0, 1, "`number` of consecutive rows that share a fold, for rows whose neighbours are alike, as in a time series\n(by default rows with equal inputs share one)")
	c.criterion.declare(f)
	c.declareAuto(f)
	choose(f, &c.solver, "solver", "`solver`: cholesky, or cg, which never holds features × features numbers", cholesky, conjugateGradients)
	declare(f, &c.memory, "memory", "", "memory that cg may use, a `size` such as 512MiB or 2GiB", readSize)
	f.BoolVar(&c.variance, "variance", false, "keep what predict --variance needs: features × features numbers")
	f.BoolVar(&c.interval, "interval", false, "keep what predict --interval needs: some rows of the data, as numbers per feature, and what\n--variance keeps; where --auto chose features that know the rows, rows that its search held out; with\nanother --loss than squares, --solver cg, --folds-by, --fold-rows or landmarks on all rows one fold of\nthe rows, which is not fitted")
	f.StringVar(&c.intervalBy, "interval-by", "", "`column` of words or of few numbers: intervals and sets hold in each of its groups")
	declareLoss(f, &c.loss)
	f.BoolVar(&c.probabilities, "probabilities", false, "calibrate class probabilities on held-out rows")
	c.classWeight.declare(f)
	c.taught.declare(f)
	f.StringVar(&c.test, "test", "", "`file` with further rows: predict them with the model, and say how well it does")
	f.BoolVar(&c.json, "json", false, "print one JSON object in place of text")
	c.long.declare(f)
}

// The solvers of --solver.
const cholesky, conjugateGradients = "cholesky", "cg"

// fitting is the fit that the command line asks for.
type fitting struct {
	data                                    dataFlags
	by                                      samplerFlags
	learn                                   learnFlags
	long                                    checkpointFlags
	model, html                             string
	solver                                  string
	test                                    string
	json                                    bool
	classWeight                             classWeight
	taught                                  taught
	foldRows                                int
	loss, intervalBy                        string
	criterion                               criterion
	memory                                  int64
	auto, variance, interval, probabilities bool
	budget, deadline                        time.Duration
}

func (c *fitting) check(f *flag.FlagSet) error {
	given := given{f}
	if c.model == "" {
		return usagef("say where the model goes: --model FILE")
	}
	if err := c.by.settle(); err != nil {
		return err
	}
	cg := c.solver == conjugateGradients
	return cmp.Or(
		given.unused(c.auto, "does not go with --auto, which chooses the bandwidth", "sigma"),
		given.unused(!c.auto, "is of no use without --auto", "budget", "deadline"),
		given.unused(c.html == "-", "needs the name of a file", "html"),
		given.unused(c.model == "-", "needs --model with the name of a file", "test", "json"),
		given.unused(c.data.options.LabelFile != "", "does not go with --labels, which are those of --data: rff predict --labels measures other rows", "test"),
		given.unused(c.json, "does not go with --json: rff predict --score measures other rows", "test"),
		given.unused(c.auto && cg, "cg does not go with --auto, whose search and probabilities need the Cholesky solver", "solver"),
		given.unused(!cg && !ownLoss(c.loss), "is a bound for --solver cg; the Cholesky solver needs features × features numbers", "memory"),
		given.unused(cg, "does not go with --solver cg", "variance"),
		given.unused(!c.interval, "is of no use without --interval", "interval-by"),
		given.unused(ownLoss(c.loss), "does not go with --loss "+c.loss+", whose passes keep no sums", "variance", "checkpoint", "criterion"),
		given.unused(ownLoss(c.loss) && !cg, "cholesky does not go with --loss "+c.loss+", which takes passes over the rows", "solver"),
		given.unused(c.learn.lambda.set && !given.has("folds") && !c.probabilities && !c.interval && !c.auto, "is of no use: with --lambda there are no folds, unless --folds asks for them", "folds-by", "fold-rows"),
		given.unused(c.data.options.Groups != "", "does not go with --folds-by: rows share the fold of their group", "fold-rows"),
		given.unused(c.long.file == "", "is the time between two checkpoints, and there are none without --checkpoint FILE", "every"),
		given.unused(c.auto && hasOwnKernel(c.by.sampler), "does not go with --auto: the sampler "+c.by.name+" has a kernel of its own, without a bandwidth to choose", "sampler"),
		given.unused(c.auto && c.learn.scale == dataset.Unscaled, "none does not go with --auto, whose bandwidths are those of scaled inputs", "scale"),
		c.criterion.check(given, c),
		c.learn.usesKernel(&c.by),
		c.long.check(c.model),
		c.learn.settle(),
		c.taught.settle(given, &c.data),
		c.data.settle(),
		apart(slices.Concat(places("model", c.model), places("checkpoint", c.long.file), places("html", c.html)), append(c.data.reads(), places("test", c.test)...)...),
		checkTest(c.test),
		c.data.rereadable("fit reads them twice, for the scaling, the classes and the bandwidth first"),
	)
}

// run fits.
func (c *fitting) run(ctx context.Context, s *stdio) error {
	settings, err := c.settings(s)
	if err != nil {
		return err
	}
	features := c.by.features
	if c.auto && !(given{c.data.flags}).has("features") {
		features = 1 // as many as suit the rows
	}
	if err := c.memoryError(roomFor(&c.by, features, 0, settings)); err != nil {
		return err
	}
	out, err := s.openResult("model", c.model)
	if err != nil {
		return err
	}
	defer out.discard()
	page, err := c.openPage()
	if err != nil {
		return err
	}
	defer page.discard()

	r := &fitRun{c: c, s: s, at: startStages(s, "looking at the data"), settings: settings}
	defer r.at.end()
	c.data.reading().Workers, c.data.bounded, c.data.say = c.learn.workers, c.memory > 0, r.at.note
	looking, progress, stop := whileRoom(ctx, r.at.rows(), &c.by, features, settings)
	defer stop()
	if r.set, err = c.data.open(looking, progress); err != nil {
		return c.memoryError(c.taught.unread(err))
	}
	if c.test != "" {
		r.at.stage("looking at the rows of --test")
		if err := c.checkTestRows(ctx, s, r.set); err != nil {
			return ofTest(err)
		}
	}
	if err := r.fit(ctx); err != nil {
		return err
	}
	r.at.stage("writing %s", c.model)
	err = out.save(r.model)
	r.at.end()
	if err != nil {
		return c.long.explain(ctx, s, err)
	}
	c.long.remove(s) // only now is the state of the fit no longer needed
	w, err := r.tell()
	if err != nil {
		return err
	}
	var test *predictor
	if c.test != "" {
		if test, err = c.measureTest(ctx, s, w, r.set); err != nil {
			return err
		}
	}
	return r.writePage(ctx, page, w, test)
}

// settings returns what the command line says of the fit.
func (c *fitting) settings(s *stdio) (krr.Settings, error) {
	given := given{c.data.flags}
	on, err := engine(c.learn.backend, c.learn.workers)
	if err != nil {
		return krr.Settings{}, err
	}
	settings := krr.Settings{Folds: c.learn.folds, Seed: c.learn.seed, Precision: c.learn.precision, Engine: on}
	if c.solver == conjugateGradients || ownLoss(c.loss) {
		settings.Passes = &krr.Passes{Memory: c.memory}
	}
	if c.learn.lambda.set {
		settings.Lambdas = []float64{c.learn.lambda.value}
	}
	settings.Probabilities = c.probabilities
	switch {
	case c.intervalBy != "":
		settings.Uncertainty = "intervals:" + c.intervalBy
	case c.interval:
		settings.Uncertainty = "intervals"
	case c.variance:
		settings.Uncertainty = "variance"
	}
	if given.has("loss") { // otherwise --auto chooses
		settings.Loss = c.loss
	}
	// If λ is given, or chosen without folds, --folds asks for the error on held-out rows.
	settings.HeldOut = c.solver != conjugateGradients && !c.learn.lambda.set && c.criterion.folds() || given.has("folds") || c.probabilities && c.data.options.Groups != ""
	settings.Criterion = c.criterion.setting()
	settings.Checkpoint = c.long.settings(s)
	return settings, nil
}

// fitRun is a fit under way, with its results.
type fitRun struct {
	c        *fitting
	s        *stdio
	at       *stages
	set      *openSet
	source   rff.Source // the rows of set, reporting further passes
	settings krr.Settings

	model    *krr.Model
	report   *fits.Fitted
	found    *hook.Search  // nil without --auto
	choosing time.Duration // until the features were chosen
	facts    facts         // that were printed
}

// fit fits the open data set.
func (r *fitRun) fit(ctx context.Context) error {
	c, set := r.c, r.set
	if c.taught.columns != nil {
		var err error
		if set, err = c.taught.rows(ctx, &c.data, set); err != nil {
			return err
		}
		r.set = set
	}
	if c.probabilities && set.coding.Task == dataset.Regression {
		return fmt.Errorf("--probabilities: the label of %s has numbers, not classes: a regression has none", set.name)
	}
	if rows := set.source.Schema().Rows; rows > 0 && int64(c.learn.folds) > rows && (given{c.data.flags}).has("folds") {
		return usagef("--folds %d: the data have %s: give at most as many folds", c.learn.folds, message.Count(rows, "row"))
	}
	if c.classWeight == balancedClasses {
		var err error
		if set.source, err = balance(ctx, set.source); err != nil {
			return err
		}
	}
	if c.foldRows > 0 {
		schema := set.source.Schema()
		schema.FoldRows = c.foldRows
		var err error
		if set.source, err = rff.WithSchema(set.source, schema); err != nil {
			return err
		}
	}
	r.settings.Progress = r.at.fit
	r.settings.Provenance = map[string]string{"data": set.name, "seed": strconv.FormatUint(c.learn.seed, 10)}
	if !c.auto || (given{c.data.flags}).has("sampler") { // otherwise --auto names the sampler that it chose
		r.settings.Provenance["sampler"] = c.by.name
	}
	r.source = &watchedRows{set.source, r.at, "reading again"}
	if c.auto {
		return r.search(ctx)
	}
	return r.asGiven(ctx)
}

// search fits the model that --auto finds.
func (r *fitRun) search(ctx context.Context) error {
	a := krr.AutoSettings{Fit: r.settings}
	if err := r.c.tuned(&a, r.set); err != nil {
		return err
	}
	r.at.searches = true
	r.at.stage("choosing kernel and bandwidth")
	model, report, err := krr.Auto(ctx, r.source, a)
	if err != nil {
		return r.failed(ctx, err)
	}
	r.model, r.report = model, fits.Of(model, report)
	r.found, r.choosing = fits.Search(report), r.report.Took["search"]
	notePrecision(r.s, &r.c.learn, model.Map(), r.report.Precision)
	return nil
}

// asGiven fits with the kernel and the sampler of the command line.
func (r *fitRun) asGiven(ctx context.Context) error {
	c, start := r.c, time.Now()
	if err := checkMemory(r.source, &c.by, r.settings); err != nil {
		return err
	}
	choose := fmt.Sprintf("choosing %d features by %s", c.by.features, c.by.name)
	r.at.stage("%s", choose)
	c.by.learning = learning{checkpoint: c.long.file, every: c.long.every, say: func(what string) { r.at.stage("%s: %s", choose, what) }}
	m, scaling, err := c.learn.features(ctx, r.set, &c.by, r.settings)
	if err != nil {
		return c.long.explain(ctx, r.s, err)
	}
	r.settings.Scaling = scaling
	c.by.learning.record(r.settings.Provenance)
	noteJitter(r.s, m)
	noteSearch(r.s, &c.learn, &c.by)
	r.choosing = time.Since(start)
	r.settings.ClipPredictions = r.set.coding.Task == dataset.Regression
	r.settings.Provenance["scaling"] = string(c.learn.scale)
	r.at.stage("reading")
	model, report, err := krr.Fit(ctx, m, r.source, r.settings)
	if err != nil {
		return r.failed(ctx, err)
	}
	r.model, r.report = model, fits.Of(model, report)
	notePrecision(r.s, &c.learn, m, r.report.Precision)
	return nil
}

// failed adds to an error of package krr the row and the flags that it is about.
func (r *fitRun) failed(ctx context.Context, err error) error {
	r.at.end()
	return r.c.memoryError(r.c.long.explain(ctx, r.s, rowError(inColumn(err, r.set.inputs), placeOfValue(ctx, r.set.files, err))))
}

// tell says what was fitted. It returns the writer for further messages.
func (r *fitRun) tell() (io.Writer, error) {
	c, w := r.c, r.s.talk(r.c.model)
	if c.json {
		scaling := string(c.learn.scale)
		if r.found != nil {
			scaling = r.found.Scaling
		}
		if err := writeSummary(r.s.data, r.set, r.model, samplerOf(r.found, c.by.name), scaling, c.model, r.report, r.choosing.Seconds()); err != nil {
			return nil, err
		}
		w = io.Discard
	}
	r.facts = r.tellFacts()
	r.facts.print(w)
	c.by.learning.print(w, r.set.inputs)
	r.s.noteHeld(r.model.Info().Scaling, r.set.inputs)
	if c.model != "-" {
		fmt.Fprintf(w, "wrote %s\n", c.model)
	}
	return w, nil
}

// checkTest refuses a file that is not there before the fit takes its time.
func checkTest(text string) error {
	if text == "" {
		return nil
	}
	files, err := addFiles(nil, text)
	if err != nil {
		return usagef("--test: %s", err)
	}
	for _, name := range files {
		if _, err := os.Stat(name); err != nil {
			return usagef("--test: cannot read %s: %s", name, plainCause(err))
		}
	}
	return nil
}

// plainCause returns an error without the name of the file, which the message has already.
func plainCause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// tester returns what predicts the rows of --test, with the columns of the set that the flags mean.
func (c *fitting) tester(set *openSet) (*predicting, error) {
	p := &predicting{data: dataFlags{options: c.data.options}, model: c.model, output: "-", backend: c.learn.backend, score: true, workers: c.learn.workers}
	o := &p.data.options // the model has the rest
	o.Task, o.Groups, o.Inputs, files.Reading(o).Keep, o.Missing, o.NA, o.Categories, o.Unseen, o.IDs, o.DateOrder = "", "", nil, 0, "", nil, nil, "", nil, ""
	if set.files != nil {
		files.Reading(o).Like = files.Header(set.files)
	}
	var err error
	p.data.paths, err = addFiles(nil, c.test)
	return p, err
}

// checkTestRows reads the rows of --test once, and refuses before the fit takes its time what
// predicting them would refuse after it. What the map resolves is known only then, and a pipe has
// no second pass.
func (c *fitting) checkTestRows(ctx context.Context, s *stdio, set *openSet) error {
	p, err := c.tester(set)
	if err != nil {
		return err
	}
	if _, once := p.data.streamed(); once {
		return nil
	}
	schema := set.source.Schema()
	of := &predictor{schema: schema, coding: dataset.NewCoding(schema.Target.Classes)}
	if err := of.open(ctx, s, &p.data, true); err != nil {
		return err
	}
	for row, err := range of.rowsOf(ctx) {
		if err == nil {
			_, err = of.truth(row)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ofTest says that an error is about --test, and not about the flag that names such files elsewhere.
func ofTest(err error) error {
	var other *flagError
	if errors.As(err, &other) {
		err = other.err
	}
	return &flagError{"test", err}
}

// measureTest predicts the rows of --test with the model that was written. It returns the
// predictor, which has the measures.
func (c *fitting) measureTest(ctx context.Context, s *stdio, w io.Writer, set *openSet) (*predictor, error) {
	inner := *s
	inner.out, inner.data = io.Discard, io.Discard
	p, err := c.tester(set)
	p.tell = func(format string, a ...any) { fmt.Fprintf(w, "test      "+format+"\n", a...) }
	if c.html != "" {
		p.levels = drawnLevels
	}
	if err == nil {
		err = p.run(ctx, &inner)
	}
	if err != nil {
		return nil, fmt.Errorf("%w; the model is written, to %s", ofTest(err), c.model)
	}
	return p.used, nil
}

// memoryError says what helps a fit that there is no memory for.
func (c *fitting) memoryError(err error) error {
	if c.auto || c.variance || c.interval || c.probabilities || c.long.file != "" {
		return withoutSolver(err) // conjugate gradients can do none of these
	}
	return err
}

// comparedWith says which rows new ones are compared with that are not rows of the fit alone.
func (r *fitRun) comparedWith() string {
	if r.c.variance {
		r.s.note("the model has no variances, since its intervals do not come from rows of the fit: leave out --interval for variances")
	}
	if r.found != nil && r.found.Compares {
		return "that the search held out"
	}
	return "of a fold that is not fitted"
}

// tellFacts says what was fitted and chosen.
func (r *fitRun) tellFacts() (w facts) {
	report, classes := r.report, r.report.Schema.Target.Classes
	in, _ := r.model.Dims()
	_, features := r.model.Map().Dims()
	task := "regression"
	if len(classes) > 0 {
		task = fmt.Sprintf("%d classes", len(classes))
	}
	w.add("data", "%s: %s, %s, %s", r.set.name, message.Count(report.Train.Rows, "row"), message.Count(in, "input"), task)
	if r.found != nil {
		w.addSearch(report, r.found, r.set.inputs)
	}
	of := "" // maps of eerf and the like approximate no kernel
	if kernel := r.model.Map().Kernel(); kernel != nil {
		of = ", kernel " + wording.ShortNumbers(fmt.Sprint(kernel))
	} else if n := report.Provenance["trees"]; n != "" {
		of = ", the sums of " + n
	}
	w.add("features", "%d by %s%s", features, samplerOf(r.found, r.c.by.name), of)
	w.add("lambda", "%s", lambdaText(report, r.found))
	if report.Provenance["mean"] != "" {
		w.add("mean", "%s", wording.ShortNumbers(report.Provenance["mean"]))
	}
	if fits.Unresolved(report.Report) != nil {
		w.add("left out", "%s", unresolvedText(report))
	}
	if p := stream.Named(string(report.Precision)); p.Levels > 0 && report.Solved.Jitter > 0 {
		w.add("raised", "by %.2g, to the rounding errors of sums in %s; --precision %s resolves more", report.Solved.Jitter/float64(report.Train.Rows), p.Short, p.Finer)
	}
	if loss := r.model.Info().Provenance["loss"]; loss != "" {
		text := loss
		if rows, _ := fits.Reweighted(report.Report); rows > 0 {
			text += fmt.Sprintf(": %s more in the second solution", message.Count(rows, "row counts", "rows count"))
		}
		if r.found != nil && r.settings.Loss != "" {
			text += "; the search compared fits of squares"
		}
		w.add("loss", "%s", text)
	}
	if report.Repeats > 0 {
		about := ""
		if report.Train.Rows-report.Repeats > fold.MostContents {
			about = "about "
		}
		w.add("repeats", "%s%s the inputs of an earlier row, and its fold", about, message.Count(report.Repeats, "row has", "rows have"))
	}
	if report.Resumed > 0 {
		from := fmt.Sprintf("after %s of the checkpoint", message.Count(report.Resumed, "row"))
		if report.Solved.Solver == conjugateGradients {
			from = "where the checkpoint was, once the rows were read again"
		}
		w.add("resumed", "%s", from)
	}
	if report.Intervals > 0 && report.Noise == nil {
		w.add("intervals", "by %s %s", message.Count(report.Intervals, "row"), r.comparedWith())
	}
	w.addMeasures(r.set.target, report, r.c.criterion)
	if h := report.HeldOut; h != nil && len(classes) > 0 {
		if text := guessNote(fits.Classes(h), classes); text != "" {
			r.s.note("%s", text)
		}
	}
	if report.Solved.Solver == conjugateGradients {
		w.add("solver", "%v", report.Solved)
	} else if report.Solved.Iterations > 0 {
		r.s.note("the system was close to singular: %v", report.Solved)
	}
	w.add("seconds", "%.2f choosing features, %.2f reading, %.2f choosing λ, %.2f solving",
		r.choosing.Seconds(), report.Took["rows"].Seconds(), report.Took["select"].Seconds(), report.Took["solve"].Seconds())
	if found := r.c.by.learning.result; found != nil {
		w.add("learning", "%v, on %d rows and %d more held out", found.Outcome, found.Rows, found.Held)
	}
	return w
}

// addMeasures says how well the fit does on held-out rows or, if there are none, on the rows
// that it was fitted to.
func (w *facts) addMeasures(target string, r *fits.Fitted, by criterion) {
	classes := r.Schema.Target.Classes
	switch h := r.HeldOut; {
	case h != nil && h.RMSE != nil:
		of, rows := "", r.Train.Rows
		if a := fits.Search(r.Report); r.Solved.Solver == conjugateGradients || a != nil && a.Apart { // a part of the rows is left out
			rows = h.Rows
		}
		if r.Schema.Target.Quantiles != nil {
			w.add("held out", "pinball loss %s", atLevels(r.Schema.Target.Quantiles, h.Loss))
			of = fmt.Sprintf(" of the quantile %g", r.Schema.Target.Quantiles[fits.Middle(r.Schema.Target.Quantiles)])
		}
		w.add("held out", "%s%s, over %s", errorText(fits.Numbers(h)[fits.Middle(r.Schema.Target.Quantiles)], target), of, message.Count(rows, "row"))
	case h != nil:
		c := fits.Classes(h)
		w.add("held out", "%s, over %s", classText(c, classes), message.Count(h.Rows, "row"))
		w.add("recall", "%s", recallText(c, classes))
	case r.Path != nil: // only a squared error is known
		for _, p := range r.Path {
			if p.Lambda == r.Lambda[0] {
				by.addTo(w, fits.Total(p), r)
			}
		}
	case len(r.Train.R2) == 1 && len(classes) == 0:
		w.add("training", "R² %.4f, RMSE %.5g, on the rows of the fit themselves; --folds measures held-out ones", r.Train.R2[0], r.Train.RMSE[0])
	default:
		w.add("held out", "nothing: λ was given; --folds measures held-out rows")
	}
	if n := len(r.Counts); n > 0 && r.HeldOut == nil {
		common := slices.Index(r.Counts, slices.Max(r.Counts))
		w.add("base rate", "always %q: %.2f %% of the rows", classes[common], 100*float64(r.Counts[common])/float64(r.Train.Rows))
	}
}
