package krr

import (
	"math"
	"slices"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/inside"
)

// The schema of a file: the metadata "inputs" (names of the columns), "target", "classes",
// "columns", "missing", "unseen" and "na", and the tensors columns.fill, columns.low,
// columns.high and classes.weight. docs/model-format.md says what they mean.

// columnMeta is what the metadata say of a column beside its name.
type columnMeta struct {
	Number int       `json:"number,omitempty"`
	Words  []string  `json:"words,omitempty"`
	Time   *timeMeta `json:"time,omitempty"`
}

// timeMeta is rff.Time.
type timeMeta struct {
	Order   string `json:"order,omitempty"`
	Zone    bool   `json:"zone,omitempty"`
	Clock   bool   `json:"clock,omitempty"`
	Hour    bool   `json:"hour,omitempty"`
	Weekday bool   `json:"weekday,omitempty"`
	YearDay bool   `json:"yearday,omitempty"`
}

// setSchema stores what s says of the inputs and the target's name.
func (t *tensors) setSchema(s rff.Schema) {
	if names := s.Names(); names != nil {
		t.setTexts("inputs", names)
	}
	if name := s.Target.Name; name != "" {
		t.Meta["target"] = name
		t.setBytes("target", []string{name})
	}
	in, _ := s.Dims()
	if slices.ContainsFunc(s.Inputs, func(c rff.Column) bool { return c.Words != nil || c.Time != nil || c.Number != 0 }) {
		columns := make([]columnMeta, len(s.Inputs))
		for i, c := range s.Inputs {
			columns[i] = columnMeta{c.Number, c.Words, (*timeMeta)(c.Time)}
		}
		t.SetJSON("columns", columns)
	}
	var fill []float64
	for _, c := range s.Inputs {
		fill = append(fill, c.Fill...)
	}
	if len(fill) == in {
		t.Add("columns.fill", fill)
	}
	if slices.ContainsFunc(s.Inputs, func(c rff.Column) bool { return c.Range != nil }) {
		low := slices.Repeat([]float64{math.NaN()}, in)
		high, at := slices.Clone(low), 0
		for _, c := range s.Inputs {
			if c.Range != nil {
				low[at], high[at] = c.Range[0], c.Range[1]
			}
			at += inside.Width(c)
		}
		t.Add("columns.low", low)
		t.Add("columns.high", high)
	}
	if s.Target.Weights != nil {
		t.Add("classes.weight", s.Target.Weights)
	}
	if s.Missing != "" {
		t.Meta["missing"] = string(s.Missing)
	}
	if s.Unseen != "" {
		t.Meta["unseen"] = s.Unseen
	}
	if s.NA != nil {
		t.SetJSON("na", s.NA)
	}
}

// readSchema is the reverse of setSchema, for a map of dim inputs, and reads the classes.
func (p *parsed) readSchema(dim int) (s rff.Schema, err error) {
	names := p.texts("inputs")
	var columns []columnMeta
	p.JSON("columns", &columns)
	n := dim
	if columns != nil {
		n = len(columns)
	}
	if names != nil && len(names) != n {
		return s, p.Bad("it names %d inputs of %d", len(names), n)
	}
	s.Inputs = make([]rff.Column, n)
	for i := range s.Inputs {
		if names != nil {
			s.Inputs[i].Name = names[i]
		}
		if columns != nil {
			s.Inputs[i].Number, s.Inputs[i].Words, s.Inputs[i].Time = columns[i].Number, columns[i].Words, (*rff.Time)(columns[i].Time)
		}
	}
	s.Missing, s.Unseen = rff.Missing(p.Meta["missing"]), p.Meta["unseen"]
	p.JSON("na", &s.NA)
	if in, _ := s.Dims(); in != dim {
		return s, p.Bad("its columns have %d inputs, and its map %d", in, dim)
	}
	fill, low, high := p.Optional("columns.fill", dim), p.Optional("columns.low", dim), p.Optional("columns.high", dim)
	p.checkRange("columns", low, high, true)
	if p.Err() != nil {
		return s, p.Err()
	}
	s = inside.Observed(s, fill, low, high)
	s.Target.Name = p.bytes("target", []string{p.Meta["target"]})[0]
	s.Target.Classes = p.texts("classes")
	s.Target.Weights = p.Optional("classes.weight", len(s.Target.Classes))
	return s, p.Err()
}

// checkRange refuses tensors of that name with the ends of ranges unless each has both of its ends
// in order, or none: both are NaN, where that may be.
func (p *parsed) checkRange(name string, low, high []float64, none bool) {
	if len(low) != len(high) {
		p.Bad("it has %s.low or %s.high only", name, name)
		return
	}
	for j, v := range low {
		if !(v <= high[j]) && !(none && v != v && high[j] != high[j]) {
			p.Bad("%s.low and %s.high are %g and %g for column %d", name, name, v, high[j], j+1)
		}
	}
}
