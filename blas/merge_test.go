package blas

import (
	"slices"
	"testing"
)

// Merge adds every sum, element by element, in both forms.
func TestMergeAddsEverySum(t *testing.T) {
	const s, targets = 3, 2
	filled := func(gram bool, scale float64) *Sums {
		m := NewSums(s, targets, gram)
		m.Rows, m.W = int64(10*scale), 7*scale
		at := 0.0
		for _, v := range [][]float64{m.Y, m.YY, m.Z, m.ZY.Data} {
			for i := range v {
				at++
				v[i] = at * scale
			}
		}
		for i := range m.G.Rows { // only the upper triangle counts
			for j := i; j < s; j++ {
				at++
				m.G.Row(i)[j] = at * scale
			}
		}
		return m
	}
	for _, gram := range []bool{true, false} {
		a, b, want := filled(gram, 1), filled(gram, 3), filled(gram, 4)
		a.Merge(b, 1)
		if a.Rows != want.Rows || a.W != want.W || !slices.Equal(a.Y, want.Y) || !slices.Equal(a.YY, want.YY) ||
			!slices.Equal(a.Z, want.Z) || !slices.Equal(a.ZY.Data, want.ZY.Data) {
			t.Errorf("gram %v: %+v, want %+v", gram, a, want)
		}
		for i := range want.G.Rows {
			if !slices.Equal(a.G.Row(i)[i:], want.G.Row(i)[i:]) {
				t.Errorf("row %d of G: %v, want %v", i, a.G.Row(i)[i:], want.G.Row(i)[i:])
			}
		}
		if before := filled(gram, 3); !slices.Equal(b.YY, before.YY) || b.Rows != before.Rows {
			t.Error("what is merged changes")
		}
		less := filled(false, 1)
		if less.Merge(b, -1); less.G.Rows > 0 || less.W != filled(false, -2).W || less.Rows != filled(false, 1).Rows-b.Rows {
			t.Errorf("gram %v: less those of 3 times as much: %+v", gram, less)
		}
	}
}
