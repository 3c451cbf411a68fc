package dataset

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rffgo/rff/internal/look"
	"github.com/rffgo/rff/internal/message"
	"github.com/rffgo/rff/internal/numeral"
)

// csvReader reads comma-separated text as RFC 4180 describes it: quoted fields may hold
// separators, line ends and doubled quotes; \r\n and \n both end a line. Blanks around a field,
// also before its quote, do not belong to it. Blank lines are skipped. If spaces separate fields,
// several of them count as one.
type csvReader struct {
	lines
	columns
	comma    byte
	decimals bool       // numbers have decimal commas
	unquoted []byte     // the quoted fields of the last row
	pending  []byte     // a row that was read together with the header
	label    look.Label // of the last row
}

func newCSV(in *input, o *Options) (*csvReader, error) {
	r := &csvReader{lines: newLines(in, o), comma: o.Comma}
	line := func(before string) ([]byte, error) {
		first, err := r.record(r.separators())
		if err == io.EOF {
			err = &ParseError{Place: Place{File: in.name}, Need: "is empty: it " + before + " only"}
		}
		return first, err
	}
	first, err := line("has blank lines")
	comments := 0
	for ; err == nil && r.isComment(first); comments++ {
		first, err = line("has comments")
	}
	if comments > 0 {
		r.note("%s", message.Count(comments, "line before the first row begins with # and is taken for a comment", "lines before the first row begin with # and are taken for comments"))
	}
	if len(first) == 5 && bytes.HasPrefix(first, []byte("sep=")) && r.comma == 0 { // Excel reads and writes such lines
		r.comma = first[4]
		first, err = line("names its separator")
	}
	if err != nil {
		return nil, err
	}
	if bytes.IndexByte(first, 0) >= 0 {
		return nil, &ParseError{Place: Place{File: in.name}, Need: "is neither text nor a binary format known here (IDX, NPY)"}
	}
	if bytes.IndexByte(first, '\r') >= 0 && bytes.IndexByte(first, '"') < 0 {
		return nil, &ParseError{Place: Place{File: in.name, Line: 1}, Need: `ends its lines by \r alone: save it with \n or \r\n`}
	}
	if r.comma == 0 {
		r.comma = separator(first, !o.oneColumn)
	}
	first = r.squeeze(first)
	if r.comma != ',' {
		first = bytes.Clone(first) // reading ahead may overwrite it
		r.findDecimals(first)
	}
	if err := r.header(first, o); err != nil {
		return nil, err
	}
	return r, nil
}

// isComment reports whether a line before the table is a comment. A comment begins with #,
// and either the next line does so too or has another number of fields. A line with as many
// fields as the next one would be the names.
func (r *csvReader) isComment(line []byte) bool {
	ahead, _ := r.Peek(r.Buffered())
	next, _, whole := bytes.Cut(ahead, []byte{'\n'})
	if len(line) == 0 || line[0] != '#' || !whole {
		return false
	}
	comma := r.comma
	if comma == 0 {
		comma = separator(next, true)
	}
	return bytes.HasPrefix(next, []byte{'#'}) || bytes.Count(line, []byte{comma}) != bytes.Count(next, []byte{comma})
}

// separators returns the bytes that may end a field.
func (r *csvReader) separators() string {
	switch r.comma {
	case 0:
		return ",;\t|"
	case ' ':
		return " \t"
	}
	return string(rune(r.comma))
}

// nextRecord returns the next line of fields.
func (r *csvReader) nextRecord() ([]byte, error) {
	line, err := r.record(r.separators())
	if err != nil {
		return nil, err
	}
	return r.squeeze(line), nil
}

// squeeze replaces the blanks between fields by single spaces, in place, if blanks separate
// fields.
func (r *csvReader) squeeze(line []byte) []byte {
	if r.comma != ' ' {
		return line
	}
	out := line[:0]
	quoted, closed, blank := false, false, true // closed: the byte before ended a quoted field
	for _, c := range line {
		isBlank := !quoted && (c == ' ' || c == '\t')
		switch {
		case isBlank && blank:
			continue
		case isBlank:
			c = ' '
		case c == '"' && (quoted || blank || closed): // a doubled quote closes and opens
			quoted, closed = !quoted, quoted
		default:
			closed = false
		}
		blank = isBlank
		out = append(out, c)
	}
	return bytes.TrimSuffix(out, []byte{' '})
}

// separator returns the separator of a line: the most frequent of comma, semicolon, tab and
// bar outside quotes. If there is none of these, spaces separate if they may. If there is
// another separator, a comma between digits is a decimal comma.
func separator(line []byte, spaces bool) byte {
	var count [256]int
	decimal, quoted := 0, false
	digit := func(i int) bool { return i >= 0 && i < len(line) && line[i]-'0' <= 9 }
	for i, c := range line {
		switch {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == ',' && digit(i-1) && digit(i+1):
			decimal++
		default:
			count[c]++
		}
	}
	if count[';']+count['\t']+count['|'] == 0 {
		count[','] += decimal
	}
	best := byte(',')
	for _, c := range []byte(";\t|") {
		if count[c] > count[best] {
			best = c
		}
	}
	if count[best] == 0 && count[' '] > 0 && spaces {
		return ' '
	}
	return best
}

func (r *csvReader) remarks() []string { return slices.Concat(r.notes, r.matched) }

func (r *csvReader) twin() textReader {
	t := *r
	t.chunks, t.unquoted, t.buf, t.joined = nil, nil, nil, nil
	return &t
}

