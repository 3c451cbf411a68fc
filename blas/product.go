package blas

import "github.com/rffgo/rff/asm"

// packedProduct is the s×l matrix of a projected map in panels, BlockK rows
// at a time.
type packedProduct[T Float] struct {
	kern       *asm.Kernels[T]
	rows, cols int
	panels     []T // the chain of rows k0 … k1−1 begins at k0·⌈cols/Panel⌉·Panel
}

func packProduct[T Float](kern *asm.Kernels[T], m General[float64]) *packedProduct[T] {
	p := &packedProduct[T]{kern: kern, rows: m.Rows, cols: m.Cols}
	n := ceil(m.Cols, kern.Panel)
	p.panels = make([]T, n*kern.Panel*m.Rows)
	op := operand[T]{convert[T](m, 1), true}
	for k := 0; k < m.Rows; k += BlockK {
		op.pack(p.panels[k*n*kern.Panel:], kern.Panel, 0, n, m.Cols, k, min(k+BlockK, m.Rows))
	}
	return p
}

// multiply writes z·P with the bits of Gemm. If the layout has panels, it goes through s.zp,
// because a panel may be narrower than a tile.
func (p *packedProduct[T]) multiply(s *rowScratch[T], z General[T], to layout[T]) {
	mr, panel := p.kern.MR, p.kern.Panel
	if to.panelStride != panel { // not row-major
		rows := General[T]{Rows: z.Rows, Cols: p.cols, Stride: p.cols, Data: s.zp[:z.Rows*p.cols]}
		p.multiply(s, z, layout[T]{z: rows.Data, rowStride: rows.Stride, panelStride: panel})
		toPanels(to.z, panel, to.panelStride, rows)
		return
	}
	n := ceil(p.cols, panel)
	op := operand[T]{z, false}
	for k0 := 0; k0 < p.rows; k0 += BlockK {
		k := min(BlockK, p.rows-k0)
		b := p.panels[k0*n*panel:]
		for i := 0; i < z.Rows; i += mr {
			m := min(mr, z.Rows-i)
			op.pack(s.strip, mr, i/mr, i/mr+1, z.Rows, k0, k0+k)
			p.kern.Gemm(m, p.cols, k, 1, s.strip, mr, b, k*panel, to.z[i*to.rowStride:], to.rowStride, k0 == 0, nil)
		}
	}
}
