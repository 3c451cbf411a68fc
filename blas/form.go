package blas

import (
	"slices"

	"github.com/rffgo/rff/asm"
)

// form is a Spec in the layout of one set of kernels.
type form[T Float] struct {
	kern   *asm.Kernels[T]
	fn     asm.Func
	dim    int // inputs of a projection; sections by products have one more than the map
	freqs  int
	panels int // of one half of the features: ⌈freqs/Panel⌉
	tiles  int // of the frequencies: ⌈freqs/Width⌉
	group  int // tiles of frequencies that fit the second-level cache
	base   int // columns before Product
	out    int

	shared[T]
	w       []T
	terms   asm.Terms
	scale   T // the weight that all columns of Cos or CosSin share; 0 if weights differ or are out of range
	product *packedProduct[T]
	narrow  *narrow[T]
}

// shared has what the layouts for all kinds of products share.
type shared[T Float] struct {
	phase, weight, weight2 []T
	stacks                 []hadamardStack[T]
	together               int // rows that stacks project at once
	section                *sectionInput[T]
	walsh                  *walsh[T]
}

// newShared lays out s with its angles times unit, for that many columns, the last of which are
// padding.
func newShared[T Float](s *Spec, unit float64, columns int) shared[T] {
	n := s.Frequencies()
	p := shared[T]{phase: make([]T, columns), weight: make([]T, columns), section: newSectionInput[T](s)}
	for j, v := range s.Phase {
		p.phase[j] = T(v * unit)
	}
	round(p.weight[:n], s.Weight[:n])
	if s.Func == asm.CosSin {
		p.weight2 = make([]T, columns)
		round(p.weight2[:n], s.Weight[n:])
	}
	if len(s.Blocks) > 0 {
		p.stacks, p.together = newHadamardStacks[T](s.Blocks, unit), 1
		if slices.ContainsFunc(s.Blocks, func(b Block) bool { return b.Trees != nil }) {
			p.together = treeGroups * treeRows
		}
	}
	if s.Walsh != nil {
		p.walsh = newWalsh[T](s.Walsh)
	}
	return p
}

func newForm[T Float](s *Spec, kern *asm.Kernels[T]) *form[T] {
	n, width, unit := s.Frequencies(), kern.Width, s.unit()
	f := &form[T]{kern: kern, fn: s.Func, dim: s.Dim, freqs: n, panels: ceil(n, kern.Panel), tiles: ceil(n, width),
		group: groupTiles(kern, s.Dim), base: n * s.Func.Outputs(), out: s.Outputs(), terms: s.Terms}
	padded := f.tiles * width
	if f.shared = newShared[T](s, unit, padded); f.section != nil {
		f.dim = f.section.width(s.Dim)
		f.group = groupTiles(kern, f.dim)
	}
	if s.Func <= asm.CosSin && len(s.Blocks) == 0 && !s.unequal && allEqual(s.Weight) {
		if w := T(s.Weight[0]); w >= asm.MinScale && w <= asm.MaxScale {
			f.scale = w
		}
	}
	switch {
	case f.stacks != nil:
	case f.section != nil:
		f.w = make([]T, padded*f.dim)
		row, scratch := make([]T, f.dim), make([]T, f.dim)
		for j := range n {
			f.phase[j] = f.section.frequency(row, scratch, s.W.Row(j))
			column := f.w[j/width*f.dim*width+j%width:]
			for i, v := range row {
				column[i*width] = v
			}
		}
	default:
		f.w = make([]T, padded*s.Dim)
		for j := range n {
			column := f.w[j/width*s.Dim*width+j%width:]
			for i, v := range s.W.Row(j) {
				column[i*width] = T(v * unit)
			}
		}
	}
	if s.Product.Data != nil {
		f.product = packProduct(kern, s.Product)
	}
	f.narrow = newNarrow(f)
	return f
}

// allEqual reports whether there are elements and all are equal.
func allEqual(v []float64) bool {
	for _, w := range v {
		if w != v[0] {
			return false
		}
	}
	return len(v) > 0
}

// columns points p at the frequencies from j on, a multiple of Width. The caller sets their
// number.
func (f *form[T]) columns(p *asm.Projection[T], j int) {
	p.W, p.Phase, p.Scale, p.Terms = f.w[j*f.dim:], f.phase[j:], f.scale, f.terms
	p.Weight, p.Weight2 = nil, nil
	if f.scale != 0 {
		return
	}
	p.Weight = f.weight[j:]
	if f.fn == asm.CosSin {
		p.Weight2 = f.weight2[j:]
	}
}

// rowMajor returns the layout of a row-major matrix.
func (f *form[T]) rowMajor(dst General[T]) layout[T] {
	l := layout[T]{z: dst.Data, rowStride: dst.Stride, panelStride: f.kern.Panel}
	if f.halves() == 2 {
		l.z2 = dst.Data[f.freqs:]
	}
	return l
}

// halves returns 2 if cosines and sines are written apart, otherwise 1.
func (f *form[T]) halves() int {
	if !f.projected() {
		return f.fn.Outputs()
	}
	return 1
}

// projected reports whether features are projected after Weight.
func (f *form[T]) projected() bool { return f.product != nil || f.walsh != nil }

// work estimates the cost of n rows in multiply-adds.
func (f *form[T]) work(n int) float64 {
	per := float64(f.freqs) * float64(f.dim+9*f.fn.Outputs())
	for i := range f.stacks {
		per += float64(4 * len(f.stacks[i].d) * f.stacks[i].width())
		if t := f.stacks[i].trees; t != nil {
			per += float64(4 * len(t.places))
		}
	}
	if f.product != nil {
		per += float64(float64(f.base) * float64(f.out))
	}
	if f.walsh != nil {
		per += float64(4 * len(f.walsh.d))
	}
	return float64(per * float64(n))
}

