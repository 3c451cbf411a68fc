package asm

func checkPack[T Float](dst []T, width int, src []T, lds, n, panels int) {
	if width < 1 || n < 0 || panels < 0 {
		panic(errBadTile)
	}
	if n == 0 || panels == 0 {
		return
	}
	if lds < n {
		panic(errBadStride)
	}
	// Each size is compared by itself first, so that no sum or product overflows.
	if n > len(dst) || panels > len(dst) || len(dst) < span(panels+1, span(n+1, width, 0), 0) {
		panic(errShortC)
	}
	if len(src) < span(panels*width, lds, n) {
		panic(errShortA)
	}
}

func packGo[T Float](dst []T, width int, src []T, lds, n, panels int) {
	if n == 0 {
		return // the number of rows is not bounded in this case
	}
	for q := range panels {
		to, from := dst[q*n*width:][:n*width], src[q*width*lds:]
		i := 0
		for ; i+TransposeRows <= width; i += TransposeRows {
			transposeGo(to[i:], width, from[i*lds:], lds, n)
		}
		for ; i < width; i++ {
			for l, v := range from[i*lds:][:n] {
				to[l*width+i] = v
			}
		}
	}
}

func checkZip[T Float](dst []T, ldd int, a, b []T) {
	if len(a) != len(b) {
		panic(errLength)
	}
	if len(a) == 0 {
		return
	}
	if ldd < 2 {
		panic(errBadStride)
	}
	if len(dst) < span(len(a), ldd, 2) {
		panic(errShortC)
	}
}

func zipGo[T Float](dst []T, ldd int, a, b []T) {
	for i, v := range a {
		pair := (*[2]T)(dst[i*ldd:])
		pair[0], pair[1] = v, b[i]
	}
}
