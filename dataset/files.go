package dataset

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"sync"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/classes"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/look"
	"github.com/rffgo/rff/internal/message"
	"github.com/rffgo/rff/internal/optional"
)

// Files is one data set in one or several files, read in order. It holds no
// rows; each pass reads the files again. It is immutable and safe to share.
type Files struct {
	options Options
	storage storage
	first   *onePass // of a stream that cannot be read again, or nil
	layout  layout
	schema  rff.Schema // without the classes, the number of rows and what else takes a pass
}

// layout is what Open found out about files.
type layout struct {
	paths   []string // their names, as given
	format  string   // of the first file
	inputs  []string // names of the inputs, or nil
	target  string   // name of the label's column, or ""
	width   int      // number of inputs
	noLabel bool     // rows have no label
	notes   []string
	survey  []look.Column // the columns whose cells were counted
}

// differs says in what columns of another file are not those of the first, or returns "".
func (l *layout) differs(width int, inputs []string, target string) string {
	switch {
	case width != l.width:
		return fmt.Sprintf("has %s where %s has %d", message.Count(width, "input"), l.paths[0], l.width)
	case len(inputs) > 0 && len(l.inputs) > 0 && !slices.Equal(inputs, l.inputs):
		return fmt.Sprintf("has other columns than %s, or in another order: name those to use (Inputs)", l.paths[0])
	case target != "" && l.target != "" && target != l.target:
		return fmt.Sprintf("has the label %q where %s has %q: say which column is the label (Label), in files that all have it", target, l.paths[0], l.target)
	}
	return ""
}

// onePass holds the reader that Open made, for the only pass.
type onePass struct {
	sync.Mutex
	reader reader // nil once it is taken
}

// Open looks at the start of each file and settles format and columns. All files must agree.
// LIBSVM files without a declared width are read through, and so are columns of words and
// times (Options.Categories). Open returns the context's error once ctx is done; the passes
// over the files have contexts of their own.
//
// A path may be that of a pipe. A pipe has one pass: Rows, Scan, Table, or one pass over a
// Source. The next pass gives a *ReadError. Open waits for the writer of a pipe until ctx is
// done, or 5 seconds if ctx is never done.
//
// The error is a *ReadError, a *ParseError or, if options contradict each other, a
// *rff.ParameterError.
func Open(ctx context.Context, o Options, paths ...string) (*Files, error) {
	return open(ctx, o.storage(), o, paths)
}

// OpenReader is Open for rows that come from r, such as standard input. Messages call r by
// name. There is one pass: Rows, Scan, Table, or one pass over a Source. The next pass gives
// a *ReadError. LIBSVM rows need Options.Width. OpenReader reads r ahead of the rows and does
// not close it. OpenReader ends once ctx is done, though a Read of r may still be waiting.
func OpenReader(ctx context.Context, o Options, name string, r io.Reader) (*Files, error) {
	return open(ctx, &stream{storage: o.storage(), name: name, r: r}, o, []string{name})
}

