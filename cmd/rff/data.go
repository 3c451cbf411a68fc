package main

import (
	"context"
	"errors"
	"flag"
	"os"
	"slices"
	"strings"

	"github.com/rffgo/rff/dataset"
)

// dataFlags say which rows to read and how.
type dataFlags struct {
	paths   list
	folder  string
	header  string
	task    dataset.Task
	options dataset.Options
	inputs  list
}

func (d *dataFlags) declare(f *flag.FlagSet, byDefault string) {
	usage := "`file` to read, several for one set in parts: CSV, LIBSVM, IDX or NPY, gzipped or not;\nor the name of a data set: " + strings.Join(dataset.Names(), ", ")
	if byDefault != "" {
		usage += "\n(default " + byDefault + ", which is built in)"
	}
	f.Var(&d.paths, "data", usage)
	f.StringVar(&d.folder, "data-dir", "", "`folder` of the named data sets (default: environment variable RFF_DATA)")
	f.StringVar(&d.options.Label, "label", "", "`column` of the label: its name, or its number from 1 (default: the last)")
	f.StringVar(&d.options.LabelFile, "labels", "", "`file` with the labels, one per row, when they are apart from the inputs")
	f.Var(&d.inputs, "inputs", "`columns` to use, by name or number (default: all but the label)")
	f.Var(choice[dataset.Format]{&d.options.Format, dataset.ParseFormat}, "format", "`format` of the files: auto, csv, libsvm, idx or npy")
	f.StringVar(&d.header, "header", "auto", "whether the first line of a CSV file names the columns: auto, yes or no (`yes|no`)")
	whole(f, &d.options.Width, "width", 0, 0, "`number` of inputs of LIBSVM files (default: the largest index)")
	f.Var(choice[dataset.Task]{&d.task, dataset.ParseTask}, "task", "`task`: classification, regression, or auto, which takes text, and integers\nof at most 32 different values, as classes")
}

// settle completes the options.
func (d *dataFlags) settle() error {
	switch d.header {
	case "auto":
		d.options.Header = dataset.HeaderAuto
	case "yes":
		d.options.Header = dataset.HeaderYes
	case "no":
		d.options.Header = dataset.HeaderNo
	default:
		return usagef("invalid value %q for --header: must be auto, yes or no", d.header)
	}
	d.options.Inputs = d.inputs
	return nil
}

// named returns the name of a data set, if that is what was asked for.
func (d *dataFlags) named() (string, bool) {
	if len(d.paths) != 1 {
		return "", false
	}
	p := d.paths[0]
	if _, err := os.Stat(p); err == nil {
		return "", false
	}
	if slices.Contains(dataset.Names(), p) || !strings.ContainsAny(p, `/\.`) {
		return p, true
	}
	return "", false
}

// files opens the files.
func (d *dataFlags) files() (*dataset.Files, error) {
	if len(d.paths) == 0 {
		return nil, usagef("say which data: --data FILE")
	}
	if err := d.settle(); err != nil {
		return nil, err
	}
	f, err := dataset.Open(d.options, d.paths...)
	return f, d.flagged(err)
}

// table reads all rows into memory.
func (d *dataFlags) table(ctx context.Context) (*dataset.Table, error) {
	if name, ok := d.named(); ok {
		return dataset.Named(ctx, name, d.folder)
	}
	f, err := d.files()
	if err != nil {
		return nil, err
	}
	t, err := f.Table(ctx, d.task)
	return t, d.flagged(err)
}

// flagged names the flag that an error is about.
func (d *dataFlags) flagged(err error) error {
	var column *dataset.ColumnError
	if errors.As(err, &column) {
		if column.Name == d.options.Label {
			return &flagError{"label", err}
		}
		return &flagError{"inputs", err}
	}
	return err
}

// flagError says which flag a failure is about.
type flagError struct {
	flag string
	err  error
}

func (e *flagError) Error() string { return "--" + e.flag + ": " + oneLine(e.err) }
func (e *flagError) Unwrap() error { return e.err }
