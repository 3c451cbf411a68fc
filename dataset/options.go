package dataset

import (
	"fmt"

	"github.com/rffgo/rff"
)

// Options say how to read files. The zero value tells everything from the
// files: format, header and separator, and takes the last column as label.
type Options struct {
	Format Format // Auto: told from the first bytes
	Header Header // CSV: HeaderAuto: a first line without a single number is a header
	Comma  byte   // CSV: 0: told from the first line among , ; tab and spaces

	// Label is the label's column: its name, or its number from 1. Empty: the
	// last column that is not Weights or Groups. LIBSVM and IDX files have their
	// labels apart.
	Label string
	// NoLabel says that every column is an input.
	NoLabel bool
	// LabelFile holds the labels when they are in a file of their own, one per
	// row: IDX, NPY, or text with one column. It excludes Label.
	LabelFile string
	// Inputs names the columns to use as inputs, in this order, whatever their
	// order in the file; further columns are ignored. Names come before numbers
	// from 1. A *ColumnError lists all that a file has not. Empty: all columns
	// with a name but the label, Weights and Groups.
	Inputs []string

	// OptionalLabel says that files may lack the label: rows to be predicted. A
	// file with names lacks it when no column is called Label. A file without
	// them, or an empty Label, lacks it when there are just as many columns as
	// inputs: len(Inputs), or Width. Files.NoLabel says what was found.
	OptionalLabel bool
	// Positional says that files whose columns have no names hold the Inputs in
	// their order: what a file to be predicted is to a model that knows the
	// names. Their number must be right.
	Positional bool

	// Weights is the column with the weights of the rows, finite and not
	// negative, and Groups the column whose values say which rows belong
	// together (rff.Batch.Group): a name, or a number from 1. Neither is an
	// input. Empty: none.
	Weights, Groups string

	// Missing is the rule for missing values, and Fill, one value per input, what
	// MissingMean puts in their place: Summary.Fill of the rows that were fitted.
	Missing Missing
	Fill    []float64
	// Categories are inputs of words, each of which becomes one input per level;
	// Unseen is the rule for levels that are not among theirs. For CSV, Parquet and
	// Arrow files.
	Categories []Category
	Unseen     Unseen

	// BadRow, if not nil, is given the error of a row that cannot be read, and says
	// whether to leave the row out and go on. Errors that are not of one row end the
	// reading.
	BadRow func(*ParseError) bool

	// Width is the number of inputs of LIBSVM files, whose rows name only what
	// is not zero. 0: the largest index found, which takes a pass over the data.
	Width int
	// MaxColumns bounds the columns of a file, and a line of text to 64 bytes
	// for each: rows are made dense, and a broken file must not fill the memory.
	// 0: 65,536, or Width if that is more; at most 1,048,576.
	MaxColumns int

	oneColumn bool // a file of labels: spaces do not separate
}

// check returns a *rff.ParameterError if options contradict each other.
func (o *Options) check(paths int) error {
	bad := func(name string, value any, need string) error {
		return &rff.ParameterError{Name: name, Value: value, Need: need}
	}
	switch {
	case o.LabelFile != "" && paths > 1:
		return bad("LabelFile", o.LabelFile, "goes with one file of inputs, not several")
	case o.LabelFile != "" && o.Label != "":
		return bad("LabelFile", o.LabelFile, fmt.Sprintf("the labels are in this file or in column %q, not both: name one, and to keep a column out of the inputs name the inputs", o.Label))
	case o.NoLabel && o.LabelFile != "":
		return bad("LabelFile", o.LabelFile, "excludes NoLabel")
	case o.NoLabel && o.Label != "":
		return bad("Label", o.Label, "excludes NoLabel: to keep a column out of the inputs, name the inputs")
	case o.Weights != "" && o.Weights == o.Groups:
		return bad("Groups", o.Groups, "is the column of the weights: name another one")
	case o.Comma >= 0x80 || o.Comma == '"' || o.Comma == '\n' || o.Comma == '\r':
		return bad("Comma", fmt.Sprintf("%q", o.Comma), "must be an ASCII character other than a quote or a line end")
	case o.Width < 0 || o.Width > maxWidth:
		return bad("Width", o.Width, fmt.Sprintf("must be 0 … %d", maxWidth))
	case o.MaxColumns < 0 || o.MaxColumns > maxWidth:
		return bad("MaxColumns", o.MaxColumns, fmt.Sprintf("must be 0 … %d", maxWidth))
	}
	return o.checkMissing()
}

// Format is a file format.
type Format uint8

// The formats. Each may be compressed by gzip or bzip2, or by Zstandard in
// programs that import package dataset/zstd. Parquet and Arrow are read by programs
// that import package dataset/parquet.
const (
	Auto    Format = iota
	CSV            // text, one row per line
	LIBSVM         // "label index:value …", indices from 1
	IDX            // MNIST's: unsigned bytes or numbers, big-endian
	NPY            // NumPy's: a two-dimensional array in C order
	Parquet        // Apache Parquet
	Arrow          // Apache Arrow's IPC formats, of files (Feather) and of streams
)

var formatNames = [...]string{"auto", "csv", "libsvm", "idx", "npy", "parquet", "arrow"}

func (f Format) String() string { return formatNames[f] }

// ParseFormat returns the format of that name.
func ParseFormat(s string) (Format, error) {
	for i, n := range formatNames {
		if s == n {
			return Format(i), nil
		}
	}
	return 0, fmt.Errorf("dataset: unknown format %q: one of auto, csv, libsvm, idx, npy, parquet, arrow", s)
}

// Header says whether the first line of a CSV file names the columns.
type Header uint8

// The values of Header.
const (
	HeaderAuto Header = iota
	HeaderYes
	HeaderNo
)
