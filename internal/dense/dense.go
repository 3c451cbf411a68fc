// Package dense has operations on whole matrices that several packages need.
package dense

import (
	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff/blas"
)

// Of returns x in the form of package blas, in place if it can be.
func Of(x mat.Matrix) blas.General[float64] {
	raw, ok := x.(mat.RawMatrixer)
	if !ok {
		raw = mat.DenseCopyOf(x)
	}
	r := raw.RawMatrix()
	return blas.General[float64]{Rows: r.Rows, Cols: r.Cols, Stride: r.Stride, Data: r.Data}
}

// Missing reports whether x is nil or holds a nil pointer.
func Missing(x mat.Matrix) bool {
	switch x := x.(type) {
	case *mat.Dense:
		return x == nil
	case *mat.VecDense:
		return x == nil
	}
	return x == nil
}

// Vector returns v as a matrix of one row.
func Vector(v []float64) blas.General[float64] {
	return blas.General[float64]{Rows: 1, Cols: len(v), Stride: len(v), Data: v}
}

// Clone returns a copy of m without gaps between rows.
func Clone[T blas.Float](m blas.General[T]) blas.General[T] {
	c := blas.NewGeneral[T](m.Rows, m.Cols)
	for i := range m.Rows {
		copy(c.Row(i), m.Row(i))
	}
	return c
}

// Pick returns a copy of the rows of m with these indices.
func Pick[T blas.Float](m blas.General[T], rows []int) blas.General[T] {
	c := blas.NewGeneral[T](len(rows), m.Cols)
	for to, i := range rows {
		copy(c.Row(to), m.Row(i))
	}
	return c
}

// Column copies column j of m to dst, which has an element for each row.
func Column[T blas.Float](dst []T, m blas.General[T], j int) {
	for i := range dst {
		dst[i] = m.Row(i)[j]
	}
}

// Fitting returns an r×c matrix on the memory of b, which grows if it must. The elements are not
// set.
func Fitting[T blas.Float](b *[]T, r, c int) blas.General[T] {
	if cap(*b) < r*c {
		*b = blas.NewGeneral[T](r, c).Data // in huge pages, if it is large
	}
	return blas.General[T]{Rows: r, Cols: c, Stride: c, Data: (*b)[:r*c]}
}

// Finite reports whether all elements of m are finite.
func Finite[T blas.Float](m blas.General[T]) bool {
	i, _ := NotFinite(m)
	return i < 0
}

// NotFinite returns the row and the column of the first NaN or infinity of m, or
// −1 and −1.
func NotFinite[T blas.Float](m blas.General[T]) (i, j int) {
	for i := range m.Rows {
		row := m.Row(i)
		// v−v is 0 for finite v and NaN otherwise, and NaN survives the sum.
		var s0, s1, s2, s3 T
		j := 0
		for ; j+4 <= len(row); j += 4 {
			a, b, c, d := row[j], row[j+1], row[j+2], row[j+3]
			s0 += a - a
			s1 += b - b
			s2 += c - c
			s3 += d - d
		}
		for ; j < len(row); j++ {
			s0 += row[j] - row[j]
		}
		if s := s0 + s1 + s2 + s3; s == s {
			continue
		}
		for j, v := range row {
			if v-v != 0 {
				return i, j
			}
		}
	}
	return -1, -1
}

// Mirror copies the upper triangle of a to the lower.
func Mirror[T blas.Float](a blas.General[T]) { mirrorOne(a, false) }

// MirrorUp copies the lower triangle of a to the upper.
func MirrorUp[T blas.Float](a blas.General[T]) { mirrorOne(a, true) }

// Transpose transposes a square matrix in place, in tiles.
func Transpose(a blas.General[float64]) {
	const size = 16
	for i0 := 0; i0 < a.Rows; i0 += size {
		for j0 := 0; j0 <= i0; j0 += size {
			for i := i0; i < min(i0+size, a.Rows); i++ {
				for j := j0; j < min(j0+size, i); j++ {
					x, y := &a.Data[i*a.Stride+j], &a.Data[j*a.Stride+i]
					*x, *y = *y, *x
				}
			}
		}
	}
}

// mirrorOne copies one triangle of a to the other, in tiles that go through a buffer. Without it,
// all elements of a column of a matrix of 2^k columns would share a set of the cache.
func mirrorOne[T blas.Float](a blas.General[T], up bool) {
	const size = 32
	var tile [size][size]T
	for i0 := 0; i0 < a.Rows; i0 += size {
		rows := min(size, a.Rows-i0)
		for j0 := i0; j0 < a.Rows; j0 += size {
			cols := min(size, a.Rows-j0)
			from, to, m, n := [2]int{i0, j0}, [2]int{j0, i0}, rows, cols
			if up {
				from, to, m, n = to, from, cols, rows
			}
			for i := range m {
				for j, v := range a.Row(from[0] + i)[from[1]:][:n] {
					tile[j][i] = v
				}
			}
			for j := range n {
				row := a.Row(to[0] + j)[to[1]:]
				switch {
				case i0 != j0:
					copy(row[:m], tile[j][:])
				case up:
					copy(row[j+1:m], tile[j][j+1:])
				default:
					copy(row[:j], tile[j][:])
				}
			}
		}
	}
}
