package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/spf13/cobra"
	flag "github.com/spf13/pflag"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/cmd/rff/fits"
	"github.com/rffgo/rff/cmd/rff/sets"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/internal/cells"
	"github.com/rffgo/rff/internal/classes"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/message"
	"github.com/rffgo/rff/internal/numeral"
	"github.com/rffgo/rff/internal/stream"
	"github.com/rffgo/rff/krr"
)

func gramCommand(s *stdio) *cobra.Command {
	return newCommand(s, new(summing), &cobra.Command{
		Use:   "gram",
		Short: "sum up a part of a data set, to be merged with others",
		Long: `Reads a part of a data set and saves the sums that a fit needs: a few matrices of
features × features numbers, whatever the number of rows. The first part decides on
scaling, bandwidth and features; every other part takes them from it with --like, and
finds its columns by their names. A part may have only some of the classes, or one.
rff merge adds the parts and unites their classes; rff solve makes the model. All parts
have the class weights (--class-weight) of the first part, or of the plan.

Up to rounding, the model is that of rff fit on all rows if scaling, bandwidth and features
are the same. For this, run rff gram --plan first: it looks at all rows, decides, and sums up
no rows; with --looks it decides by what rff look wrote for each part, and reads no rows.
Without a plan the first part alone decides, and the model differs from that of all rows.`,
		Example: `rff gram --plan --data 'part-*.csv' --label y --features 2048 --output plan.gram
rff gram --like plan.gram --data part-1.csv --label y --output 1.gram
rff gram --like plan.gram --data part-2.csv --label y --output 2.gram
rff merge --output all.gram 1.gram 2.gram
rff solve --gram all.gram --model model.safetensors`,
	})
}

func (c *summing) declare(f *flag.FlagSet) {
	c.data.declare(f, "")
	c.data.declareWeights(f)
	c.data.declareCells(f, "error", "zero")
	f.StringVar(&c.output, "output", "", "`file` to write the sums to; - for standard output")
	f.StringVar(&c.like, "like", "", "`file` of another part, whose features and scaling to use")
	collect(f, &c.looks, "looks", "`files` that rff look wrote for all parts, merged or not: --plan decides by them in place of --data", addFiles)
	f.BoolVar(&c.plan, "plan", false, "decide on scaling, bandwidth, features and classes by all rows of --data, as fit does, and sum up\nno rows: every part then takes these from the plan, with --like")
	collect(f, &c.classes, "classes", "all `classes` of the data set, when this part has only some; quoted as in CSV if they have commas\n(default: those of the part and of --like; merge unites them)", addList)
	c.classWeight.declare(f)
	c.by.declare(f)
	c.learn.declareMap(f)
}

// summing is rff gram as the command line asks for it.
type summing struct {
	data         dataFlags
	by           samplerFlags
	learn        learnFlags
	output, like string
	plan         bool
	looks        []string
	classes      []string
	classWeight  classWeight
}

func (c *summing) check(f *flag.FlagSet) error {
	given := given{f}
	_, isNamed := c.data.named()
	if c.output == "" {
		return usagef("say where the sums go: --output FILE")
	}
	if err := c.by.settle(); err != nil {
		return err
	}
	if err := cmp.Or(
		given.unused(c.like != "", "does not go with --like: features, scaling and task are those of "+c.like,
			"features", "sampler", "kernel", "sigma", "scale", "seed", "precision", "task"),
		given.unused(c.like != "", "does not go with --like: what --plan decides on is that of "+c.like, "plan", "class-weight"),
		given.unused(c.like != "", "does not go with --like: words and rules are those of "+c.like, cellFlags...),
		given.unused(isNamed, "does not go with a named data set, which is whole", "classes"),
		given.unused(c.data.options.Task == dataset.Regression, "does not go with --task regression", "classes"),
		given.unused(len(c.looks) > 0 && !c.plan, "is for --plan, and the sums of a part take its rows: give --data", "looks"),
		given.unused(len(c.looks) > 0, "does not go with --looks, which have seen the data", append([]string{"data", "data-dir", "label", "labels", "inputs", "format", "header", "width", "max-columns", "weights", "classes"}, cellFlags...)...),
		c.learn.usesKernel(&c.by),
		c.learn.settle(),
		c.settleData(),
		apart(places("output", c.output), slices.Concat(c.data.reads(), places("like", c.like), places("looks", c.looks...))...),
	); err != nil {
		return err
	}
	if seen := c.classes; len(seen) > 0 {
		for i, name := range seen {
			if slices.Contains(seen[:i], name) {
				return usagef("--classes: %q is named twice", name)
			}
		}
		if len(seen) < 2 {
			return usagef("--classes: a classification has at least two")
		}
	}
	if c.like == "" && len(c.looks) == 0 {
		return c.data.rereadable("the first part is read twice, for the scaling, the classes and the bandwidth first; with --like once")
	}
	return nil
}

