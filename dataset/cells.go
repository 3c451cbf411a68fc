package dataset

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/cells"
	"github.com/rffgo/rff/internal/inside"
)

// encode gives each of the picked columns its place among the inputs of a map.
func (c *columns) encode(picked []int, o *Options) error {
	c.absence.missing, c.absence.words = o.Missing, o.NA
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

// isGap reports whether a cell of a column stands for a missing value. A word in the column
// of the labels may be a class: it is a missing value only if the caller chose the words.
func (c *columns) isGap(field []byte, col int, chosen bool) bool {
	role := c.role[col]
	switch {
	case len(field) == 0:
		return role != roleEmpty
	case role >= 0 || role == roleWeight || role == roleLabel && chosen || role == roleCell && c.cells[col].kind.Gaps():
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

// word returns the bytes of a cell of words.
func word(cell []byte) []byte { return utf8Text(bytes.TrimSpace(cell)) }

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
