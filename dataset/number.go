package dataset

import (
	"math"
	"unicode/utf8"

	"github.com/rffgo/rff/internal/cells"
)

// nan marks a missing value.
var nan = math.NaN()

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

const notFinite = cells.NotFinite

// What errors say of a word that stands for a missing value, and of a row without a label.
const (
	missingWord  = "stands for a missing value: " + cells.Missing
	noLabel      = "fill it in or remove the row, or let a fit leave such rows out (Missing: drop)"
	labelMissing = "the label is missing: " + noLabel
)

// utf8Text returns text as UTF-8. Text that is not UTF-8 is taken as Latin-1, in which every
// byte is a character.
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
