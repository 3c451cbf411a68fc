package fold

import (
	"math"
	"testing"
)

// The first numbers of splitmix64 from 0 are published with its reference code.
func TestHash(t *testing.T) {
	for i, want := range []uint64{0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4, 0x06c45d188009454f} {
		if got := Hash(0, int64(i)); got != want {
			t.Errorf("number %d is %x, want %x", i, got, want)
		}
	}
}

// Contents are a part of what results are defined by.
func TestContentIsFixed(t *testing.T) {
	for _, c := range []struct {
		x    []float64
		want int64
	}{
		{nil, -0x2aa332b514c33505},
		{[]float64{1}, -0x16be857f9463cb02},
		{[]float64{1, 2, 3, 4, 5, -6.5}, -0x219bb1a2f645584e},
	} {
		if got := Content(c.x); got != c.want {
			t.Errorf("%v: %#x, want %#x", c.x, got, c.want)
		}
	}
	if Content([]float64{0, 1}) != Content([]float64{math.Copysign(0, -1), 1}) {
		t.Error("0 and −0 differ")
	}
}

// Rows that differ in one input, in the order of inputs or in their number have folds
// of their own, and folds are about as large as those of a random choice.
func TestContentsDiffer(t *testing.T) {
	seen, folds := map[int64]bool{}, [5]int{}
	n := 0
	for a := range 40 {
		for b := range 25 {
			for _, x := range [][]float64{{float64(a), float64(b + 100)}, {float64(b + 100), float64(a)}, {0, 0, 0, 0, float64(a), float64(b + 100)}} {
				h := Content(x)
				seen[h] = true
				folds[Of(0, h, 5)]++
				n++
			}
		}
	}
	if len(seen) != n {
		t.Errorf("%d contents of %d rows", len(seen), n)
	}
	for f, rows := range folds { // 600 ± 22, five of these
		if math.Abs(float64(rows-n/5)) > 110 {
			t.Errorf("fold %d has %d of %d rows", f, rows, n)
		}
	}
}

// Repeats are exact for few contents and within the error of a sample for many: of
// 2²⁰ different inputs 3/4 are dropped or more, and 2¹⁸ or so make a share of .5 ± .5 %.
func TestRepeats(t *testing.T) {
	var few, many Repeats
	for i := range 1000 {
		few.Add(Content([]float64{float64(i % 300)}))
	}
	if n := few.Count(); n != 700 || few.shift > 0 {
		t.Errorf("%d, want 700", n)
	}
	const rows = 1 << 19
	for i := range rows {
		many.Add(Content([]float64{float64(i)}))
		if i%2 == 0 {
			many.Add(Content([]float64{float64(i)}))
		}
	}
	n := many.Count()
	// At least 2¹⁵ contents are left, each repeated with probability ½: a standard error of
	// the share of 2⁻¹/√2¹⁵, and of the number of contents of 1/√2¹⁵; five of both.
	if math.Abs(float64(n)-rows/2) > 5*1.5/math.Sqrt(1<<15)*rows/2*2 || len(many.rows) > MostContents {
		t.Errorf("%d of %d, of %d contents", n, rows/2, len(many.rows))
	}
	if new(Repeats).Count() != 0 {
		t.Error("rows that repeat without rows")
	}
}
