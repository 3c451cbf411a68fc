package look

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/cells"
)

// Column is a column that is to be an input.
type Column struct {
	Name   string `json:"name,omitempty"`
	Number int    `json:"number"` // in the file, from 1
	// Census counts what the cells of the column are. It counts in the parts whose first rows
	// have no number there, or only numbers that look like ids. nil: a column of numbers.
	Census *cells.Census `json:"census,omitempty"`
	// Numbers says that the first rows of some part have numbers there.
	Numbers bool `json:"numbers,omitempty"`
}

func (c *Column) merge(d *Column) error {
	c.Numbers = c.Numbers || d.Numbers
	switch {
	case c.Census == nil:
		c.Census = d.Census
	case d.Census != nil && c.Census.Order != d.Census.Order:
		return fmt.Errorf("the parts were looked at with different orders of dates: give all the same --date-order")
	case d.Census != nil:
		c.Census.Merge(d.Census)
	}
	return nil
}

// title names the column for people.
func (c *Column) title() string {
	if c.Name != "" {
		return strconv.Quote(c.Name)
	}
	return fmt.Sprintf("column %d", c.Number)
}

// CellError says why a column cannot be an input.
type CellError struct {
	Column Column
	Need   string
}

func (e *CellError) Error() string { return e.Column.title() + " " + e.Need }

// Kinds returns the kind of each column, or nil for a column that is no input, and notes for
// the user. The error is a *CellError.
func Kinds(columns []Column, unseen string) (kinds []cells.Kind, notes []string, err error) {
	for _, c := range columns {
		kind := cells.Kind(cells.Number{})
		if c.Census != nil {
			found, note, need := c.Census.Settle(c.Name, c.title())
			if _, number := found.(cells.Number); need == "" && !number && c.Numbers {
				if found == nil && c.Census.Words() == 0 { // it is no id, since a part has other numbers
					found, note = kind, ""
				} else {
					need = fmt.Sprintf("has words or dates in some parts, and numbers in the first rows of others: say what it is for all parts (--categories %s), or mend it", c.title())
				}
			}
			if need != "" {
				return nil, nil, &CellError{c, need}
			}
			if note != "" {
				notes = append(notes, note)
			}
			kind = found
		}
		if w, ok := kind.(cells.Words); ok {
			w.Zero = unseen == "zero"
			kind = w
		}
		kinds = append(kinds, kind)
	}
	return kinds, notes, nil
}

// Settle returns the schema that the columns make, for rows to be read by, and notes.
func (l *Look) Settle() (s rff.Schema, notes []string, err error) {
	s = l.Schema
	kinds, notes, err := Kinds(l.Columns, s.Unseen)
	if err != nil {
		return s, nil, err
	}
	s.Inputs = nil
	words := false
	for i, k := range kinds {
		c := rff.Column{Name: l.Columns[i].Name, Number: l.Schema.Inputs[i].Number}
		if c.Name == "" && slices.Contains(kinds, nil) {
			c.Number = l.Columns[i].Number
		}
		switch k := k.(type) {
		case nil:
			continue
		case cells.Words:
			c.Words, words = k.List(), true
		case cells.Time:
			c.Time = (*rff.Time)(&k)
		}
		s.Inputs = append(s.Inputs, c)
	}
	if !words {
		s.Unseen = ""
	}
	if len(s.Inputs) == 0 {
		return s, nil, fmt.Errorf("there are no inputs: %s", notes[0])
	}
	return s, notes, nil
}