func open(ctx context.Context, st storage, o Options, paths []string) (*Files, error) {
	if err := o.check(len(paths)); err != nil {
		return nil, err
	}
	o, err := o.underSchema()
	if err != nil {
		return nil, err
	}
	paths, notes, err := withData(ctx, st, paths)
	if err != nil {
		return nil, err
	}
	f := &Files{storage: st, layout: layout{paths: paths, notes: notes}}
	l := &f.layout
	for i, p := range paths {
		r, once, err := openReader(ctx, st, p, &o)
		if err == nil && o.ours.Like == nil {
			o.ours.Like = headerOf(r)
		}
		if err == nil && i == 0 && !once {
			r, err = f.surveyed(ctx, &o, r)
		}
		if err != nil {
			return nil, err
		}
		width, inputs, target := r.shape()
		sparse, isSparse := sparseOf(r)
		switch {
		case once && len(o.Categories) > 0:
			err = &rff.ParameterError{Name: "Categories", Value: o.Categories[0], Need: "needs its levels: the rows can be read only once"}
		case once && len(o.IDs) > 0:
			err = &rff.ParameterError{Name: "IDs", Value: o.IDs[0], Need: "is of no use: of rows that can be read only once no column is left out"}
		case isSparse && width == 0 && once:
			err = &ParseError{Place: Place{File: p}, Need: "holds LIBSVM rows, and can be read only once: say how many inputs they have (Width)"}
		case isSparse && width == 0:
			width, err = sparse.findWidth()
		}
		if once && err == nil {
			f.first = &onePass{reader: r}
		} else {
			r.Close()
		}
		if err != nil {
			return nil, err
		}
		if i == 0 {
			l.notes = append(l.notes, r.remarks()...)
			l.inputs, l.target, l.width = slices.Clone(inputs), target, width
			l.format, l.noLabel = r.source().format, o.Task == Unlabelled
			f.schema = rff.Schema{Inputs: describedBy(r), Missing: o.Missing, NA: o.NA, Target: rff.Target{Name: target}}
			if o.Schema != nil {
				f.schema.Missing = o.Schema.Missing
			}
			if slices.ContainsFunc(f.schema.Inputs, func(c rff.Column) bool { return c.Words != nil }) {
				f.schema.Unseen = o.Unseen
			}
			continue
		}
		l.notes = append(l.notes, r.source().notes...)
		if isSparse && o.Width == 0 {
			l.width = max(l.width, width)
		} else if need := l.differs(r.shape()); need != "" {
			return nil, &ParseError{Place: Place{File: p}, Need: need}
		}
	}
	if l.width == 0 {
		if f.first != nil {
			f.first.reader.Close()
		}
		return nil, &ParseError{Place: Place{File: paths[0]}, Need: "has no inputs"}
	}
	if f.schema.Inputs == nil {
		f.schema.Inputs = make([]rff.Column, l.width)
	}
	l.notes = append(l.notes, needlessOrder(&o, f.schema.Inputs, paths[0])...)
	f.options, f.schema = o, inside.Observed(f.schema, o.fill, nil, nil)
	return f, nil
}

// withData returns the paths of those of several files that are not empty, as parts are that a
// cluster writes, and a note on each of the others.
func withData(ctx context.Context, st storage, paths []string) (kept, notes []string, err error) {
	switch len(paths) {
	case 0:
		return nil, nil, &rff.ParameterError{Name: "paths", Value: "empty", Need: "name at least one file"}
	case 1:
		return slices.Clone(paths), nil, nil
	}
	for _, p := range paths {
		in, once, err := openInput(ctx, st, p)
		if err == nil {
			in.close()
			kept = append(kept, p)
		}
		bad, ok := err.(*ParseError)
		switch {
		case once:
			return nil, nil, &ParseError{Place: Place{File: p}, Need: "is a stream that can be read only once: it goes alone, not with other files"}
		case ok && bad.Need == emptyFile:
			notes = append(notes, p+": "+emptyFile)
		case err != nil:
			return nil, nil, err
		}
	}
	if kept == nil {
		return nil, nil, &ParseError{Place: Place{File: paths[0]}, Need: emptyFile}
	}
	return kept, notes, nil
}

// needlessOrder returns a note if DateOrder is of no use for these columns of a file.
func needlessOrder(o *Options, columns []rff.Column, file string) []string {
	if o.DateOrder == "" || slices.ContainsFunc(columns, func(c rff.Column) bool { return c.Time != nil && c.Time.Order != "" }) {
		return nil
	}
	return []string{file + ": no column has dates whose order of day and month is open: an order for them (DateOrder) is of no use"}
}

// surveyed returns the reader of the first file: r, or a new one if a survey changes the
// options o.
func (f *Files) surveyed(ctx context.Context, o *Options, r reader) (reader, error) {
	found, columns, notes, changed, err := survey(ctx, f.storage, *o, f.layout.paths, r)
	f.layout.survey, f.layout.notes = columns, append(f.layout.notes, notes...)
	if err == nil && !changed {
		return r, nil
	}
	r.Close()
	if err == nil {
		*o = found
		r, _, err = openReader(ctx, f.storage, f.layout.paths[0], o)
	}
	return r, err
}

// Schema returns what Open found out about the inputs and the target's name. It has neither
// the classes nor the number of rows, which take a pass; the Schema of Source has them.
func (f *Files) Schema() rff.Schema { return f.schema }

// Notes returns what the user should know about how the files are read, a sentence each. For
// example, a note says which columns are left out, or are taken as words or times.
func (f *Files) Notes() []string { return slices.Clone(f.layout.notes) }