// split returns the number of rows of a task, and the number of tasks, for n rows. A task has
// whole strips of the kernel. It is longer if the frequencies do not fit the second-level
// cache, because each task reads them once.
func (f *form[T]) split(n, workers int) (rows, tasks int) {
	strip := f.kern.Strip
	rows = roundUp(rowsPerTask, strip)
	if f.tiles > f.group {
		rows = roundUp(manyRows, strip)
	}
	// Workers with less than four tasks each end at different times.
	if most := ceil(n, 4*workers); rows > most && workers > 1 {
		rows = max(strip, most/strip*strip)
	}
	if f.stacks != nil {
		rows = roundUp(rows, f.together)
	}
	if f.product != nil {
		rows = roundUp(rows, f.kern.MR)
	}
	return rows, ceil(n, rows)
}

// parts returns into how many parts the frequencies are cut. They are cut, instead of the
// rows, if they do not fit the second-level cache and rows are few. Each frequency is then
// read once or twice, and each worker gets at least four tasks. It is 1 if the features of
// some frequencies cannot be made by themselves.
func (f *form[T]) parts(n, workers int) int {
	if workers == 1 || f.tiles <= f.group || f.stacks != nil || f.projected() || f.section != nil {
		return 1
	}
	return min(ceil(4*workers, ceil(n, manyRows)), f.tiles)
}

// generate writes the features of the rows of x.
func (f *form[T]) generate(s *rowScratch[T], x General[T], to layout[T]) {
	if !f.projected() {
		f.project(s, x, to)
		return
	}
	z := General[T]{Rows: x.Rows, Cols: f.base, Stride: f.base, Data: s.z[:x.Rows*f.base]}
	at := layout[T]{z: z.Data, rowStride: z.Stride, panelStride: f.kern.Panel}
	if f.fn == asm.CosSin {
		at.z2 = z.Data[f.freqs:]
	}
	f.project(s, x, at)
	if f.walsh != nil {
		f.walsh.project(f.kern, s, z, to)
		return
	}
	f.product.multiply(s, z, to)
}

// project is generate without Product and Walsh.
func (f *form[T]) project(s *rowScratch[T], x General[T], to layout[T]) {
	if f.stacks != nil {
		f.projectBlocks(s, x, to)
		return
	}
	if f.section != nil {
		x = f.section.prepared(&s.x, x)
	}
	f.projectTiles(s, x, to, 0, f.tiles)
}

// projectTiles writes tiles first … end−1 of each half of the features of a dense map. The z
// and z2 of to are those of tile 0. Rows for sections must be prepared already.
func (f *form[T]) projectTiles(s *rowScratch[T], x General[T], to layout[T], first, end int) {
	width := f.kern.Width
	// s is on the heap already. A literal here would be allocated there at every call.
	p, o := &s.projection, &s.output
	p.X, p.LDX, p.Rows, p.D = x.Data, x.Stride, x.Rows, f.dim
	o.RowStride, o.PanelStride, o.Stream, o.StreamSines = to.rowStride, to.panelStride, to.stream, to.streamSines
	for q := first; q < end; q += f.group {
		j := q * width
		p.Cols = min(min(f.group, end-q)*width, f.freqs-j)
		f.columns(p, j)
		at := j / f.kern.Panel * to.panelStride
		o.Z = to.z[at:]
		if f.fn == asm.CosSin {
			o.Z2 = to.z2[at:]
		}
		f.kern.Features(f.fn, p, o)
	}
}

// projectBlocks is form.project for structured projections. Only trees gain from several rows at once, which
// take more of the cache.
func (f *form[T]) projectBlocks(s *rowScratch[T], x General[T], to layout[T]) {
	panel := f.kern.Panel
	n := f.freqs
	for r := range x.Rows {
		if r%f.together == 0 {
			x := x.RowRange(r, min(r+f.together, x.Rows))
			projectStacks(f.stacks, f.kern, s, General[T]{Rows: x.Rows, Cols: n, Stride: n, Data: s.t}, x)
		}
		t := s.t[r%f.together*n:][:n]
		if to.panelStride == panel { // row-major
			// Features go through a buffer in the cache. Apply stores and reads back
			// intermediate values, and would stall on lines that memory has yet to deliver.
			z := s.row[:n]
			var z2, weight2 []T
			if f.fn == asm.CosSin {
				z2, weight2 = s.row[n:2*n], f.weight2[:n]
			}
			if f.fn == asm.Linear && n <= 4*f.kern.Panel { // in less time than Apply fills up a panel
				for j := range z {
					z[j] = T((t[j] + f.phase[j]) * f.weight[j])
				}
			} else {
				f.kern.Apply(f.fn, z, z2, t, f.phase[:n], f.weight[:n], weight2)
			}
			copy(to.z[r*to.rowStride:][:n], z)
			if f.fn == asm.CosSin {
				copy(to.z2[r*to.rowStride:][:n], z2)
			}
			continue
		}
		for q := range f.panels {
			j := q * panel
			j1 := min(j+panel, n)
			o := r*to.rowStride + q*to.panelStride
			var z2, weight2 []T
			if f.fn == asm.CosSin {
				z2, weight2 = to.z2[o:o+j1-j], f.weight2[j:j1]
			}
			f.kern.Apply(f.fn, to.z[o:o+j1-j], z2, t[j:j1], f.phase[j:j1], f.weight[j:j1], weight2)
		}
	}
}
