package dataset

import (
	"bytes"
	"regexp"

	"github.com/rffgo/rff/internal/numeral"
)

// R's write.csv2 and the spreadsheets of many countries write numbers with decimal commas,
// such as 3,14, and separate fields by semicolons.

const decimalPoint = "has a decimal point, and other numbers of the file have decimal commas: write all in one form, and thousands without points"

// thousands is a number whose points may separate thousands.
var thousands = regexp.MustCompile(`^[+-]?[1-9]\d{0,2}(\.\d{3})+(,\d*)?$`)

// findDecimals finds out whether numbers have decimal commas. They do if some numbers of the
// first 64 KiB have one and none has a point. If semicolons separate fields, points may separate
// thousands, as in 1.234; if they do not, one of the numbers must also be unlike 1,234, whose comma may.
func (r *csvReader) findDecimals(first []byte) {
	n := 1 << 16
	if r.live { // more may come late
		n = r.Buffered()
	}
	ahead, _ := r.Peek(n)
	if end := bytes.LastIndexByte(ahead, '\n'); end >= 0 && len(ahead) == n {
		ahead = ahead[:end]
	}
	found, certain := "", r.comma == ';'
	for line := range bytes.Lines(append(append(bytes.Clone(first), '\n'), ahead...)) {
		for field := range bytes.SplitSeq(bytes.TrimRight(line, "\r\n"), []byte{r.comma}) {
			field = bytes.Trim(field, "\" \t")
			if r.comma == ';' && thousands.Match(field) {
				field = bytes.ReplaceAll(field, []byte{'.'}, nil)
			}
			if _, ok := withPoint(field); ok {
				at := bytes.IndexByte(field, ',')
				certain = certain || len(field)-at != 4 || len(bytes.TrimLeft(field[:at], "+-0")) == 0
				found = string(field)
			} else if v, ok := numeral.Parse(field); ok && finite(v) && bytes.IndexByte(field, '.') >= 0 {
				return
			}
		}
	}
	if r.decimals = found != "" && certain; r.decimals {
		r.note("numbers have decimal commas, such as %s, as R's write.csv2 and Excel write them", found)
	}
}

// withPoint replaces the decimal comma of a number by a point. ok is false if field is no
// such number.
func withPoint(field []byte) (number []byte, ok bool) {
	at := bytes.IndexByte(field, ',')
	if at < 0 || bytes.IndexByte(field[at+1:], ',') >= 0 || bytes.IndexByte(field, '.') >= 0 {
		return nil, false
	}
	number = bytes.Clone(field)
	number[at] = '.'
	v, ok := numeral.Parse(number)
	return number, ok && finite(v)
}

// decimal returns a field with its decimal comma replaced by a point, or says what is wrong
// with it. numbers says that the column has numbers.
func (r *csvReader) decimal(field []byte, numbers bool) (_ []byte, need string) {
	if number, ok := withPoint(field); ok {
		return number, ""
	}
	if _, ok := numeral.Parse(field); ok && numbers && bytes.IndexByte(field, '.') >= 0 {
		return field, decimalPoint
	}
	return field, ""
}
