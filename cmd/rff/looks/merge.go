// Package looks puts together what was seen of the parts of a data set (internal/look), and
// keeps it in files, which docs/slurm.md describes.
package looks

import (
	"fmt"
	"math"
	"slices"

	"github.com/rffgo/rff/internal/classes"
	"github.com/rffgo/rff/internal/look"
)

// Merge adds the rows of m to l. m must not be used afterwards.
func Merge(l, m *look.Look) error {
	if (l.Columns == nil) != (m.Columns == nil) {
		return fmt.Errorf("one is a look at columns and the other one at rows: rff look --columns makes the first kind, and rff look --like takes it for the second")
	}
	if err := l.Schema.Match(m.Schema); err != nil {
		remedy := "look at the columns of all parts first (rff look --columns), merge that, and give it to every part (--like)"
		if l.Columns != nil {
			remedy = "look at the same columns of all parts, in one order (--inputs), with the same rules"
		}
		return fmt.Errorf("the parts hold different columns: %w; %s", err, remedy)
	}
	if l.Weighted != m.Weighted || l.Grouped != m.Grouped {
		return fmt.Errorf("one part has weights or groups of rows, and the other one has none: look at all parts with the same --weights")
	}
	if has(&l.Sample, &m.Sample) || has(&m.Sample, &l.Sample) {
		return fmt.Errorf("a part comes twice: its rows would count twice")
	}
	for _, n := range m.Notes {
		if !slices.Contains(l.Notes, n) {
			l.Notes = append(l.Notes, n)
		}
	}
	slices.Sort(l.Notes)
	for i := range l.Columns {
		if err := mergeColumn(&l.Columns[i], &m.Columns[i]); err != nil {
			return err
		}
	}
	for j := range l.Inputs {
		mergeMoments(&l.Inputs[j], &m.Inputs[j])
	}
	l.Rows, l.Missing, l.Dropped = l.Rows+m.Rows, l.Missing+m.Missing, l.Dropped+m.Dropped
	mergeLabels(&l.Labels, &m.Labels)
	for _, row := range m.Sample.Rows {
		l.Sample.Take(row)
	}
	l.Sample.Cut(l.Sample.Most)
	return nil
}

func mergeColumn(c, d *look.Column) error {
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

func mergeLabels(l, m *look.Labels) {
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

func mergeMoments(m, o *look.Moments) {
	if o.N == 0 {
		return
	}
	if m.N == 0 {
		m.Min, m.Max = o.Min, o.Max
	}
	m.N, m.Min, m.Max = m.N+o.N, min(m.Min, o.Min), max(m.Max, o.Max)
	for i, b := range o.Bins {
		m.Bins[m.Grow(o.First+i)].Add(b.Sum, b.Squares)
	}
}

// has reports whether all rows of o may be among those of s: all rows of o that the sample of s
// would hold are there, from the same or earlier places, and at least one is from the same
// place.
func has(s, o *look.Sample) bool {
	s.Index()
	same := false
	for i := range o.Rows {
		r := &o.Rows[i]
		if s.Below != 0 && r.Hash > s.Below {
			continue
		}
		k, known := s.At[r.Hash]
		if !known || s.Rows[k].Count < r.Count || s.Rows[k].Before(r) > 0 {
			return false
		}
		same = same || s.Rows[k].Before(r) == 0
	}
	return same
}
