// Package look holds what a pass over rows finds, from which a fit is planned: what the columns
// hold, ranges and moments of the inputs, labels, and a sample of the rows. Looks at parts of a
// data set merge: the result depends on the rows alone, not on how they were dealt out or in
// which order they were read and merged. docs/slurm.md describes the file.
package look

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/classes"
	"github.com/rffgo/rff/internal/inside"
)

// Look is what was seen of some rows.
type Look struct {
	Format string     `json:"format"` // "rff look 1"
	Schema rff.Schema `json:"schema"` // without the parts that need all rows: classes, values for gaps, ranges
	Notes  []string   `json:"notes,omitempty"`
	// Columns, if not nil, says what the cells of each column are. The look then has no rows
	// yet: Settle makes the schema by which they are read.
	Columns []Column `json:"columns,omitempty"`

	Rows    int64     `json:"rows"`
	Missing int64     `json:"missing"`          // rows that lack an input
	Dropped int64     `json:"dropped"`          // rows that were left out, since they lack a value
	Inputs  []Moments `json:"inputs,omitempty"` // of each input, over the rows that have it
	Labels  Labels    `json:"labels"`
	Sample  Sample    `json:"sample"`
	// Weighted and Grouped say that the rows have weights and groups.
	Weighted bool `json:"weighted,omitempty"`
	Grouped  bool `json:"grouped,omitempty"`
}

const format = "rff look 1"

// New returns a look at no rows of that schema.
func New(s rff.Schema) *Look {
	in, _ := s.Dims()
	return &Look{Format: format, Schema: s, Inputs: make([]Moments, in), Labels: NewLabels(), Sample: Sample{Most: Most(in)}}
}

// OfColumns returns a look at columns alone, those of the inputs of a schema.
func OfColumns(s rff.Schema, c []Column) *Look {
	return &Look{Format: format, Schema: s, Columns: c, Labels: NewLabels(), Sample: Sample{Most: 1}}
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

// Merge adds the rows of m, which must not be used afterwards.
func (l *Look) Merge(m *Look) error {
	if (l.Columns == nil) != (m.Columns == nil) {
		return fmt.Errorf("one is a look at columns and the other one at rows: rff look --columns makes the first kind, and rff look --like takes it for the second")
	}
	if err := l.Schema.Match(m.Schema); err != nil {
		return fmt.Errorf("the parts hold different columns: %w; look at the columns of all parts first (rff look --columns), merge that, and give it to every part (--like)", err)
	}
	if l.Weighted != m.Weighted || l.Grouped != m.Grouped {
		return fmt.Errorf("one part has weights or groups of rows, and the other one has none: look at all parts with the same --weights")
	}
	if l.Sample.has(&m.Sample) || m.Sample.has(&l.Sample) {
		return fmt.Errorf("a part comes twice: its rows would count twice")
	}
	for _, n := range m.Notes {
		if !slices.Contains(l.Notes, n) {
			l.Notes = append(l.Notes, n)
		}
	}
	slices.Sort(l.Notes)
	for i := range l.Columns {
		if err := l.Columns[i].merge(&m.Columns[i]); err != nil {
			return err
		}
	}
	for j := range l.Inputs {
		l.Inputs[j].merge(&m.Inputs[j])
	}
	l.Rows, l.Missing, l.Dropped = l.Rows+m.Rows, l.Missing+m.Missing, l.Dropped+m.Dropped
	l.Labels.merge(&m.Labels)
	l.Sample.merge(&m.Sample)
	return nil
}

// WriteTo writes the look as a file.
func (l *Look) WriteTo(w io.Writer) (int64, error) {
	b, err := json.Marshal(l)
	if err != nil {
		return 0, err
	}
	n, err := w.Write(append(b, '\n'))
	return int64(n), err
}

// Is reports whether a file that begins with head is the file of a look.
func Is(head []byte) bool { return string(head[:min(len(head), len(magic))]) == magic }

const magic = `{"format":"rff look`

// Read reads what WriteTo wrote. The memory that it takes is a few times that of the file.
func Read(r io.Reader) (*Look, error) {
	l := new(Look)
	d := json.NewDecoder(r)
	if err := d.Decode(l); err != nil {
		return nil, fmt.Errorf("is no look at rows, or is damaged: %w", err)
	}
	if d.More() {
		return nil, errors.New("has more than one look: merge files, and do not append them")
	}
	if l.Format != format {
		return nil, fmt.Errorf("is of the format %.40q, and this version reads %q: write it again with this version", l.Format, format)
	}
	in, _ := l.Schema.Dims()
	if err := inside.CheckSchema(l.Schema, in); err != nil {
		return nil, fmt.Errorf("is damaged: %w", err)
	}
	whole := len(l.Inputs) == in && l.Rows >= 0 && l.Sample.fits(in, l.Rows)
	if l.Columns != nil {
		whole = len(l.Columns) == len(l.Schema.Inputs) && len(l.Inputs) == 0
	}
	for _, m := range l.Inputs {
		whole = whole && m.N >= 0 && m.N <= l.Rows
	}
	if !whole {
		return nil, fmt.Errorf("is damaged: its parts are of different sizes")
	}
	return l, nil
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

func (l *Labels) merge(m *Labels) {
	for text, n := range m.Counts {
		l.Counts[text] += n
	}
	if l.More = l.More || m.More || len(l.Counts) > classes.Most; l.More {
		clear(l.Counts)
	}
	l.Numbers, l.Integers, l.Rows = l.Numbers && m.Numbers, l.Integers && m.Integers, l.Rows+m.Rows
	if m.Min != nil && l.Min == nil {
		l.Min, l.Max = m.Min, m.Max
	} else if m.Min != nil {
		low, high := math.Min(*l.Min, *m.Min), math.Max(*l.Max, *m.Max)
		l.Min, l.Max = &low, &high
	}
	if w := m.Word; w != nil && (l.Word == nil || w.File < l.Word.File || w.File == l.Word.File && w.Row < l.Word.Row) {
		l.Word = w
	}
}
