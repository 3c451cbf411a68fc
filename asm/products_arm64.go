//go:build gc && !purego && !noasm

package asm

import (
	"math"
	"unsafe"
)

// neonPanel is the panel of element type T.
func neonPanel[T Float]() int { return neonTuning.panel(int(unsafe.Sizeof(*new(T)))) }

// at returns the address of x[i], or nil for an empty use of x.
func at[T Float](x []T, i int, used bool) unsafe.Pointer {
	if !used {
		return nil
	}
	return unsafe.Pointer(&x[i])
}

// bytes is the size of n elements of T.
func bytes[T Float](n int) int { return n * int(unsafe.Sizeof(*new(T))) }

// neonGemm has the arguments of the tile products; strides are in bytes.
type neonGemm struct {
	panels, k  int
	a          unsafe.Pointer
	lda        int
	b          unsafe.Pointer
	bStride    int
	c          unsafe.Pointer
	ldc        int
	panelBytes int // of a row of c
	mode       int
	next       unsafe.Pointer // what to prefetch
	alpha      [8]byte        // an element, or float64 for integers
}

// The modes say what becomes of a tile's chains s.
const (
	neonAdd       = iota // c = fma(alpha, s, c)
	neonOverwrite        // c = alpha·s
	neonWiden            // c, float64, += s
	neonWords            // c, float64, = fma(float64(s), alpha, c), of words of two rows
	neonQuads            // the same, of words of four rows
)

// neonDot has the arguments of Dot: a number of whole blocks of 32 elements of x and y, and
// one more block of xt and yt unless these are nil.
type neonDot struct {
	x, y   unsafe.Pointer
	blocks int
	xt, yt unsafe.Pointer
	sum    [2]float64 // the result, an element, comes first
}

// neonHadamard has the arguments of the butterflies: n blocks from x on, h in bytes.
type neonHadamard struct {
	x    unsafe.Pointer
	n, h int
}

// tileNEON is Gemm (C = T), and Accumulate (C = float64, mode neonWiden) or that of integers.
func tileNEON[T, C Float](m, n, k int, alpha C, a []T, lda int, b []T, bStride int, c []C, ldc, mode int, next []T) {
	panel := neonPanel[T]()
	args := neonGemm{k: k, lda: bytes[T](lda), bStride: bytes[T](bStride), panelBytes: bytes[C](panel), mode: mode}
	*(*C)(unsafe.Pointer(&args.alpha)) = alpha
	if len(next) == 0 {
		next = a
	}
	args.next = unsafe.Pointer(unsafe.SliceData(next))
	if args.panels = n / panel; args.panels > 0 {
		args.b, args.c, args.ldc = at(b, 0, k > 0), unsafe.Pointer(&c[0]), bytes[C](ldc)
		runTile(m, a, args)
	}
	j := n / panel * panel
	if j == n {
		return
	}
	// The last, partial panel goes through a whole tile.
	var part [neonTile * neonPanel32]C
	for i := range m {
		copy(part[i*panel:][:panel], c[i*ldc+j:i*ldc+n])
	}
	args.panels, args.b, args.c, args.ldc = 1, at(b, n/panel*bStride, k > 0), unsafe.Pointer(&part), bytes[C](panel)
	runTile(m, a, args)
	for i := range m {
		copy(c[i*ldc+j:i*ldc+n], part[i*panel:])
	}
}

// runTile runs args on m ≤ 4 rows: on 4 rows at once, or on 2 and 1, so that it reads nothing
// beyond row m of a.
func runTile[T Float](m int, a []T, args neonGemm) {
	args.a = at(a, 0, args.k > 0)
	if m == 4 {
		runRows[T](4, &args)
		return
	}
	c := args.c
	if m&2 != 0 {
		runRows[T](2, &args)
	}
	if m&1 != 0 {
		args.a = at(a, m-1, args.k > 0)
		args.c = unsafe.Add(c, (m-1)*args.ldc)
		runRows[T](1, &args)
	}
}

func runRows[T Float](rows int, args *neonGemm) {
	entry := entryGemm
	switch args.mode {
	case neonWords:
		entry = entryWords
	case neonQuads:
		entry = entryQuads
	}
	run[T](entry+rows/2, unsafe.Pointer(args))
}

func dotNEON[T Float](x, y []T) T {
	n := len(x) / Lanes * Lanes
	args := neonDot{blocks: n / Lanes, x: at(x, 0, n > 0), y: at(y, 0, n > 0)}
	if n < len(x) {
		return dotTailNEON(x[n:], y[n:], args)
	}
	return runDot[T](&args)
}

// dotTailNEON adds a last, partial block, which it fills up with −0·0. Adding −0 changes nothing,
// not even the sign of a zero.
func dotTailNEON[T Float](x, y []T, args neonDot) T {
	var v [2][Lanes]T
	for i := copy(v[0][:], x); i < Lanes; i++ {
		v[0][i] = T(math.Copysign(0, -1))
	}
	copy(v[1][:], y)
	args.xt, args.yt = unsafe.Pointer(&v[0]), unsafe.Pointer(&v[1])
	return runDot[T](&args)
}

func runDot[T Float](args *neonDot) T {
	run[T](entryDot, unsafe.Pointer(args))
	return *(*T)(unsafe.Pointer(&args.sum))
}

func hadamardNEON[T Float](x []T) {
	head := 2 * neonPanel[T]() // eight vectors
	if len(x) < head {
		hadamardGo(x, nil, len(x))
		return
	}
	block := min(len(x), neonTuning.L1/bytes[T](1))
	for i := 0; i < len(x); i += block {
		b := x[i : i+block]
		args := neonHadamard{x: unsafe.Pointer(&b[0]), n: block / head}
		run[T](entryHadamardHead, unsafe.Pointer(&args))
		passesNEON(b, head)
	}
	passesNEON(x, block)
}

// passesNEON does the levels from h on, three at a time.
func passesNEON[T Float](x []T, h int) {
	for h < len(x) {
		radix := min(8, len(x)/h)
		args := neonHadamard{x: unsafe.Pointer(&x[0]), n: len(x) / (radix * h), h: bytes[T](h)}
		run[T](entryHadamardPass+radix/4, unsafe.Pointer(&args))
		h *= radix
	}
}
