package main

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/spf13/cobra"
	flag "github.com/spf13/pflag"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/cmd/rff/fits"
	"github.com/rffgo/rff/cmd/rff/sets"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/measure"
	"github.com/rffgo/rff/internal/message"
	"github.com/rffgo/rff/krr"
)

func predictCommand(s *stdio) *cobra.Command {
	return newCommand(s, new(predicting), &cobra.Command{
		Use:   "predict",
		Short: "predict the rows of a data set with a saved model",
		Long: `Streams rows and writes one line of CSV, or one row of Parquet, for each: the
predicted class or value.
Columns are found by name, in any order, and columns that the model does not know are
ignored; a file without names must have the columns of the model in its order. With
--score or --label the predictions are compared with the labels of the data, and the
accuracy, or R², RMSE and MAE, is printed to standard error; rows that lack their label
are predicted, and not compared. If a named data set has a test part, only that part is
predicted.

A spreadsheet takes a label that begins with = + - @ or a tab and is no number for a
formula. Such a label is written with an apostrophe before it (also after apostrophes of
its own), unless --raw-labels is given.`,
		Example: `rff predict --model model.safetensors --data new.csv --scores --output predictions.csv`,
	})
}

func (c *predicting) declare(f *flag.FlagSet) {
	f.StringVar(&c.model, "model", "", "`file` that fit wrote; - for standard input")
	c.data.declare(f, "")
	c.data.declareWeights(f)
	choose(f, &c.data.options.Unseen, "unseen", "`rule` for words that the fit has not seen: error, or zero (none of the words) (default: that of the fit)", "error", "zero")
	f.StringVar(&c.output, "output", "-", "`file` to write to, as Parquet if its name ends in .parquet, gzipped if in .gz; - for standard output")
	f.BoolVar(&c.add.scores, "scores", false, "add the score of each class")
	f.BoolVar(&c.add.probabilities, "probabilities", false, "add the probability of each class, from a model fitted with --probabilities")
	f.BoolVar(&c.add.variance, "variance", false, "add the variance of each prediction, from a model fitted with --variance")
	declare(f, &c.add.level, "interval", "", "add the ends low and high of an interval that holds the target with this `probability`, such as 90%, or\nthe set of labels that holds the row's, separated by |; from a model fitted with --interval", readLevel)
	f.BoolVar(&c.score, "score", false, "the data have labels: compare them with the predictions")
	f.BoolVar(&c.rawLabels, "raw-labels", false, "write labels as they are, also those that a spreadsheet takes for formulas")
	whole(f, &c.workers, "workers", 0, 0, "`number` of threads (default: one per processor)")
	f.StringVar(&c.backend, "backend", "", "`name` of the matrix engine (default: native)")
}

// predicting has the flags of rff predict.
type predicting struct {
	data                   dataFlags
	model, output, backend string
	add                    columns
	score, rawLabels       bool
	tell                   func(format string, a ...any) // of the measures; nil: as notes
	workers                int
	levels                 []float64  // of further intervals to measure, if the model has them and enough rows
	used                   *predictor // the one that run used
}

func (c *predicting) check(f *flag.FlagSet) error {
	if c.model == "" {
		return usagef("say which model: --model FILE")
	}
	if err := cmp.Or(
		given{f}.unused(true, "is of no use: the model says whether its label is a class or a number", "task"),
		given{f}.unused(!c.score && c.data.options.Label == "" && c.data.options.LabelFile == "", "weighs the rows in the measures of --score, which was not asked for", "weights"),
		c.data.settle(),
		writable(c.output),
		apart(places("output", c.output), append(c.data.reads(), places("model", c.model)...)...),
	); err != nil {
		return err
	}
	if c.model == "-" && len(c.data.paths) > 0 && c.data.paths[0] == "-" {
		return usagef("--model and --data cannot both come from standard input")
	}
	return nil
}

