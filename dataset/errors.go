package dataset

import (
	"fmt"
	"strings"
)

// ParseError says that a file holds something that cannot be read as it was
// asked to be.
type ParseError struct {
	File   string
	Row    int64  // data row, from 1; 0 when it is not about one row
	Line   int64  // line of a text file, from 1; 0 for a binary file
	Column int    // column, from 1; 0 when it is not about one column
	Name   string // the column's name, if it has one
	Value  string // what was found, shortened; may be empty
	Need   string // what is wrong with it and what to do
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

// ReadError says that a file could not be read to its end.
type ReadError struct {
	File string
	Row  int64 // rows read before
	Err  error
}

func (e *ReadError) Error() string {
	if e.Row > 0 {
		return fmt.Sprintf("%s: after row %d: %v", e.File, e.Row, e.Err)
	}
	return fmt.Sprintf("%s: %v", e.File, e.Err)
}

func (e *ReadError) Unwrap() error { return e.Err }

// ColumnError says that a file has no column of that name, or none of several.
type ColumnError struct {
	File    string
	Name    string   // the first that is missing
	Missing []string // all that are missing, when there is more than one
	Columns []string // those it has
}

func (e *ColumnError) Error() string {
	if len(e.Missing) > 1 {
		return fmt.Sprintf("%s: no columns %s: it has %s", e.File, listed(e.Missing), listed(e.Columns))
	}
	return fmt.Sprintf("%s: no column %q: it has %s", e.File, e.Name, listed(e.Columns))
}

// LimitError says that reading a file would take more memory than is allowed.
type LimitError struct {
	File   string
	Line   int64  // of a text file, from 1; 0 when it is not about one line
	What   string // what there is too much of: "columns", "bytes in a line"
	Size   int64  // how much, as far as is known
	Limit  int64
	Option string // the field of Options that lifts the limit; empty: none does
}

func (e *LimitError) Error() string {
	place := e.File
	if e.Line > 0 {
		place = fmt.Sprintf("%s: line %d", e.File, e.Line)
	}
	s := fmt.Sprintf("%s: has %d %s, the limit is %d", place, e.Size, e.What, e.Limit)
	if e.Option != "" {
		s += fmt.Sprintf(" (%s lifts it): is it the table that was meant?", e.Option)
	}
	return s
}

// OnePassError says that a stream that can be read once, such as a pipe, was to
// be read again.
type OnePassError struct{ File string }

func (e *OnePassError) Error() string {
	return e.File + ": is a stream that can be read only once, and was to be read again: save it in a file first"
}

// LabelError says that the labels do not make a learning problem: one class
// only, too many, or one that the model does not know.
type LabelError struct {
	File string
	Row  int64 // 0 when it is about all rows
	Need string
	Only string // the one class there is, if that is what is wrong
}

func (e *LabelError) Error() string {
	if e.Row > 0 {
		return fmt.Sprintf("%s: row %d: %s", e.File, e.Row, e.Need)
	}
	return fmt.Sprintf("%s: %s", e.File, e.Need)
}

// listed returns the first few of names for a message.
func listed(names []string) string {
	const most = 8
	if len(names) == 0 {
		return "none"
	}
	q := make([]string, 0, most)
	for _, n := range names[:min(len(names), most)] {
		q = append(q, fmt.Sprintf("%q", n))
	}
	s := strings.Join(q, ", ")
	if len(names) > most {
		s += fmt.Sprintf(", … (%d in all)", len(names))
	}
	return s
}

// shorten returns at most the first 40 bytes of a value for a message.
func shorten(b []byte) string {
	if len(b) > 40 {
		return strings.ToValidUTF8(string(b[:40]), "") + "…"
	}
	return string(b)
}
