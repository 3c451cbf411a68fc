package dataset

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// maxLine bounds one line of text: a file without line ends is no table, and
// must not be read into memory to find that out.
const maxLine = 1 << 26

// csvReader reads comma-separated text as RFC 4180 has it: quoted fields may
// hold separators, line ends and doubled quotes; \r\n and \n both end a line;
// blank lines are skipped.
type csvReader struct {
	*input
	comma     byte
	names     []string // of all columns, or nil
	role      []int    // per column: input index, or one of the constants below
	inputs    []string
	label     string
	in        int
	line      int64
	row       int64
	buf       []byte
	unquoted  []byte
	pending   []byte // a first line that turned out to be data
	pendingAt int64
}

const (
	roleLabel = -1
	roleSkip  = -2
)

func newCSV(in *input, o *Options) (*csvReader, error) {
	r := &csvReader{input: in, comma: o.Comma}
	if head, _ := in.Peek(3); bytes.Equal(head, []byte("\xef\xbb\xbf")) {
		in.Discard(3)
	}
	first, err := r.readLine()
	if err == io.EOF {
		return nil, &ParseError{File: in.name, Need: "the file is empty"}
	} else if err != nil {
		return nil, err
	}
	if i := bytes.IndexByte(first, 0); i >= 0 {
		return nil, &ParseError{File: in.name, Need: "is neither text nor a binary format known here (IDX, NPY)"}
	}
	if r.comma == 0 {
		r.comma = separator(first)
	}
	fields, err := r.split(first)
	if err != nil {
		return nil, err
	}
	header := o.Header == HeaderYes
	if o.Header == HeaderAuto {
		header = !slices.ContainsFunc(fields, func(f string) bool { _, ok := parseNumber([]byte(f)); return ok || f == "" })
	}
	if header {
		r.names = fields
	} else {
		r.pending, r.pendingAt = append([]byte(nil), first...), r.line
	}
	if err := r.assign(len(fields), o); err != nil {
		return nil, err
	}
	return r, nil
}

// separator returns the separator of a line: the most frequent of comma,
// semicolon and tab.
func separator(line []byte) byte {
	best, most := byte(','), 0
	for _, c := range []byte(",;\t") {
		if n := bytes.Count(line, []byte{c}); n > most {
			best, most = c, n
		}
	}
	return best
}

// assign gives each of the n columns its role.
func (r *csvReader) assign(n int, o *Options) error {
	find := func(name string) (int, error) {
		if i := slices.Index(r.names, name); i >= 0 {
			if slices.Contains(r.names[i+1:], name) {
				return 0, &ParseError{File: r.name, Line: 1, Need: fmt.Sprintf("two columns are called %q", name)}
			}
			return i, nil
		}
		if i, err := strconv.Atoi(name); err == nil && i >= 1 && i <= n {
			return i - 1, nil
		}
		names := r.names
		if names == nil {
			return 0, &ColumnError{r.name, name, []string{fmt.Sprintf("1 … %d, without names", n)}}
		}
		return 0, &ColumnError{r.name, name, names}
	}
	r.role = make([]int, n)
	for i := range r.role {
		r.role[i] = roleSkip
	}
	label := -1
	if !o.NoLabel && o.LabelFile == "" {
		label = n - 1
		if o.Label != "" {
			var err error
			if label, err = find(o.Label); err != nil {
				return err
			}
		}
		if n == 1 {
			return &ParseError{File: r.name, Line: 1, Need: "has a single column: a label and no inputs"}
		}
		r.role[label] = roleLabel
		if r.names != nil {
			r.label = r.names[label]
		}
	}
	if len(o.Inputs) > 0 {
		for k, name := range o.Inputs {
			i, err := find(name)
			if err != nil {
				return err
			}
			if r.role[i] >= 0 || i == label {
				return &ParseError{File: r.name, Line: 1, Column: i + 1, Name: name, Need: "is named twice among the inputs and the label"}
			}
			r.role[i] = k
		}
		r.in = len(o.Inputs)
		r.inputs = o.Inputs
		return nil
	}
	for i := range r.role {
		if i != label {
			r.role[i] = r.in
			r.in++
			if r.names != nil {
				r.inputs = append(r.inputs, r.names[i])
			}
		}
	}
	return nil
}

func (r *csvReader) width() int                  { return r.in }
func (r *csvReader) columns() ([]string, string) { return r.inputs, r.label }
func (r *csvReader) position() (row, line int64) { return r.row, r.line }
func (r *csvReader) Close() error                { return r.close() }
func (r *csvReader) fail(col int, v []byte, need string) error {
	e := &ParseError{File: r.name, Row: r.row, Line: r.line, Column: col + 1, Value: shorten(bytes.TrimSpace(v)), Need: need}
	if r.names != nil && col >= 0 && col < len(r.names) {
		e.Name = r.names[col]
	}
	if r.row == 1 && r.names == nil && r.line <= 1 && strings.HasSuffix(need, "not a number") {
		e.Need += " (if the first line names the columns, say that it is a header)"
	}
	return e
}