// run predicts.
func (c *predicting) run(ctx context.Context, s *stdio) error {
	on, err := engine(c.backend, c.workers)
	if err != nil {
		return err
	}
	c.data.reading().Workers = c.workers
	m, err := s.loadModel(ctx, c.model)
	if err != nil {
		return &flagError{"model", err}
	}
	if m, err = m.On(on); err != nil {
		return err
	}
	labelled := c.score || c.data.options.Label != "" || c.data.options.LabelFile != ""
	if err := c.suits(m, labelled); err != nil {
		return err
	}
	classes := m.Info().Schema.Target.Classes
	c.data.say = s.note
	p := &predictor{levels: possible(m, c.add.level, c.levels), model: m, schema: m.Info().Schema, sorted: m.Info().Schema.Target.Quantiles, classes: classes, named: measure.NewLabels(len(classes)), coding: dataset.NewCoding(classes), outside: newOutside(m), unseen: *fits.NewUnseen(m.Info().Schema), add: c.add}
	if p.by, err = inside.NewGrouping(m.Info().Provenance[inside.IntervalsBy], p.schema); err != nil {
		return &flagError{"model", err}
	}
	if err := p.open(ctx, s, &c.data, labelled); err != nil {
		return err
	}
	if p.data != nil {
		defer p.data.close()
	}
	p.labels = p.classes
	if !c.rawLabels && !isParquet(c.output) {
		var changed []string
		if p.labels, changed = fits.Harmless(p.classes); changed != nil {
			s.note("labels that a spreadsheet takes for formulas are written with a leading ': %s; --raw-labels leaves them as they are", message.Names(changed))
		}
	}
	out, err := s.openResult("output", c.output)
	if err != nil {
		return err
	}
	defer out.discard()
	at := startStages(s, "predicting")
	defer at.end()
	if err := p.run(ctx, newPredictions(out, c.output), at); err != nil {
		return err
	}
	if err := out.commit(); err != nil {
		return err
	}
	at.end()
	if c.output != "-" {
		s.note("wrote %s to %s", message.Count(p.rows, "prediction"), c.output)
	}
	if p.blank > 0 {
		s.note("predictions left empty, since their rows lack a value: %d of %d", p.blank, p.rows)
	}
	c.data.remark(p.outside.note(), p.unseen.Note())
	if p.labelled {
		if c.tell == nil {
			measures := *s
			measures.quiet = s.quiet && !c.score // --score asks for the measures
			c.tell = measures.note
		}
		p.score(c.tell)
	}
	c.used = p
	return nil
}

// suits refuses what the model does not have.
func (c *predicting) suits(m *krr.Model, labelled bool) error {
	classes, targets := m.Info().Schema.Target.Classes, len(fits.PerTarget("", m))
	switch {
	case labelled && targets > 1:
		return fmt.Errorf("--label, --labels and --score: %s predicts %d targets, and data have one label: leave them out, and name the inputs with --inputs", c.model, targets)
	case c.add.probabilities && !m.Info().Probabilities:
		return fmt.Errorf("--probabilities: %s was fitted without them: rff fit --probabilities", c.model)
	case c.add.variance && m.Info().Noise == nil:
		remedy := "rff fit --variance"
		if m.Info().Intervals > 0 {
			remedy += ", without --interval"
		}
		return fmt.Errorf("--variance: %s was fitted without it: %s", c.model, remedy)
	case c.add.level > 0 && m.Info().Intervals == 0:
		return fmt.Errorf("--interval: %s was fitted without it: rff fit --interval", c.model)
	case c.add.scores && classes == nil:
		return fmt.Errorf("--scores: %s is a regression", c.model)
	case c.rawLabels && isParquet(c.output):
		return usagef("--raw-labels: is of no use: labels in Parquet are written as they are")
	case c.rawLabels && classes == nil:
		return fmt.Errorf("--raw-labels: %s is a regression", c.model)
	}
	return nil
}

// predictor streams rows through a model.
type predictor struct {
	model    *krr.Model
	add      columns
	schema   rff.Schema
	blank    int64 // rows without a prediction
	scored   int64 // rows that were compared with their labels
	bare     int64 // rows without a label to compare
	data     *opener
	rowsOf   func(context.Context) iter.Seq2[dataset.Row, error]
	labelled bool
	weighted bool // the measures count rows by their weights
	classes  []string
	labels   []string // classes as they are written
	coding   dataset.Coding
	outside  *outside
	unseen   fits.Unseen

	rows    int64
	named   *measure.Labels      // of a classification
	numbers measure.Numbers      // of a regression
	sorted  []float64            // levels of its quantiles; nil: others
	beside  quantiles            // measures of these
	levels  []float64            // of intervals or sets
	holding []holding            // of those of each level
	by      inside.Grouping      // of intervals
	groups  map[float64]*holding // of those of the level that is asked for
}

