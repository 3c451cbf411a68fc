package looks

import (
	"fmt"
	"slices"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/cells"
	"github.com/rffgo/rff/internal/look"
)

// Settle returns the schema that the columns of a look make, for rows to be read by, and notes.
func Settle(l *look.Look) (s rff.Schema, notes []string, err error) {
	s = l.Schema
	kinds, notes, err := look.Kinds(l.Columns, s.Unseen)
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
		case cells.Number:
			if k.Bools { // says to the readers of the parts that their texts may be booleans
				c.Range = []float64{0, 1}
			}
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
