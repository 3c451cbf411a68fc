package dataset

import (
	"bytes"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rffgo/rff/internal/cells"
	"github.com/rffgo/rff/internal/message"
	"github.com/rffgo/rff/internal/numeral"
)

// header settles the columns from the first line and, if that line names them, from the next
// one too. R's write.table writes no field for the name of the row names, pandas and R's
// write.csv write an empty one, and other programs end each line in a separator.
func (r *csvReader) header(first []byte, o *Options) error {
	first = bytes.Clone(first) // reading ahead may overwrite it
	line := r.line
	names, err := r.split(first, o.columnLimit())
	if err != nil {
		return err
	}
	second := r.peeked(o)
	told, hasHeader := o.Header != "", o.Header == "yes"
	if !told {
		hasHeader = !hasValue(names, second) && slices.ContainsFunc(names, func(f string) bool { return f != "" }) ||
			names[0] == "" && counted(names[1:])
	}
	n := len(names)
	why := ""
	switch {
	case told || hasHeader || names == nil:
	case namesAbove(names, second):
		why = "though some of them are numbers: below its words stand numbers"
	case names[0] == "" && len(second) == n && second[0] != "" && rising(names[1:]):
		why = "though they are numbers: they rise, and the first of them is empty"
	}
	if why != "" {
		hasHeader = true
		r.note("the first line is taken for the names of the columns, %s", why)
	}
	switch {
	case told || hasHeader || n < 3:
	case !counted(names) && wholes(names) && len(second) == n && slices.ContainsFunc(second, func(f string) bool { return isNumber(f) && !isDigits([]byte(f)) }):
		r.note("the first line, %s, is taken as a row; if it names the columns, say that there is a header", message.Names(names))
	case counted(names):
		r.note("the first line, 0 to %d, is taken as a row; if it names the columns, as pandas does, say that there is a header", n-1)
	}
	if !hasHeader {
		r.pending = first
		empty := n > 1 && names[n-1] == ""
		return r.settle(nil, n, empty, line, o)
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
	return r.settle(names, n, empty, line, o)
}

// isNumber reports whether a field is a number or a boolean.
func isNumber(f string) bool {
	_, ok := cells.Number{Bools: true}.Parse([]byte(f))
	return ok
}

// hasValue reports whether one of the fields of a first line is a number or a boolean, and so no
// name. Above words true, inf and nan are names.
func hasValue(fields, below []string) bool {
	for i, f := range fields {
		words := len(below) == len(fields) && below[i] != "" && !isNumber(below[i]) && !slices.Contains(cells.NA(), below[i])
		if isNumber(f) && (strings.ContainsAny(f, "0123456789") || !words) {
			return true
		}
	}
	return false
}

// counted reports whether names are 0, 1, 2 and so on, as pandas names the columns of an
// array.
func counted(names []string) bool {
	for i, s := range names {
		if s != strconv.Itoa(i) {
			return false
		}
	}
	return len(names) > 0
}

// rising reports whether fields are at least three numbers, each larger than the one before, such as
// years above the columns of a table.
func rising(fields []string) bool {
	last := math.Inf(-1)
	for _, s := range fields {
		v, ok := numeral.Parse([]byte(s))
		if !ok || !(v > last) {
			return false
		}
		last = v
	}
	return len(fields) >= 3
}

// peeked returns the fields of the line after the first. It returns nil if that line was not
// read together with the first: the writer of a pipe may send it late.
func (r *csvReader) peeked(o *Options) []string {
	ahead, _ := r.Peek(r.Buffered())
	line, _, whole := bytes.Cut(ahead, []byte{'\n'})
	if !whole {
		return nil
	}
	fields, err := r.split(r.squeeze(bytes.TrimSuffix(bytes.Clone(line), []byte{'\r'})), o.columnLimit())
	if err != nil {
		return nil
	}
	return fields
}

// namesAbove reports whether a line names columns: some of its fields are words above
// numbers, and none of its numbers stands above a word.
func namesAbove(names, below []string) bool {
	if len(names) != len(below) {
		return false
	}
	words := false
	for i, name := range names {
		_, above := numeral.Parse([]byte(name))
		v, number := numeral.Parse([]byte(below[i]))
		number = number && finite(v)
		switch {
		case above && !number && below[i] != "":
			return false
		case !above && name != "" && !slices.Contains(cells.NA(), name) && number:
			words = true
		}
	}
	return words
}

// wholes reports whether fields are different whole numbers.
func wholes(fields []string) bool {
	for i, s := range fields {
		if !isDigits([]byte(s)) || slices.Contains(fields[:i], s) {
			return false
		}
	}
	return true
}

// atFirstRow completes an error about the line after the header.
func (r *csvReader) atFirstRow(err error) error {
	if p, ok := err.(*ParseError); ok {
		p.Row = 1
	}
	return err
}

// settle bounds and assigns the columns, which are those of a first line.
func (r *csvReader) settle(names []string, n int, empty bool, line int64, o *Options) error {
	columns := n
	if empty {
		columns--
	}
	if limit := o.columnLimit(); columns > limit {
		return tooManyColumns(r.name, line, int64(columns), limit)
	}
	return r.assign(r.name, names, n, empty, o)
}
