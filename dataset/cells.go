package dataset

import (
	"bytes"
	"fmt"
	"math"
	"slices"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/cells"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/look"
	"github.com/rffgo/rff/internal/numeral"
)

// encode gives each of the picked columns its place among the inputs of a map.
func (c *columns) encode(picked []int, o *Options) error {
	c.given = o.Schema != nil
	c.absence = absence{missing: o.Missing, words: o.NA, chosen: o.NA != nil, bare: o.ours.Bare}
	if o.NA == nil {
		c.absence.words = cells.NA()
	}
	c.described = make([]rff.Column, len(picked))
	for n, i := range picked {
		switch {
		case c.names != nil:
			c.described[n].Name = c.inputs[n]
		case len(o.Inputs) > 0:
			c.described[n].Number = i + 1
		}
	}
	if o.kinds == nil {
		return nil
	}
	if len(o.kinds) != len(picked) {
		return &ParseError{Place: Place{File: c.file}, Need: fmt.Sprintf("has %d inputs, and %d columns are wanted", len(picked), len(o.kinds))}
	}
	c.cells, c.width = make([]cell, len(c.role)), 0
	for n, i := range picked {
		c.role[i] = c.width
		switch kind := o.kinds[n].(type) {
		case *cells.Census:
			c.counts = true
		case cells.Words:
			c.described[n].Words = kind.List()
		case cells.Time:
			c.described[n].Time = (*rff.Time)(&kind)
		}
		c.cells[i] = cell{c.width, o.kinds[n]}
		if _, number := o.kinds[n].(cells.Number); !number {
			c.role[i] = roleCell
		}
		c.width += o.kinds[n].Width()
	}
	if c.inputs != nil {
		names := rff.Schema{Inputs: slices.Clone(c.described)}
		for n := range c.inputs {
			names.Inputs[n].Name = c.inputs[n]
		}
		c.inputs = names.InputNames()
	}
	if limit := o.columnLimit(); c.width > limit {
		return tooManyColumns(c.file, 0, int64(c.width), limit)
	}
	return nil
}

// put puts a text without spaces at its ends into the inputs x, the label, the weight or the group,
// as the role of its column says. It returns "", or what is wrong with the text.
func (c *columns) put(s *spot, label *look.Label, col int, text []byte, x []float64) string {
	role := c.role[col]
	if role == roleLabel || role == roleGroup || role == roleCell && !c.cells[col].kind.Gaps() {
		text = cells.Given(text)
	}
	gap := c.isGap(text, col)
	if c.bare && role == roleLabel && (gap || bytes.EqualFold(text, []byte("nan"))) {
		*label = bareLabel
		return ""
	} else if gap && c.lacks(s, role) {
		c.miss(x, col)
		return ""
	}
	v, number := 0.0, false
	if role != roleEmpty && role != roleCell {
		v, number = cells.Number{Bools: c.booleans(col) || role == roleWeight}.Parse(text)
	}
	switch most := len(text) > maxLabelBytes; {
	case role == roleEmpty && len(text) > 0:
		return "stands after the last column: the first lines end in a separator, with nothing after it"
	case role == roleEmpty:
	case len(text) == 0 && role == roleGroup:
		return "the group is missing: remove the row or fill it in"
	case len(text) == 0 && role == roleLabel:
		return labelMissing
	case gap && role == roleWeight:
		return "the value is missing: " + noLabel
	case len(text) == 0:
		return cells.NeedNumber(nil)
	case gap && (role != roleLabel || number):
		return missingWord
	case role == roleCell:
		return c.cells[col].kind.Text(x[c.cells[col].at:], utf8Text(text))
	case (role >= 0 || role == roleWeight) && !number:
		switch need := cells.NeedNumber(text); {
		case role < 0 && need == cells.NotNumber:
			return "is not a number, as weights are: write it as one, or name another column"
		case role < 0 || c.given:
			return need
		case need != cells.NotNumber: // 2024_01 may be a word all the same
			return need + "; in a column of words, take these as inputs (Categories)"
		}
		return "is not a number: mend it, or take it for a missing value (NA with Missing); in a column of words, take these as inputs (Categories), or leave it out (Inputs)"
	case number && !finite(v):
		return notFinite
	case role >= 0:
		x[role] = v
	case role == roleWeight && v < 0:
		return negativeWeight
	case role == roleWeight:
		s.weight = v
	case most:
		return fmt.Sprintf("has %d bytes: neither a class nor a number", len(text))
	case role == roleGroup && number && math.Abs(v) >= 1<<53 && numeral.Whole(text) == nil:
		return roundedGroup
	case role == roleGroup:
		s.group = groupOf(utf8Text(text))
	default:
		*label = textLabel(text)
	}
	return ""
}

// bareLabel is that of a row that lacks its label.
var bareLabel = look.Label{Text: []byte{}}

const (
	negativeWeight = "is a negative weight: weights are 0 or more"
	roundedGroup   = "is a number of 2⁵³ or more that is not written as an integer, so that several ids may have become one: write ids as integers or texts"
)

// isGap reports whether a cell of a column stands for a missing value. A word in the column
// of the labels may be a class: it is a missing value only if the caller chose the words.
func (c *columns) isGap(field []byte, col int) bool {
	role := c.role[col]
	switch {
	case len(field) == 0:
		return role != roleEmpty
	case role >= 0 || role == roleWeight || role == roleLabel && c.chosen || role == roleCell && c.cells[col].kind.Gaps():
		return slices.Contains(c.absence.words, string(field))
	}
	return false
}

// booleans reports whether a text in a column of numbers may be true or false.
func (c *columns) booleans(col int) bool {
	if c.cells == nil || c.role[col] < 0 {
		return false
	}
	n, _ := c.cells[col].kind.(cells.Number)
	return n.Bools
}

// miss sets the inputs of a column to NaN, which marks a missing value.
func (c *columns) miss(x []float64, col int) {
	switch role := c.role[col]; {
	case role == roleCell:
		k := &c.cells[col]
		for j := range k.kind.Width() {
			x[k.at+j] = nan
		}
	case role >= 0:
		x[role] = nan
	}
}

// noWords refuses columns of words, times and ids in files that hold only numbers.
func noWords(file string, o *Options) error {
	if len(o.Categories) > 0 {
		return &ParseError{Place: Place{File: file}, Need: fmt.Sprintf("holds numbers alone: %q is no category", o.Categories[0])}
	}
	if len(o.IDs) > 0 {
		return &ParseError{Place: Place{File: file}, Need: fmt.Sprintf("holds numbers alone, of which none is left out: do not name %q as an id (IDs)", o.IDs[0])}
	}
	for i, k := range o.kinds {
		if _, number := k.(cells.Number); !number {
			return &ParseError{Place: Place{File: file}, Need: fmt.Sprintf("holds numbers alone, and column %s has words or times", inside.Title(*o.Schema, i))}
		}
	}
	return nil
}
