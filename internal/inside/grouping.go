package inside

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/message"
)

// IntervalsBy is what a model's provenance has the name of its grouping under.
const IntervalsBy = "intervals by"

// Grouping is a column whose words or numbers divide rows into groups. The zero Grouping has
// one group.
type Grouping struct {
	Name  string // of the column
	at    int    // its first input
	words []string
}

// NewGrouping returns the grouping by a column of that name; "" for one group. The error is
// a *rff.ParameterError.
func NewGrouping(name string, s rff.Schema) (Grouping, error) {
	if name == "" {
		return Grouping{}, nil
	}
	wrong := rff.ParameterError{Name: IntervalsBy, Value: name}
	at := 0
	for i, c := range s.Inputs {
		title := Title(s, i)
		if c.Name == name || c.Name == "" && title == name {
			if c.Time != nil {
				wrong.Need = "is a column of dates: give one of words, or of few numbers"
				return Grouping{}, &wrong
			}
			return Grouping{name, at, c.Words}, nil
		}
		wrong.Known = append(wrong.Known, cmp.Or(c.Name, title))
		at += Width(c)
	}
	wrong.Need = "must be a column of the inputs: " + message.Names(wrong.Known)
	return Grouping{}, &wrong
}

// Of returns the group of a raw row: a number, or how many words precede its own.
func (g Grouping) Of(row []float64) float64 {
	switch {
	case g.Name == "":
		return 0
	case g.words == nil:
		return row[g.at]
	}
	if k := slices.IndexFunc(row[g.at:g.at+len(g.words)], func(v float64) bool { return v != 0 }); k >= 0 {
		return float64(k)
	}
	return float64(len(g.words))
}

// Text names a group for people.
func (g Grouping) Text(group float64) string {
	if g.words == nil {
		return strconv.FormatFloat(group, 'g', -1, 64)
	}
	if k := int(group); k < len(g.words) {
		return g.words[k]
	}
	return "none of its words"
}
