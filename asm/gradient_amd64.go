//go:build gc && !purego && !noasm

package asm

import "unsafe"

// sweep is what an assembly kernel of Residuals or Backward works on: whole tiles
// of rows, at least one, and for Backward at least one panel. Strides are in bytes;
// aStride is that of the panels of coefficients. The layout is known to asm/_gen.
type sweep struct {
	tiles, panels, targets int
	z, z2                  unsafe.Pointer
	zStride                uintptr
	a, b                   unsafe.Pointer
	aStride                uintptr
	r                      unsafe.Pointer
	ldr                    uintptr

	// Residuals alone.
	y   unsafe.Pointer
	ldy uintptr

	// Backward alone.
	d       unsafe.Pointer
	dStride uintptr
	ga, gb  unsafe.Pointer
}

// adamRun is what an assembly kernel of Adam works on: runs of whole vectors, skip
// and gSkip bytes apart.
type adamRun struct {
	x, m, v, g    unsafe.Pointer
	runs, vectors int
	skip, gSkip   uintptr
	constants     unsafe.Pointer // an adamOf
}

// sweepWork bounds the multiply-adds of a call: a goroutine cannot be stopped
// inside of one.
const sweepWork = pipelinedWork

// bindGradient puts the kernels of the gradient of k, of vectors of that many
// lanes, into t.
func bindGradient[T Float](t *Kernels[T], k family, lanes int) {
	panel := t.Panel
	t.Residuals = func(g *Gradient[T]) {
		g.check(panel, false)
		if g.Rows > 0 {
			residualTiles(k, panel, g)
		}
	}
	t.Backward = func(g *Gradient[T]) {
		g.check(panel, true)
		if g.Rows > 0 && g.Panels > 0 {
			backwardTiles(k, panel, g)
		}
	}
	t.Adam = func(s *Adam[T]) {
		s.check()
		adamVectors(k, lanes, s)
	}
}

// residualTile returns the rows and targets of a tile where so many targets are left.
func residualTile(k family, targets int) (h, w int) {
	if k > avx512F32 {
		if targets >= 2 {
			return 2, 2
		}
		return 4, 1
	}
	switch {
	case targets >= 4:
		return 4, 4
	case targets >= 2:
		return 4, 2
	}
	return 8, 1
}

func residualTiles[T Float](k family, panel int, g *Gradient[T]) {
	size := unsafe.Sizeof(*new(T))
	s := sweep{panels: g.Panels, zStride: uintptr(g.ZStride) * size, aStride: uintptr(g.Targets*panel) * size,
		ldr: uintptr(g.LDR) * size, ldy: uintptr(g.LDY) * size}
	run := func(h, w, row, target, tiles int) {
		step := max(1, sweepWork/max(1, 2*h*w*g.Panels*panel))
		for ; tiles > 0; tiles -= step {
			s.tiles = min(tiles, step)
			s.r, s.y = at(g.R, row*g.LDR+target), at(g.Y, row*g.LDY+target)
			if g.Panels > 0 {
				s.z, s.z2 = at(g.Z, row*panel), at(g.Z2, row*panel)
				s.a, s.b = at(g.A, target*panel), at(g.B, target*panel)
			}
			runResiduals(k, h, w, &s) // counts s.tiles down
			row += step * h
		}
	}
	for t := 0; t < g.Targets; {
		h, w := residualTile(k, g.Targets-t)
		whole := g.Rows / h
		run(h, w, 0, t, whole)
		for i := range w {
			run(1, 1, whole*h, t+i, g.Rows-whole*h)
		}
		t += w
	}
}

func backwardTiles[T Float](k family, panel int, g *Gradient[T]) {
	size := unsafe.Sizeof(*new(T))
	s := sweep{panels: g.Panels, targets: g.Targets, zStride: uintptr(g.ZStride) * size, aStride: uintptr(g.Targets*panel) * size,
		ldr: uintptr(g.LDR) * size, dStride: uintptr(g.DStride) * size,
		a: at(g.A, 0), b: at(g.B, 0), ga: at(g.GA, 0), gb: at(g.GB, 0)}
	h := 4
	if k > avx512F32 {
		h = 2
	}
	for row := 0; row < g.Rows; {
		if g.Rows-row < h {
			h = 1
		}
		n := min((g.Rows-row)/h, max(1, sweepWork/(h*4*g.Targets*g.Panels*panel)))
		s.tiles = n // which the kernel counts down
		s.z, s.z2, s.d, s.r = at(g.Z, row*panel), at(g.Z2, row*panel), at(g.D, row*panel), at(g.R, row*g.LDR)
		runBackward(k, h, &s)
		row += h * n
	}
}

