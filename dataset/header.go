package dataset

import (
	"bytes"
	"io"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/rffgo/rff/internal/numeral"
)

// header settles the columns from the first line and, if that names them, the
// next one: R's write.table leaves out the name of the row names, pandas and
// R's write.csv leave it empty, others end each line in a separator.
func (r *csvReader) header(first []byte, o *Options) error {
	// One more than the columns allowed: what ends in a separator has an empty one.
	names, err := r.split(first, o.columnLimit()+1)
	if err != nil {
		return err
	}
	isNumber := func(f string) bool { _, ok := numeral.Parse([]byte(f)); return ok }
	isEmpty := func(f string) bool { return f == "" }
	told := o.Header || o.NoHeader
	hasHeader := o.Header
	if !told {
		hasHeader = !slices.ContainsFunc(names, isNumber) && slices.ContainsFunc(names, func(f string) bool { return f != "" }) ||
			names[0] == "" && counted(names[1:])
	}
	n := len(names)
	if !told && n > 2 && counted(names) {
		r.note("the first line, 0 to %d, is taken as a row; if it names the columns, as pandas does, say that there is a header", n-1)
	}
	if !hasHeader {
		r.pending = bytes.Clone(first)
		empty := n > 1 && names[n-1] == ""
		return r.settle(nil, n, empty, o)
	}
	row, err := r.nextRecord()
	if err != nil && err != io.EOF {
		return err
	}
	lastEmpty := true
	if err == nil {
		r.pending = bytes.Clone(row)
		fields, err := r.count(row)
		if err != nil {
			return r.atFirstRow(err)
		}
		lastEmpty = fields > 1 && (row[len(row)-1] == r.comma || bytes.HasSuffix(row, []byte{r.comma, '"', '"'}))
		if fields == n+1 {
			n++
			if lastEmpty {
				names = append(names, "")
			} else {
				names = append([]string{""}, names...)
			}
		}
	}
	if invalid := slices.IndexFunc(names, func(s string) bool { return !utf8.ValidString(s) }); invalid >= 0 {
		for i, s := range names {
			names[i] = string(utf8Text([]byte(s)))
		}
		r.note("the names of the columns are not UTF-8, and are taken as Latin-1: column %d is %q", invalid+1, names[invalid])
	}
	empty := n > 1 && names[n-1] == "" && lastEmpty
	if err := r.settle(names, n, empty, o); err != nil {
		return err
	}
	if i := slices.IndexFunc(names, isEmpty); i >= 0 && r.role[i] == roleSkip && len(o.Inputs) == 0 {
		r.note("column %d has no name, as the row names of pandas and R: it is left out", i+1)
		if slices.ContainsFunc(names[i+1:], isEmpty) && !empty {
			r.notes[len(r.notes)-1] += ", as are further columns without names"
		}
	}
	return nil
}

// counted reports whether names are 0, 1, 2 and so on: those of pandas for an array.
func counted(names []string) bool {
	for i, s := range names {
		if s != strconv.Itoa(i) {
			return false
		}
	}
	return len(names) > 0
}

// atFirstRow completes an error about the line after the header.
func (r *csvReader) atFirstRow(err error) error {
	if p, ok := err.(*ParseError); ok {
		p.Row = 1
	}
	return err
}

// settle bounds and assigns the columns.
func (r *csvReader) settle(names []string, n int, empty bool, o *Options) error {
	columns := n
	if empty {
		columns--
	}
	if limit := o.columnLimit(); columns > limit {
		return tooManyColumns(r.name, r.line, int64(columns), limit)
	}
	return r.assign(r.name, names, n, empty, o)
}
