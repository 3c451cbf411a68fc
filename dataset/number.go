package dataset

import (
	"bytes"
	"math"
	"unicode/utf8"

	"github.com/rffgo/rff/internal/numeral"
)

// nan marks a missing value.
var nan = math.NaN()

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

const notFinite = "is not a finite number: remove the row or fill the value in"

// missingWord is what needNumber says of a word that stands for a missing value.
const missingWord = "stands for a missing value: remove the row or fill it in"

// needNumber says what is wrong with a field that should have been a number.
func needNumber(field []byte) string {
	field = bytes.TrimSpace(field)
	if len(field) == 0 {
		return "the value is missing: remove the row or fill it in"
	}
	if plain := bytes.ReplaceAll(bytes.ReplaceAll(field, []byte(","), nil), []byte("_"), nil); len(plain) < len(field) && numeral.Plain(plain) {
		if bytes.IndexByte(field, '_') >= 0 {
			return "is not a number: write it without underscores"
		}
		return "is not a number: write it with a decimal point, and thousands without separators (pandas: decimal='.')"
	}
	return "is not a number"
}

// utf8Text returns text as UTF-8. What is not is taken as Latin-1, in which
// every byte is a character.
func utf8Text(b []byte) []byte {
	if utf8.Valid(b) {
		return b
	}
	out := make([]byte, 0, len(b)+8)
	for _, c := range b {
		out = utf8.AppendRune(out, rune(c))
	}
	return out
}
