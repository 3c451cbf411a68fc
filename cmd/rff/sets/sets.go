// Package sets gives the data sets of the experiments by name. letter is built in, and the
// others come from a folder of downloads. docs/data.md lists them.
package sets

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rffgo/rff/dataset"
)

// named is a set whose files have known names below the data folder.
type named struct {
	name  string
	train []string // files; those of the training part if test is set
	test  []string
	task  dataset.Task
	width int // of LIBSVM files
}

// all lists the data sets that Named knows. Files are tried as they are.
var all = []named{
	{"adult", []string{"adult/a9a.gz"}, []string{"adult/a9a.t.gz"}, dataset.Classification, 123},
	{"blogfeedback", []string{"blogfeedback/blogfeedback.train.csv.gz"}, []string{"blogfeedback/blogfeedback.test.csv.gz"}, dataset.Regression, 0},
	{"cod-rna", []string{"cod-rna/cod-rna.train.csv.gz"}, []string{"cod-rna/cod-rna.test.csv.gz"}, dataset.Classification, 0},
	{"covtype", []string{"covtype/covtype-sample.csv.gz"}, nil, dataset.Classification, 0},
	{"cpuact", []string{"cpuact/cpuact.csv.gz"}, nil, dataset.Regression, 0},
	{"eeg", []string{"eeg/eeg.csv.gz"}, nil, dataset.Classification, 0},
	{"kddcup99", []string{"kddcup99/kddcup99-10pct.csv.gz"}, nil, dataset.Classification, 0},
	{"magic04", []string{"magic04/magic04.csv.gz"}, nil, dataset.Classification, 0},
	{"mnist", []string{"mnist/train-images-idx3-ubyte.gz"}, []string{"mnist/t10k-images-idx3-ubyte.gz"}, dataset.Classification, 0},
	{"onlinenews", []string{"onlinenews/onlinenews-14f.csv.gz"}, nil, dataset.Regression, 0},
	{"ujiindoorloc", []string{"ujiindoorloc/ujiindoorloc.train.csv.gz"}, []string{"ujiindoorloc/ujiindoorloc.test.csv.gz"}, dataset.Classification, 0},
}

// Names returns the names of the sets that Named knows; letter needs no files.
func Names() []string {
	out := []string{"letter"}
	for _, s := range all {
		out = append(out, s.name)
	}
	slices.Sort(out)
	return out
}

// Named returns a data set by its name. folder holds the files of all sets but letter, which
// is built in. If folder is empty, the environment variable RFF_DATA names it.
// Rows of an official training part come first and are counted in dataset.Table.Train.
// Errors: *UnknownSetError, *FolderError, and those of dataset.Open.
func Named(ctx context.Context, name, folder string) (*dataset.Table, error) {
	if name == "letter" {
		return dataset.Letter(), nil
	}
	i := slices.IndexFunc(all, func(s named) bool { return s.name == name })
	if i < 0 {
		return nil, &UnknownSetError{name}
	}
	s := all[i]
	if folder == "" {
		folder = os.Getenv("RFF_DATA")
	}
	if folder == "" {
		return nil, &FolderError{Set: name}
	}
	var paths []string
	for _, f := range slices.Concat(s.train, s.test) {
		p := filepath.Join(folder, filepath.FromSlash(f))
		if _, err := os.Stat(p); err != nil {
			return nil, &FolderError{Set: name, File: p, Err: fs.ErrNotExist}
		}
		paths = append(paths, p)
	}
	f, err := dataset.Open(ctx, dataset.Options{Width: s.width, Task: s.task}, paths...)
	if err != nil {
		return nil, err
	}
	t, err := f.Table(ctx)
	if err != nil {
		return nil, err
	}
	t.Name = name
	if s.test != nil {
		train, err := dataset.Open(ctx, dataset.Options{Width: s.width}, paths[:len(s.train)]...)
		if err != nil {
			return nil, err
		}
		for _, err := range train.Rows(ctx) {
			if err != nil {
				return nil, err
			}
			t.Train++
		}
	}
	return t, nil
}

// UnknownSetError says that no data set has that name.
type UnknownSetError struct{ Name string }

func (e *UnknownSetError) Error() string {
	return fmt.Sprintf("no file and no data set %q: the sets are %s", e.Name, strings.Join(Names(), ", "))
}

// FolderError says that the files of a data set are not at hand.
type FolderError struct {
	Set  string
	File string // the file that was not found; empty if no folder is known
	Err  error
}

func (e *FolderError) Error() string {
	if e.File == "" {
		return fmt.Sprintf("data set %q is not built in: say where its files are (--data-dir or the environment variable RFF_DATA)", e.Set)
	}
	return fmt.Sprintf("data set %q: no file %s", e.Set, e.File)
}

func (e *FolderError) Unwrap() error { return e.Err }
