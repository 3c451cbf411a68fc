package scaling

import "github.com/rffgo/rff/blas"

const errSizes = "scaling: matrices of different sizes, or a scaling of other columns"

// Rows writes the scaled rows of x to dst, which may be x, as Row does. It panics if
// sizes differ.
func Rows[T blas.Float](shift, scale []float64, dst, x blas.General[T]) {
	if dst.Rows != x.Rows || dst.Cols != x.Cols || (shift != nil && len(shift) != x.Cols) || (scale != nil && len(scale) != x.Cols) {
		panic(errSizes)
	}
	for i := range x.Rows {
		Row(shift, scale, dst.Row(i), x.Row(i))
	}
}

// Row writes (x − shift)/scale to dst: computed in float64, rounded once to dst's
// element type. A nil shift is 0, a nil scale 1.
func Row[D, S interface{ ~float32 | ~float64 }](shift, scale []float64, dst []D, x []S) {
	for j, v := range x {
		t := float64(v)
		if shift != nil {
			t -= shift[j]
		}
		if scale != nil {
			t /= scale[j]
		}
		dst[j] = D(t)
	}
}
