// Package look holds what a pass over rows finds, from which a fit is planned: what the columns
// hold, ranges and moments of the inputs, labels, and a sample of the rows. Looks at parts of a
// data set merge (package cmd/rff/looks): the result depends on the rows alone, not on how they
// were dealt out or in which order they were read and merged.
package look

import "github.com/rffgo/rff"

// Look is what was seen of some rows.
type Look struct {
	Schema rff.Schema // without the parts that need all rows: classes, values for gaps, ranges
	Notes  []string
	// Columns, if not nil, says what the cells of each column are. The look then has no rows
	// yet: Settle makes the schema by which they are read.
	Columns []Column

	Rows    int64
	Missing int64     // rows that lack an input
	Dropped int64     // rows that were left out, since they lack a value
	Inputs  []Moments // of each input, over the rows that have it
	Labels  Labels
	Sample  Sample
	// Weighted and Grouped say that the rows have weights and groups.
	Weighted bool
	Grouped  bool
}

// New returns a look at no rows of that schema.
func New(s rff.Schema) *Look {
	in, _ := s.Dims()
	return &Look{Schema: s, Inputs: make([]Moments, in), Labels: NewLabels(), Sample: Sample{Most: Most(in)}}
}

// Add takes a row into moments and sample. An input that is NaN is missing.
func (l *Look) Add(r *Row, missing bool) {
	l.Rows++
	if !missing {
		for j, v := range r.X {
			l.Inputs[j].Add(v)
		}
	} else {
		l.Missing++
		for j, v := range r.X {
			if v == v {
				l.Inputs[j].Add(v)
			}
		}
	}
	l.Sample.add(r)
}

// Labels counts the different labels.
type Labels struct {
	Counts   map[string]int64 `json:"counts"`   // number of rows of each label, by its text or shortest decimal; empty if More is set
	More     bool             `json:"more"`     // there are too many different labels for classes
	Numbers  bool             `json:"numbers"`  // all are numbers
	Integers bool             `json:"integers"` // all labels that are numbers are whole
	Min      *float64         `json:"min,omitempty"`
	Max      *float64         `json:"max,omitempty"`
	Rows     int64            `json:"rows"`
	// Word is the first label that is no number, with its place.
	Word *Word `json:"word,omitempty"`
}

// Word is a label with its place.
type Word struct {
	Text string `json:"text"`
	File string `json:"file"`
	Row  int64  `json:"row"`
	Line int64  `json:"line,omitempty"`
}

// NewLabels returns the labels of no rows.
func NewLabels() Labels { return Labels{Counts: map[string]int64{}, Numbers: true, Integers: true} }
