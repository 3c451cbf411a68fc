package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	flag "github.com/spf13/pflag"

	"github.com/rffgo/rff/cmd/rff/compare"
	"github.com/rffgo/rff/cmd/rff/fits"
	"github.com/rffgo/rff/cmd/rff/report"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/krr"
	"github.com/rffgo/rff/sampling"
)

func compareCommand(s *stdio) *cobra.Command {
	return newCommand(s, new(comparing), &cobra.Command{
		Use:   "compare",
		Short: "compare samplers of features on a data set",
		Long: `Fits ridge regression on the features of several samplers, with several numbers of
features, and prints the accuracy on rows that were not trained on, with balanced
accuracy, the least recall and the area under the ROC curve (for regression: RMSE, MAE
and R²), the time and the memory. All samplers get the same rows, the same
scaling and the same bandwidth; λ is chosen by cross-validation. Differences from the
first sampler that are beyond noise are marked.`,
		Example: `rff compare --data magic04.csv --label y --samplers rff,orf,surrogate --features 64,256,1024 --html report.html`,
	})
}

// comparing is the comparison that the command line asks for.
type comparing struct {
	flags           *flag.FlagSet
	data            dataFlags
	learn           learnFlags
	samplers        []string
	features        []int
	reps, rows      int
	foldRows        int
	criterion       criterion
	classWeight     classWeight
	loss            string
	probabilities   bool
	test            number
	quick, noTimes  bool
	json, csv, html string
	svg             string
}

func (c *comparing) declare(f *flag.FlagSet) {
	*c = comparing{flags: f, samplers: []string{"rff", "orf", "sobol", "leverage", "surrogate", "eerf"}, features: []int{64, 256, 1024}}
	c.data.declare(f, "letter")
	c.data.declareWeights(f)
	c.data.declareGroups(f)
	c.data.declareCells(f, "zero", "error")
	collect(f, &c.samplers, "samplers", "`samplers` to compare: "+strings.Join(inside.Samplers(), ", ")+";\noptions go after a colon: surrogate:pool=8,weight=unit", addSamplers)
	words(f, "samplers", inside.Samplers()...)
	collect(f, &c.features, "features", "`numbers` of features, in columns", addCounts(mostOf("features")))
	whole(f, &c.reps, "reps", 3, 1, "`number` of repetitions, each with its own draws, and with its own division of the rows\nif the set has no test part")
	declare(f, &c.test, "test", "0.25", "`share` of the rows to test on, when the set has no test part of its own",
		between("", "must be a share between 0 and 1", func(v float64) bool { return v > 0 && v < 1 }))
	whole(f, &c.rows, "rows", 0, 2, "at most this `number` of training rows, drawn at random (default: all)")
	f.BoolVar(&c.quick, "quick", false, "a fast look: one repetition, 2,000 training rows, at most 256 features")
	c.learn.declare(f)
	whole(f, &c.foldRows, "fold-rows", 0, 1, "`number` of consecutive rows that share a fold, and a side of the division, for rows whose neighbours are alike,\nas in a time series (by default rows with equal inputs do)")
	c.criterion.declare(f)
	c.classWeight.declare(f)
	declareLoss(f, &c.loss)
	f.BoolVar(&c.probabilities, "probabilities", false, "calibrate class probabilities on held-out training rows, for the log loss")
	f.BoolVar(&c.noTimes, "no-times", false, "leave out times and memory: what remains depends on data, flags and seed only")
	f.StringVar(&c.json, "json", "", "write everything as JSON to this `file` (- for standard output, without the table)")
	f.StringVar(&c.csv, "csv", "", "write the table as CSV to this `file` (- for standard output, without the table)")
	f.StringVar(&c.html, "html", "", "write a report with plots to this `file`")
	f.StringVar(&c.svg, "svg", "", "draw the scores by the number of features to this `file`")
}

