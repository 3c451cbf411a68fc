package krr

import (
	"encoding/binary"
	"math"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/stream"
)

// sectionRows finds the kernel section on a row, in a map that rff.Nystrom made. Where every
// row has its section, the fit is the exact kernel ridge regression, and uses the kernel matrix
// of the rows in place of their features.
type sectionRows struct {
	scaling rff.Scaling
	of      map[string]int // the section on a scaled row
	at      []int          // the section on every row so far
	x       []float64
	key     []byte
}

// newSectionRows returns nil for a map whose features are not made from kernel sections.
func newSectionRows(p *problem) *sectionRows {
	if p.change == nil {
		return nil
	}
	c := inside.Spec(p.base).W
	l := &sectionRows{scaling: p.Scaling, of: make(map[string]int, c.Rows), x: make([]float64, c.Cols)}
	for i := range c.Rows {
		l.of[string(l.bytes(c.Row(i)))] = i
	}
	return l
}

// bytes returns the numbers of a row as bytes. 0 and −0 are the same number.
func (l *sectionRows) bytes(row []float64) []byte {
	l.key = l.key[:0]
	for _, v := range row {
		l.key = binary.LittleEndian.AppendUint64(l.key, math.Float64bits(v+0))
	}
	return l.key
}

// add notes the sections on the rows of positive weight, and reports whether all have one.
func (l *sectionRows) add(b rff.Batch) bool {
	for i := range stream.Present(b.Weight, b.X.Rows) {
		stream.Scale(l.scaling, l.x, b.X.Row(i))
		at, ok := l.of[string(l.bytes(l.x))]
		if !ok {
			return false
		}
		l.at = append(l.at, at)
	}
	return true
}
