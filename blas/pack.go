package blas

// operand is op(M) as an operand of a product: at(l, j) runs over the inner
// dimension l and the columns j of a packed strip.
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
	for q := first; q < last; q++ {
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
	j := j0
	for ; j+8 <= j1; j += 8 {
		m.transpose8(dst[j-j0:], width, j, l0, l1)
	}
	for ; j < j1; j++ {
		for l, v := range m.Data[j*m.Stride+l0 : j*m.Stride+l1] {
			dst[l*width+j-j0] = v
		}
	}
}

// transpose8 writes rows j … j+7 of m to eight adjacent columns of dst.
func (m *operand[T]) transpose8(dst []T, width, j, l0, l1 int) {
	row := func(i int) []T { return m.Data[(j+i)*m.Stride+l0:][:l1-l0] }
	a, b, c, d, e, f, g, h := row(0), row(1), row(2), row(3), row(4), row(5), row(6), row(7)
	n := len(a)
	b, c, d, e, f, g, h = b[:n], c[:n], d[:n], e[:n], f[:n], g[:n], h[:n]
	for l := range a {
		o := (*[8]T)(dst)
		o[0], o[1], o[2], o[3], o[4], o[5], o[6], o[7] = a[l], b[l], c[l], d[l], e[l], f[l], g[l], h[l]
		if l+1 < n {
			dst = dst[width:]
		}
	}
}