// settleData completes the flags of the data, unless looks stand for the data.
func (c *summing) settleData() error {
	if len(c.looks) > 0 {
		return nil
	}
	return c.data.settle()
}

// run sums up a part.
func (c *summing) run(ctx context.Context, s *stdio) error {
	on, err := engine(c.learn.backend, c.learn.workers)
	if err != nil {
		return err
	}
	c.data.reading().Workers = c.learn.workers
	return s.produce("output", c.output, "looking at the data", func(at *stages) (io.WriterTo, string, error) {
		c.data.say = at.note
		sum := c.first
		if c.like != "" {
			sum = c.another
		}
		gram, err := sum(ctx, s, at, on)
		if err != nil {
			return nil, "", err
		}
		at.end()
		noteJitter(s, gram.Map())
		if c.like == "" { // otherwise the first part has said so
			noteSearch(s, &c.learn, &c.by)
			notePrecision(s, &c.learn, gram.Map(), gram.Settings().Precision)
			s.noteHeld(gram.Settings().Scaling, gram.Settings().Schema.InputNames())
		}
		return sayGram(gram, nil)
	})
}

// first sums up the part that decides on scaling, bandwidth and features.
func (c *summing) first(ctx context.Context, _ *stdio, at *stages, on rff.Engine) (*krr.Gram, error) {
	one := krr.Settings{Lambdas: []float64{1}, Uncertainty: "variance", Engine: on} // one Gram, and no dual
	if err := roomFor(&c.by, c.by.features, 0, one); err != nil {
		return nil, withoutSolver(err)
	}
	set, err := c.open(ctx, at)
	if err != nil {
		return nil, err
	}
	if set.sample.Len() == 0 {
		return nil, fmt.Errorf("--data: all rows of %s have weight 0, which decides nothing: begin with a part that has others, and give its file to this one (--like)", set.name)
	}
	if err := checkMemory(set.source, &c.by, one); err != nil {
		return nil, withoutSolver(err)
	}
	if seen := set.coding.Classes; len(seen) == 1 && c.learn.rule == fits.SearchedBandwidth {
		return nil, fmt.Errorf("--sigma cv: all rows of %s are of class %q, and the cross-validation needs two: give a number, median or knn, or sum up a part with more classes first", set.name, seen[0])
	}
	if c.classWeight == balancedClasses {
		if set.source, err = balanceSet(ctx, set, len(c.looks) > 0); err != nil {
			return nil, err
		}
	}
	at.stage("choosing %d features by %s", c.by.features, c.by.name)
	m, scaling, err := c.learn.features(ctx, set, &c.by, krr.Settings{Seed: c.learn.seed, Precision: c.learn.precision, Engine: on})
	if err != nil {
		return nil, err
	}
	if m, err = m.On(on); err != nil {
		return nil, err
	}
	schema := set.source.Schema()
	schema.Weighted = set.weighted
	_, targets := schema.Dims()
	gram := krr.NewGram(m, targets, krr.GramSettings{Precision: c.learn.precision, Scaling: scaling, Schema: schema})
	if len(c.looks) > 0 {
		noteSampled(at, set, &c.by)
	}
	if c.plan {
		return gram, checkWeights(gram, set.sample)
	}
	return gram, rowError(addRows(ctx, gram, set.source, at), placeOf(ctx, set.files))
}

// checkWeights refuses a plan whose precision has no room for the weights of rows or classes, so
// that not every part refuses it.
func checkWeights(plan *krr.Gram, sample *dataset.Table) error {
	s := plan.Settings()
	other := func(w float64) bool { return w != 1 }
	if stream.Named(string(s.Precision)).Weight > 1 || !slices.ContainsFunc(sample.Weights, other) && !slices.ContainsFunc(s.Schema.Target.Weights, other) {
		return nil
	}
	return usagef("--precision %s: its sums have no weights: take f32 or f64, or leave --weights and --class-weight out", s.Precision)
}

// open returns the data that decide on scaling, bandwidth and features.
func (c *summing) open(ctx context.Context, at *stages) (*openSet, error) {
	if len(c.looks) > 0 {
		return c.data.openLooks(ctx, c.looks)
	}
	return c.data.openPart(ctx, at.rows(), c.classes)
}

