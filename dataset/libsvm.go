package dataset

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/cells"
	"github.com/rffgo/rff/internal/look"
	"github.com/rffgo/rff/internal/numeral"
)

// libsvmReader reads lines "label index:value index:value …". Indices begin at 1 and ascend.
// An input that is not named is zero. A # starts a comment.
type libsvmReader struct {
	lines
	width   int
	columns int // most columns allowed
}

func newLIBSVM(in *input, o *Options) (*libsvmReader, error) {
	for _, c := range []struct{ name, has string }{
		{o.Label, "the label at the start of the line (LIBSVM)"},
		{o.Weights, "a label and numbered inputs (LIBSVM): weights go with CSV and NPY"},
		{o.Groups, "a label and numbered inputs (LIBSVM): groups go with CSV and NPY"},
	} {
		if c.name != "" {
			return nil, noColumn(in.name, []string{c.name}, []string{c.has})
		}
	}
	if err := noWords(in.name, o); err != nil {
		return nil, err
	}
	if len(o.Inputs) > 0 {
		return nil, noColumn(in.name, o.Inputs[:1], []string{"numbered inputs (LIBSVM): all of them are read, so name none"})
	}
	width := o.Width
	if s := o.Schema; s != nil {
		in, _ := s.Dims()
		if width != 0 && width != in {
			return nil, &rff.ParameterError{Name: "Width", Value: width, Need: fmt.Sprintf("the fit had %d inputs", in)}
		}
		width = in
	}
	if ahead, _ := in.Peek(in.Buffered()); bytes.Contains(ahead, []byte(" qid:")) {
		in.note("the queries that rows belong to (qid) are not used: folds may divide a query")
	}
	return &libsvmReader{lines: newLines(in, o), width: width, columns: o.columnLimit()}, nil
}

// looksLIBSVM reports whether text starts like a LIBSVM file. The first line that has more
// than a label decides.
func looksLIBSVM(head []byte) bool {
	for len(head) > 0 {
		var line []byte
		line, head, _ = bytes.Cut(head, []byte{'\n'})
		line, _, _ = bytes.Cut(line, []byte{'#'})
		fields := bytes.Fields(line)
		if len(fields) == 0 {
			continue
		}
		if !isLabels(fields[0]) && bytes.ContainsAny(fields[0], ",:;") {
			return false
		}
		if len(fields) == 1 {
			if _, ok := numeral.Parse(fields[0]); !ok {
				return false
			}
			continue
		}
		index, v, ok := bytes.Cut(fields[1], []byte{':'})
		_, isNumber := numeral.Parse(v)
		return ok && (isDigits(index) && isNumber || string(index) == "qid")
	}
	return false
}

// isLabels reports whether word is a number, or several with commas between.
func isLabels(word []byte) bool {
	for part := range bytes.SplitSeq(word, []byte{','}) {
		if _, ok := numeral.Parse(part); !ok {
			return false
		}
	}
	return true
}

func isDigits(b []byte) bool {
	for _, c := range b {
		if c-'0' > 9 {
			return false
		}
	}
	return len(b) > 0
}

func (r *libsvmReader) shape() (int, []string, string) { return r.width, nil, "" }

func (r *libsvmReader) twin() textReader {
	t := *r
	t.chunks, t.buf = nil, nil
	return &t
}

func (r *libsvmReader) fail(col int, v []byte, need string) error {
	return &ParseError{Place: Place{File: r.name, Row: r.row, Line: r.line}, Column: col, Value: shorten(v), Need: need}
}

func (r *libsvmReader) next(x []float64) (look.Label, error) {
	if r.begin(r, ""); r.chunks != nil {
		return r.chunks.next(r, x)
	}
	clear(x)
	label, _, err := r.scan(x)
	return label, err
}

func (r *libsvmReader) parse(record []byte, x []float64) (label look.Label, there bool, err error) {
	if record = withoutComment(record); len(record) == 0 {
		return look.Label{}, false, nil
	}
	clear(x)
	label, _, err = r.read(record, x)
	return label, err == nil, err
}

// scan reads a row into x, which may be nil, and returns its label and its largest index.
func (r *libsvmReader) scan(x []float64) (label look.Label, largest int, err error) {
	var line []byte
	for len(line) == 0 {
		if line, err = r.plain(); err != nil {
			return look.Label{}, 0, err
		}
		line = withoutComment(line)
	}
	return r.read(line, x)
}

func withoutComment(line []byte) []byte {
	line, _, _ = bytes.Cut(line, []byte{'#'})
	return bytes.TrimSpace(line)
}

// read is scan for a line without a comment.
func (r *libsvmReader) read(line []byte, x []float64) (label look.Label, largest int, err error) {
	r.row++
	if bytes.IndexByte(line, 0) >= 0 {
		return look.Label{}, 0, r.fail(0, nil, "is not text")
	}
	word, rest := cutWord(line)
	if bytes.IndexByte(word, ':') >= 0 {
		return look.Label{}, 0, r.fail(0, word, "stands where the label should be")
	}
	if bytes.IndexByte(word, ',') >= 0 && isLabels(word) {
		return look.Label{}, 0, r.fail(0, word, "are several labels: rows with one label each are read")
	}
	if len(word) > maxLabelBytes {
		return look.Label{}, 0, r.fail(0, word, fmt.Sprintf("has %d bytes: not a label", len(word)))
	}
	label = textLabel(word)
	if v, ok := numeral.Parse(word); ok && !finite(v) {
		return look.Label{}, 0, r.fail(0, word, "as label "+notFinite)
	}
	for len(rest) > 0 {
		word, rest = cutWord(rest)
		k, v, found := bytes.Cut(word, []byte{':'})
		if found && string(k) == "qid" {
			continue
		}
		if !found || !isDigits(bytes.TrimPrefix(k, []byte{'-'})) {
			return look.Label{}, 0, r.fail(0, word, "is not index:value")
		}
		index, err := strconv.Atoi(string(k))
		if err != nil {
			index = math.MaxInt // beyond any bound
		}
		if index < 1 {
			return look.Label{}, 0, r.fail(0, word, "has an index below 1: LIBSVM counts from 1")
		}
		if index <= largest {
			return look.Label{}, 0, r.fail(index, word, fmt.Sprintf("comes after index %d: indices must rise", largest))
		}
		if x != nil && index > len(x) {
			return look.Label{}, 0, r.fail(index, word, fmt.Sprintf("has an index above the width %d: take it out of the row, or fit with the largest index (Width)", len(x)))
		}
		if index > r.columns {
			return look.Label{}, 0, tooManyColumns(r.name, r.line, int64(index), r.columns)
		}
		value, ok := numeral.Parse(v)
		if !ok {
			return look.Label{}, 0, r.fail(index, v, cells.NeedNumber(v))
		}
		if !finite(value) {
			return look.Label{}, 0, r.fail(index, v, notFinite)
		}
		largest = index
		if x != nil {
			x[index-1] = value
		}
	}
	return label, largest, nil
}

func cutWord(b []byte) (word, rest []byte) {
	i := bytes.IndexAny(b, " \t")
	if i < 0 {
		return b, nil
	}
	return b[:i], bytes.TrimLeft(b[i:], " \t")
}

// findWidth reads a file for its largest index.
func (r *libsvmReader) findWidth() (int, error) {
	width := 0
	for {
		_, largest, err := r.scan(nil)
		if err == io.EOF {
			return width, nil
		} else if err != nil {
			return 0, err
		}
		width = max(width, largest)
	}
}
