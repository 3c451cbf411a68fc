package dataset

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"slices"
	"sync"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
)

// Files is one data set in one or several files, read in order. It holds no
// rows; each pass reads the files again. It is immutable and safe to share.
type Files struct {
	paths   []string
	options Options
	storage storage
	first   *onePass // of a stream that cannot be read again, or nil
	columns []string // names of all columns of the first file, or nil
	inputs  []string // names, or nil
	target  string
	width   int
	noLabel bool
	notes   []string
	format  Format // of the first file
}

// onePass holds the reader that Open made, for the only pass.
type onePass struct {
	sync.Mutex
	reader reader // nil once it is taken
}

// Open looks at the start of each file and settles format and columns. All
// files must agree. LIBSVM files without a declared width are read through.
//
// A path may be that of a pipe, which has one pass: Rows, Scan, Table, or one
// pass over a Source; the next one gives a *OnePassError. Nobody but a context
// (OpenContext) ends the waiting for its rows; for a writer Open waits 5 seconds.
//
// Errors: *ReadError, *ParseError, *ColumnError, *LimitError, and
// *rff.ParameterError where options contradict each other.
func Open(o Options, paths ...string) (*Files, error) {
	return OpenContext(context.Background(), o, paths...)
}

// OpenContext is Open that ends with the context's error once ctx is done. The
// passes over the files have contexts of their own.
func OpenContext(ctx context.Context, o Options, paths ...string) (*Files, error) {
	return open(ctx, disk{}, o, paths)
}

// OpenFS is OpenContext for files of a file system, such as an archive or files
// that are part of the program. fsys is kept, and opened again for each pass.
func OpenFS(ctx context.Context, fsys fs.FS, o Options, paths ...string) (*Files, error) {
	return open(ctx, tree{fsys}, o, paths)
}

// OpenReader is Open for rows that come from r, such as standard input; name
// stands for it in messages. There is one pass: Rows, Scan, Table, or one pass
// over a Source; the next one gives a *OnePassError. LIBSVM rows need
// Options.Width. OpenReader reads r ahead of the rows; it does not close r.
func OpenReader(o Options, name string, r io.Reader) (*Files, error) {
	return OpenReaderContext(context.Background(), o, name, r)
}

// OpenReaderContext is OpenReader that ends with the context's error once ctx is
// done, though a Read of r may still be waiting.
func OpenReaderContext(ctx context.Context, o Options, name string, r io.Reader) (*Files, error) {
	return open(ctx, &stream{name: name, r: r}, o, []string{name})
}