// another sums up a part on the features of the first one.
func (c *summing) another(ctx context.Context, s *stdio, at *stages, on rff.Engine) (*krr.Gram, error) {
	first, err := loadGram(ctx, c.like)
	if err != nil {
		return nil, &flagError{"like", err}
	}
	same := first.Settings()
	switch weighted := c.data.options.Weights != ""; { // the sums cannot tell, and the model of a mixture is wrong
	case same.Schema.Weighted && !weighted:
		return nil, usagef("--like: %s was made with --weights: give --weights, or make all parts without them", c.like)
	case weighted && !same.Schema.Weighted:
		return nil, usagef("--weights: %s was made without them: make it with --weights too, or leave them out of all parts", c.like)
	}
	known := same.Schema.Target.Classes
	given := c.classes
	switch {
	case given != nil && known == nil:
		return nil, usagef("--classes: %s is a regression", c.like)
	case given != nil && same.Schema.Target.Weights != nil:
		return nil, usagef("--classes: %s weighs its classes, and there can be no others", c.like)
	case given != nil:
		for _, name := range known {
			if !slices.Contains(given, name) {
				return nil, usagef("--classes: the class %q of %s is not among them", name, c.like)
			}
		}
		known = given
	}
	same.Schema.Target.Classes = known
	columns := same.Schema // with ranges, which say where texts may be booleans
	same.Schema.Inputs = slices.Clone(same.Schema.Inputs)
	for i := range same.Schema.Inputs {
		same.Schema.Inputs[i].Range = nil // the range is that of other rows
	}
	m, err := first.Map().On(on)
	if err != nil {
		return nil, err
	}
	gram := krr.NewGram(m, classes.Columns(len(known)), same)
	add := func(rows rff.Source) error {
		if w := same.Schema.Target.Weights; w != nil {
			rows = &balanced{rows, w}
		}
		return addRows(ctx, gram, rows, at)
	}
	if name, named := c.data.named(); named {
		t, err := sets.Named(ctx, name, c.data.folder)
		if err != nil {
			return nil, err
		}
		if t, err = matchTable(t, same.Schema); err != nil {
			return nil, err
		}
		if t, err = recodeTable(ctx, t, known); err != nil {
			return nil, err
		}
		return gram, add(t.Source())
	}
	o, err := c.data.opener(ctx, s.in)
	if err != nil {
		return nil, err
	}
	defer o.close()
	options := c.data.options
	options.Schema, options.Missing, options.Unseen = &columns, "", ""
	files, err := o.open(ctx, options)
	if err != nil {
		return nil, err
	}
	if known == nil || given != nil || same.Schema.Target.Weights != nil {
		return gram, rowError(add(files.Source(dataset.NewCoding(known), 0)), placeOf(ctx, files))
	}
	if gram, err = addClasses(ctx, gram, files, options.Weights != "", at); err != nil {
		return nil, rowError(err, placeOf(ctx, files))
	}
	if added := gram.Settings().Schema.Target.Classes[len(known):]; len(added) > 0 {
		c.data.say("classes that %s does not have: %s", c.like, message.Names(added))
	}
	return gram, nil
}

// addRows adds all rows of a source.
func addRows(ctx context.Context, gram *krr.Gram, source rff.Source, at *stages) error {
	unseen, seen := fits.NewUnseen(gram.Settings().Schema), rangesOf{}
	start, total := time.Now(), source.Schema().Rows
	if total == 0 {
		total = -1
	}
	for b, err := range unseen.Watch(source).Batches(ctx) {
		if err != nil {
			return err
		}
		if err := gram.Add(ctx, b); err != nil {
			return err
		}
		seen.add(b.X)
		at.at("summing up", gram.Rows(), total, "rows", time.Since(start))
	}
	tellUnseen(unseen, at)
	return seen.give(gram)
}

// rangesOf are the least and the largest number of every input of a part's rows. Without them a
// model of merged sums could say of no row that it lies outside, and took no text for a boolean.
type rangesOf struct{ lo, hi []float64 }

func (r *rangesOf) add(x blas.General[float64]) {
	lo, hi := columnRanges(x)
	if r.lo == nil {
		r.lo, r.hi = lo, hi
		return
	}
	for j := range lo {
		r.lo[j], r.hi[j] = min(r.lo[j], lo[j]), max(r.hi[j], hi[j])
	}
}

