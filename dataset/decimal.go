package dataset

import (
	"bytes"

	"github.com/rffgo/rff/internal/numeral"
)

// Numbers with decimal commas, as R's write.csv2 and spreadsheets of many countries write
// them: 3,14 beside semicolons.

const decimalPoint = "has a decimal point, and other numbers of the file have decimal commas: write all in one form"

// findDecimals says whether numbers have decimal commas: some of the first 64 KiB have one
// and none has a point. Where semicolons do not separate, one of them must be no number
// with a separator of thousands, such as 1,234.
func (r *csvReader) findDecimals(first []byte) {
	n := 1 << 16
	if r.live { // what comes next may come late
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

// withPoint returns a number with a decimal comma as one with a point.
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

// decimal returns a field with a decimal point, or what is wrong with it. numbers says
// that the column has numbers.
func (r *csvReader) decimal(field []byte, numbers bool) (_ []byte, need string) {
	if number, ok := withPoint(field); ok {
		return number, ""
	}
	if _, ok := numeral.Parse(field); ok && numbers && bytes.IndexByte(field, '.') >= 0 {
		return field, decimalPoint
	}
	return field, ""
}
