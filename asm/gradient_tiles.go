//go:build gc && !purego && !noasm && (amd64 || arm64)

package asm

import (
	"runtime"
	"unsafe"
)

// sweep has the operands of an assembly kernel of Residuals or Backward. They are whole tiles of
// rows, at least one, and for Backward at least one panel. Strides are in bytes; aStride is that
// of the panels of coefficients. asm/_gen knows the layout.
//
// Kernels move z, z2, r and d on to the next tile, and so past the end of the last. As pointers
// they would then keep what lies behind alive, which may be free: the garbage collector ends the
// program for that. Callers keep the slices alive, which are not on a stack.
type sweep struct {
	tiles, panels, targets int
	z, z2                  uintptr
	zStride                uintptr
	a, b                   unsafe.Pointer
	aStride                uintptr
	r                      uintptr
	ldr                    uintptr

	// Residuals alone.
	y   unsafe.Pointer
	ldy uintptr

	// Backward alone.
	d       uintptr
	dStride uintptr
	ga, gb  unsafe.Pointer
}

// adamRun has the operands of an assembly kernel of Adam: runs of whole vectors, skip and gSkip
// bytes apart.
type adamRun struct {
	x, m, v, g    unsafe.Pointer
	runs, vectors int
	skip, gSkip   uintptr
	constants     unsafe.Pointer // an adamOf
}

// sweepWork bounds the multiply-adds of a call, because a goroutine cannot be stopped inside a
// call.
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

func residualTiles[T Float](k family, panel int, g *Gradient[T]) {
	size := unsafe.Sizeof(*new(T))
	s := sweep{panels: g.Panels, zStride: uintptr(g.ZStride) * size, aStride: uintptr(g.Targets*panel) * size,
		ldr: uintptr(g.LDR) * size, ldy: uintptr(g.LDY) * size}
	run := func(h, w, row, target, tiles int) {
		entry := entryResiduals
		if h > 1 {
			entry = entryResidualsTiles + w/2
		}
		step := max(1, sweepWork/max(1, 2*h*w*g.Panels*panel))
		for ; tiles > 0; tiles -= step {
			s.tiles = min(tiles, step)
			s.r, s.y = uintptr(place(g.R, row*g.LDR+target)), place(g.Y, row*g.LDY+target)
			if g.Panels > 0 {
				s.z, s.z2 = uintptr(place(g.Z, row*panel)), uintptr(place(g.Z2, row*panel))
				s.a, s.b = place(g.A, target*panel), place(g.B, target*panel)
			}
			runGradient(k, entry, unsafe.Pointer(&s)) // counts s.tiles down
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
	runtime.KeepAlive(g)
}

// backwardTiles takes all rows through a few panels at a time, which then lie one
// after the other in memory.
func backwardTiles[T Float](k family, panel int, g *Gradient[T]) {
	size := unsafe.Sizeof(*new(T))
	coef := g.Targets * panel
	s := sweep{targets: g.Targets, zStride: uintptr(g.ZStride) * size, aStride: uintptr(coef) * size,
		ldr: uintptr(g.LDR) * size, dStride: uintptr(g.DStride) * size}
	for p := 0; p < g.Panels; p += backwardPanels {
		s.panels = min(backwardPanels, g.Panels-p)
		s.a, s.b, s.ga, s.gb = place(g.A, p*coef), place(g.B, p*coef), place(g.GA, p*coef), place(g.GB, p*coef)
		h, entry := backwardRows(k), entryBackwardTiles
		for row := 0; row < g.Rows; {
			if g.Rows-row < h {
				h, entry = 1, entryBackward
			}
			n := min((g.Rows-row)/h, max(1, sweepWork/(h*4*s.panels*coef)))
			s.tiles = n // the kernel counts it down
			z, d := p*g.ZStride+row*panel, p*g.DStride+row*panel
			s.z, s.z2, s.d, s.r = uintptr(place(g.Z, z)), uintptr(place(g.Z2, z)), uintptr(place(g.D, d)), uintptr(place(g.R, row*g.LDR))
			runGradient(k, entry, unsafe.Pointer(&s))
			row += h * n
		}
	}
	runtime.KeepAlive(g)
}

func adamVectors[T Float](k family, lanes int, s *Adam[T]) {
	size := unsafe.Sizeof(*new(T))
	vectors := s.Run / lanes
	done := vectors * lanes
	if vectors > 0 && len(s.X) > 0 {
		c := s.constants()
		a := adamRun{x: place(s.X, 0), m: place(s.M, 0), v: place(s.V, 0), g: place(s.G, 0), runs: len(s.X) / s.Run, vectors: vectors,
			skip: uintptr(s.Run-done) * size, gSkip: uintptr(s.GStride-done) * size, constants: unsafe.Pointer(&c)}
		runGradient(k, entryAdam, unsafe.Pointer(&a))
	}
	if done < s.Run {
		adamGo(s, done)
	}
}

// place returns the address of element i of s, which may be empty if i is 0.
func place[T Float](s []T, i int) unsafe.Pointer {
	return unsafe.Add(unsafe.Pointer(unsafe.SliceData(s)), uintptr(i)*unsafe.Sizeof(*new(T)))
}
