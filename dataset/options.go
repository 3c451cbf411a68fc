package dataset

import (
	"cmp"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/cells"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/inside/hook"
	"github.com/rffgo/rff/internal/limit"
	"github.com/rffgo/rff/internal/look"
	"github.com/rffgo/rff/internal/numeral"
)

// Options say how to read files. The zero value detects format, header and
// separator, and takes the last column as label.
type Options struct {
	FS fs.FS // where the files are; nil: on disk. Files open them in it again for each pass
	// Format is that of the files: "csv" (text, one row per line), "libsvm" ("label
	// index:value …", indices from 1), "idx" (the format of MNIST: unsigned bytes or
	// numbers, big-endian) or "npy" (the format of NumPy: a two-dimensional array in C
	// order). Programs that import dataset/parquet also read "parquet" and "arrow" (the IPC
	// format of files, which is Feather's, and that of streams), and programs that import
	// dataset/avro read "avro" (object container files). "" is detected from the first
	// bytes. Files may be compressed by gzip or bzip2, or by Zstandard in programs that
	// import dataset/zstd.
	Format string
	Task   Task // "": detected from the labels. Unlabelled: every column is an input
	Comma  byte // CSV: 0: detected in the first line, among , ; tab | and spaces
	// Header says whether the first line of a CSV file names the columns: "yes" or "no".
	// "": it does if no field of it is a number.
	Header string

	// Label is the label's column: its name, or its number from 1, which of several files
	// is that of the first: the others may have the column elsewhere. Empty: the last
	// column that is not Weights or Groups, nor an index that pandas wrote after the columns. LIBSVM rows begin with their label; IDX files have their labels in another file.
	Label string
	// LabelFile is a file that has only the labels, one per row: IDX, NPY, or text with
	// one column. It excludes Label.
	LabelFile string
	// Inputs has the columns to use as inputs, by name or by number from 1. The inputs have
	// this order, whatever the order in the file, and other columns are ignored. A text that
	// is the name of a column is a name even if it is a number. A text with commas that is
	// no name is a list. Empty: all columns with a name but the label, Weights and Groups.
	Inputs []string

	// Weights is the column with the weights of the rows, which are finite and not negative.
	// Rows of weight 0 are left out, but for Files.Rows.
	// Groups is the column whose values say which rows belong together (rff.Batch.Group).
	// Each is a name, or a number from 1. Neither column is an input. Empty: none.
	Weights, Groups string

	// Missing is the rule for missing values. A missing value is an empty cell of CSV or one
	// of the words of NA, a null of Parquet, Arrow or Avro, or NaN in files of numbers.
	Missing rff.Missing
	// NA are the words that stand for a missing value in inputs of numbers or times, in
	// weights and in the column of the labels. nil: those that R, pandas, SQL and
	// spreadsheets write, but not as labels.
	NA []string
	// Categories are inputs of words, by name or by number from 1; the words may be
	// numbers. Open finds other columns of words, and columns of dates and times, by itself:
	// if the first rows have no number in a column, it reads the column once. True and false alone,
	// in any capitals, are the numbers 1 and 0, unless Categories has the column. Each word
	// becomes an input called "name=word", also one that only rows have which Missing leaves
	// out. Unseen is the rule for words that only other files have. Columns that name rows, such as an id or a name, are left out unless
	// Inputs or IDs name them. All this holds for CSV, Parquet, Arrow and Avro files that
	// can be read again; Files.Notes says what was found.
	Categories []string
	Unseen     string
	// IDs are inputs that Open would leave out because they look like ids of rows.
	IDs []string
	// DateOrder is that of dates such as 3/4/2025: "dmy" or "mdy". "": the order that one of
	// the cells shows, such as 31/3/2025. Dates are refused if none shows it.
	DateOrder string
	// Schema, if not nil, is that of the model or of the sums that the files are read for.
	// Its columns are found by name, in any order, if both have names. Otherwise they are
	// found by their order, and there must be as many. If Label is empty, the label is the
	// schema's target. Words and values for gaps are those of the schema, and so are
	// Missing, NA and Unseen unless they are given. Inputs may name as many columns with
	// other names, to be taken for those of the schema in order. Schema excludes Categories,
	// IDs and DateOrder.
	Schema *rff.Schema

	// BadRow, if not nil, gets the error of a row that cannot be read, and says whether to
	// leave the row out and go on. Errors that are not about one row end the reading.
	BadRow func(*ParseError) bool
	// Width is the number of inputs of LIBSVM files, whose rows name only inputs that are
	// not zero. 0: the largest index found, which takes a pass over the data. Files of any
	// format may have as many columns, or 65,536 if that is more, and a line of text may
	// have 64 bytes per column. Rows are made dense, and without these limits a broken file
	// could fill the memory. Width is at most 1,048,576.
	Width int

	ours  ours         // only the programs of this module set it
	fill  []float64    // one per input, in place of missing values, or nil
	kinds []cells.Kind // of the inputs, once they are known; nil: numbers
	// columns, if not nil, gets the counts of a survey, which then settles nothing.
	columns *[]look.Column

	oneColumn bool // a file of labels: spaces do not separate
}

// ours has the options that cmd/rff/files sets.
type ours = hook.Reading

