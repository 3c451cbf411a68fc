package dataset

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
)

// libsvmReader reads "label index:value index:value …", indices from 1 and
// rising; what is not named is zero. A # starts a comment.
type libsvmReader struct {
	text csvReader // for its lines
	in   int
	row  int64
}

// maxWidth bounds the declared or found width: rows are made dense.
const maxWidth = 1 << 20

func newLIBSVM(in *input, o *Options) (*libsvmReader, error) {
	if o.Label != "" {
		return nil, &ColumnError{in.name, o.Label, []string{"the label at the start of the line (LIBSVM)"}}
	}
	if len(o.Inputs) > 0 {
		return nil, &ColumnError{in.name, o.Inputs[0], []string{"numbered inputs (LIBSVM)"}}
	}
	return &libsvmReader{text: csvReader{input: in}, in: o.Width}, nil
}

// looksLIBSVM reports whether text starts like a LIBSVM file.
func looksLIBSVM(head []byte) bool {
	line, _, _ := bytes.Cut(head, []byte{'\n'})
	fields := bytes.Fields(line)
	if len(fields) < 2 {
		return false
	}
	if _, ok := parseNumber(fields[0]); !ok && bytes.ContainsAny(fields[0], ",:") {
		return false
	}
	i, v, ok := bytes.Cut(fields[1], []byte{':'})
	if !ok || len(i) == 0 {
		return false
	}
	_, err := strconv.Atoi(string(i))
	_, isNumber := parseNumber(v)
	return err == nil && isNumber
}

func (r *libsvmReader) width() int                  { return r.in }
func (r *libsvmReader) columns() ([]string, string) { return nil, "" }
func (r *libsvmReader) position() (row, line int64) { return r.row, r.text.line }
func (r *libsvmReader) Close() error                { return r.text.close() }

func (r *libsvmReader) fail(col int, v []byte, need string) error {
	return &ParseError{File: r.text.name, Row: r.row, Line: r.text.line, Column: col, Value: shorten(v), Need: need}
}

func (r *libsvmReader) next(x []float64) (Label, error) {
	clear(x)
	label, _, err := r.scan(x)
	return label, err
}

// scan reads a row and returns its label and its largest index; x may be nil.
func (r *libsvmReader) scan(x []float64) (label Label, largest int, err error) {
	var line []byte
	for len(line) == 0 {
		if line, err = r.text.readPlain(); err != nil {
			return Label{}, 0, err
		}
		line, _, _ = bytes.Cut(line, []byte{'#'})
		line = bytes.TrimSpace(line)
	}
	r.row++
	r.text.row = r.row
	word, rest := cutWord(line)
	if bytes.IndexByte(word, ':') >= 0 {
		return Label{}, 0, r.fail(0, word, "stands where the label should be")
	}
	label = textLabel(word)
	if v, ok := parseNumber(word); ok && !finite(v) {
		return Label{}, 0, r.fail(0, word, "as label "+notFinite)
	}
	for len(rest) > 0 {
		word, rest = cutWord(rest)
		k, v, found := bytes.Cut(word, []byte{':'})
		index, err := strconv.Atoi(string(k))
		if !found || err != nil {
			if string(k) == "qid" {
				continue
			}
			return Label{}, 0, r.fail(0, word, "is not index:value")
		}
		if index < 1 {
			return Label{}, 0, r.fail(0, word, "has an index below 1: LIBSVM counts from 1")
		}
		if index <= largest {
			return Label{}, 0, r.fail(index, word, fmt.Sprintf("comes after index %d: indices must rise", largest))
		}
		if index > maxWidth || (x != nil && index > len(x)) {
			return Label{}, 0, r.fail(index, word, fmt.Sprintf("has an index above the width %d", min(maxWidth, max(len(x), r.in, 1))))
		}
		value, ok := parseNumber(v)
		if !ok {
			return Label{}, 0, r.fail(index, v, needNumber(v))
		}
		if !finite(value) {
			return Label{}, 0, r.fail(index, v, notFinite)
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

// readPlain returns the next line that is not blank; quotes mean nothing.
func (r *csvReader) readPlain() ([]byte, error) {
	for {
		line, err := r.physicalLine(r.buf[:0])
		if err != nil || len(bytes.TrimSpace(line)) > 0 {
			return line, err
		}
	}
}

// libsvmWidth reads a file for its largest index.
func libsvmWidth(name string) (int, error) {
	in, err := openInput(name)
	if err != nil {
		return 0, err
	}
	defer in.close()
	r := &libsvmReader{text: csvReader{input: in}}
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
