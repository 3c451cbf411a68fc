package sampling

import (
	"math"

	"github.com/rffgo/rff/blas"
)

// orthonormalize replaces the rows of a by an orthonormal basis of their span
// and returns it; rows that depend on those before them are dropped. It is block
// Gram–Schmidt, everything twice, which leaves an orthogonality error of a few
// rounding errors (Giraud, Langou, Rozložník and van den Eshof, "Rounding error
// analysis of the classical Gram–Schmidt orthogonalization process", 2005).
func orthonormalize(e blas.Engine, a blas.General[float64]) blas.General[float64] {
	const block = 16
	// What is left of a row in exact dependence is rounding errors of its norm.
	tolerance := 0x1p-52 * 8 * math.Sqrt(float64(a.Cols)) * float64(min(a.Rows, a.Cols))
	rank := 0
	coef := blas.NewGeneral[float64](block, a.Rows)
	for first := 0; first < a.Rows; first += block {
		n := min(block, a.Rows-first)
		norm := make([]float64, n)
		for i := range n {
			norm[i] = norm2(a.Row(first + i))
		}
		b := a.RowRange(first, first+n)
		against(e, b, a.RowRange(0, rank), coef)
		kept := 0
		for i := range n {
			row := b.Row(i)
			removeFrom(row, b.RowRange(0, kept))
			removeFrom(row, b.RowRange(0, kept))
			left := norm2(row)
			if !(left > tolerance*norm[i]) {
				continue
			}
			scale(b.Row(kept), row, 1/left)
			kept++
		}
		b = b.RowRange(0, kept)
		against(e, b, a.RowRange(0, rank), coef)
		for i := range kept {
			row := b.Row(i)
			removeFrom(row, b.RowRange(0, i))
			scale(row, row, 1/norm2(row))
		}
		for i := range kept {
			copy(a.Row(rank+i), b.Row(i))
		}
		rank += kept
	}
	return a.RowRange(0, rank)
}

// against removes from the rows of b their components along the orthonormal rows of q.
func against(e blas.Engine, b, q, coef blas.General[float64]) {
	if q.Rows == 0 || b.Rows == 0 {
		return
	}
	c := blas.General[float64]{Rows: b.Rows, Cols: q.Rows, Stride: coef.Stride, Data: coef.Data[:(b.Rows-1)*coef.Stride+q.Rows]}
	blas.Gemm(e, false, true, 1, b, q, 0, c)
	blas.Gemm(e, false, false, -1, c, q, 1, b)
}

// removeFrom is against for one row, one direction after the other.
func removeFrom(row []float64, q blas.General[float64]) {
	for i := range q.Rows {
		dir := q.Row(i)
		var c float64
		for j, v := range row {
			c = math.FMA(v, dir[j], c)
		}
		for j, v := range dir {
			row[j] = math.FMA(-c, v, row[j])
		}
	}
}

func norm2(v []float64) float64 {
	var s float64
	for _, c := range v {
		s = math.FMA(c, c, s)
	}
	return math.Sqrt(s)
}

func scale(dst, src []float64, by float64) {
	for i, v := range src {
		dst[i] = v * by
	}
}