// Rows yields the rows in order, also those of weight 0. Row.X and the text of its label are valid until
// the next row. After an error it stops.
func (f *Files) Rows(ctx context.Context) iter.Seq2[Row, error] {
	return f.rows(ctx, f.options.Missing == rff.MissingNaN, nil)
}

// rows yields the rows, with missing inputs as NaN if raw is set. If drops is not nil, it
// adds to it the number of rows that were left out.
func (f *Files) rows(ctx context.Context, raw bool, drops *int64) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		x := make([]float64, f.layout.width)
		for _, p := range f.layout.paths {
			r, err := f.reader(ctx, p)
			if err != nil {
				yield(Row{}, err)
				return
			}
			more := func() bool {
				defer r.Close()
				return f.rowsOfFile(ctx, p, r, x, raw, yield)
			}()
			if drops != nil {
				*drops += r.last().drops
			}
			if !more {
				return
			}
		}
	}
}

// counted yields the rows that are learned from: all but those of weight 0, which are no rows.
func (f *Files) counted(ctx context.Context, raw bool, drops *int64) iter.Seq2[Row, error] {
	rows := f.rows(ctx, raw, drops)
	if f.options.Weights == "" {
		return rows
	}
	return func(yield func(Row, error) bool) {
		for row, err := range rows {
			if (err != nil || row.Weight != 0) && !yield(row, err) {
				return
			}
		}
	}
}

// noRows is the error of data of which nothing is left to learn from.
func (f *Files) noRows(drops int64) error {
	need := fmt.Sprintf("all of the %d rows lack a value, and were left out", drops)
	switch {
	case f.options.Weights != "" && drops > 0:
		need = fmt.Sprintf("no rows of positive weight are left; %d lack a value", drops)
	case f.options.Weights != "":
		need = "there are no rows of positive weight"
	case drops == 0: // of several files
		need = "neither this file nor the others have rows"
	}
	return &ParseError{Place: Place{File: f.layout.paths[0]}, Need: need}
}

// reader opens one file for a pass.
func (f *Files) reader(ctx context.Context, p string) (reader, error) {
	if f.first != nil {
		f.first.Lock()
		defer f.first.Unlock()
		r := f.first.reader
		if r == nil {
			return nil, &ReadError{Place: Place{File: p}, err: errOnePass}
		}
		f.first.reader = nil
		*r.source().ctx = ctx
		if both, ok := r.(*pair); ok {
			*both.labels.source().ctx = ctx
		}
		return r, nil
	}
	o := f.options
	o.Width = cmp.Or(o.Width, f.layout.width) // of LIBSVM files
	r, _, err := openReader(ctx, f.storage, p, &o)
	if err != nil {
		return nil, err
	}
	if f.layout.differs(r.shape()) != "" {
		r.Close()
		return nil, &ParseError{Place: Place{File: p}, Need: "has changed since it was opened"}
	}
	return r, nil
}

// sparseOf returns the reader of sparse rows that r is or has.
func sparseOf(r reader) (*libsvmReader, bool) {
	sparse, ok := inputsOf(r).(*libsvmReader)
	return sparse, ok
}

// describedBy returns the columns of the inputs, or nil if the file does not describe them.
func describedBy(r reader) []rff.Column {
	if c, ok := inputsOf(r).(interface{ inputColumns() []rff.Column }); ok {
		return c.inputColumns()
	}
	return nil
}

// headerOf returns the names of all columns, or nil if the file does not name them.
func headerOf(r reader) []string {
	if c, ok := inputsOf(r).(interface{ titles() []string }); ok {
		return c.titles()
	}
	return nil
}

// leavesOut reports whether a row that gave err is left out.
func (f *Files) leavesOut(err error) bool {
	bad, ok := err.(*ParseError)
	return ok && f.options.BadRow != nil && bad.Row > 0 && f.options.BadRow(bad)
}