func (c *comparing) check(f *flag.FlagSet) error {
	if len(c.data.paths) == 0 {
		c.data.paths = []string{"letter"}
	}
	switch {
	case c.json == "-" && c.csv == "-":
		return usagef("--json and --csv cannot both go to standard output")
	case c.html == "-" || c.svg == "-":
		return usagef("--html and --svg need the name of a file")
	case f.Changed("folds") && c.learn.lambda.set && !c.probabilities:
		return usagef("--folds is for the cross-validation of λ, --lambda gives one: leave one of them out")
	}
	given, lambda := given{f}, "is of no use: with --lambda there is no λ to choose"
	return cmp.Or(
		given.unused(c.learn.lambda.set, lambda, "criterion"),
		given.unused(!c.criterion.folds() && !c.probabilities && c.learn.sigma != string(fits.SearchedBandwidth), "is of no use: --criterion "+string(c.criterion)+" leaves out no folds", "folds"),
		given.unused(ownLoss(c.loss), "does not go with --loss "+c.loss+", whose passes keep no sums", "criterion"),
		given.unused(c.data.options.Groups != "", "does not go with --folds-by: rows share the fold of their group", "fold-rows"),
	)
}

// settings returns what the command line asks for.
func (c *comparing) settings() (compare.Settings, error) {
	settings := compare.Settings{Samplers: c.samplers, Features: c.features, Reps: c.reps, Test: c.test.value, MaxTrain: c.rows, Untimed: c.noTimes, FoldRows: c.foldRows, Criterion: c.criterion.setting(), Loss: c.loss, Probabilities: c.probabilities, Unseen: c.data.options.Unseen}
	if c.loss == "squares" {
		settings.Loss = ""
	}
	if err := c.learn.apply(&settings); err != nil {
		return settings, err
	}
	for i, m := range c.samplers {
		if _, err := sampling.ByName(m); err != nil {
			return settings, usagef("--samplers: %s", oneLine(err))
		}
		if slices.Contains(c.samplers[:i], m) {
			return settings, usagef("--samplers has %s twice", m)
		}
	}
	if c.quick {
		settings.MaxTest = 2000
		if !c.flags.Changed("reps") {
			settings.Reps = 1
		}
		if c.rows == 0 {
			settings.MaxTrain = 2000
		}
		if !c.flags.Changed("features") {
			settings.Features = []int{64, 256}
		}
	}
	return settings, nil
}

func (c *comparing) run(ctx context.Context, s *stdio) error {
	settings, err := c.settings()
	if err != nil {
		return err
	}
	to, err := c.open(s)
	if err != nil {
		return err
	}
	defer to.discard()
	c.data.say = s.note
	table, err := c.data.table(ctx)
	if err != nil {
		return err
	}
	if c.flags.Changed("test") && table.Train > 0 && table.Train < table.Len() {
		return usagef("--test: %s has a test part of its own: leave the share out", table.Name)
	}
	if note := decided(table.Coding, table.Target); note != "" {
		settings.Notes = append(settings.Notes, note)
	}
	if c.probabilities && table.Coding.Task == dataset.Regression {
		return fmt.Errorf("--probabilities: the label of %s has numbers, not classes: a regression has none", table.Name)
	}
	if settings.Balanced = c.classWeight == balancedClasses; settings.Balanced && table.Coding.Task == dataset.Regression {
		return errNoClasses
	}
	if err := roomToCompare(table, settings); err != nil {
		return err
	}
	line := newProgress(s)
	settings.Progress = func(done, total int, what string) { line.show("%d of %d: %s", min(done+1, total), total, what) }
	result, err := compare.Run(ctx, table, settings)
	line.clear()
	if err != nil {
		if result != nil {
			return keepPartial(s, result, []place{{"json", c.json}, {"csv", c.csv}}, err)
		}
		return bandwidthError(err)
	}
	if !slices.ContainsFunc(result.Rows, func(row compare.Row) bool { return row.Reps > 0 }) {
		return errors.New(result.Failures()[0])
	}
	if err := c.write(s, to, result); err != nil {
		return err
	}
	if result.Failures() != nil {
		return errors.New("some of the samplers could not be used: the reasons are above")
	}
	return nil
}

