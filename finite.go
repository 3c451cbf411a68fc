package rff

import (
	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff/blas"
)

// CheckFinite returns a *NotFiniteError for the first NaN or infinity of x,
// whose rows are rows first, first+1, … of the data, or nil.
func CheckFinite[T blas.Float](x blas.General[T], first int64) error {
	for i := range x.Rows {
		row := x.Row(i)
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
				return &NotFiniteError{Row: first + int64(i), Col: int64(j), Value: float64(v)}
			}
		}
	}
	return nil
}

// checkFiniteMatrix is CheckFinite for any matrix.
func checkFiniteMatrix(x mat.Matrix) error {
	if view, ok := rowsOf(x); ok {
		return CheckFinite(view, 0)
	}
	n, d := x.Dims()
	block := blas.NewGeneral[float64](min(n, copyBlock), d)
	for i := 0; i < n; i += copyBlock {
		rows := block.RowRange(0, min(copyBlock, n-i))
		copyRows(rows, x, i)
		if err := CheckFinite(rows, int64(i)); err != nil {
			return err
		}
	}
	return nil
}