// rowsOfFile yields the rows of one file and reports whether to go on.
func (f *Files) rowsOfFile(ctx context.Context, p string, r reader, x []float64, raw bool, yield func(Row, error) bool) bool {
	sparse, isSparse := sparseOf(r)
	inputs, buffer := inPlace(r), x
	for n := 0; ; n++ {
		if n%256 == 0 && ctx.Err() != nil {
			yield(Row{}, context.Cause(ctx))
			return false
		}
		label, err := r.next(buffer)
		x := inputs(buffer)
		if f.leavesOut(err) {
			n-- // this is no row, and not the end of the file either
			continue
		}
		if err == io.EOF {
			dropped := r.last().drops
			need := "the file has no rows"
			if dropped > 0 {
				need = fmt.Sprintf("all its %d rows lack a value, and are left out: name fewer inputs (Inputs), or another rule (Missing)", dropped)
			}
			if n > 0 || len(f.layout.paths) > 1 { // another file may have rows
				return true
			}
			yield(Row{}, &ParseError{Place: Place{File: p}, Need: need})
			return false
		}
		row := Row{X: x, label: label, target: f.layout.target}
		if err == nil {
			at := r.last()
			row.Place, row.Weight, row.group, row.Missing = Place{p, at.row, at.line}, at.weight, at.group, at.missed
			if row.Missing {
				if err = f.gapRule(p, r, raw); err == nil && !raw {
					fillRow(x, f.options.fill)
				}
			}
			if isSparse {
				row.textBytes = sparse.size
			}
		}
		if err != nil && f.first == nil {
			err = damage(ctx, f.storage, p, err)
		}
		if !yield(row, err) || err != nil {
			return false
		}
	}
}

// Source returns the stream of rows. They have the targets that c makes of their labels, or
// none with the Task Unlabelled, and weights and groups if Options name the columns. Rows of
// weight 0 are left out. rows is the number of the others, or 0 if it is not known.
func (f *Files) Source(c Coding, rows int64) rff.Source { return f.source(f.schema, c, rows) }

func (f *Files) source(s rff.Schema, c Coding, rows int64) *source {
	return &source{f, c, learning(s, c, f.layout.noLabel, rows)}
}

type source struct {
	files  *Files
	coding Coding
	schema rff.Schema
}

func (s *source) Schema() rff.Schema { return s.schema }

// learning returns s with that number of rows and the target that c codes, or no target.
func learning(s rff.Schema, c Coding, noLabel bool, rows int64) rff.Schema {
	s.Rows = rows
	if noLabel {
		s.Target = rff.Target{}
		return s
	}
	s.Target.Columns, s.Target.Classes = classes.Columns(len(c.Classes)), c.Classes
	return s
}

func (s *source) Batches(ctx context.Context) iter.Seq2[rff.Batch, error] {
	return func(yield func(rff.Batch, error) bool) {
		in, targets := s.Schema().Dims()
		rows := rowsOf(in+targets, batchValues, batchRows)
		x, y := blas.NewGeneral[float64](rows, in), blas.NewGeneral[float64](rows, targets)
		var weight []float64
		var group []uint64
		if s.files.options.Weights != "" {
			weight = make([]float64, rows)
		}
		if s.files.options.Groups != "" {
			group = make([]uint64, rows)
		}
		n, first := 0, int64(0)
		flush := func() bool {
			b := rff.Batch{First: first, X: x.RowRange(0, n), Y: y.RowRange(0, n), Weight: optional.Range(weight, 0, n), Group: optional.Range(group, 0, n)}
			first += int64(n)
			n = 0
			return yield(b, nil)
		}
		for row, err := range s.files.counted(ctx, s.files.options.Missing == rff.MissingNaN, nil) {
			if err == nil && targets > 0 {
				var v float64
				if v, err = s.coding.Value(row); err == nil {
					s.coding.encode(y.Row(n), v)
				}
			}
			if err != nil {
				yield(rff.Batch{}, err)
				return
			}
			copy(x.Row(n), row.X)
			if weight != nil {
				weight[n] = row.Weight
			}
			if group != nil {
				group[n] = row.group
			}
			if n++; n == rows && !flush() {
				return
			}
		}
		if n > 0 {
			flush()
		}
	}
}

// gapRule returns an error if a row lacks values and nothing is known to fill them in.
func (f *Files) gapRule(p string, r reader, raw bool) error {
	if raw || f.options.Missing != rff.MissingMean || f.options.fill != nil {
		return nil
	}
	return &ParseError{Place: Place{p, r.last().row, r.last().line}, Need: "lacks a value, and the means are not known yet: Scan finds them, Summary.Source puts them in"}
}
