package main

import (
	"fmt"
	"math"
	"strconv"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/message"
	"github.com/rffgo/rff/krr"
)

// A model knows nothing of places far from the rows that it was fitted to. Its features go on
// as waves there, and so do its predictions. outside counts rows that are so far off.
type outside struct {
	names    []string
	lo, hi   []float64 // the bounds of values that are still near
	rows     int64
	count    int64
	row      int64 // the first one
	column   int
	value    float64
	disabled bool
}

// columnRanges returns the least and the largest value of every column.
func columnRanges(x blas.General[float64]) (lo, hi []float64) {
	for i := range x.Rows {
		for j, v := range x.Row(i) {
			if i == 0 {
				lo, hi = append(lo, v), append(hi, v)
				continue
			}
			lo[j], hi[j] = min(lo[j], v), max(hi[j], v)
		}
	}
	return lo, hi
}

// ranges returns the smallest and the largest number of every input. They are infinite if they
// are not known or the input stands for a word. It returns nil if no range is known.
func ranges(s rff.Schema) (lo, hi []float64) {
	known := false
	for _, c := range s.Inputs {
		from, to := math.Inf(-1), math.Inf(1)
		if c.Range != nil {
			from, to, known = c.Range[0], c.Range[1], true
		}
		for range inside.Width(c) { // only the first input of a time has a range: its other parts repeat
			lo, hi = append(lo, from), append(hi, to)
			from, to = math.Inf(-1), math.Inf(1)
		}
	}
	if !known {
		return nil, nil
	}
	return lo, hi
}

// newOutside takes the bounds from the ranges of the inputs if the model has them. Values within
// one more range on either side are still near. Otherwise the bounds follow from the scaling. No
// row that a standard scaling was fitted to is √n units from the centre (P. A. Samuelson, "How
// deviant can you be?", JASA 63, 1968), and rare indicators come near that. So the bounds are √n
// units from the centre, but at least eight.
func newOutside(m *krr.Model) *outside {
	in, _ := m.Dims()
	prov := m.Info().Provenance
	s := m.Info().Scaling
	o := &outside{names: m.Info().Schema.InputNames()}
	defer func() { // an input that no prediction depends on has no bounds
		for _, j := range inside.Held(s) {
			if o.lo != nil {
				o.lo[j], o.hi[j] = math.Inf(-1), math.Inf(1)
			}
		}
	}()
	if o.lo, o.hi = ranges(m.Info().Schema); o.lo != nil {
		for j := range o.lo {
			w := o.hi[j] - o.lo[j]
			if w == 0 {
				w = 1 // the divisor of the scaling
			}
			o.lo[j], o.hi[j] = o.lo[j]-w, o.hi[j]+w
		}
		return o
	}
	n, err := strconv.ParseFloat(prov["rows"], 64)
	if inside.IsIdentity(s) {
		o.disabled = true
		return o
	}
	if err != nil {
		n = 10_000 // a model of sums does not know the number of rows
	}
	units := max(8, math.Sqrt(n))
	o.lo, o.hi = make([]float64, in), make([]float64, in)
	for j := range in {
		centre, unit := 0.0, 1.0
		if s.Shift != nil {
			centre = s.Shift[j]
		}
		if s.Scale != nil {
			unit = math.Abs(s.Scale[j])
		}
		o.lo[j], o.hi[j] = centre-units*unit, centre+units*unit
		if s.From != nil && len(s.From[j]) > 0 { // beyond its points a column is constant
			first, last := s.From[j][0], s.From[j][len(s.From[j])-1]
			span := units * (last/2 - first/2)
			o.lo[j], o.hi[j] = first-span, last+span
		}
	}
	return o
}

// observe looks at the inputs of the next row, as they are in the file.
func (o *outside) observe(x []float64) {
	o.rows++
	if o.disabled {
		return
	}
	for j, v := range x {
		if v >= o.lo[j] && v <= o.hi[j] {
			continue
		}
		if o.count++; o.count == 1 {
			o.row, o.column, o.value = o.rows, j, v
		}
		return
	}
}

// note says how many rows lie far outside, or "".
func (o *outside) note() string {
	if o.count == 0 {
		return ""
	}
	column := fmt.Sprintf("column %d", o.column+1)
	if o.column < len(o.names) {
		column = fmt.Sprintf("column %q", o.names[o.column])
	}
	return fmt.Sprintf("%s far outside the rows the model was fitted on, where its predictions mean little; first: row %d, %s = %g, beyond %.6g … %.6g",
		message.Rows(o.count, o.rows, "lies", "lie"), o.row, column, o.value, o.lo[o.column], o.hi[o.column])
}