func adamVectors[T Float](k family, lanes int, s *Adam[T]) {
	size := unsafe.Sizeof(*new(T))
	vectors := s.Run / lanes
	done := vectors * lanes
	if vectors > 0 && len(s.X) > 0 {
		c := s.constants()
		a := adamRun{x: at(s.X, 0), m: at(s.M, 0), v: at(s.V, 0), g: at(s.G, 0), runs: len(s.X) / s.Run, vectors: vectors,
			skip: uintptr(s.Run-done) * size, gSkip: uintptr(s.GStride-done) * size, constants: unsafe.Pointer(&c)}
		runAdam(k, &a)
	}
	if done < s.Run {
		adamGo(s, done)
	}
}

// runResiduals, runBackward and runAdam are switches, not function values, so that
// what they are given stays on the caller's stack.
func runResiduals(k family, rows, targets int, s *sweep) {
	switch k {
	case avx512F64:
		switch {
		case rows == 8:
			residuals8x1AVX512F64(s)
		case targets == 4:
			residuals4x4AVX512F64(s)
		case targets == 2:
			residuals4x2AVX512F64(s)
		default:
			residuals1x1AVX512F64(s)
		}
	case avx512F32:
		switch {
		case rows == 8:
			residuals8x1AVX512F32(s)
		case targets == 4:
			residuals4x4AVX512F32(s)
		case targets == 2:
			residuals4x2AVX512F32(s)
		default:
			residuals1x1AVX512F32(s)
		}
	case avx2F64:
		switch {
		case rows == 4:
			residuals4x1AVX2F64(s)
		case targets == 2:
			residuals2x2AVX2F64(s)
		default:
			residuals1x1AVX2F64(s)
		}
	case avx2F32:
		switch {
		case rows == 4:
			residuals4x1AVX2F32(s)
		case targets == 2:
			residuals2x2AVX2F32(s)
		default:
			residuals1x1AVX2F32(s)
		}
	}
}

func runBackward(k family, rows int, s *sweep) {
	switch {
	case k == avx512F64 && rows == 4:
		backward4AVX512F64(s)
	case k == avx512F64:
		backward1AVX512F64(s)
	case k == avx512F32 && rows == 4:
		backward4AVX512F32(s)
	case k == avx512F32:
		backward1AVX512F32(s)
	case k == avx2F64 && rows == 2:
		backward2AVX2F64(s)
	case k == avx2F64:
		backward1AVX2F64(s)
	case k == avx2F32 && rows == 2:
		backward2AVX2F32(s)
	case k == avx2F32:
		backward1AVX2F32(s)
	}
}

func runAdam(k family, s *adamRun) {
	switch k {
	case avx512F64:
		adamAVX512F64(s)
	case avx512F32:
		adamAVX512F32(s)
	case avx2F64:
		adamAVX2F64(s)
	case avx2F32:
		adamAVX2F32(s)
	}
}

// The residuals kernels equal residualsGo on tiles of so many rows by targets.

//go:noescape
func residuals8x1AVX512F64(s *sweep)

//go:noescape
func residuals4x4AVX512F64(s *sweep)

//go:noescape
func residuals4x2AVX512F64(s *sweep)

//go:noescape
func residuals1x1AVX512F64(s *sweep)

//go:noescape
func residuals8x1AVX512F32(s *sweep)

//go:noescape
func residuals4x4AVX512F32(s *sweep)

//go:noescape
func residuals4x2AVX512F32(s *sweep)

//go:noescape
func residuals1x1AVX512F32(s *sweep)

//go:noescape
func residuals4x1AVX2F64(s *sweep)

//go:noescape
func residuals2x2AVX2F64(s *sweep)

//go:noescape
func residuals1x1AVX2F64(s *sweep)

//go:noescape
func residuals4x1AVX2F32(s *sweep)

//go:noescape
func residuals2x2AVX2F32(s *sweep)

//go:noescape
func residuals1x1AVX2F32(s *sweep)

// The backward kernels equal backwardGo on tiles of so many rows.

//go:noescape
func backward4AVX512F64(s *sweep)

//go:noescape
func backward1AVX512F64(s *sweep)

//go:noescape
func backward4AVX512F32(s *sweep)

//go:noescape
func backward1AVX512F32(s *sweep)

//go:noescape
func backward2AVX2F64(s *sweep)

//go:noescape
func backward1AVX2F64(s *sweep)

//go:noescape
func backward2AVX2F32(s *sweep)

//go:noescape
func backward1AVX2F32(s *sweep)

// The adam kernels equal adamGo on whole vectors.

//go:noescape
func adamAVX512F64(s *adamRun)

//go:noescape
func adamAVX512F32(s *adamRun)

//go:noescape
func adamAVX2F64(s *adamRun)

//go:noescape
func adamAVX2F32(s *adamRun)
