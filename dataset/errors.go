package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/rffgo/rff/internal/message"
)

// Place says where a row is, for messages about it.
type Place struct {
	File string
	Row  int64 // in the file, from 1; 0 when it is not about one row
	Line int64 // of a text file, from 1; 0 for a binary file
}

// ParseError says that the contents of a file cannot be read as Options ask: a value is bad,
// nothing can be learned from the labels, a column is missing, or the rows would take more
// memory than is allowed.
type ParseError struct {
	Place
	Column int    // column, from 1; 0 when it is not about one column
	Name   string // the column's name, or the name that was looked for
	Value  string // the text that was found, shortened; may be empty
	Need   string // what is wrong and what to do
	// columns has the columns of the file when it lacks one that Options name.
	columns []string
}

func (e *ParseError) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	sep := ": "
	if e.Row > 0 {
		fmt.Fprintf(&b, "%srow %d", sep, e.Row)
		sep = ", "
		if e.Line > 0 && e.Line != e.Row {
			fmt.Fprintf(&b, " (line %d)", e.Line)
		}
	} else if e.Line > 0 {
		fmt.Fprintf(&b, "%sline %d", sep, e.Line)
		sep = ", "
	}
	if e.Column > 0 {
		fmt.Fprintf(&b, "%scolumn %d", sep, e.Column)
		if e.Name != "" {
			fmt.Fprintf(&b, " %q", e.Name)
		}
	}
	b.WriteString(": ")
	if e.Value != "" {
		fmt.Fprintf(&b, "%q ", e.Value)
	}
	b.WriteString(e.Need)
	return b.String()
}

// noColumn says that a file has no column of these names.
func noColumn(file string, missing, columns []string) error {
	what := map[bool]string{true: "column ", false: "columns "}[len(missing) == 1]
	return absent(file, missing, columns, "no "+what+message.Names(missing))
}

// absent says in other words that columns are missing.
func absent(file string, missing, columns []string, what string) error {
	return &ParseError{Place: Place{File: file}, Name: missing[0], columns: columns, Need: what + ": it has " + message.Names(columns)}
}

// labelError says which row has a label that target, the column of the labels, should not
// have.
func labelError(row Row, target string, err error) error {
	target = cmp.Or(target, "label")
	return &ParseError{Place: Place{File: row.Place.File, Row: row.Place.Row, Line: row.Place.Line}, Need: fmt.Sprintf("%s %q %v", target, shorten([]byte(row.label.String())), err)}
}

// ReadError says that a file could not be read to its end.
type ReadError struct {
	Place // the last row that was read; Row is 0 if none was
	err   error
}

func (e *ReadError) Error() string {
	if e.Row > 0 {
		return fmt.Sprintf("%s: after row %d: %v", e.File, e.Row, e.err)
	}
	return fmt.Sprintf("%s: %v", e.File, e.err)
}

func (e *ReadError) Unwrap() error { return e.err }

var errOnePass = errors.New("is a stream that can be read only once, and was to be read again: save it in a file first")

// shorten returns at most the first 40 bytes of a value for a message.
func shorten(b []byte) string {
	if len(b) > 40 {
		return strings.ToValidUTF8(string(b[:40]), "") + "…"
	}
	return string(b)
}
