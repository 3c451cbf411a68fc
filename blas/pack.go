package blas

import "github.com/rffgo/rff/asm"

// operand is op(M) as an operand of a product. Its elements (l, j) have an inner index l and a
// column j of a packed strip.
type operand[T Float] struct {
	General[T]
	// inner reports whether the rows of General run along l (so that j is
	// contiguous); otherwise its rows run along j.
	inner bool
}

// pack writes strips first ≤ q < last of width columns each, of inner range
// [l0, l1), to dst: column c of strip q at dst[((q−first)·(l1−l0)+l)·width+c].
// Columns from cols on are zero.
func (m *operand[T]) pack(dst []T, width, first, last, cols, l0, l1 int) {
	k := l1 - l0
	if m.inner {
		j0, j1 := first*width, min(last*width, cols)
		whole := (j1 - j0) / width // strips without padding
		for l := range k {
			src := m.Data[(l0+l)*m.Stride+j0 : (l0+l)*m.Stride+j1]
			for q := range whole {
				copy(dst[(q*k+l)*width:][:width], src[q*width:])
			}
			if whole < last-first {
				d := dst[(whole*k+l)*width:][:width]
				n := copy(d, src[whole*width:])
				clear(d[n:])
			}
		}
		return
	}
	if whole := min(last, cols/width) - first; whole > 0 {
		asm.Native[T]().Pack(dst, width, m.Data[first*width*m.Stride+l0:], m.Stride, k, whole)
		dst, first = dst[whole*k*width:], first+whole
	}
	for q := first; q < last; q++ { // strips with fewer than width columns
		strip := dst[(q-first)*k*width:][:k*width]
		j0, j1 := q*width, max(q*width, min(cols, (q+1)*width))
		m.transpose(strip, width, j0, j1, l0, l1)
		if j1-j0 < width {
			for l := range k {
				clear(strip[l*width+j1-j0 : (l+1)*width])
			}
		}
	}
}

// transpose writes rows j0 … j1−1 of m to adjacent columns of dst.
func (m *operand[T]) transpose(dst []T, width, j0, j1, l0, l1 int) {
	const rows = asm.TransposeRows
	eight := asm.Native[T]().Transpose
	j := j0
	for ; j+rows <= j1; j += rows {
		eight(dst[j-j0:], width, m.Data[j*m.Stride+l0:], m.Stride, l1-l0)
	}
	for ; j < j1; j++ {
		for l, v := range m.Data[j*m.Stride+l0 : j*m.Stride+l1] {
			dst[l*width+j-j0] = v
		}
	}
}
