// Package cells turns the cells of a column into inputs of a map. A column has numbers, words,
// or dates and times.
package cells

import (
	"bytes"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/rffgo/rff/internal/numeral"
)

// Kind says what the cells of a column are.
type Kind interface {
	// Width returns how many inputs a cell becomes.
	Width() int
	// Gaps reports whether the words for a missing value stand for one in such a column.
	Gaps() bool
	// Text writes the inputs of a text without spaces at its ends, which is not empty, to
	// the first Width elements of to. It returns "", or what is wrong with the text.
	Text(to []float64, cell []byte) (need string)
	// Number and Stamp are Text for a number and for a moment.
	Number(to []float64, v float64) (need string)
	Bool(to []float64, v bool) (need string)
	Stamp(to []float64, s Stamp) (need string)
}

// Of returns the kind of a column: of these words if there are any, otherwise of times if they
// are given, otherwise of numbers. zero says that all inputs are 0 for another word, which is
// otherwise refused. span has the least and the largest number that a fit had, or is nil: 0 and 1
// may have been booleans, and are taken as such.
func Of(words []string, times *Time, zero bool, span []float64) Kind {
	switch {
	case words != nil:
		return Words{Set: NewSet(words), Zero: zero}
	case times != nil:
		return *times
	}
	return Number{Bools: span != nil && !slices.ContainsFunc(span, func(v float64) bool { return v != 0 && v != 1 })}
}

// Number is a column of numbers, each of which is an input.
type Number struct {
	// Bools says that a text may be true or false, in any capitals: 1 or 0. In a column of other
	// numbers such a text is a mistake, as where a row lacks a cell.
	Bools bool
}

func (Number) Width() int { return 1 }
func (Number) Gaps() bool { return true }

func (n Number) Text(to []float64, cell []byte) string {
	if v, ok := n.Parse(cell); ok {
		return n.Number(to, v)
	}
	return NeedNumber(cell)
}

// Parse returns the number that a text stands for.
func (n Number) Parse(cell []byte) (v float64, ok bool) {
	if v, ok = numeral.Parse(cell); !ok && n.Bools {
		var word string
		word, v = Boolean(cell)
		ok = word != ""
	}
	return v, ok
}

func (Number) Number(to []float64, v float64) string {
	if v-v != 0 {
		return NotFinite
	}
	to[0] = v
	return ""
}

func (n Number) Bool(to []float64, v bool) string {
	_, to[0] = Boolean(strconv.AppendBool(nil, v))
	return ""
}

func (Number) Stamp([]float64, Stamp) string { return "is a date or time, and the column has numbers" }

// Missing says what to do about a missing value. Who predicts has the row, and perhaps not the fit.
const Missing = "remove the row or fill it in, or give the fit a rule for such rows (Missing)"

// NotFinite says what is wrong with an infinity.
const NotFinite = "is not a finite number: remove the row or fill the value in"

// NotNumber says what is wrong with a word.
const NotNumber = "is not a number: write it as one, or leave the row out"

// NeedNumber says what is wrong with a cell that should have been a number.
func NeedNumber(cell []byte) string {
	plain := bytes.ReplaceAll(bytes.ReplaceAll(cell, []byte(","), nil), []byte("_"), nil)
	switch {
	case len(cell) == 0:
		return "the value is missing: " + Missing
	case len(plain) == len(cell) || !numeral.Plain(plain):
		if Disguised(cell) {
			return "is not a number: write it without currencies, percent signs and separators of thousands"
		}
		if bytes.EqualFold(cell, []byte("true")) || bytes.EqualFold(cell, []byte("false")) {
			return "is not a number: write true as 1 and false as 0 here, since the column has numbers"
		}
		return NotNumber
	case bytes.IndexByte(cell, '_') >= 0:
		return "is not a number: write it without underscores"
	}
	return "is not a number: write it with a decimal point, and thousands without separators (pandas: decimal='.')"
}

// Disguised reports whether a cell is a number apart from a currency, a percent sign or
// separators of thousands. A column of such cells is not a column of words.
func Disguised(cell []byte) bool {
	bare := bytes.Map(func(c rune) rune {
		switch c {
		case '$', '€', '£', '¥', '%', ',', '_', '\'', ' ', '\u00a0', '\u202f', '(', ')':
			return -1
		}
		return c
	}, cell)
	if len(bare) == len(cell) || len(bare) == 0 || bytes.Count(bare, []byte(".")) > 1 {
		return false
	}
	_, ok := numeral.Parse(bare)
	return ok && slices.ContainsFunc(bare, func(c byte) bool { return c-'0' <= 9 })
}

// Words is a column of words, each of which is an input: 1 where a row has the word, else 0.
type Words struct {
	Set  Set
	Zero bool // a word that is not in the set makes all inputs 0
}

func (w Words) Width() int { return len(w.Set) }

// Gaps is false, since a word such as NA may be a word like the others.
func (Words) Gaps() bool { return false }

func (w Words) Text(to []float64, cell []byte) string {
	word := Word(cell)
	if !w.Set.Put(to, word) && !w.Set.Put(to, []byte(SameBoolean(maps.Keys(w.Set), word))) && !w.Zero {
		return "is a word that the fit has not seen: take it for none of them (Unseen: zero), or leave the row out"
	}
	return ""
}

func (w Words) Number(to []float64, v float64) string {
	if math.IsInf(v, 0) {
		return NotFinite
	}
	return w.Text(to, numeral.Append(nil, v))
}

// Bool takes the word that stands for v: True, TRUE, true or 1.
func (w Words) Bool(to []float64, v bool) string {
	word, number := w.like(strconv.FormatBool(v)), 0.0
	if word != "" {
		return w.Text(to, []byte(word))
	} else if v {
		number = 1
	}
	return w.Number(to, number)
}

// like returns word if it is in the set, or else the only one that is word in capitals of
// another kind. It returns "" if there is none.
func (w Words) like(word string) (found string) {
	if w.Set.Has(word) {
		return word
	}
	n := 0
	for s := range w.Set {
		if strings.EqualFold(s, word) {
			found, n = s, n+1
		}
	}
	if n != 1 {
		return ""
	}
	return found
}

func (w Words) Stamp(to []float64, s Stamp) string { return w.Text(to, []byte(s.Word())) }
