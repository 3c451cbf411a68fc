package main

import (
	"cmp"
	"context"
	"errors"
	"os"
	"slices"
	"strings"

	flag "github.com/spf13/pflag"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/cmd/rff/files"
	"github.com/rffgo/rff/cmd/rff/sets"
	"github.com/rffgo/rff/cmd/rff/wording"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/inside/hook"
)

// dataFlags say which rows to read and how.
type dataFlags struct {
	flags   *flag.FlagSet
	paths   []string
	folder  string
	options dataset.Options
	format  string // of the files, once they are open
	// bounded says that no rows are kept in memory for the next pass.
	bounded bool
	// say prints a note. If it is nil, none is printed.
	say func(format string, a ...any)
}

// remark prints those notes that are not empty.
func (d *dataFlags) remark(notes ...string) {
	for _, n := range notes {
		if n != "" && d.say != nil {
			d.say("%s", wording.Flags(n))
		}
	}
}

func (d *dataFlags) declare(f *flag.FlagSet, byDefault string) {
	d.flags = f
	usage := "`file` to read, or several that make one data set, with commas between them (unless there is a\nfile of that name): CSV, LIBSVM, IDX or NPY, compressed or not, Parquet, Arrow or Avro; a folder\nstands for its files, * for any characters, and - for standard input, for commands that read\nonce; or the name of a data set:\n" + strings.Join(sets.Names(), ", ")
	if byDefault != "" {
		usage += "\n(default " + byDefault + ", which is built in)"
	}
	collect(f, &d.paths, "data", usage, addFiles)
	words(f, "data", sets.Names()...)
	f.StringVar(&d.folder, "data-dir", "", "`folder` of the named data sets (default: environment variable RFF_DATA)")
	f.StringVar(&d.options.Label, "label", "", "`column` of the label: its name, or its number from 1 (default: the last)")
	f.StringVar(&d.options.LabelFile, "labels", "", "`file` with the labels, one per row, when they are not in --data")
	collect(f, &d.options.Inputs, "inputs", "`columns` to use, by name or number, quoted as in CSV if they have commas (default: all but the label)", addColumns)
	choose(f, &d.options.Format, "format", "`format` of the files: auto, csv, libsvm, idx, npy, parquet, arrow or avro",
		"auto", "csv", "libsvm", "idx", "npy", "parquet", "arrow", "avro")
	choose(f, &d.options.Header, "header", "whether the first line of a CSV file names the columns: an `answer`, auto, yes or no", "auto", "yes", "no")
	whole(f, &d.options.Width, "width", 0, 0, "`number` of inputs of LIBSVM files (default: the largest index)")
	whole(f, &d.reading().MaxColumns, "max-columns", 0, 1, "`number` of columns that a file may have, which bounds the memory of reading it (default: 65536)")
	choose(f, &d.options.Task, "task", "`task`: classification, regression, or auto: labels are classes if they are text, or integers\nwith at most 12 different values, or with at most 32 that count up from 0 or 1; more than 6\nvalues are classes only in twice as many rows", "auto", dataset.Classification, dataset.Regression)
}

// declareWeights declares the column of the rows' weights.
func (d *dataFlags) declareWeights(f *flag.FlagSet) {
	f.StringVar(&d.options.Weights, "weights", "", "`column` with the weights of the rows, by name or number; it is no input")
}

// declareGroups declares the column of rows that belong together.
func (d *dataFlags) declareGroups(f *flag.FlagSet) {
	f.StringVar(&d.options.Groups, "folds-by", "", "`column` whose values say which rows belong together, by name or number: they share a fold,\nand it is no input")
}

// reading has the options that commands set and other programs cannot.
func (d *dataFlags) reading() *hook.Reading { return files.Reading(&d.options) }