// roomToCompare refuses a comparison that there is no memory for.
func roomToCompare(t *dataset.Table, settings compare.Settings) error {
	rows := int64(t.Len())
	if t.Train > 0 {
		rows = int64(t.Train)
	}
	if settings.MaxTrain > 0 {
		rows = min(rows, int64(settings.MaxTrain))
	}
	schema := t.Source().Schema()
	schema.Rows = rows
	for _, name := range settings.Samplers {
		by := samplerFlags{name: name}
		if by.settle() != nil { // the comparison reports the error
			continue
		}
		if err := fits.CheckMemory(schema, slices.Max(settings.Features), by.sampler,
			krr.Settings{Lambdas: settings.Lambdas(), Folds: settings.Folds, Loss: settings.Loss, Probabilities: settings.Probabilities, Engine: settings.Engine}); err != nil {
			return withoutSolver(err)
		}
	}
	return nil
}

// comparisonFiles are the files that a comparison is written to. A form that is not asked for
// is nil.
type comparisonFiles struct {
	json, csv, html, svg io.Writer
	files                []*output
}

// open opens the files that a comparison is written to.
func (c *comparing) open(s *stdio) (*comparisonFiles, error) {
	if err := apart(slices.Concat(places("json", c.json), places("csv", c.csv), places("html", c.html), places("svg", c.svg)), c.data.reads()...); err != nil {
		return nil, err
	}
	to := new(comparisonFiles)
	for _, f := range []struct {
		flag, name string
		to         *io.Writer
	}{{"json", c.json, &to.json}, {"csv", c.csv, &to.csv}, {"html", c.html, &to.html}, {"svg", c.svg, &to.svg}} {
		switch f.name {
		case "":
		case "-":
			*f.to = s.data
		default:
			o, err := createOutput(f.flag, f.name)
			if err != nil {
				to.discard()
				return nil, err
			}
			*f.to, to.files = o, append(to.files, o)
		}
	}
	return to, nil
}

func (to *comparisonFiles) discard() {
	for _, o := range to.files {
		o.discard()
	}
}

// write writes a result to the files. It also prints a table, unless another form of the result
// goes to standard output.
func (c *comparing) write(s *stdio, to *comparisonFiles, result *compare.Result) error {
	if to.json != nil {
		if err := result.WriteJSON(to.json); err != nil {
			return err
		}
	}
	if to.csv != nil {
		if err := result.WriteCSV(to.csv); err != nil {
			return err
		}
	}
	if to.html != nil {
		about := report.About{Command: commandLine(c.flags)}
		if !c.noTimes {
			about = report.Now(about.Command)
		}
		if err := report.Write(to.html, result, about); err != nil {
			return err
		}
	}
	if to.svg != nil {
		if err := report.WritePicture(to.svg, result); err != nil {
			return err
		}
	}
	for _, o := range to.files {
		if err := o.commit(); err != nil {
			return err
		}
	}
	if c.json == "-" || c.csv == "-" {
		for _, n := range result.Notes {
			s.note("%s", n)
		}
		return nil
	}
	if err := result.WriteTable(s.out); err != nil {
		return err
	}
	for _, o := range to.files {
		fmt.Fprintf(s.out, "wrote %s\n", o.name)
	}
	return nil
}

// keepPartial says how many cells of an interrupted comparison are done, and writes them to
// FILE.partial. It leaves FILE alone, which may hold a complete result.
func keepPartial(s *stdio, r *compare.Result, files []place, err error) error {
	s.note("%d of %d fits are done", len(r.Cells), r.Planned)
	if len(r.Cells) == 0 {
		return err
	}
	for _, f := range files {
		write := r.WriteJSON
		if f.flag == "csv" {
			write = r.WriteCSV
		}
		switch f.path {
		case "":
			continue
		case "-":
			if err := write(s.data); err != nil {
				return err
			}
			continue
		}
		name := f.path + ".partial"
		out, e := createOutput(f.flag, name)
		if e != nil {
			return e
		}
		if e = write(out); e == nil {
			e = out.commit()
		}
		out.discard()
		if e != nil {
			return e
		}
		s.note("wrote them to %s", name)
	}
	return err
}

// commandLine writes the command with the flags that were given, so that a shell
// reads it back.
func commandLine(f *flag.FlagSet) string {
	words := []string{"rff", f.Name()}
	f.Visit(func(v *flag.Flag) {
		if v.NoOptDefVal != "" { // a switch
			words = append(words, "--"+v.Name)
			return
		}
		words = append(words, "--"+v.Name, report.ShellWord(v.Value.String()))
	})
	return strings.Join(words, " ")
}