// check returns a *rff.ParameterError if options contradict each other.
func (o *Options) check(paths int) error {
	switch {
	case o.LabelFile != "" && paths > 1:
		return bad("LabelFile", o.LabelFile, "goes with one file of inputs, not several")
	case o.LabelFile != "" && o.Label != "":
		return bad("LabelFile", o.LabelFile, fmt.Sprintf("the labels are in this file or in column %q, not both: name one, and to keep a column out of the inputs name the inputs", o.Label))
	case o.Task == Unlabelled && o.LabelFile != "":
		return bad("LabelFile", o.LabelFile, "there are no labels where Task is none")
	case o.Task == Unlabelled && o.Label != "":
		return bad("Label", o.Label, "there are no labels where Task is none: to keep a column out of the inputs, name the inputs")
	case !slices.Contains([]string{"", formatCSV, formatLIBSVM, formatIDX, formatNPY, formatParquet, formatArrow, formatAvro}, o.Format):
		return bad("Format", o.Format, "must be csv, libsvm, idx, npy, parquet, arrow or avro, or empty to be detected")
	case !slices.Contains([]Task{"", Classification, Regression, Unlabelled}, o.Task):
		return bad("Task", o.Task, "must be classification, regression or none, or empty to be detected")
	case !slices.Contains([]string{"", "yes", "no"}, o.Header):
		return bad("Header", o.Header, "must be yes or no, or empty to be detected")
	case o.Weights != "" && o.Weights == o.Groups:
		return bad("Groups", o.Groups, "has the weights already: name another column")
	case o.Comma >= 0x80 || o.Comma == '"' || o.Comma == '\n' || o.Comma == '\r':
		return bad("Comma", fmt.Sprintf("%q", o.Comma), "must be an ASCII character other than a quote or a line end")
	case !slices.Contains([]string{"", "dmy", "mdy"}, o.DateOrder):
		return bad("DateOrder", o.DateOrder, "must be dmy or mdy, or empty for that of the cells")
	case o.ours.Workers < 0:
		return bad("Workers", o.ours.Workers, "must be 0 or more")
	case o.ours.Keep < 0:
		return bad("Keep", o.ours.Keep, "must be 0 or more")
	case o.Width < 0 || o.Width > limit.MostColumns:
		return bad("Width", o.Width, fmt.Sprintf("must be 0 … %d", limit.MostColumns))
	case o.ours.MaxColumns < 0 || o.ours.MaxColumns > limit.MostColumns:
		return bad("MaxColumns", o.ours.MaxColumns, fmt.Sprintf("must be 0 … %d", limit.MostColumns))
	}
	return o.checkMissing()
}

// bad refuses the value of an option.
func bad(name string, value any, need string) error {
	return &rff.ParameterError{Name: name, Value: value, Need: need}
}

// The formats of Options.Format.
const (
	formatCSV     = "csv"
	formatLIBSVM  = "libsvm"
	formatIDX     = "idx"
	formatNPY     = "npy"
	formatParquet = "parquet"
	formatArrow   = "arrow"
	formatAvro    = "avro"
)

// checkMissing refuses unknown rules for missing values and unseen words, and options that
// exclude each other.
func (o *Options) checkMissing() error {
	schema := rff.Schema{Missing: o.Missing, Unseen: o.Unseen}
	if err := inside.CheckSchema(schema, 0); err != nil {
		return err
	}
	switch {
	case o.Missing == rff.MissingDrop && o.LabelFile != "":
		return bad("Missing", o.Missing, "rows cannot be left out of one of two files: put the labels into that of the inputs, and name their column (Label)")
	case slices.ContainsFunc(o.NA, func(w string) bool { v, ok := numeral.Parse([]byte(w)); return ok && finite(v) }):
		return bad("NA", strings.Join(o.NA, ", "), "is a number, which stands for itself: give words")
	case o.Schema != nil && len(o.Categories) > 0:
		return bad("Categories", o.Categories, "excludes Schema, which says which columns are words")
	case o.Schema != nil && len(o.IDs) > 0:
		return bad("IDs", o.IDs, "excludes Schema, which says which columns are inputs")
	case o.Schema != nil && o.DateOrder != "":
		return bad("DateOrder", o.DateOrder, "excludes Schema, which says the order of each column of times")
	}
	return nil
}

// underSchema returns the options with the rules of their Schema. The rule that is an error
// becomes "".
func (o Options) underSchema() (Options, error) {
	if s := o.Schema; s != nil {
		in, _ := s.Dims()
		if err := inside.CheckSchema(*s, in); err != nil {
			return o, err
		}
		o.Missing, o.Unseen = cmp.Or(o.Missing, s.Missing), cmp.Or(o.Unseen, s.Unseen)
		for _, c := range s.Inputs {
			o.kinds = append(o.kinds, cells.Of(c.Words, (*cells.Time)(c.Time), o.Unseen == "zero", c.Range))
		}
		if o.NA == nil {
			o.NA = s.NA
		}
		if o.Missing == rff.MissingMean {
			for _, c := range s.Inputs {
				o.fill = append(o.fill, c.Fill...)
			}
			if len(o.fill) != in {
				o.fill = nil
			}
		}
	}
	if o.Missing == "error" {
		o.Missing = ""
	}
	return o, nil
}