// settle completes the options, and refuses those that do not go together.
func (d *dataFlags) settle() error {
	if len(d.paths) == 0 {
		return usagef("say which data: --data FILE")
	}
	given := given{d.flags}
	name, named := d.named()
	return cmp.Or(
		given.unused(named, "does not go with the data set "+name+", whose columns are known: give its file for others",
			"label", "labels", "inputs", "format", "header", "width", "task", "weights", "folds-by"),
		given.unused(named, "does not go with the data set "+name+", which has numbers alone", cellFlags...),
		given.unused(named && name == "letter", "is of no use: the data set letter is built in", "data-dir"),
		given.unused(!named, "is the folder of named data sets, and --data names files", "data-dir"),
		given.unused(d.options.LabelFile != "", "does not go with --labels: the label is a column of --data, or in a file of its own", "label"),
		given.unused(len(d.paths) > 1, "goes with one file of --data, not several", "labels"),
		given.unused(d.options.Format != "" && d.options.Format != "csv", "is about CSV files, and --format is "+d.options.Format, "header"),
		given.unused(d.options.Format != "" && d.options.Format != "libsvm", "is about LIBSVM files, and --format is "+d.options.Format, "width"),
	)
}

// reads returns the files that the flags name.
func (d *dataFlags) reads() []place {
	var out []place
	if _, named := d.named(); !named {
		out = places("data", d.paths...)
		for _, p := range d.paths {
			out = append(out, places("data", files.LabelFile(p))...) // these files are read if they exist
		}
	}
	return append(out, places("labels", d.options.LabelFile)...)
}

// named returns the name of a data set, if the flags name one instead of files.
func (d *dataFlags) named() (string, bool) {
	if len(d.paths) != 1 || d.paths[0] == "-" {
		return "", false
	}
	p := d.paths[0]
	if _, err := os.Stat(p); err == nil {
		return "", false
	}
	if slices.Contains(sets.Names(), p) || !strings.ContainsAny(p, `/\.`) {
		return p, true
	}
	return "", false
}

// files opens the files for a command that reads them more than once. why gives the reason.
func (d *dataFlags) files(ctx context.Context, why string) (*dataset.Files, error) {
	if err := d.settle(); err != nil {
		return nil, err
	}
	if err := d.rereadable(why); err != nil {
		return nil, err
	}
	o, err := d.opener(ctx, nil)
	if err != nil {
		return nil, err
	}
	return o.open(ctx, d.options)
}

// suit refuses flags that are of no use for the format of the files.
func (d *dataFlags) suit(f *dataset.Files) error {
	d.format = files.Format(f)
	given := given{d.flags}
	what := "is of no use: the data are of format " + string(d.format)
	return cmp.Or(
		given.unused(d.format != "libsvm", what+", which says how many inputs it has", "width"),
		given.unused(d.format != "csv", what+", without a header line", "header"),
		given.unused(d.format == "libsvm", what+", where what a row does not name is 0", "missing", "na"),
	)
}

// opened checks the flags against the files that were opened, and prints the notes of the files.
func (d *dataFlags) opened(f *dataset.Files) error {
	given := given{d.flags}
	if err := cmp.Or(
		d.suit(f),
		given.unused(given.has("like") && d.numbered(f, d.options.Weights), d.options.Weights+" is the number of a column in this part, and that of --like may have another there: give the name", "weights"),
		d.checkCells(f.Schema()),
	); err != nil {
		return err
	}
	d.remark(f.Notes()...)
	return nil
}

// numbered reports whether a column is given by its number, though the files name their columns.
func (d *dataFlags) numbered(f *dataset.Files, column string) bool {
	names := files.Header(f)
	return names != nil && column != "" && !slices.Contains(names, column)
}

// table reads all rows into memory.
func (d *dataFlags) table(ctx context.Context) (*dataset.Table, error) {
	if name, ok := d.named(); ok {
		if err := d.settle(); err != nil {
			return nil, err
		}
		return sets.Named(ctx, name, d.folder)
	}
	f, err := d.files(ctx, "a comparison draws its rows at random")
	if err != nil {
		return nil, err
	}
	t, err := f.Table(ctx)
	if err != nil {
		return nil, d.flagged(err)
	}
	return t, nil
}

// openSet is a data set ready to be streamed.
type openSet struct {
	name     string
	source   rff.Source
	coding   dataset.Coding
	inputs   []string
	target   string
	sample   *dataset.Table // unscaled
	scaling  func(dataset.Scale) rff.Scaling
	files    *dataset.Files   // nil for a named set and for looks
	seen     *dataset.Summary // nil for a named set
	weighted bool             // the rows have weights
}

