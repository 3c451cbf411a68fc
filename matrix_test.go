package rff

import (
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Column ranges of one matrix overlap only if they have a column in common, also
// where one of them ends in the next row's storage.
func TestOverlapOfColumnRanges(t *testing.T) {
	m := randomDense(6, 10, 1)
	for _, c := range []struct {
		a, b [2]int // columns from, to
		rows [4]int // of a, of b
		want bool
	}{
		{[2]int{0, 4}, [2]int{4, 8}, [4]int{0, 6, 0, 6}, false},
		{[2]int{0, 5}, [2]int{4, 8}, [4]int{0, 6, 0, 6}, true},
		{[2]int{6, 10}, [2]int{0, 6}, [4]int{0, 5, 1, 6}, false},
		// a starts before b in memory, and b's columns reach round to a's.
		{[2]int{3, 6}, [2]int{1, 4}, [4]int{0, 4, 1, 5}, true},
		{[2]int{5, 10}, [2]int{0, 6}, [4]int{0, 5, 1, 6}, true},
	} {
		a := m.Slice(c.rows[0], c.rows[1], c.a[0], c.a[1]).(*mat.Dense)
		b := m.Slice(c.rows[2], c.rows[3], c.b[0], c.b[1]).(*mat.Dense)
		for _, pair := range [][2]*mat.Dense{{a, b}, {b, a}} {
			if got := overlap(general(pair[0].RawMatrix()), general(pair[1].RawMatrix())); got != c.want {
				t.Errorf("columns %v of rows %v, columns %v of rows %v: overlap %v", c.a, c.rows[:2], c.b, c.rows[2:], got)
			}
		}
	}
}
