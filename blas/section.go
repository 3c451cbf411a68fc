package blas

import (
	"unsafe"

	"github.com/rffgo/rff/asm"
)

// A sectionInput turns rows of a map of sections into the inputs that the kernels project: the
// centred and scaled row x' = (x − Shift)∘Scale, rounded to T, and ‖x'‖². The rows of the
// sections become w' likewise. With frequencies (−2w', 1) and phases ‖w'‖², a projection is
// ‖x' − w'‖².
//
// Centring makes the norms small. This matters because ‖x'‖² + ‖w'‖² − 2x'ᵀw' is off by some
// eps·(‖x'‖ + ‖w'‖)², even if x' and w' are near each other.
//
// For sums of differences the kernels want only x' and w', and centring leaves more digits to
// float32.
type sectionInput[T Float] struct {
	shift, scale []float64
	products     bool // distances are made of products of rows
}

// width is the number of inputs of a projection of sections of dim inputs.
func (s *sectionInput[T]) width(dim int) int {
	if !s.products {
		return dim
	}
	return dim + 1
}

// row writes x' and, for products, ‖x'‖² to dst. The norm is summed in float64, in
// four lanes. A row whose norm T cannot hold is replaced by one that is as far from all others
// as T allows.
func (s *sectionInput[T]) row(dst, x []T) {
	d := len(x)
	dst, shift, scale := dst[:s.width(d)], s.shift[:d], s.scale[:d]
	if !s.products {
		for k, v := range x {
			dst[k] = T(float64((float64(v) - shift[k]) * scale[k]))
		}
		return
	}
	var lanes [4]float64
	for k, v := range x {
		c := T(float64((float64(v) - shift[k]) * scale[k]))
		dst[k] = c
		lanes[k%4] += float64(float64(c) * float64(c))
	}
	norm := (lanes[0] + lanes[2]) + (lanes[1] + lanes[3])
	most := 0x1p1000
	if unsafe.Sizeof(dst[0]) == 4 {
		most = 0x1p120
	}
	if !(norm <= most) {
		clear(dst[:d])
		norm = most
	}
	dst[d] = T(norm)
}

// rows writes what row gives for every row of x.
func (s *sectionInput[T]) rows(dst, x General[T]) {
	for i := range x.Rows {
		s.row(dst.Row(i), x.Row(i))
	}
}

// prepared returns rows of x in buf.
func (s *sectionInput[T]) prepared(buf *[]T, x General[T]) General[T] {
	width := s.width(x.Cols)
	grow(buf, x.Rows*width)
	dst := General[T]{Rows: x.Rows, Cols: width, Stride: width, Data: (*buf)[:x.Rows*width]}
	s.rows(dst, x)
	return dst
}

// newSectionInput returns the sectionInput of s, or nil if s has no sections.
func newSectionInput[T Float](s *Spec) *sectionInput[T] {
	if !s.Func.Section() {
		return nil
	}
	return &sectionInput[T]{s.Shift, s.Scale, s.Terms == asm.Products}
}

// frequency writes the frequency of the section on row w and returns its phase. Both are
// rounded like a row of T. scratch is as long as dst: see width.
func (s *sectionInput[T]) frequency(dst, scratch []T, w []float64) (phase T) {
	d := len(w)
	round(scratch[:d], w)
	s.row(dst, scratch[:d])
	if !s.products {
		return 0
	}
	phase = dst[d]
	for k, v := range dst[:d] {
		dst[k] = -2 * v
	}
	dst[d] = 1
	return phase
}
