package dataset

import (
	"bytes"
	"strconv"
)

// reader yields the rows of one file.
type reader interface {
	// width returns the number of inputs.
	width() int
	// columns returns the names of the inputs, or nil, and of the label.
	columns() (inputs []string, label string)
	// next writes the inputs of the next row to x and returns its label; io.EOF
	// after the last row. Values are finite.
	next(x []float64) (Label, error)
	// position returns where the last row was read, for messages.
	position() (row, line int64)
	Close() error
}

// Label is one label as a file has it. Text is valid until the next row is read
// and nil for files of numbers.
type Label struct {
	Text   []byte
	Value  float64
	Number bool // Value is set
}

// String returns the label as written, or as its shortest decimal.
func (l Label) String() string {
	if l.Text != nil {
		return string(l.Text)
	}
	return strconv.FormatFloat(l.Value, 'g', -1, 64)
}

// clone returns a label that stays valid.
func (l Label) clone() Label {
	l.Text = bytes.Clone(l.Text)
	return l
}

func textLabel(b []byte) Label {
	v, ok := parseNumber(b)
	return Label{Text: b, Value: v, Number: ok && finite(v)}
}
