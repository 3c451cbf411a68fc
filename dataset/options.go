package dataset

import (
	"fmt"
	"io/fs"
	"slices"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/limit"
)

// Options say how to read files. The zero value detects format, header and
// separator, and takes the last column as label.
type Options struct {
	FS     fs.FS  // where the files are; nil: on disk. It is kept, and opened again for each pass
	Format Format // "": detected from the first bytes
	Task   Task   // "": detected from the labels
	Comma  byte   // CSV: 0: detected in the first line, among , ; tab | and spaces
	// Header says that the first line of a CSV file names the columns, NoHeader
	// that it does not. Neither: it does if no field of it is a number.
	Header, NoHeader bool

	// Label is the label's column: its name, or its number from 1. Empty: the
	// last column that is not Weights or Groups. LIBSVM rows begin with their label;
	// IDX files have theirs in another file.
	Label string
	// NoLabel says that every column is an input.
	NoLabel bool
	// LabelFile is a file with the labels alone, one per row: IDX, NPY, or text with
	// one column. It excludes Label.
	LabelFile string
	// Inputs names the columns to use as inputs, in this order, whatever their
	// order in the file; further columns are ignored. Names come before numbers
	// from 1. Empty: all columns
	// with a name but the label, Weights and Groups.
	Inputs []string

	// OptionalLabel says that files may lack the label, as rows to be predicted do.
	// If the file has names and Label is one, the label is missing when no column
	// has that name; otherwise it is missing when there are as many columns as
	// inputs: len(Inputs), or Width. Layout.NoLabel says what was found.
	OptionalLabel bool
	// Positional says that a file without names has the Inputs in their order, and
	// no other columns but the label: for a model that knows the names of its inputs.
	Positional bool

	// Weights is the column with the weights of the rows, finite and not
	// negative, and Groups the column whose values say which rows belong
	// together (rff.Batch.Group): a name, or a number from 1. Neither is an
	// input. Empty: none.
	Weights, Groups string

	// Missing is the rule for missing values: an empty cell of CSV or one of the words of
	// NA, a null of Parquet, Arrow and Avro, NaN in files of numbers.
	Missing rff.Missing
	// NA are the words that stand for a missing value where the column has numbers, and
	// in the column of the labels. nil: those of the function NA, in inputs alone.
	NA []string
	// Categories are inputs of words, by name or by number from 1. Each becomes one input
	// per word, called "name=word", which Open finds in a pass over the files; Unseen is
	// the rule for others in other files. For CSV, Parquet, Arrow and Avro files.
	Categories []string
	Unseen     rff.Unseen
	// Schema, if not nil, says what the inputs are that Inputs names, or all, in their
	// order: that of a model, whose words and values for gaps then are those of the rows.
	// Missing, NA and Unseen are its own unless they are given. It excludes Categories.
	Schema *rff.Schema

	// BadRow, if not nil, is given the error of a row that cannot be read, and says
	// whether to leave the row out and go on. Errors that are not of one row end the
	// reading.
	BadRow func(*ParseError) bool
	// Part says that the files are a part of a data set, whose rows may all be of
	// one class.
	Part bool

	// Width is the number of inputs of LIBSVM files, whose rows name only what
	// is not zero. 0: the largest index found, which takes a pass over the data.
	Width int
	// MaxColumns bounds the columns of a file, and a line of text to 64 bytes
	// for each: rows are made dense, and a broken file must not fill the memory.
	// 0: 65,536, or Width if that is more; at most 1,048,576.
	MaxColumns int

	// Workers is the number of goroutines that parse text, 0 for one per processor, at
	// most 8. Rows and errors do not depend on it.
	Workers int

	// Keep is how many bytes of rows Scan may keep, packed, so that Summary.Source does not
	// read the files again: for each row 8 bytes, 8 for every input that is not 0, and one
	// bit for every input. Where the rows take more, none are kept.
	Keep int64

	fill   []float64  // one per input, in place of missing values, or nil
	levels [][]string // of each of Categories, once they are known

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
	case !slices.Contains([]Format{"", CSV, LIBSVM, IDX, NPY, Parquet, Arrow, Avro}, o.Format):
		return bad("Format", o.Format, "must be csv, libsvm, idx, npy, parquet, arrow or avro, or empty to be detected")
	case !slices.Contains([]Task{"", Classification, Regression}, o.Task):
		return bad("Task", o.Task, "must be classification or regression, or empty to be detected")
	case o.Header && o.NoHeader:
		return bad("Header", true, "excludes NoHeader")
	case o.Weights != "" && o.Weights == o.Groups:
		return bad("Groups", o.Groups, "is the column of the weights: name another one")
	case o.Comma >= 0x80 || o.Comma == '"' || o.Comma == '\n' || o.Comma == '\r':
		return bad("Comma", fmt.Sprintf("%q", o.Comma), "must be an ASCII character other than a quote or a line end")
	case o.Workers < 0:
		return bad("Workers", o.Workers, "must be 0 or more")
	case o.Keep < 0:
		return bad("Keep", o.Keep, "must be 0 or more")
	case o.Width < 0 || o.Width > limit.MostColumns:
		return bad("Width", o.Width, fmt.Sprintf("must be 0 … %d", limit.MostColumns))
	case o.MaxColumns < 0 || o.MaxColumns > limit.MostColumns:
		return bad("MaxColumns", o.MaxColumns, fmt.Sprintf("must be 0 … %d", limit.MostColumns))
	}
	return o.checkMissing()
}

// Format is a file format; "" is detected from the first bytes. Each may be
// compressed by gzip or bzip2, or by Zstandard in programs that import package
// dataset/zstd.
type Format string

// The formats.
const (
	CSV    Format = "csv"    // text, one row per line
	LIBSVM Format = "libsvm" // "label index:value …", indices from 1
	IDX    Format = "idx"    // MNIST's: unsigned bytes or numbers, big-endian
	NPY    Format = "npy"    // NumPy's: a two-dimensional array in C order
	// Read by programs that import package dataset/parquet.
	Parquet Format = "parquet" // Apache Parquet
	Arrow   Format = "arrow"   // Apache Arrow's IPC formats, of files (Feather) and of streams
	Avro    Format = "avro"    // Apache Avro's object container files
)
