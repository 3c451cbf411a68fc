package blas

import (
	"math/bits"

	"github.com/rffgo/rff/asm"
)

// Walsh is a projection of the columns of z, as Product is, by a Walsh–Hadamard transform.
// D∘z is zero-padded to the smallest power of two that is at least s, and H is unnormalised.
// Column j of the result is element Columns[j] of H·(D∘z).
type Walsh struct {
	D       []float64 // s
	Columns []int     // l
}

// Size returns the order of H.
func (w *Walsh) Size() int { return 1 << bits.Len(uint(len(w.D)-1)) }

// walsh is a Walsh in element type T.
type walsh[T Float] struct {
	d       []T // padded to the order of H
	columns []int32
}

func newWalsh[T Float](w *Walsh) *walsh[T] {
	out := &walsh[T]{d: make([]T, w.Size()), columns: make([]int32, len(w.Columns))}
	round(out.d[:len(w.D)], w.D)
	for i, c := range w.Columns {
		out.columns[i] = int32(c)
	}
	return out
}

// row writes the projection of z to dst. a is scratch with as many elements as the order of H.
func (w *walsh[T]) row(kern *asm.Kernels[T], dst, z, a []T) {
	a = a[:len(w.d)]
	clear(a[copy(a, z):])
	kern.Hadamard(a, w.d, len(w.d))
	permute(dst, a, w.columns)
}

// project writes the projections of the rows of z to a layout with panels of that width.
func (w *walsh[T]) project(kern *asm.Kernels[T], s *rowScratch[T], z General[T], to layout[T]) {
	l, panel := len(w.columns), kern.Panel
	for r := range z.Rows {
		if to.panelStride == panel { // row-major
			w.row(kern, to.z[r*to.rowStride:][:l], z.Row(r), s.a)
			continue
		}
		out := s.zp[:l]
		w.row(kern, out, z.Row(r), s.a)
		for j := 0; j < l; j += panel {
			copy(to.z[r*to.rowStride+j/panel*to.panelStride:][:min(panel, l-j)], out[j:])
		}
	}
}
