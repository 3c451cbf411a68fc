// Package words turns the words of a column into inputs: one input per word, which is 1
// where a row has the word and else 0.
package words

import (
	"bytes"

	"github.com/rffgo/rff/internal/numeral"
)

// Set is the words of a column, with the place of each among its inputs.
type Set map[string]int

// New returns the set of these words, which must be different Levels.
func New(words []string) Set {
	s := make(Set, len(words))
	for _, w := range words {
		s.Add(w)
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

// Of returns the level that a cell stands for: its text without spaces at the ends, or, if
// that is a finite number, the number in its shortest form, so that 1 and 1.0 are one.
func Of(cell []byte) []byte {
	cell = bytes.TrimSpace(cell)
	if v, ok := numeral.Parse(cell); ok && v-v == 0 {
		return numeral.Append(nil, v)
	}
	return cell
}

// Level is Of for a string.
func Level(cell string) string { return string(Of([]byte(cell))) }

// Gaps returns the texts that stand for a missing value in a column of numbers: those that
// R, pandas, SQL and spreadsheets write.
func Gaps() []string {
	return []string{"NA", "N/A", "#N/A", "n/a", "na", "NaN", "nan", "NAN", "null", "NULL", "Null", "None", "none", "?", "-", "."}
}
