package blas

import "github.com/rffgo/rff/asm"

// hadamardBlock is a Block in element type T, with scale in the kernels' unit.
type hadamardBlock[T Float] struct {
	size, keep int
	d          [][]T
	perm       []int32
	scale      []T
	zero       []T // the phase that Apply adds
}

func newHadamardBlocks[T Float](blocks []Block, unit float64) []hadamardBlock[T] {
	out := make([]hadamardBlock[T], len(blocks))
	for i := range blocks {
		b := &blocks[i]
		h := hadamardBlock[T]{size: b.Size, keep: b.Keep, scale: make([]T, b.Keep), zero: make([]T, b.Size)}
		for j, v := range b.Scale {
			h.scale[j] = T(v * unit)
		}
		for _, d := range b.D {
			t := make([]T, len(d))
			for j, v := range d {
				t[j] = T(v)
			}
			h.d = append(h.d, t)
		}
		for _, p := range b.Perm {
			h.perm = append(h.perm, int32(p))
		}
		out[i] = h
	}
	return out
}

// project writes the first keep projections of x, zero-padded, to t, with a
// and b of the block's size as scratch.
func (h *hadamardBlock[T]) project(kern *asm.Kernels[T], t, x, a, b []T) {
	a, b = a[:h.size], b[:h.size]
	from := x // the input of the next diagonal, zero beyond its length
	for i := len(h.d) - 1; i >= 0; i-- {
		if i == 0 && h.perm != nil {
			if len(from) < h.size {
				clear(a[copy(a, from):])
				from = a
			}
			for j, p := range h.perm {
				b[j] = from[p]
			}
			from, a, b = b, b, a
		}
		n := len(from)
		kern.Apply(Linear, b[:n], nil, from, h.zero[:n], h.d[i][:n], nil)
		clear(b[n:])
		kern.Hadamard(b)
		from, a, b = b, b, a
	}
	kern.Apply(Linear, t, nil, from[:h.keep], h.zero[:h.keep], h.scale, nil)
}

// projectBlocks is form.project for structured projections, row by row.
func (f *form[T]) projectBlocks(s *rowScratch[T], x General[T], to layout[T]) {
	panel := f.kern.Panel
	n := f.freqs
	for r := range x.Rows {
		at := 0
		for i := range f.blocks {
			h := &f.blocks[i]
			h.project(f.kern, s.t[at:at+h.keep], x.Row(r), s.a, s.b)
			at += h.keep
		}
		t := s.t[:n]
		if to.panelStride == panel { // row-major
			z := to.z[r*to.rowStride:][:n]
			var z2, weight2 []T
			if f.fn == CosSin {
				z2, weight2 = to.z2[r*to.rowStride:][:n], f.weight2[:n]
			}
			f.kern.Apply(f.fn, z, z2, t, f.phase[:n], f.weight[:n], weight2)
			continue
		}
		for q := range f.panels {
			j := q * panel
			j1 := min(j+panel, n)
			o := r*to.rowStride + q*to.panelStride
			var z2, weight2 []T
			if f.fn == CosSin {
				z2, weight2 = to.z2[o:o+j1-j], f.weight2[j:j1]
			}
			f.kern.Apply(f.fn, to.z[o:o+j1-j], z2, t[j:j1], f.phase[j:j1], f.weight[j:j1], weight2)
		}
	}
}
