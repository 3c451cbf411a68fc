package look

import (
	"fmt"
	"strconv"

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

// Title names the column for people.
func (c *Column) Title() string {
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

func (e *CellError) Error() string { return e.Column.Title() + " " + e.Need }

// Kinds returns the kind of each column, or nil for a column that is no input, and notes for
// the user. The error is a *CellError.
func Kinds(columns []Column, unseen string) (kinds []cells.Kind, notes []string, err error) {
	for _, c := range columns {
		kind := cells.Kind(cells.Number{})
		if c.Census != nil {
			found, note, need := c.Census.Settle(c.Name, c.Title())
			if n, number := found.(cells.Number); need == "" && (!number || n.Bools) && c.Numbers {
				if found == nil && c.Census.Words() == 0 { // it is no id, since a part has other numbers
					found, note = kind, ""
				} else {
					need = "has words or dates in some parts, and numbers in the first rows of others: take it for words in all parts (Categories), or mend it"
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
