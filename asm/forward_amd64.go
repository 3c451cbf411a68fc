//go:build gc && !purego && !noasm

package asm

import (
	"runtime"
	"unsafe"
)

// bindForward puts Forward on the pipelined kernels of k into t. These add features to partial
// sums of the residuals while the features are in registers.
func bindForward[T Float](t *Kernels[T], k *strips) {
	t.Forward = func(p *Projection[T], out *Output[T], g *Gradient[T]) {
		g.forward(k.width, k.panel, p, out)
		if p.Rows > 0 {
			stripForward(k, p, out, g)
		}
	}
}

func stripForward[T Float](k *strips, p *Projection[T], out *Output[T], g *Gradient[T]) {
	whole := 0
	if p.D >= pipelinedLeast && p.D <= pipelinedMost && p.Cols > 0 && p.Cols%k.width == 0 {
		whole = p.Rows / pipelinedRows * pipelinedRows
	}
	if whole > 0 {
		pipelinedForward(k, p, out, g, whole)
	}
	if whole == p.Rows {
		return
	}
	rest, to, left := *p, *out, *g
	rest.Rows -= whole
	left.Rows -= whole
	if whole > 0 { // otherwise slices may be empty
		rest.X = rest.X[whole*p.LDX:]
		to.Z, to.Z2 = to.Z[whole*k.panel:], to.Z2[whole*k.panel:]
		left.Z, left.Z2 = to.Z, to.Z2
		left.R, left.Y = left.R[whole*g.LDR:], left.Y[whole*g.LDY:]
	}
	stripFeatures(k, CosSin, &rest, &to)
	residualTiles(k.family, k.panel, &left)
}

// pipelinedForward is Forward for that many rows, which are whole strips.
func pipelinedForward[T Float](k *strips, p *Projection[T], out *Output[T], g *Gradient[T], rows int) {
	size := int(unsafe.Sizeof(*new(T)))
	var own scratch[T]
	s := start(k, CosSin, p, &own)
	lanes := GradientLanes[T]()
	clear(g.Sums[:rows*g.Targets*lanes])
	s.mode, s.targets = modeResiduals, g.Targets
	s.rowStride, s.panelStride = uintptr(out.RowStride*size), uintptr(out.PanelStride*size)
	s.ldy, s.ldAcc = uintptr(g.Targets*lanes*size), uintptr(g.Targets*k.panel*size)
	full, group := p.Cols/k.width, k.group(p.D, size)
	across := k.width / k.panel
	for first := 0; first < full; first += s.panels {
		setPanels(&s, p, CosSin, k.width, first, min(group, full-first))
		s.acc, s.acc2 = place(g.A, first*across*g.Targets*k.panel), place(g.B, first*across*g.Targets*k.panel)
		for r := 0; r < rows; {
			s.strips = k.pipelined(CosSin, &s, rows-r)
			h := pipelinedRows * s.strips
			setRow(&s, p, r)
			from := r*out.RowStride + first*across*out.PanelStride
			s.z, s.z2 = place(out.Z, from), place(out.Z2, from)
			s.y = place(g.Sums, r*g.Targets*lanes)
			s.stripStride = pipelinedRows * s.rowStride
			runPipelined(k.family, &s)
			r += h
		}
	}
	f := sweep{tiles: rows, targets: g.Targets, z: uintptr(place(g.Sums, 0)), r: uintptr(place(g.R, 0)), ldr: uintptr(g.LDR * size), y: place(g.Y, 0), ldy: uintptr(g.LDY * size)}
	runGradient(k.family, entryFolds, unsafe.Pointer(&f))
	runtime.KeepAlive(g)
}
