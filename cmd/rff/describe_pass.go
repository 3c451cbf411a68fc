package main

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/internal/cells"
	"github.com/rffgo/rff/internal/fold"
	"github.com/rffgo/rff/internal/look"
	"github.com/rffgo/rff/internal/message"
	"github.com/rffgo/rff/internal/numeral"
)

// pass is what a reading of the rows has seen.
type pass struct {
	names   []string // of the data
	rows    int64
	gaps    int64 // rows that lack an input
	inputs  []seenInput
	repeats fold.Repeats

	bad      *dataset.ParseError // the first row that cannot be read
	badRows  int64
	dropped  int64            // rows that lack a value and are left out
	badCells map[string]int64 // by the name of the column or, if it has none, its number in the file
	notes    []string
	stop     string // why a fit would stop
}

// seenInput is what was seen of an input.
type seenInput struct {
	look.Moments
	values map[float64]struct{} // the different values, or nil once there are too many
	most   int
}

// The most values that are kept of one input, and of all inputs: 2²¹ values take some 80 MB.
const mostOfInput, mostOfAll = 1 << 16, 1 << 21

// add takes a row.
func (p *pass) add(x []float64) {
	if p.inputs == nil {
		p.inputs = make([]seenInput, len(x))
		for j := range p.inputs {
			p.inputs[j].values, p.inputs[j].most = map[float64]struct{}{}, min(mostOfInput, max(16, mostOfAll/len(x)))
		}
	}
	p.rows++
	p.repeats.Add(fold.Content(x))
	gap := false
	for j, v := range x {
		if v != v {
			gap = true
			continue
		}
		in := &p.inputs[j]
		in.Add(v)
		if in.values == nil {
			continue
		}
		if in.values[v] = struct{}{}; len(in.values) > in.most {
			in.values = nil
		}
	}
	if gap {
		p.gaps++
	}
}

// refuse notes a row that the reader refuses, and goes on.
func (p *pass) refuse(bad *dataset.ParseError) bool {
	if p.bad == nil {
		p.bad, p.badCells = bad, map[string]int64{}
	}
	p.badRows++
	if bad.Column > 0 {
		p.badCells[cmp.Or(bad.Name, strconv.Itoa(bad.Column))]++
	}
	return true
}

func (p *pass) note(format string, a ...any) { p.notes = append(p.notes, fmt.Sprintf(format, a...)) }

// describe returns the description of the rows that were seen, which have schema s. found has
// the columns of the file, or is nil if all of them are inputs.
func (p *pass) describe(s rff.Schema, found []look.Column) *description {
	in, _ := s.Dims()
	d := &description{Data: strings.Join(p.names, ", "), Rows: p.rows, Inputs: in, RowsMissing: p.gaps, Dropped: p.dropped, Unreadable: p.badRows,
		Repeats: p.repeats.Count(), Notes: p.notes, Stop: p.stop, Columns: []describedColumn{}}
	if found == nil {
		for i, c := range s.Inputs {
			found = append(found, look.Column{Name: c.Name, Number: cmp.Or(c.Number, i+1)})
		}
	}
	kinds, _, _ := look.Kinds(found, s.Unseen) // as Open settled them
	at, next := 0, 0
	for i, c := range found {
		column := describedColumn{Name: cmp.Or(c.Name, "column "+strconv.Itoa(c.Number)), Unreadable: p.badCells[cmp.Or(c.Name, strconv.Itoa(c.Number))]}
		if kinds[i] == nil {
			p.leftOut(&column, c.Census)
		} else {
			p.input(&column, s.Inputs[next], p.inputs[at:at+kinds[i].Width()])
			at, next = at+kinds[i].Width(), next+1
		}
		d.Columns = append(d.Columns, column)
	}
	return d
}

// leftOut describes a column that looks like the ids or the names of rows.
func (p *pass) leftOut(c *describedColumn, census *cells.Census) {
	all, different := census.Cells()
	c.Kind, c.Different, c.Fit = "id", different, "it is left out: --keep makes an input of it"
	if p.badRows == 0 && p.dropped == 0 { // otherwise the counts may include cells of these rows
		missing := p.rows - all
		c.Missing = &missing
	}
}

// input describes a column from which a fit makes these inputs.
func (p *pass) input(c *describedColumn, of rff.Column, inputs []seenInput) {
	first := &inputs[0]
	missing := p.rows - first.N
	c.Missing, c.Inputs, c.Different, c.More = &missing, len(inputs), int64(len(first.values)), first.values == nil
	if c.More {
		c.Different = int64(first.most)
	}
	mean := first.Mean()
	switch {
	case of.Words != nil:
		c.Kind, c.Different, c.More, c.Fit = "words", int64(len(of.Words)), false, message.Count(len(inputs), "input")+", 0 or 1"
		rows := map[string]int64{}
		for k, w := range of.Words {
			rows[w] = int64(math.Round(inputs[k].Mean() * float64(inputs[k].N)))
		}
		c.Words = shares(rows, first.N)
		return
	case of.Time != nil:
		t := cells.Time(*of.Time)
		c.Kind, c.Fit = "times", message.Count(len(inputs), "input")+": "+strings.Join(t.Parts(), ", ")
		if t.Clock {
			c.Kind, c.Fit = "times of day", "1 input: the hour"
		}
	default:
		c.Kind, c.Fit = "number", "1 input"
	}
	if first.N > 0 {
		c.Lowest, c.Highest, c.Mean = &first.Min, &first.Max, &mean
		if first.Min == first.Max && len(inputs) == 1 {
			c.Fit = "1 input, held at its one value: it decides nothing"
		}
	}
}

// targetOf describes labels.
func targetOf(name string, coding dataset.Coding, labels look.Labels, counts map[string]int64) *describedTarget {
	switch coding.Task {
	case dataset.Regression:
		values := map[float64]struct{}{} // 1.5 and 1.50 are one
		for text := range labels.Counts {
			v, _ := numeral.Parse([]byte(text))
			values[v] = struct{}{}
		}
		return &describedTarget{Name: name, Task: coding.Task, Different: len(values), Lowest: labels.Min, Highest: labels.Max}
	case dataset.Classification:
		var rows int64
		for _, n := range counts {
			rows += n
		}
		return &describedTarget{Name: name, Task: coding.Task, Different: len(counts), Classes: shares(counts, rows)}
	}
	return nil // there are no labels
}

// shares returns the texts with their shares of all rows, the most frequent first.
func shares(rows map[string]int64, all int64) []share {
	out := make([]share, 0, len(rows))
	for _, text := range slices.Sorted(maps.Keys(rows)) {
		out = append(out, share{text, rows[text], float64(rows[text]) / float64(max(1, all))})
	}
	slices.SortStableFunc(out, func(a, b share) int { return cmp.Compare(b.Rows, a.Rows) })
	return out
}
