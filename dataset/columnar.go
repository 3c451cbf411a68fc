package dataset

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"github.com/rffgo/rff/internal/cells"
	"github.com/rffgo/rff/internal/columnar"
	"github.com/rffgo/rff/internal/look"
	"github.com/rffgo/rff/internal/numeral"
)

// columnReader reads the rows of a file that stores columns, such as Parquet, or of an array.
type columnReader struct {
	*input
	columns
	file  columnar.File
	of    []columnar.Column
	used  []int // the columns that are read, in ascending order
	batch *columnar.Batch
	at    int   // rows of batch that were read
	plain []int // of used: inputs whose values in batch are all present and finite
	rest  []int // of used: columns that must be looked at row by row
	tile  []float64
	label look.Label // of the last row
	texts []byte     // of the last row
	spot
}

// newColumnar opens a file of that format.
func newColumnar(in *input, format string, o *Options) (*columnReader, error) {
	known, ok := columnar.Named(format)
	if !ok {
		reader := "parquet"
		if format == formatAvro {
			reader = "avro"
		}
		return nil, &ParseError{Place: Place{File: in.name}, Need: fmt.Sprintf("is a file of format %s: import github.com/rffgo/rff/dataset/%s to read it", format, reader)}
	}
	if o.oneColumn {
		return nil, &ParseError{Place: Place{File: in.name}, Need: fmt.Sprintf("is a file of format %s: labels in a file of their own are text, IDX or NPY", format)}
	}
	at, size, err := in.random()
	if err != nil {
		return nil, err
	}
	file, err := known.Open(at, size)
	if err != nil {
		return nil, readError(in.name, 0, err)
	}
	r := &columnReader{input: in, file: file, of: file.Columns()}
	if part, ok := in.raw.(columnar.Part); ok {
		if err := r.only(part.Part()); err != nil {
			file.Close()
			return nil, err
		}
	}
	names := make([]string, len(r.of))
	r.index = make([]bool, len(r.of))
	for i, c := range r.of {
		names[i], r.index[i] = c.Name, c.Index
	}
	if limit := o.columnLimit(); len(names) > limit {
		err = tooManyColumns(in.name, 0, int64(len(names)), limit)
	} else if len(names) == 0 {
		err = &ParseError{Place: Place{File: in.name}, Need: "has no columns"}
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return r.assigned(names, o)
}

// assigned gives the columns of r, which may have no names, their roles, and returns r.
func (r *columnReader) assigned(names []string, o *Options) (*columnReader, error) {
	if err := r.assign(r.input.name, names, len(r.of), false, o); err != nil {
		r.file.Close()
		return nil, err
	}
	for i, role := range r.role {
		if role != roleSkip {
			r.used = append(r.used, i)
		}
	}
	return r, nil
}

// only makes r read some groups of rows. Their rows keep the numbers that they have in the
// file.
func (r *columnReader) only(from, to int) error {
	g, ok := r.file.(columnar.Grouped)
	if !ok || from < 0 || to < from || to > len(g.Groups()) {
		return &ParseError{Place: Place{File: r.name}, Need: fmt.Sprintf("has no row groups %d to %d: has it changed since they were counted?", from+1, to)}
	}
	for _, n := range g.Groups()[:from] {
		r.row += n
	}
	g.Only(from, to)
	return nil
}

// random returns the file for reading at any place, and its size. It returns an error if the
// file cannot be read so.
func (in *input) random() (io.ReaderAt, int64, error) {
	at, ok := in.raw.(io.ReaderAt)
	sized, known := in.raw.(interface{ Stat() (os.FileInfo, error) })
	if !ok || !known || in.unpacked {
		return nil, 0, &ParseError{Place: Place{File: in.name}, Need: "stores columns, and its end says where: such files are read from disk, neither from a stream nor compressed again"}
	}
	st, err := sized.Stat()
	if err != nil {
		return nil, 0, readError(in.name, 0, err)
	}
	return at, st.Size(), nil
}

func (r *columnReader) remarks() []string { return slices.Concat(r.notes, r.matched) }

func (r *columnReader) Close() error {
	r.file.Close()
	return r.close()
}

func (r *columnReader) fail(col int, v, need string) error {
	return &ParseError{Place: Place{File: r.name, Row: r.row}, Column: col + 1, Name: r.of[col].Name, Value: shorten([]byte(v)), Need: need}
}

// hasRows reports whether the file has rows. It opens the file once more, since rows can be asked
// for once. What is wrong with the file is said where it is read.
func (r *columnReader) hasRows() bool {
	at, size, err := r.random()
	if err != nil {
		return true
	}
	format, _ := columnar.Named(r.format)
	file, err := format.Open(at, size)
	if err != nil {
		return true
	}
	defer file.Close()
	file.Rows(*r.ctx, nil)
	_, err = file.Next()
	return err != io.EOF
}

// begin starts to read, or returns an error if one of the columns to read cannot be read. The types
// of a file without rows say nothing: its error is io.EOF.
func (r *columnReader) begin() error {
	if err := r.unreadable(); err != nil {
		if !r.hasRows() {
			return io.EOF
		}
		return err
	}
	for _, i := range r.used {
		if exact, ok := r.file.(columnar.Exact); ok && r.role[i] < 0 && r.role[i] != roleWeight {
			exact.Exact(i)
		}
	}
	r.file.Rows(*r.ctx, r.used)
	return nil
}

// unreadable returns an error if the type of a column does not fit what the column is read for.
func (r *columnReader) unreadable() error {
	for _, i := range r.used {
		switch c := r.of[i]; {
		case c.Kind == columnar.Refused:
			return r.fail(i, "", c.Need)
		case c.Kind == columnar.Time && r.role[i] >= 0:
			return r.fail(i, "", "is a date or time, and the column has numbers")
		case c.Kind == columnar.Time && r.role[i] == roleWeight:
			return r.fail(i, "", "is a date or time, and weights are numbers: name another column")
		}
	}
	return nil
}

func (r *columnReader) next(x []float64) (look.Label, error) {
	for {
		for r.batch == nil || r.at == r.batch.Rows {
			if r.batch == nil {
				if err := r.begin(); err != nil {
					return look.Label{}, err
				}
			}
			if err := (*r.ctx).Err(); err != nil {
				return look.Label{}, context.Cause(*r.ctx)
			}
			b, err := r.file.Next()
			switch {
			case err == io.EOF:
				return look.Label{}, io.EOF
			case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
				return look.Label{}, context.Cause(*r.ctx)
			case errors.As(err, new(*ParseError)):
				return look.Label{}, err
			case err != nil:
				return look.Label{}, readError(r.name, r.row, err)
			}
			r.batch, r.at = b, 0
			r.divide()
		}
		r.row++
		if len(r.plain) > 0 {
			if r.at%tileRows == 0 {
				r.transpose()
			}
			copy(x, r.tile[r.at%tileRows*r.width:][:r.width])
		}
		label, err := r.read(x, r.at)
		r.at++
		if err != nil || !r.drop(&r.spot) {
			return label, err
		}
	}
}

// tileRows is the number of rows of a batch that are put together at a time. They are few
// enough to stay in cache.
const tileRows = 128

// divide finds the inputs of the batch whose values need not be looked at one by one.
func (r *columnReader) divide() {
	r.plain, r.rest = r.plain[:0], r.rest[:0]
	for k, col := range r.used {
		v := &r.batch.Columns[k]
		if r.role[col] >= 0 && v.Text == nil && v.Null == nil && (v.Finite || columnar.AllFinite(v.Numbers)) {
			r.plain = append(r.plain, k)
		} else {
			r.rest = append(r.rest, k)
		}
	}
	if r.tile == nil {
		r.tile = make([]float64, tileRows*r.width)
	}
}

// transpose writes the plain inputs of the next rows of the batch to the tile.
func (r *columnReader) transpose() {
	n := min(tileRows, r.batch.Rows-r.at)
	for _, k := range r.plain {
		to := r.tile[r.role[r.used[k]]:]
		for i, v := range r.batch.Columns[k].Numbers[r.at : r.at+n] {
			to[i*r.width] = v
		}
	}
}

// read reads row i of the batch, except for the plain inputs.
func (r *columnReader) read(x []float64, i int) (look.Label, error) {
	r.label, r.weight, r.group, r.missed = look.Label{}, 1, 0, false
	r.texts = r.texts[:0]
	for _, k := range r.rest {
		col := r.used[k]
		v, role, of := &r.batch.Columns[k], r.role[col], &r.of[col]
		if null := v.Null != nil && v.Null[i]; null || v.Text == nil && math.IsNaN(v.Numbers[i]) {
			if err := r.null(x, col, null); err != nil {
				return look.Label{}, err
			}
			continue
		}
		found, need := "", ""
		switch word := role == roleLabel || role == roleGroup; {
		case v.Text != nil:
			found, need = v.Text[i], r.text(x, v.Text[i], col)
		case !finite(v.Numbers[i]):
			found, need = fmt.Sprint(v.Numbers[i]), notFinite
		case role >= 0:
			x[role] = v.Numbers[i]
		case role == roleCell:
			found, need = r.numberNeeds(x, v.Numbers[i], col)
		case word && of.Kind == columnar.Time:
			r.text(x, cells.StampAt(v.Numbers[i], of.PerDay, of.Zone, of.Clock).Word(), col)
		case word && of.Bool:
			r.text(x, cells.WordOf(v.Numbers[i] != 0), col)
		case role == roleLabel:
			r.label = look.Label{Value: v.Numbers[i], Number: true}
		default: // a weight or a group
			found = numeral.Format(v.Numbers[i])
			need = r.text(x, found, col)
		}
		if need != "" {
			return look.Label{}, r.fail(col, found, need)
		}
	}
	return r.label, nil
}

// text is put for a text.
func (r *columnReader) text(x []float64, text string, col int) (need string) {
	from := len(r.texts)
	r.texts = append(r.texts, text...)
	return r.put(&r.spot, &r.label, col, bytes.TrimSpace(r.texts[from:]), x)
}

// numberNeeds writes the inputs of a number or a time, or says what is wrong with it, which is
// called found.
func (r *columnReader) numberNeeds(x []float64, v float64, col int) (found, need string) {
	c, of := &r.cells[col], &r.of[col]
	if of.Kind == columnar.Time {
		s := cells.StampAt(v, of.PerDay, of.Zone, of.Clock)
		if need = c.kind.Stamp(x[c.at:], s); need != "" {
			found = s.String()
		}
	} else if of.Bool {
		found, need = cells.WordOf(v != 0), c.kind.Bool(x[c.at:], v != 0)
	} else if need = c.kind.Number(x[c.at:], v); need != "" {
		found = numeral.Format(v)
	}
	return found, need
}

// null applies the rule for missing values to a null or a NaN.
func (r *columnReader) null(x []float64, col int, null bool) error {
	role := r.role[col]
	if role == roleLabel && r.bare {
		r.label = bareLabel
		return nil
	} else if r.lacks(&r.spot, role) {
		r.miss(x, col)
		return nil
	}
	what := "the value"
	switch role {
	case roleLabel:
		what = "the label"
	case roleWeight:
		what = "the weight"
	case roleGroup:
		what = "the group"
	}
	how := "null"
	if !null {
		how = "NaN"
	}
	remedy := "remove the row or fill it in"
	switch {
	case role >= 0 || role == roleCell:
		remedy = cells.Missing
	case role == roleLabel:
		remedy = noLabel
	}
	return r.fail(col, "", what+" is missing ("+how+"): "+remedy)
}
