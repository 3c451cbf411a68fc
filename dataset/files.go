package dataset

import (
	"context"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
)

// Files is one data set in one or several files, read in order. It holds no
// rows; each pass reads the files again. It is immutable and safe to share.
type Files struct {
	paths   []string
	options Options
	inputs  []string // names, or nil
	target  string
	width   int
	once    *stream // in place of the files
}

// batchRows is the number of rows of a Batch: two row blocks of package blas.
const batchRows = 2 * blas.RowBlock

// Open looks at the start of each file and settles format and columns. All
// files must agree. LIBSVM files without a declared width are read through.
// Errors: *ReadError, *ParseError, *ColumnError.
func Open(o Options, paths ...string) (*Files, error) {
	if len(paths) == 0 {
		return nil, &rff.ParameterError{Name: "paths", Value: "empty", Need: "name at least one file"}
	}
	if o.LabelFile != "" && len(paths) > 1 {
		return nil, &rff.ParameterError{Name: "LabelFile", Value: o.LabelFile, Need: "goes with one file of inputs, not several"}
	}
	if o.Width < 0 || o.Width > maxWidth {
		return nil, &rff.ParameterError{Name: "Width", Value: o.Width, Need: fmt.Sprintf("must be 0 … %d", maxWidth)}
	}
	f := &Files{paths: paths, options: o}
	for i, p := range paths {
		r, err := openReader(p, &f.options)
		if err != nil {
			return nil, err
		}
		inputs, target := r.columns()
		width := r.width()
		_, isText := r.(*libsvmReader)
		r.Close()
		if isText && o.Width == 0 {
			w, err := libsvmWidth(p)
			if err != nil {
				return nil, err
			}
			f.width = max(f.width, w)
			continue
		}
		if i == 0 {
			f.inputs, f.target, f.width = slices.Clone(inputs), target, width
			continue
		}
		if width != f.width {
			return nil, &ParseError{File: p, Need: fmt.Sprintf("has %d inputs where %s has %d", width, paths[0], f.width)}
		}
		if len(inputs) > 0 && len(f.inputs) > 0 && !slices.Equal(inputs, f.inputs) {
			return nil, &ParseError{File: p, Need: fmt.Sprintf("has other columns than %s", paths[0])}
		}
	}
	if f.options.Width == 0 {
		f.options.Width = f.width
	}
	if f.width == 0 {
		return nil, &ParseError{File: paths[0], Need: "has no inputs"}
	}
	return f, nil
}

// Paths returns the files' names.
func (f *Files) Paths() []string { return f.paths }

// Width returns the number of inputs.
func (f *Files) Width() int { return f.width }

// Inputs returns the names of the inputs, or nil.
func (f *Files) Inputs() []string { return f.inputs }

// Target returns the name of the label's column, or "".
func (f *Files) Target() string { return f.target }

// NoLabel reports whether every column is an input.
func (f *Files) NoLabel() bool { return f.options.NoLabel }

// Place says where a row stands, for messages about it.
type Place struct {
	File string
	Row  int64 // in the file, from 1
	Line int64 // of a text file, from 1
}

// Rows yields the inputs and label of each row, in order; x is valid until the
// next one. After an error it stops.
func (f *Files) Rows(ctx context.Context) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		x := make([]float64, f.width)
		var index int64
		for _, p := range f.paths {
			if !f.file(ctx, p, x, &index, yield) {
				return
			}
		}
	}
}

// Row is one row of a file.
type Row struct {
	Index int64 // over all files, from 0
	X     []float64
	Label Label
	Place Place
}

// file yields the rows of one file and reports whether to go on.
func (f *Files) file(ctx context.Context, p string, x []float64, index *int64, yield func(Row, error) bool) bool {
	r, err := f.open(p)
	if err == nil && r.width() != f.width {
		r.Close()
		err = &ParseError{File: p, Need: "has changed since it was opened"}
	}
	if err != nil {
		yield(Row{}, err)
		return false
	}
	defer r.Close()
	for n := 0; ; n++ {
		if n%256 == 0 && ctx.Err() != nil {
			yield(Row{}, context.Cause(ctx))
			return false
		}
		label, err := r.next(x)
		if err == io.EOF {
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
		}
		if !yield(row, err) || err != nil {
			return false
		}
		*index++
	}
}

// Source returns the stream of rows with targets as c codes them, or none with
// NoLabel set. rows is the number of rows if it is known, else −1. The source
// has methods Classes, the labels or nil, and Rows.
func (f *Files) Source(c Coding, rows int64) rff.Source { return &source{f, c, rows} }

type source struct {
	files  *Files
	coding Coding
	rows   int64
}

func (s *source) Classes() []string { return s.coding.Classes }
func (s *source) Rows() int64       { return s.rows }

func (s *source) Dims() (in, targets int) {
	if s.files.options.NoLabel {
		return s.files.width, 0
	}
	return s.files.width, s.coding.Targets()
}

func (s *source) Batches(ctx context.Context) iter.Seq2[rff.Batch, error] {
	return func(yield func(rff.Batch, error) bool) {
		in, targets := s.Dims()
		x, y := blas.NewGeneral[float64](batchRows, in), blas.NewGeneral[float64](batchRows, targets)
		n, first := 0, int64(0)
		flush := func() bool {
			b := rff.Batch{First: first, X: x.RowRange(0, n), Y: y.RowRange(0, n)}
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
			if n++; n == batchRows && !flush() {
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
	return &LabelError{File: row.Place.File, Row: row.Place.Row, Need: fmt.Sprintf("%s %q %v", target, row.Label.String(), err)}
}
