// Package files gives the programs of this module what package dataset has for them
// alone: settings of commands that bound memory and read parts, and what messages say.
package files

import (
	"context"

	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/internal/inside/hook"
	"github.com/rffgo/rff/internal/look"
)

// Reading returns the settings of o that only programs of this module set.
func Reading(o *dataset.Options) *hook.Reading { return hook.ReadingOf(o) }

// Columns returns the columns of the file of an error that says it lacks one, or nil.
func Columns(e *dataset.ParseError) []string { return hook.ColumnsOf(e) }

// Decided says how labels were taken that are integers, which could be classes or
// numbers: "11 integer values: taken as classes". It is empty where there was nothing to
// decide.
func Decided(c dataset.Coding) string { return hook.Decided(c) }

// Look returns what a pass over the rows of a part has seen, to be merged with others.
func Look(s *dataset.Summary) *look.Look { return hook.LookOf(s).(*look.Look) }

// Summary returns what merged looks at parts of a data set have found, with labels taken as
// task says.
func Summary(l *look.Look, task dataset.Task) (*dataset.Summary, error) {
	s, err := hook.SummaryOf(l, string(task))
	if err != nil {
		return nil, err
	}
	return s.(*dataset.Summary), nil
}

// LookAtColumns returns what the columns of files hold, as a part of a data set, and the files.
func LookAtColumns(ctx context.Context, o dataset.Options, paths []string) (*look.Look, *dataset.Files, error) {
	l, f, err := hook.LookAtColumns(ctx, o, paths)
	if err != nil {
		return nil, nil, err
	}
	return l.(*look.Look), f.(*dataset.Files), nil
}

// LabelFile returns the file that goes with a file of images, as those of MNIST are named,
// "" if the name is not that of one.
func LabelFile(images string) string { return hook.LabelFile(images) }

// Format returns the format of the first file, as dataset.Options.Format has it.
func Format(f *dataset.Files) string { return hook.FormatOf(f) }

// Header returns the names of the columns of the first file, or nil if it has none.
func Header(f *dataset.Files) []string { return hook.HeaderOf(f) }

// Survey returns the columns that could be inputs, as Open found them, where the cells of some
// had to be counted to say what they are; else nil.
func Survey(f *dataset.Files) []look.Column { return hook.SurveyOf(f).([]look.Column) }

// Filled returns the files with the means of the inputs in place of missing values.
func Filled(f *dataset.Files, means *dataset.Summary) *dataset.Files {
	return hook.Filled(f, means).(*dataset.Files)
}

// Place returns where row i of a table was read, without its line.
func Place(t *dataset.Table, i int) dataset.Place { return hook.PlaceOf(t, i).(dataset.Place) }