// open looks through the data once.
func (d *dataFlags) open(ctx context.Context, progress func(int64)) (*openSet, error) {
	if err := d.settle(); err != nil {
		return nil, err
	}
	if name, ok := d.named(); ok {
		t, err := sets.Named(ctx, name, d.folder)
		if err != nil {
			return nil, err
		}
		if t.Train > 0 { // the rest is for testing
			t = t.Head(t.Train)
		}
		lowest, highest := columnRanges(t.X)
		source, err := rff.WithSchema(t.Source(), inside.Observed(t.Source().Schema(), nil, lowest, highest))
		if err != nil {
			return nil, err
		}
		return &openSet{name: t.Name, source: source, coding: t.Coding, inputs: t.Inputs, target: t.Target, sample: t,
			scaling: func(s dataset.Scale) rff.Scaling { return dataset.FitScaling(s, t.X) }}, nil
	}
	if !d.bounded {
		d.reading().Keep = roomForRows()
	}
	f, sum, err := d.scan(ctx, progress)
	if err != nil {
		return nil, err
	}
	if f.Schema().Missing == rff.MissingMean {
		f = files.Filled(f, sum)
	}
	set := d.setOf(strings.Join(d.paths, ", "), sum, sum.Source())
	set.files = f
	return set, nil
}

// scan reads the files once.
func (d *dataFlags) scan(ctx context.Context, progress func(int64)) (*dataset.Files, *dataset.Summary, error) {
	d.reading().Apart = true
	f, err := d.files(ctx, "this reads it twice, for the scaling, the classes and the bandwidth first")
	if err != nil {
		return nil, nil, err
	}
	sum, err := f.Scan(ctx, progress)
	if err != nil {
		return nil, nil, d.flagged(err)
	}
	return f, sum, nil
}

// setOf returns the rows that a pass has seen, and says what it found.
func (d *dataFlags) setOf(name string, sum *dataset.Summary, source rff.Source) *openSet {
	schema := source.Schema()
	d.remark(decided(sum.Coding, schema.Target.Name), gapsNote(sum), emptyNote(sum, schema.InputNames()))
	d.remarkWords(schema)
	return &openSet{name: name, source: source, coding: sum.Coding, inputs: schema.InputNames(), target: schema.Target.Name, sample: sum.Sample, scaling: sum.Scaling, seen: sum, weighted: d.options.Weights != ""}
}

// flagged names the flag that an error is about.
func (d *dataFlags) flagged(err error) error {
	var flagged *flagError
	if errors.As(err, &flagged) {
		return err
	}
	if column, ok := missingColumn(err); ok {
		o := &d.options
		for _, given := range []struct {
			flag  string
			names []string
		}{{"label", []string{o.Label}}, {"weights", []string{o.Weights}}, {"folds-by", []string{o.Groups}}, {"categories", o.Categories}, {"keep", o.IDs}, {"inputs", o.Inputs}} {
			if slices.ContainsFunc(given.names, func(text string) bool {
				list, _ := addList(nil, text)
				return text == column.Name || slices.Contains(list, column.Name)
			}) {
				return &flagError{given.flag, err}
			}
		}
		return &flagError{"data", err}
	}
	var parameter *rff.ParameterError
	if errors.As(err, &parameter) {
		if flag, ok := map[string]string{"Inputs": "inputs", "Label": "label", "Weights": "weights", "Groups": "folds-by", "NA": "na", "Missing": "missing"}[parameter.Name]; ok {
			return usagef("--%s: %v: %s", flag, parameter.Value, parameter.Need)
		}
		if flag, ok := map[string]string{"LabelFile": "labels", "Width": "width", "MaxColumns": "max-columns"}[parameter.Name]; ok {
			return &flagError{flag, err}
		}
	}
	return err
}

// missingColumn returns the error about a column that a file does not have.
func missingColumn(err error) (*dataset.ParseError, bool) {
	var e *dataset.ParseError
	return e, errors.As(err, &e) && files.Columns(e) != nil
}
