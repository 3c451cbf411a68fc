package cells

import (
	"bytes"
	"math"
	"strings"

	"github.com/rffgo/rff/internal/numeral"
)

// Set is the words of a column, with the place of each among its inputs.
type Set map[string]int

// NewSet returns the set of the Levels of these words, which must be different.
func NewSet(words []string) Set {
	s := make(Set, len(words))
	for _, w := range words {
		s.Add(Level(w))
	}
	return s
}

// Add appends a word that is not in the set.
func (s Set) Add(w string) { s[w] = len(s) }

// Has reports whether a word is in the set.
func (s Set) Has(w string) bool {
	_, ok := s[w]
	return ok
}

// Put writes the inputs of a Level to x, of which there are as many as words, and
// reports whether it is in the set. If it is not, all inputs are 0.
func (s Set) Put(x []float64, level []byte) bool {
	clear(x[:len(s)])
	k, known := s[string(level)]
	if known {
		x[k] = 1
	}
	return known
}

// Word returns the level that a cell stands for, in the one form that is the same in every format:
// its text without spaces at the ends or, of
//
//   - a finite number, its shortest form, so that 1 and 1.0 are one;
//   - a number of 2⁵³ or more, all of its digits, since float64 takes several ids for one there;
//   - a date or a time in the form of ISO 8601, with a space or a T between, that of Stamp.Word.
func Word(cell []byte) []byte {
	cell = bytes.TrimSpace(cell)
	if v, ok := numeral.Parse(cell); ok && v-v == 0 {
		if math.Abs(v) < 1<<53 {
			return numeral.Append(nil, v)
		}
		if digits := numeral.Whole(cell); digits != nil {
			return digits
		}
		return numeral.Exact(cell)
	}
	if moment := momentOf(cell); moment != nil {
		return moment
	}
	return cell
}

// Padded reports whether a number has zeros before it, as zip codes and other codes have.
func Padded(number string) bool {
	digits := strings.TrimLeft(number, "+-")
	return len(digits) > 1 && digits[0] == '0' && digits[1]-'0' <= 9
}

// Key is Word, and one word for a boolean in any capitals.
func Key(cell []byte) []byte {
	if word, _ := Boolean(cell); word != "" {
		return []byte(word)
	}
	return Word(cell)
}

// Given is a cell of words, or nil for \N, as dumps of MySQL and PostgreSQL write an empty one.
func Given(cell []byte) []byte {
	if string(cell) == `\N` {
		return nil
	}
	return cell
}

// Level is Word for a string.
func Level(cell string) string { return string(Word([]byte(cell))) }

// Moment reports whether w, without spaces at its ends, is a date or a time that a Level has.
func Moment(w string) bool { return strings.TrimSpace(w) == w && momentOf([]byte(w)) != nil }

// NA returns the texts that stand for a missing value in a column of numbers: those that
// R, pandas, SQL, with the dumps of MySQL and PostgreSQL, and spreadsheets write.
func NA() []string {
	return []string{"NA", "N/A", "#N/A", "n/a", "na", "NaN", "nan", "NAN", "null", "NULL", "Null", "None", "none", `\N`, "?", "-", "."}
}