func open(ctx context.Context, st storage, o Options, paths []string) (*Files, error) {
	if len(paths) == 0 {
		return nil, &rff.ParameterError{Name: "paths", Value: "empty", Need: "name at least one file"}
	}
	if err := o.check(len(paths)); err != nil {
		return nil, err
	}
	o, err := categories(ctx, st, o, paths)
	if err != nil {
		return nil, err
	}
	f := &Files{paths: slices.Clone(paths), options: o, storage: st}
	for i, p := range paths {
		r, once, err := openReader(ctx, st, p, &o)
		if err != nil {
			return nil, err
		}
		width, inputs, target := r.shape()
		sparse, isSparse := sparseOf(r)
		switch {
		case once && len(paths) > 1:
			err = &ParseError{File: p, Need: "is a stream that can be read only once: it goes alone, not with other files"}
		case isSparse && width == 0 && once:
			err = &ParseError{File: p, Need: "holds LIBSVM rows, and can be read only once: say how many inputs they have (Width)"}
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
		f.notes = append(f.notes, r.remarks()...)
		if i == 0 {
			f.columns, f.inputs, f.target, f.width = namesOf(r), slices.Clone(inputs), target, width
			f.format = r.source().format
			f.noLabel = o.NoLabel || r.unlabelled()
			continue
		}
		switch {
		case isSparse && o.Width == 0:
			f.width = max(f.width, width)
		case width != f.width:
			return nil, &ParseError{File: p, Need: fmt.Sprintf("has %d inputs where %s has %d", width, paths[0], f.width)}
		case r.unlabelled() != (f.noLabel && !o.NoLabel):
			return nil, &ParseError{File: p, Need: fmt.Sprintf("has a label or not, other than %s", paths[0])}
		case len(inputs) > 0 && len(f.inputs) > 0 && !slices.Equal(inputs, f.inputs):
			return nil, &ParseError{File: p, Need: fmt.Sprintf("has other columns than %s", paths[0])}
		}
	}
	if f.width == 0 {
		if f.first != nil {
			f.first.reader.Close()
		}
		return nil, &ParseError{File: paths[0], Need: "has no inputs"}
	}
	return f, nil
}

// Paths returns the files' names.
func (f *Files) Paths() []string { return f.paths }

// Format returns the format of the first file.
func (f *Files) Format() Format { return f.format }

// Width returns the number of inputs.
func (f *Files) Width() int { return f.width }

// Columns returns the names of all columns of the first file, in its order, ""
// for one without, or nil if the file names none. Their numbers, from 1, are those
// that Options take.
func (f *Files) Columns() []string { return f.columns }

// Inputs returns the names of the inputs, or nil.
func (f *Files) Inputs() []string { return f.inputs }

// Target returns the name of the label's column, or "".
func (f *Files) Target() string { return f.target }

// NoLabel reports whether rows have no label: Options say so, or they allow it
// and the files have none.
func (f *Files) NoLabel() bool { return f.noLabel }

// OnePass reports whether the rows can be read only once.
func (f *Files) OnePass() bool { return f.first != nil }

// Notes returns what the user should know of how the files are read, a sentence
// each: columns without names that are left out, and the like.
func (f *Files) Notes() []string { return f.notes }

// Place says where a row stands, for messages about it.
type Place struct {
	File string
	Row  int64 // in the file, from 1
	Line int64 // of a text file, from 1
}

// Row is one row of a file.
type Row struct {
	Index  int64 // over all files, from 0
	X      []float64
	Label  Label
	Weight float64 // 1 without Options.Weights
	Group  uint64  // key of the row's group, 0 without Options.Groups
	Place  Place
	// Missing says that an input was missing: it is NaN, or Options.Fill.
	Missing bool

	textBytes int64 // of sparse text read so far in this file, or 0
}

// Rows yields the inputs and label of each row, in order; x is valid until the
// next one. After an error it stops.
func (f *Files) Rows(ctx context.Context) iter.Seq2[Row, error] {
	return f.rows(ctx, f.options.Missing == MissingNaN, nil)
}

// rows yields the rows, with missing inputs as NaN if raw is set, and adds to drops,
// if it is not nil, how many were left out.
func (f *Files) rows(ctx context.Context, raw bool, drops *int64) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		x := make([]float64, f.width)
		var index int64
		for _, p := range f.paths {
			r, err := f.reader(ctx, p)
			if err != nil {
				yield(Row{}, err)
				return
			}
			more := f.rowsOfFile(ctx, p, r, x, &index, raw, yield)
			if _, n := gaps(r); drops != nil {
				*drops += n
			}
			r.Close()
			if !more {
				return
			}
		}
	}
}

// reader opens one file for a pass.
func (f *Files) reader(ctx context.Context, p string) (reader, error) {
	if f.first != nil {
		f.first.Lock()
		defer f.first.Unlock()
		r := f.first.reader
		if r == nil {
			return nil, &OnePassError{p}
		}
		f.first.reader = nil
		*r.source().ctx = ctx
		if both, ok := r.(*pair); ok {
			*both.labels.source().ctx = ctx
		}
		return r, nil
	}
	o := f.options
	if o.Width == 0 {
		o.Width = f.width // of LIBSVM files
	}
	r, _, err := openReader(ctx, f.storage, p, &o)
	if err != nil {
		return nil, err
	}
	if w, inputs, _ := r.shape(); w != f.width || len(inputs) > 0 && len(f.inputs) > 0 && !slices.Equal(inputs, f.inputs) {
		r.Close()
		return nil, &ParseError{File: p, Need: "has changed since it was opened"}
	}
	return r, nil
}

