package asm

// TransposeRows is the number of rows of Kernels.Transpose.
const TransposeRows = 8

func checkTranspose[T Float](dst []T, ldd int, src []T, lds, n int) {
	if n < 0 || ldd < TransposeRows || lds < n {
		panic(errBadStride)
	}
	if n == 0 {
		return
	}
	if len(src) < span(TransposeRows, lds, n) {
		panic(errShortA)
	}
	if len(dst) < span(n, ldd, TransposeRows) {
		panic(errShortC)
	}
}

func transposeGo[T Float](dst []T, ldd int, src []T, lds, n int) {
	if n == 0 {
		return
	}
	row := func(i int) []T { return src[i*lds:][:n] }
	a, b, c, d, e, f, g, h := row(0), row(1), row(2), row(3), row(4), row(5), row(6), row(7)
	b, c, d, e, f, g, h = b[:n], c[:n], d[:n], e[:n], f[:n], g[:n], h[:n]
	for l := range a {
		o := (*[TransposeRows]T)(dst)
		o[0], o[1], o[2], o[3], o[4], o[5], o[6], o[7] = a[l], b[l], c[l], d[l], e[l], f[l], g[l], h[l]
		if l+1 < n {
			dst = dst[ldd:]
		}
	}
}
