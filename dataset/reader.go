package dataset

import (
	"hash/fnv"

	"github.com/rffgo/rff/internal/cells"
	"github.com/rffgo/rff/internal/look"
	"github.com/rffgo/rff/internal/numeral"
)

// reader yields the rows of one file.
type reader interface {
	// shape returns the number of inputs, their names or nil, and the name of
	// the label.
	shape() (width int, inputs []string, label string)
	// remarks returns what the user should know about the file.
	remarks() []string
	// next writes the inputs of the next row to x and returns its label. After the last row
	// the error is io.EOF. Values are finite, or NaN if they are missing.
	next(x []float64) (look.Label, error)
	// last returns where the last row was read, and what else is known of it.
	last() *spot
	// source returns the file that the reader reads.
	source() *input
	Close() error
}

// spot is where a reader is, and what it knows of the last row besides inputs and label.
type spot struct {
	row, line int64   // for messages
	size      int64   // bytes of text that were read
	weight    float64 // 1 if there are no weights
	group     uint64  // 0 if there are no groups
	missed    bool    // the row lacks a value
	drops     int64   // rows of the file that were left out so far
}

func (s *spot) last() *spot { return s }

// Row is one row of a file.
type Row struct {
	X      []float64
	Weight float64 // 1 without Options.Weights
	Place  Place
	// Missing says that an input was missing: X has NaN, or the value that stands for it.
	Missing bool

	label     look.Label
	group     uint64 // key of the row's group, 0 without Options.Groups
	target    string // what the label is called, or ""
	textBytes int64  // of sparse text read so far in this file, or 0
}

// Label returns the label as written, or as its shortest decimal.
func (r Row) Label() string { return r.label.String() }

func textLabel(b []byte) look.Label {
	b = utf8Text(b)
	v, ok := numeral.Parse(b)
	if !ok {
		b = cells.Word(b)
	}
	return look.Label{Text: b, Value: v, Number: ok && finite(v)}
}

// groupOf returns the key of a group: the FNV-1a hash of the text of its cell, with its bits
// mixed (MurmurHash3's finaliser). It is taken as cells.Key does, so that 7, 7.0 and +7 are
// one group in every format, and so are TRUE and true.
func groupOf(text []byte) uint64 {
	f := fnv.New64a()
	f.Write(cells.Key(text))
	h := f.Sum64()
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
