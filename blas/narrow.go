package blas

import (
	"slices"

	"github.com/rffgo/rff/asm"
)

// A map of few frequencies would use little of a tile, which has a frequency in each lane of
// its vectors. So its rows and frequencies change places: rows of x are packed like
// frequencies, frequencies are read like rows, and the result is transposed. Every product,
// and every bit, stays the same.

// narrowRows is the number of rows that change places at once.
const narrowRows = 256

// narrow has the frequencies of a map of few frequencies. It is nil for other maps.
type narrow[T Float] struct {
	w     []T  // frequencies×dim, row-major
	plain bool // no phases and equal weights, so that one call takes all frequencies
}

// newNarrow returns nil if transposing would take longer than it saves.
func newNarrow[T Float](f *form[T]) *narrow[T] {
	if f.w == nil || f.section != nil || f.projected() || f.freqs > narrowFrequencies || f.dim == 0 || f.dim > narrowInputs {
		return nil
	}
	n := &narrow[T]{w: make([]T, f.freqs*f.dim), plain: f.scale != 0 && !slices.ContainsFunc(f.phase, func(p T) bool { return p != 0 })}
	for j := range f.freqs {
		for k := range f.dim {
			n.w[j*f.dim+k] = f.w[k*f.kern.Width+j]
		}
	}
	return n
}

// generate writes the features of the rows of x.
func (n *narrow[T]) generate(f *form[T], s *rowScratch[T], x, dst General[T]) {
	for i := 0; i < x.Rows; i += narrowRows {
		end := min(i+narrowRows, x.Rows)
		n.some(f, s, x.RowRange(i, end), dst.RowRange(i, end))
	}
}

// some is generate of at most narrowRows rows.
func (n *narrow[T]) some(f *form[T], s *rowScratch[T], x, dst General[T]) {
	kern, rows, outputs := f.kern, x.Rows, f.fn.Outputs()
	strips := ceil(rows, kern.Width)
	padded := strips * kern.Width
	grow(&s.x, padded*f.dim)
	grow(&s.t, 3*padded)
	grow(&s.a, outputs*f.freqs*padded)
	op := operand[T]{x, false}
	op.pack(s.x, kern.Width, 0, strips, rows, 0, f.dim)
	p, o := &s.projection, &s.output
	*p = asm.Projection[T]{LDX: f.dim, Rows: f.freqs, D: f.dim, W: s.x, Cols: rows, Phase: s.t[:padded], Scale: f.scale}
	*o = asm.Output[T]{RowStride: padded, PanelStride: kern.Panel}
	z, z2 := s.a[:f.freqs*padded], s.a[(outputs-1)*f.freqs*padded:]
	if n.plain {
		clear(p.Phase)
		p.X, o.Z, o.Z2 = n.w, z, z2
		kern.Features(f.fn, p, o)
	} else {
		n.oneByOne(f, s, z, z2, padded)
	}
	fromColumns(kern, dst, s.a, padded)
}

// oneByOne makes the features of one frequency after the other. All rows share the phase and
// the weights of a frequency.
func (n *narrow[T]) oneByOne(f *form[T], s *rowScratch[T], z, z2 []T, stride int) {
	p, o := &s.projection, &s.output
	p.Rows = 1
	if f.scale == 0 {
		p.Weight, p.Weight2 = s.t[stride:2*stride], s.t[2*stride:3*stride]
	}
	for j := range f.freqs {
		for i := range p.Phase {
			p.Phase[i] = f.phase[j]
		}
		for i := range p.Weight {
			p.Weight[i] = f.weight[j]
			if f.weight2 != nil {
				p.Weight2[i] = f.weight2[j]
			}
		}
		p.X, o.Z, o.Z2 = n.w[j*f.dim:], z[j*stride:], z2[j*stride:]
		f.kern.Features(f.fn, p, o)
	}
}

// fromColumns writes dst, whose column j begins at z[j·stride].
func fromColumns[T Float](kern *asm.Kernels[T], dst General[T], z []T, stride int) {
	j := 0
	for ; j+2 <= dst.Cols; j += 2 {
		kern.Zip(dst.Data[j:], dst.Stride, z[j*stride:][:dst.Rows], z[(j+1)*stride:][:dst.Rows])
	}
	if j < dst.Cols {
		to := dst.Data[j:]
		for i, v := range z[j*stride:][:dst.Rows] {
			to[i*dst.Stride] = v
		}
	}
}