func (r *csvReader) fail(col int, v []byte, need string) error {
	e := &ParseError{Place: Place{File: r.name, Row: r.row, Line: r.line}, Column: col + 1, Value: shorten(bytes.TrimSpace(v)), Need: need}
	if r.names != nil && col >= 0 && col < len(r.names) {
		e.Name = r.names[col]
	}
	if r.row == 1 && r.names == nil && r.line <= 1 && strings.HasSuffix(need, "not a number") {
		e.Need += " (if the first line names the columns, say that it is a header)"
	}
	return e
}

func (r *csvReader) next(x []float64) (look.Label, error) {
	for {
		line := r.pending
		r.pending = nil
		if line == nil && !r.counts {
			r.begin(r, r.separators())
		}
		if r.chunks != nil {
			return r.chunks.next(r, x)
		}
		if line == nil {
			var err error
			if line, err = r.nextRecord(); err != nil {
				return look.Label{}, err
			}
		}
		label, err := r.read(line, x)
		if err != nil || !r.drop(&r.spot) {
			return label, err
		}
	}
}

func (r *csvReader) parse(line []byte, x []float64) (label look.Label, there bool, err error) {
	if label, err = r.read(r.squeeze(line), x); err != nil {
		return look.Label{}, false, err
	}
	return label, !r.drop(&r.spot), nil
}

// read reads a row.
func (r *csvReader) read(line []byte, x []float64) (look.Label, error) {
	r.row++
	r.label, r.weight, r.group, r.missed = look.Label{}, 1, 0, false
	r.unquoted = r.unquoted[:0]
	col, rest, more := 0, line, true
	plain := r.comma|0x20 != 'e' && !r.decimals // numeral.Scan then ends at the separator
	for ; more; col++ {
		if col >= len(r.role) {
			return look.Label{}, r.ragged(line)
		}
		role := r.role[col]
		// The common case, a plain number up to the separator, in one scan.
		if role >= 0 && plain {
			if len(rest) > 1 && rest[1] == r.comma && rest[0]-'0' <= 9 {
				x[role], rest = float64(rest[0]-'0'), rest[2:]
				continue
			}
			if v, n := numeral.Scan(rest); n > 0 && (n == len(rest) || rest[n] == r.comma) {
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
			return look.Label{}, r.fail(col, nil, err.Error())
		}
		if role == roleSkip {
			continue
		}
		if err := r.take(line, col, bytes.TrimSpace(field), x); err != nil {
			return look.Label{}, err
		}
	}
	if col < len(r.role) {
		return look.Label{}, r.ragged(line)
	}
	return r.label, nil
}

// take is put for a field of a line.
func (r *csvReader) take(line []byte, col int, field []byte, x []float64) error {
	role := r.role[col]
	number := role >= 0 || role == roleWeight
	need := ""
	if r.decimals {
		field, need = r.decimal(field, number || role == roleLabel)
	}
	if need == "" {
		need = r.put(&r.spot, &r.label, col, field, x)
	}
	switch {
	case need == "":
		return nil
	case r.misshapen(line):
		return r.ragged(line)
	}
	return r.fail(col, field, need)
}

// misshapen reports whether a line has another number of fields than the first, or is not
// text. Either explains a bad field better than the field itself.
func (r *csvReader) misshapen(line []byte) bool {
	n, err := r.count(line)
	return err != nil || n != len(r.role) || bytes.IndexByte(line, 0) >= 0
}

func (r *csvReader) ragged(line []byte) error {
	what := "the first line"
	if r.names != nil {
		what = "the header"
	}
	if bytes.IndexByte(line, 0) >= 0 {
		return r.fail(-1, nil, "is not text")
	}
	n, _ := r.count(line)
	return r.fail(-1, nil, fmt.Sprintf("has %s where %s has %d", message.Count(n, "field"), what, len(r.role)))
}

// field cuts the first field off line; more says that another follows. The field is valid
// until the next row is read: the label waits for the fields after it.
func (r *csvReader) field(line []byte) (field, rest []byte, more bool, err error) {
	inner, quoted := openQuote(line, string(r.comma))
	if !quoted {
		field, rest, more = bytes.Cut(line, []byte{r.comma})
		return field, rest, more, nil
	}
	from := len(r.unquoted)
	for doubled := true; doubled; {
		field, line, quoted = bytes.Cut(inner, []byte{'"'})
		if !quoted {
			return nil, nil, false, fmt.Errorf("has a quote that is not closed")
		}
		r.unquoted = append(r.unquoted, field...)
		if inner, doubled = bytes.CutPrefix(line, []byte{'"'}); doubled {
			r.unquoted = append(r.unquoted, '"')
		}
	}
	field, rest, more = bytes.Cut(line, []byte{r.comma})
	if len(bytes.TrimSpace(field)) > 0 {
		return nil, nil, false, fmt.Errorf("has text after a closing quote")
	}
	return r.unquoted[from:], rest, more, nil
}

// count returns the number of fields of a line.
func (r *csvReader) count(line []byte) (n int, err error) {
	for more := true; more; n++ {
		if _, line, more, err = r.field(line); err != nil {
			return n, &ParseError{Place: Place{File: r.name, Line: r.line}, Need: err.Error()}
		}
	}
	return n, nil
}

// split returns all fields of a line, at most limit, and one more that a separator at its end makes.
func (r *csvReader) split(line []byte, limit int) ([]string, error) {
	n, err := r.count(line)
	if err != nil {
		return nil, err
	}
	if n > limit+1 {
		return nil, tooManyColumns(r.name, r.line, int64(n), limit)
	}
	out := make([]string, n)
	for i := range out {
		var field []byte
		field, line, _, _ = r.field(line)
		if field = bytes.TrimSpace(field); r.decimals {
			field, _ = r.decimal(field, false)
		}
		out[i] = string(field)
	}
	return out, nil
}
