package dataset

import "fmt"

// Options say how to read files. The zero value tells everything from the
// files: format, header and separator, and takes the last column as label.
type Options struct {
	Format Format // Auto: told from the first bytes
	Header Header // CSV: HeaderAuto: a first line without a single number is a header
	Comma  byte   // CSV: 0: told from the first line among , ; and tab

	// Label is the label's column: its name, or its number from 1. Empty: the
	// last column. LIBSVM and IDX files have their labels apart.
	Label string
	// NoLabel says that every column is an input.
	NoLabel bool
	// LabelFile holds the labels when they are in a file of their own, one per
	// row: IDX, NPY, or text with one column.
	LabelFile string
	// Inputs names the columns to use as inputs, in this order. Empty: all but
	// the label.
	Inputs []string

	// Weights is the column with the weights of the rows, and Groups the column
	// whose values say which rows belong together (rff.Batch.Group): a name, or a
	// number from 1. Neither is an input. Empty: none.
	Weights, Groups string

	// Width is the number of inputs of LIBSVM files, whose rows name only what
	// is not zero. 0: the largest index found, which takes a pass over the data.
	Width int
}

// Format is a file format.
type Format uint8

// The formats. Each may be gzipped.
const (
	Auto   Format = iota
	CSV           // text, one row per line
	LIBSVM        // "label index:value …", indices from 1
	IDX           // MNIST's: unsigned bytes or numbers, big-endian
	NPY           // NumPy's: a two-dimensional array in C order
)

var formatNames = [...]string{"auto", "csv", "libsvm", "idx", "npy"}

func (f Format) String() string { return formatNames[f] }

// ParseFormat returns the format of that name.
func ParseFormat(s string) (Format, error) {
	for i, n := range formatNames {
		if s == n {
			return Format(i), nil
		}
	}
	return 0, fmt.Errorf("dataset: unknown format %q: one of auto, csv, libsvm, idx, npy", s)
}

// Header says whether the first line of a CSV file names the columns.
type Header uint8

// The values of Header.
const (
	HeaderAuto Header = iota
	HeaderYes
	HeaderNo
)
