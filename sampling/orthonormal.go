package sampling

import (
	"context"
	"math"

	"github.com/rffgo/rff/blas"
)

// orthonormalize replaces the rows of a by an orthonormal basis of their span
// and returns it; rows that depend on those before them are dropped. It is block
// Gram–Schmidt with every step done twice, which leaves the rows orthogonal up to a few
// rounding errors (Giraud, Langou, Rozložník and van den Eshof, "Rounding error
// analysis of the classical Gram–Schmidt orthogonalization process", 2005).
func orthonormalize(ctx context.Context, e blas.Engine, a blas.General[float64]) (blas.General[float64], error) {
	const block = 128 // rows orthogonalised against all earlier ones by one product
	// A dependent row leaves only rounding errors, relative to its norm.
	tolerance := 0x1p-52 * 8 * math.Sqrt(float64(a.Cols)) * float64(min(a.Rows, a.Cols))
	rank := 0
	coef := blas.NewGeneral[float64](block, a.Rows)
	for first := 0; first < a.Rows; first += block {
		if err := ctx.Err(); err != nil {
			return a, err
		}
		b := a.RowRange(first, min(first+block, a.Rows))
		least := make([]float64, b.Rows)
		for i := range least {
			least[i] = tolerance * math.Sqrt(dot(b.Row(i), b.Row(i)))
		}
		for range 2 {
			against(e, b, a.RowRange(0, rank), coef)
			b = b.RowRange(0, orthonormalizeBlock(e, b, least, coef))
			least = make([]float64, b.Rows) // the second step drops no row
		}
		for i := range b.Rows {
			copy(a.Row(rank), b.Row(i))
			rank++
		}
	}
	return a.RowRange(0, rank), nil
}

// orthonormalizeBlock orthonormalises the rows of b among themselves. It drops a row whose
// remainder has a norm of at most least, moves the others to the front and returns their
// number.
func orthonormalizeBlock(e blas.Engine, b blas.General[float64], least []float64, coef blas.General[float64]) (kept int) {
	const block = 16 // rows orthogonalised against earlier ones of b by one product
	for first := 0; first < b.Rows; first += block {
		part := b.RowRange(first, min(first+block, b.Rows))
		against(e, part, b.RowRange(0, kept), coef)
		start := kept
		for i := range part.Rows {
			row := part.Row(i)
			removeFrom(row, b.RowRange(start, kept))
			removeFrom(row, b.RowRange(start, kept))
			left := math.Sqrt(dot(row, row))
			if !(left > least[first+i]) {
				continue
			}
			by, to := 1/left, b.Row(kept)
			for j, v := range row {
				to[j] = v * by
			}
			kept++
		}
	}
	return kept
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
		c := dot(row, dir)
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

// dot adds in four independent chains. In a single chain each multiply-add would wait for
// the one before.
func dot(x, y []float64) float64 {
	var s [4]float64
	y = y[:len(x)]
	n := len(x) &^ 3
	for j := 0; j < n; j += 4 {
		s[0] = math.FMA(x[j], y[j], s[0])
		s[1] = math.FMA(x[j+1], y[j+1], s[1])
		s[2] = math.FMA(x[j+2], y[j+2], s[2])
		s[3] = math.FMA(x[j+3], y[j+3], s[3])
	}
	for j := n; j < len(x); j++ {
		s[0] = math.FMA(x[j], y[j], s[0])
	}
	return (s[0] + s[1]) + (s[2] + s[3])
}