func (r *csvReader) next(x []float64) (Label, error) {
	line := r.pending
	if line != nil {
		r.pending = nil
	} else {
		var err error
		if line, err = r.readLine(); err != nil {
			return Label{}, err
		}
	}
	r.row++
	var label Label
	col, rest, more := 0, line, true
	for ; more; col++ {
		if col >= len(r.role) {
			return Label{}, r.ragged(line)
		}
		role := r.role[col]
		// The common case, a plain number up to the separator, in one scan.
		if role >= 0 {
			if v, n := scanNumber(rest); n > 0 && (n == len(rest) || rest[n] == r.comma) {
				x[role] = v
				if more = n < len(rest); more {
					rest = rest[n+1:]
				}
				continue
			}
		}
		var field []byte
		var err error
		if field, rest, more, err = r.field(rest); err != nil {
			return Label{}, r.fail(col, nil, err.Error())
		}
		switch {
		case role >= 0:
			v, ok := parseNumber(field)
			if !ok && r.misshapen(line) {
				return Label{}, r.ragged(line)
			}
			if !ok {
				return Label{}, r.fail(col, field, needNumber(field))
			}
			if !finite(v) {
				return Label{}, r.fail(col, field, notFinite)
			}
			x[role] = v
		case role == roleLabel:
			field = bytes.TrimSpace(field)
			if len(field) == 0 {
				return Label{}, r.fail(col, nil, "the label is missing")
			}
			label = textLabel(field)
			if v, ok := parseNumber(field); ok && !finite(v) {
				return Label{}, r.fail(col, field, notFinite)
			}
		}
	}
	if col < len(r.role) {
		return Label{}, r.ragged(line)
	}
	return label, nil
}

// misshapen reports whether a line has another number of fields than the first,
// or is not text: what explains a bad field better than the field itself.
func (r *csvReader) misshapen(line []byte) bool {
	fields, err := r.split(line)
	return err != nil || len(fields) != len(r.role) || bytes.IndexByte(line, 0) >= 0
}

func (r *csvReader) ragged(line []byte) error {
	fields, _ := r.split(line)
	what := "the first line"
	if r.names != nil {
		what = "the header"
	}
	if bytes.IndexByte(line, 0) >= 0 {
		return r.fail(-1, nil, "is not text")
	}
	return r.fail(-1, nil, fmt.Sprintf("has %d fields where %s has %d", len(fields), what, len(r.role)))
}

// field cuts the first field off line; more says that another follows.
func (r *csvReader) field(line []byte) (field, rest []byte, more bool, err error) {
	if len(line) == 0 || line[0] != '"' {
		i := bytes.IndexByte(line, r.comma)
		if i < 0 {
			return line, nil, false, nil
		}
		return line[:i], line[i+1:], true, nil
	}
	r.unquoted = r.unquoted[:0]
	for i := 1; i < len(line); i++ {
		if line[i] != '"' {
			r.unquoted = append(r.unquoted, line[i])
			continue
		}
		if i+1 < len(line) && line[i+1] == '"' {
			r.unquoted = append(r.unquoted, '"')
			i++
			continue
		}
		switch rest := line[i+1:]; {
		case len(rest) == 0:
			return r.unquoted, nil, false, nil
		case rest[0] == r.comma:
			return r.unquoted, rest[1:], true, nil
		}
		return nil, nil, false, fmt.Errorf("has text after a closing quote")
	}
	return nil, nil, false, fmt.Errorf("has a quote that is not closed")
}

// split returns all fields of a line.
func (r *csvReader) split(line []byte) ([]string, error) {
	var out []string
	for more := true; more; {
		var field []byte
		var err error
		if field, line, more, err = r.field(line); err != nil {
			return nil, &ParseError{File: r.name, Line: r.line, Need: err.Error()}
		}
		out = append(out, string(bytes.TrimSpace(field)))
	}
	return out, nil
}

// readLine returns the next line that is not blank, without its end, together
// with the lines a quoted field runs over. It is valid until the next call.
func (r *csvReader) readLine() ([]byte, error) {
	for {
		line, err := r.physicalLine(r.buf[:0])
		if err != nil {
			return nil, err
		}
		if bytes.IndexByte(line, '"') >= 0 && bytes.Count(line, []byte{'"'})%2 == 1 {
			start := r.line
			joined := append([]byte(nil), line...)
			for bytes.Count(joined, []byte{'"'})%2 == 1 {
				more, err := r.physicalLine(nil)
				if err == io.EOF {
					return nil, &ParseError{File: r.name, Row: r.row + 1, Line: start, Need: "has a quote that is not closed"}
				} else if err != nil {
					return nil, err
				}
				joined = append(append(joined, '\n'), more...)
				if len(joined) > maxLine {
					return nil, &ParseError{File: r.name, Row: r.row + 1, Line: start, Need: "has a quote that is not closed"}
				}
			}
			return joined, nil
		}
		if len(bytes.TrimSpace(line)) > 0 {
			return line, nil
		}
	}
}

// physicalLine returns the next line, using buf if the reader's buffer is too small.
func (r *csvReader) physicalLine(buf []byte) ([]byte, error) {
	line, err := r.ReadSlice('\n')
	for err == bufio.ErrBufferFull {
		buf = append(buf, line...)
		if len(buf) > maxLine {
			return nil, &ParseError{File: r.name, Row: r.row + 1, Line: r.line + 1, Need: "is longer than 64 MiB: not a table"}
		}
		line, err = r.ReadSlice('\n')
	}
	if len(buf) > 0 {
		buf = append(buf, line...)
		line, r.buf = buf, buf
	}
	if err == io.EOF && len(line) == 0 {
		return nil, io.EOF
	}
	if err != nil && err != io.EOF {
		return nil, &ReadError{File: r.name, Row: r.row, Err: gzipError(err)}
	}
	r.line++
	line = bytes.TrimSuffix(line, []byte{'\n'})
	return bytes.TrimSuffix(line, []byte{'\r'}), nil
}
