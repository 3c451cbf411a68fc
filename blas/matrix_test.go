package blas

import "testing"

// Column ranges of one matrix overlap only if they have a column in common, also
// where one of them ends in the next row's storage.
func TestOverlapOfColumnRanges(t *testing.T) {
	const cols = 10
	data := make([]float64, 6*cols)
	view := func(r0, r1, c0, c1 int) General[float64] {
		return General[float64]{Rows: r1 - r0, Cols: c1 - c0, Stride: cols, Data: data[r0*cols+c0 : (r1-1)*cols+c1]}
	}
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
		{[2]int{2, 6}, [2]int{6, 9}, [4]int{1, 2, 1, 2}, false}, // one row each
		{[2]int{2, 7}, [2]int{6, 9}, [4]int{1, 2, 1, 2}, true},
	} {
		a, b := view(c.rows[0], c.rows[1], c.a[0], c.a[1]), view(c.rows[2], c.rows[3], c.b[0], c.b[1])
		for _, pair := range [][2]General[float64]{{a, b}, {b, a}} {
			if got := Overlap(pair[0], pair[1]); got != c.want {
				t.Errorf("columns %v of rows %v, columns %v of rows %v: overlap %v", c.a, c.rows[:2], c.b, c.rows[2:], got)
			}
		}
	}
	apart, none := General[float64]{6, cols, cols, make([]float64, 6*cols)}, General[float64]{Cols: 3, Stride: 3}
	if whole := view(0, 6, 0, cols); Overlap(whole, apart) || Overlap(whole, none) || !Overlap(whole, General[float64]{2, 7, 7, data[20:]}) {
		t.Error("matrices of other memory, without rows or of another stride")
	}
}

// Holds needs no more than the last row's columns, and does not overflow.
func TestHolds(t *testing.T) {
	const huge = int(^uint(0) >> 1)
	for _, c := range []struct {
		rows, cols, stride, n int
		want                  bool
	}{
		{3, 2, 5, 12, true}, {3, 2, 5, 11, false}, {0, 2, 5, 0, true}, {3, 0, 0, 0, true},
		{-1, 2, 2, 9, false}, {1, -1, 2, 9, false}, {1, 3, 2, 9, false}, {huge, 2, huge, 9, false},
	} {
		if got := Holds(General[float64]{c.rows, c.cols, c.stride, make([]float64, c.n)}); got != c.want {
			t.Errorf("%d×%d, stride %d, %d elements: %v", c.rows, c.cols, c.stride, c.n, got)
		}
	}
}
