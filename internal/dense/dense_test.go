package dense_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
)

// strided is an n×n matrix of distinct numbers with gaps between its rows.
func strided(n int) blas.General[float64] {
	m := blas.General[float64]{Rows: n, Cols: n, Stride: n + 3, Data: make([]float64, n*(n+3))}
	for i := range m.Data {
		m.Data[i] = float64(i + 1)
	}
	return m
}

func TestMirror(t *testing.T) {
	for _, n := range []int{1, 2, 31, 32, 33, 64, 71} {
		was := strided(n)
		for name, f := range map[string]func(blas.General[float64]){"Mirror": dense.Mirror[float64], "MirrorUp": dense.MirrorUp[float64]} {
			m := strided(n)
			f(m)
			for i := range n {
				for j := range m.Stride {
					if i == n-1 && j >= n {
						continue
					}
					from := was.Data[i*m.Stride+j]
					if j < n && (name == "Mirror") == (j < i) {
						from = was.Data[j*m.Stride+i]
					}
					if got := m.Data[i*m.Stride+j]; got != from {
						t.Fatalf("%s of %d: element (%d, %d) is %g, want %g", name, n, i, j, got, from)
					}
				}
			}
		}
	}
}

func TestCloneAndFinite(t *testing.T) {
	m := strided(3)
	c := dense.Clone(m)
	if c.Stride != 3 || fmt.Sprint(c.Data) != "[1 2 3 7 8 9 13 14 15]" {
		t.Errorf("clone %v", c)
	}
	m.Data[4] = math.NaN() // between the rows
	if !dense.Finite(m) {
		t.Error("what is between the rows counts")
	}
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		c.Data[8] = v
		if dense.Finite(c) {
			t.Errorf("%g is finite", v)
		}
	}
}

func TestFitting(t *testing.T) {
	b := []float64{1, 2, 3, 4}
	if m := dense.Fitting(&b, 1, 3); m.Stride != 3 || !slices.Equal(m.Data, []float64{1, 2, 3}) || &m.Data[0] != &b[0] {
		t.Errorf("%v", m)
	}
	if m := dense.Fitting(&b, 2, 3); len(m.Data) != 6 || len(b) != 6 {
		t.Errorf("%v on %d elements", m, len(b))
	}
}

// Columns, rows and transposes are those of a matrix with gaps between its rows, which stay as they are.
func TestPartsOfMatrices(t *testing.T) {
	for _, n := range []int{1, 5, 16, 37} {
		m, column := strided(n), make([]float64, n)
		dense.Column(column, m, n-1)
		picked := dense.Pick(m, []int{n - 1, 0, n - 1})
		flipped := blas.General[float64]{Rows: n, Cols: n, Stride: m.Stride, Data: slices.Clone(m.Data)}
		dense.Transpose(flipped)
		for i := range n {
			if column[i] != m.Row(i)[n-1] || picked.Row(0)[i] != m.Row(n - 1)[i] || picked.Row(1)[i] != m.Row(0)[i] || picked.Row(2)[i] != m.Row(n - 1)[i] {
				t.Fatalf("n = %d: column %v, rows %v", n, column, picked.Data)
			}
			for j := range n {
				if flipped.Row(i)[j] != m.Row(j)[i] {
					t.Fatalf("n = %d: element (%d, %d) of the transpose is %v", n, i, j, flipped.Row(i)[j])
				}
			}
			if gap := i*m.Stride + n; !slices.Equal(flipped.Data[gap:gap+3], m.Data[gap:gap+3]) {
				t.Fatalf("n = %d: the gap after row %d has changed", n, i)
			}
		}
	}
}

// Sums of numbers that float64 adds without rounding are exact, and longer destinations keep their ends.
func TestSums(t *testing.T) {
	v := []float64{3, -1, 4}
	if dense.Sum(v) != 6 || dense.SumSquares(v) != 26 || dense.Sum([]float32{1, 2}) != 3 || dense.Sum[float64](nil) != 0 {
		t.Errorf("sums %v and %v", dense.Sum(v), dense.SumSquares(v))
	}
	to := []float64{1, 1, 1, 7}
	dense.Add(to, v)
	dense.AddTimes(to, -2, v)
	if !slices.Equal(to, []float64{-2, 2, -3, 7}) {
		t.Errorf("sums of rows %v", to)
	}
}