// open opens the data and finds the columns of the model in them.
func (p *predictor) open(ctx context.Context, s *stdio, data *dataFlags, labelled bool) error {
	if set, ok := data.named(); ok {
		t, err := sets.Named(ctx, set, data.folder)
		if err != nil {
			return err
		}
		if t, err = matchTable(t, p.schema); err != nil {
			return err
		}
		p.rowsOf, p.labelled = t.Tail(t.Train).Rows, true
		return nil
	}
	var err error
	if p.data, err = data.opener(ctx, s.in); err != nil {
		return err
	}
	data.reading().Bare = true // such rows are predicted, and not compared
	o := data.options
	o.Schema = &p.schema
	if !labelled {
		o.Task = dataset.Unlabelled
	}
	if p.keepsGaps() {
		o.Missing = rff.MissingNaN // for an empty prediction
	}
	if !(given{data.flags}).has("unseen") {
		o.Unseen = ""
	}
	files, err := p.data.open(ctx, o)
	if err != nil {
		return err
	}
	p.rowsOf, p.labelled, p.weighted = files.Rows, labelled, o.Weights != ""
	return nil
}

// columns says which columns are written besides the prediction.
type columns struct {
	scores, probabilities, variance bool
	level                           float64 // of intervals or sets; 0: none
}

// header names the columns. Scores and variances have one column per output. Two classes or a
// number have one output, and more classes or numbers have one each. Quantiles have one column each.
func (a columns) header(m *krr.Model) []string {
	header, classes := fits.Predicted(m), m.Info().Schema.Target.Classes
	each := func(name string, of []string) {
		for _, c := range of {
			header = append(header, name+" "+c)
		}
	}
	per := func(name string) {
		if len(classes) > 2 {
			each(name, classes)
		} else {
			header = append(header, fits.PerTarget(name, m)...)
		}
	}
	if a.scores {
		per("score")
	}
	if a.probabilities {
		each("probability", classes)
	}
	if a.variance {
		per("variance")
	}
	switch {
	case a.level == 0:
	case classes == nil:
		header = slices.Concat(header, fits.PerTarget("low", m), fits.PerTarget("high", m))
	default:
		header = append(header, "set")
	}
	return header
}

// keepsGaps reports whether rows that lack a value come with NaN.
func (p *predictor) keepsGaps() bool {
	return p.schema.Missing == rff.MissingDrop
}

// count compares the prediction of a row with its label, and counts it with that weight. prob has
// room for the probabilities of the classes.
func (p *predictor) count(row, prob []float64, truth, weight float64) {
	if p.classes == nil {
		p.numbers.Add(truth, row[fits.Middle(p.sorted)], weight)
		p.beside.add(p.sorted, row, truth, weight)
		return
	}
	own := int(truth)
	p.named.Add(own, p.model.ClassOf(row), row[0], weight)
	if p.model.Info().Probabilities {
		p.model.ProbabilitiesOf(prob, row)
		p.named.AddProbabilities(own, prob, weight)
	}
}

// score says how the predictions compare with the labels.
func (p *predictor) score(say func(format string, a ...any)) {
	if p.bare > 0 {
		say("%s no label: predicted, and not compared", message.Rows(p.bare, p.rows, "has", "have"))
	}
	if p.scored == 0 {
		return
	}
	if p.add.level > 0 {
		defer func() {
			p.holding[0].tell(say, p.add.level, p.classes != nil)
			if p.by.Name != "" {
				tellGroups(say, p.by, p.groups)
			}
		}()
	}
	over := fmt.Sprintf(", over %s", message.Count(p.scored, "row"))
	if p.weighted {
		over += " by their weights"
	}
	if p.classes == nil {
		if p.sorted != nil {
			p.beside.tell(say, p.sorted)
			over = fmt.Sprintf(" of the quantile %g%s", p.sorted[fits.Middle(p.sorted)], over)
		}
		say("%s%s", errorText(p.numbers.Result(), p.schema.Target.Name), over)
		return
	}
	c := p.named.Result()
	if !p.weighted {
		over = fmt.Sprintf(": %.0f of %s", math.Round(c.Accuracy*float64(c.Rows)), message.Count(c.Rows, "row"))
	}
	say("%s%s", classText(c, p.classes), over)
	say("recall %s", recallText(c, p.classes))
	if text := guessNote(c, p.classes); text != "" {
		say("%s", text)
	}
}
