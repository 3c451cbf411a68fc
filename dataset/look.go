package dataset

import (
	"context"

	"github.com/rffgo/rff/internal/look"
)

// Looks at parts of a data set, for programs beside the library.

// lookAtColumns returns what the columns of files hold, and the files. The files are a part of a
// data set.
func lookAtColumns(ctx context.Context, o Options, paths []string) (*look.Look, *Files, error) {
	var found []look.Column
	o.columns, o.ours.Apart = &found, true
	f, err := Open(ctx, o, paths...)
	if err != nil {
		return nil, nil, err
	}
	s := f.schema
	s.Unseen = o.Unseen
	if found == nil { // a format of numbers
		for i, c := range s.Inputs {
			found = append(found, look.Column{Name: c.Name, Number: i + 1, Numbers: true})
		}
	}
	return &look.Look{Schema: s, Columns: found, Labels: look.NewLabels(), Sample: look.Sample{Most: 1}}, f, nil
}

// summaryOf returns the Summary of a data set, of which l merges the looks at all parts. task
// is that of Options.
func summaryOf(l *look.Look, task Task) (*Summary, error) {
	in, _ := l.Schema.Dims()
	f := &Files{options: Options{Task: task, Missing: l.Schema.Missing}, schema: l.Schema,
		layout: layout{paths: []string{"the parts"}, inputs: l.Schema.InputNames(), target: l.Schema.Target.Name, width: in, noLabel: l.Labels.Rows == 0}}
	return f.summary(l, tallyOf(l.Labels))
}