// namesOf returns the names of all columns of a file, or nil. A column that holds
// nothing, after a separator at the end of lines, is none.
func namesOf(r reader) []string {
	if both, ok := r.(*pair); ok {
		r = both.reader
	}
	if c, ok := r.(*columnReader); ok {
		return slices.Clone(c.names)
	}
	c, ok := r.(*csvReader)
	if !ok || c.names == nil {
		return nil
	}
	names := slices.Clone(c.names)
	if n := len(names); c.role[n-1] == roleEmpty {
		names = names[:n-1]
	}
	return names
}

// sparseOf returns the reader of sparse rows that r is or has.
func sparseOf(r reader) (*libsvmReader, bool) {
	if both, ok := r.(*pair); ok {
		r = both.reader
	}
	sparse, ok := r.(*libsvmReader)
	return sparse, ok
}

// leavesOut reports whether a row that gave err is left out.
func (f *Files) leavesOut(err error) bool {
	bad, ok := err.(*ParseError)
	return ok && f.options.BadRow != nil && bad.Row > 0 && f.options.BadRow(bad)
}

// rowsOfFile yields the rows of one file and reports whether to go on.
func (f *Files) rowsOfFile(ctx context.Context, p string, r reader, x []float64, index *int64, raw bool, yield func(Row, error) bool) bool {
	sparse, isSparse := sparseOf(r)
	for n := 0; ; n++ {
		if n%256 == 0 && ctx.Err() != nil {
			yield(Row{}, context.Cause(ctx))
			return false
		}
		label, err := r.next(x)
		if f.leavesOut(err) {
			n-- // no row, and no end of the file either
			continue
		}
		if err == io.EOF {
			if _, dropped := gaps(r); n == 0 && dropped > 0 && len(f.paths) > 1 {
				return true // another file may have rows
			}
			if n == 0 {
				yield(Row{}, &ParseError{File: p, Need: "the file has no rows"})
				return false
			}
			return true
		}
		row := Row{Index: *index, X: x, Label: label}
		if err == nil {
			row.Place = Place{File: p}
			row.Place.Row, row.Place.Line = r.position()
			row.Weight, row.Group = r.extra()
			if row.Missing, _ = gaps(r); row.Missing {
				if err = f.gapRule(p, r, raw); err == nil && !raw {
					fillRow(x, f.options.Fill)
				}
			}
			if isSparse {
				row.textBytes = sparse.size
			}
		}
		if !yield(row, err) || err != nil {
			return false
		}
		*index++
	}
}

// Source returns the stream of rows with targets as c codes them, or none with
// NoLabel set, and with weights and groups if Options name their columns. rows
// is the number of rows if it is known, else −1. The source has methods Classes,
// the labels or nil, and Rows.
func (f *Files) Source(c Coding, rows int64) rff.Source { return &source{f, c, rows} }

type source struct {
	files  *Files
	coding Coding
	rows   int64
}

func (s *source) Classes() []string { return s.coding.Classes }
func (s *source) Rows() int64       { return s.rows }

func (s *source) Dims() (in, targets int) {
	if s.files.noLabel {
		return s.files.width, 0
	}
	return s.files.width, s.coding.Targets()
}

func (s *source) Batches(ctx context.Context) iter.Seq2[rff.Batch, error] {
	return func(yield func(rff.Batch, error) bool) {
		in, targets := s.Dims()
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
			b := rff.Batch{First: first, X: x.RowRange(0, n), Y: y.RowRange(0, n)}
			if weight != nil {
				b.Weight = weight[:n]
			}
			if group != nil {
				b.Group = group[:n]
			}
			first += int64(n)
			n = 0
			return yield(b, nil)
		}
		for row, err := range s.files.Rows(ctx) {
			if err == nil && targets > 0 {
				v, e := s.coding.Value(row.Label)
				if e != nil {
					err = labelError(row, s.files.target, e)
				} else {
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
				group[n] = row.Group
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

func labelError(row Row, target string, err error) error {
	if target == "" {
		target = "label"
	}
	return &LabelError{File: row.Place.File, Row: row.Place.Row, Need: fmt.Sprintf("%s %q %v", target, shorten([]byte(row.Label.String())), err)}
}
