package scaling

import (
	"math"

	"github.com/rffgo/rff/blas"
)

const errSizes = "scaling: matrices of different sizes, or a scaling of other columns"

// Row writes (x − shift)/scale to dst. It is computed in float64 and rounded once to dst's element
// type. A nil shift is 0, and a nil scale is 1.
func Row[D, S interface{ ~float32 | ~float64 }](shift, scale []float64, dst []D, x []S) {
	for j, v := range x {
		t := float64(v)
		if shift != nil {
			t -= shift[j]
		}
		if scale != nil && t != 0 { // zeros of sparse rows need no division
			t /= scale[j]
		}
		dst[j] = D(t)
	}
}

// BentRows writes the bent and scaled rows of x to dst, which may be x, as Bent does. It panics if sizes
// differ.
func BentRows[D, S blas.Float](from, to [][]float64, shift, scale []float64, dst blas.General[D], x blas.General[S]) {
	n := x.Cols
	if dst.Rows != x.Rows || dst.Cols != n || (from != nil && (len(from) != n || len(to) != n)) ||
		(shift != nil && len(shift) != n) || (scale != nil && len(scale) != n) {
		panic(errSizes)
	}
	if from == nil {
		for i := range x.Rows {
			Row(shift, scale, dst.Row(i), x.Row(i))
		}
		return
	}
	for first := 0; first < x.Rows; first += together {
		rows := min(together, x.Rows-first)
		for j := range n {
			last, bent := math.NaN(), D(math.NaN())
			for i := first; i < first+rows; i++ {
				if v := float64(x.Data[i*x.Stride+j]); math.Float64bits(v) != math.Float64bits(last) { // counts and flags repeat
					last, bent = v, D(bentOne(from[j], to[j], shift, scale, j, v))
				}
				dst.Data[i*dst.Stride+j] = bent
			}
		}
	}
}

// together is the number of rows whose values of a column are bent one after the other. The points of a
// column then stay in the first cache, and so do a few values of each row. One row after the other takes
// up to twice as long where there are hundreds of columns.
const together = 64

// Bent is Row for columns that are bent first. Column j is mapped by the function through the points
// (from[j][k], to[j][k]), which is straight between them and constant beyond. from[j] ascends. If it
// is empty, column j stays as it is. If from is nil, all columns do.
func Bent[D, S interface{ ~float32 | ~float64 }](from, to [][]float64, shift, scale []float64, dst []D, x []S) {
	if from == nil {
		Row(shift, scale, dst, x)
		return
	}
	for j, v := range x {
		dst[j] = D(bentOne(from[j], to[j], shift, scale, j, float64(v)))
	}
}

// bentOne returns the bent and scaled value v of column j.
func bentOne(from, to, shift, scale []float64, j int, v float64) float64 {
	if len(from) > 0 {
		v = bend(from, to, v)
	}
	if shift != nil {
		v -= shift[j]
	}
	if scale != nil && v != 0 { // zeros of sparse rows need no division
		v /= scale[j]
	}
	return v
}

// bend returns the piecewise linear function through (from, to) at v.
func bend(from, to []float64, v float64) float64 {
	k := 0 // the first point that is not below v
	for n := len(from); n > 0; {
		half := (n + 1) / 2
		// A branch would be guessed wrong half of the time. Points are finite, so the difference has
		// a sign bit exactly where the point is below v, unless v is NaN.
		k += half & -int(math.Float64bits(from[k+half-1]-v)>>63)
		n -= half
	}
	switch {
	case v != v:
		return v
	case k == len(from):
		return to[k-1]
	case k == 0 || from[k] == v:
		return to[k]
	}
	share := (float64(v/2) - float64(from[k-1]/2)) / (float64(from[k]/2) - float64(from[k-1]/2)) // halves do not overflow
	return to[k-1] + float64(share*(to[k]-to[k-1]))
}