// give tells the sums of the rows their ranges.
func (r *rangesOf) give(gram *krr.Gram) error {
	s := gram.Settings()
	s.Schema = inside.Observed(s.Schema, nil, r.lo, r.hi)
	return gram.Set(s)
}

// addClasses adds all rows of files to gram. A label that is none of gram's classes becomes a
// further class. weighted says that the files have weights.
func addClasses(ctx context.Context, gram *krr.Gram, files *dataset.Files, weighted bool, at *stages) (*krr.Gram, error) {
	const rows = 2 * blas.RowBlock
	start, coding := time.Now(), dataset.NewCoding(gram.Settings().Schema.Target.Classes)
	in, _ := files.Schema().Dims()
	x := blas.NewGeneral[float64](rows, in)
	class := make([]int, 0, rows)
	var weights []float64
	unseen, seen := fits.NewUnseen(gram.Settings().Schema), rangesOf{}
	flush := func(first int64) error {
		k := len(coding.Classes)
		if k > len(gram.Settings().Schema.Target.Classes) {
			if err := recode(gram, coding.Classes); err != nil {
				return err
			}
		}
		seen.add(x.RowRange(0, len(class)))
		err := gram.Add(ctx, rff.Batch{First: first, X: x.RowRange(0, len(class)), Y: classes.Targets(class, k), Weight: weights})
		class, weights = class[:0], weights[:0]
		at.at("summing up", gram.Rows(), -1, "rows", time.Since(start))
		return err
	}
	var n int64
	for row, err := range files.Rows(ctx) {
		if err != nil {
			return nil, err
		}
		if row.Weight == 0 {
			continue
		}
		k, err := coding.Value(row)
		need := ""
		if err == nil {
			need = sameZeros(row.Label(), coding.Classes[int(k)])
		} else { // the label is a new class
			all := append(slices.Clone(coding.Classes), className(row.Label(), coding.Classes))
			switch {
			case len(all) > classes.Most:
				need = fmt.Sprintf("makes more than %d classes: is it the right column?", classes.Most)
			case measured(all) && !measured(coding.Classes):
				need = fmt.Sprintf("is none of the classes, and numbers with fractions, or more than %d integers, become none unasked: is it the right column? If it is, name all classes (--classes)", classes.MostIntegers)
			}
			k, coding = float64(len(all)-1), dataset.NewCoding(all)
		}
		if need != "" {
			return nil, &dataset.ParseError{Place: row.Place, Need: fmt.Sprintf("%s %q %s", cmp.Or(gram.Settings().Schema.Target.Name, "label"), row.Label(), need)}
		}
		unseen.Observe(row.X)
		copy(x.Row(len(class)), row.X)
		class = append(class, int(k))
		if weighted {
			weights = append(weights, row.Weight)
		}
		n++
		if len(class) == rows {
			if err := flush(n - rows); err != nil {
				return nil, err
			}
		}
	}
	if len(class) > 0 {
		if err := flush(n - int64(len(class))); err != nil {
			return nil, err
		}
	}
	tellUnseen(unseen, at)
	return gram, seen.give(gram)
}

// measured reports whether the numbers among labels look like those of a regression: some is no integer,
// or they are more than a fit would take for classes.
func measured(labels []string) bool {
	n := 0
	for _, l := range labels {
		if v, ok := finite(l); ok {
			if n++; v != math.Trunc(v) || n > classes.MostIntegers {
				return true
			}
		}
	}
	return false
}

// className returns the name of a class that is not among the others. If all of them are
// numbers, it is a number in its shortest form, but with zeros before it, as in package dataset.
func className(label string, others []string) string {
	number := func(l string) bool { _, ok := finite(l); return ok }
	if cells.Padded(label) || !number(label) || slices.ContainsFunc(others, func(o string) bool { return !number(o) }) {
		return label
	}
	return cells.Level(label)
}

// sameZeros says what is wrong if a label and its class are one number with other zeros before it, which
// package dataset refuses in one table: 007 and 7 may be two codes.
func sameZeros(label, class string) string {
	if label == class || !cells.Padded(label) && !cells.Padded(class) {
		return ""
	}
	return fmt.Sprintf("is the class %q of other parts, written otherwise: %s", class, cells.OneWriting)
}

func finite(label string) (float64, bool) {
	v, ok := numeral.Parse([]byte(label))
	return v, ok && v-v == 0
}

// sayGram says what sums hold, unless there is an error.
func sayGram(g *krr.Gram, err error) (io.WriterTo, string, error) {
	if err != nil {
		return nil, "", err
	}
	_, features := g.Map().Dims()
	classes := ""
	if c := g.Settings().Schema.Target.Classes; len(c) > 0 {
		classes = fmt.Sprintf(", classes %s", message.Names(c))
	}
	rows := "a plan without rows"
	if n := g.Rows(); n > 0 {
		rows = message.Count(n, "row")
	}
	return g, fmt.Sprintf("%s%s, %d features, map %s", rows, classes, features, g.Map().Fingerprint()[:16]), nil
}

func mergeCommand(s *stdio) *cobra.Command {
	return newCommand(s, new(merging), &cobra.Command{
		Use:   "merge FILE …",
		Short: "add up the sums of several parts, or the looks at them",
		Long: `Adds up files that rff gram wrote for parts of the same data set. Parts with different
classes get the classes of all. A part that comes twice, also within a merged file, is
refused. With --subtract the rows of further files are taken out of the sums; scaling,
features, words and the ranges of columns stay. Files of rff look are put together in the
same way.`,
		Example: `rff merge --output all.gram 1.gram 2.gram 3.gram
rff merge --output rest.gram all.gram --subtract 2.gram`,
		Args: cobra.ArbitraryArgs,
	})
}

// merging is rff merge as the command line asks for it.
type merging struct {
	output   string
	files    []string
	subtract []string
}

func (c *merging) declare(f *flag.FlagSet) {
	f.StringVar(&c.output, "output", "", "`file` to write to; - for standard output")
	collect(f, &c.subtract, "subtract", "`files` of rff gram whose rows to take out of the sums", addFiles)
}

func (c *merging) check(f *flag.FlagSet) error {
	c.files = f.Args()
	if c.output == "" {
		return usagef("say where the sums go: --output FILE")
	}
	if len(c.files) == 0 {
		return usagef("say which files to merge")
	}
	if len(c.subtract) > 0 && isLook(c.files[0]) {
		return usagef("--subtract takes rows out of sums, and %s is a look", c.files[0])
	}
	all := slices.Concat(c.files, c.subtract)
	for i, name := range all {
		if sameFile(c.output, name) {
			return usagef("--output: %s is one of the files to merge, which it would replace: give it another name", c.output)
		}
		for _, other := range all[:i] {
			if sameFile(other, name) {
				return usagef("%s and %s are one file: name it once", other, name)
			}
		}
	}
	return nil
}

func (c *merging) run(ctx context.Context, s *stdio) error {
	return s.produce("output", c.output, "merging", func(at *stages) (io.WriterTo, string, error) {
		if isLook(c.files[0]) {
			return sayLook(loadLooks(ctx, c.files))
		}
		return sayGram(c.merge(ctx, at))
	})
}

// merge adds up the files, and subtracts some.
func (c *merging) merge(ctx context.Context, at *stages) (total *krr.Gram, err error) {
	start := time.Now()
	all := slices.Concat(c.files, c.subtract)
	for i, name := range all {
		g, err := loadGram(ctx, name)
		if err != nil {
			return nil, err
		}
		if total, err = unite(total, g, i >= len(c.files)); err != nil {
			return nil, fmt.Errorf("%s and %s: %w", c.files[0], name, err)
		}
		at.at("merging", int64(i+1), int64(len(all)), "files", time.Since(start))
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return total, nil
}

// unite adds g to total, which may be nil, or subtracts g from it. If their classes differ, both
// first get the classes of both, in the order that a fit of all rows would have.
func unite(total, g *krr.Gram, subtract bool) (*krr.Gram, error) {
	if total == nil {
		return g, nil
	}
	a, b := total.Settings().Schema.Target.Classes, g.Settings().Schema.Target.Classes
	if a != nil && b != nil && !slices.Equal(a, b) {
		all := slices.Clone(a)
		for _, c := range b {
			if i := slices.IndexFunc(a, func(o string) bool { return cells.Level(o) == cells.Level(c) }); i >= 0 && sameZeros(c, a[i]) != "" {
				return nil, fmt.Errorf("the class %q %s", c, sameZeros(c, a[i]))
			}
			if !slices.Contains(all, c) {
				all = append(all, c)
			}
		}
		classes.Sort(all)
		for _, of := range []*krr.Gram{total, g} {
			if err := recode(of, all); err != nil {
				return nil, err
			}
		}
	}
	if subtract {
		return total, total.Subtract(g)
	}
	return total, total.Merge(g)
}

// recode gives sums the classes of all parts.
func recode(g *krr.Gram, classes []string) error {
	s := g.Settings()
	s.Schema.Target.Classes = classes
	return g.Set(s)
}
