package blas

import "github.com/rffgo/rff/asm"

// form is a Spec in the layout of one set of kernels.
type form[T Float] struct {
	kern   *asm.Kernels[T]
	fn     Func
	dim    int
	freqs  int
	panels int // of one half of the features: ⌈freqs/Panel⌉
	tiles  int // of the frequencies: ⌈freqs/Width⌉
	group  int // tiles of frequencies that fit the second-level cache
	base   int // columns before Product
	out    int

	w, phase, weight, weight2 []T
	scale                     T // the weight of all columns, if Cos and CosSin can take it so, or 0
	stacks                    []hadamardStack[T]
	product                   *packedProduct[T]
}

func newForm[T Float](s *Spec, kern *asm.Kernels[T]) *form[T] {
	n, width, unit := s.Frequencies(), kern.Width, s.unit()
	f := &form[T]{kern: kern, fn: s.Func, dim: s.Dim, freqs: n, panels: ceil(n, kern.Panel), tiles: ceil(n, width),
		group: groupTiles(kern, s.Dim), base: n * s.Func.Outputs(), out: s.Outputs()}
	padded := f.tiles * width
	f.phase, f.weight = make([]T, padded), make([]T, padded)
	for j, p := range s.Phase {
		f.phase[j] = T(p * unit)
	}
	for j := range n {
		f.weight[j] = T(s.Weight[j])
	}
	if s.Func == CosSin {
		f.weight2 = make([]T, padded)
		for j := range n {
			f.weight2[j] = T(s.Weight[n+j])
		}
	}
	if s.Func <= CosSin && len(s.Blocks) == 0 && allEqual(s.Weight) {
		if w := T(s.Weight[0]); w >= asm.MinScale && w <= asm.MaxScale {
			f.scale = w
		}
	}
	if len(s.Blocks) > 0 {
		f.stacks = newHadamardStacks[T](s.Blocks, unit)
	} else {
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

// columns points p at the frequencies from j on, a multiple of Width, whose number
// its caller sets.
func (f *form[T]) columns(p *asm.Projection[T], j int) {
	p.W, p.Phase, p.Scale = f.w[j*f.dim:], f.phase[j:], f.scale
	p.Weight, p.Weight2 = nil, nil
	if f.scale != 0 {
		return
	}
	p.Weight = f.weight[j:]
	if f.fn == CosSin {
		p.Weight2 = f.weight2[j:]
	}
}

// layout says where features go: column j of a half of the columns at
// z[r·rowStride + j/Panel·panelStride + j%Panel].
type layout[T Float] struct {
	z, z2                  []T // z2: the sines of CosSin without Product
	rowStride, panelStride int
	stream                 bool // nobody will read z and z2 soon
	streamSines            bool // nobody will read z2 soon
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
	if f.product == nil {
		return f.fn.Outputs()
	}
	return 1
}

// work estimates the cost of n rows in multiply-adds.
func (f *form[T]) work(n int) float64 {
	per := float64(f.freqs) * float64(f.dim+9*f.fn.Outputs())
	for i := range f.stacks {
		per += float64(4 * len(f.stacks[i].d) * f.stacks[i].width())
	}
	if f.product != nil {
		per += float64(float64(f.base) * float64(f.out))
	}
	return float64(per * float64(n))
}

// split returns how many of n rows make a task, and how many tasks that makes.
// A task has whole strips of the kernel; it is longer if the frequencies do not
// fit the second-level cache, since each task reads them once.
func (f *form[T]) split(n, workers int) (rows, tasks int) {
	strip := f.kern.Strip
	rows = roundUp(rowsPerTask, strip)
	if f.tiles > f.group {
		rows = roundUp(manyRows, strip)
	}
	// Workers with less than four tasks each end at different times.
	if most := ceil(n, 4*workers); rows > most {
		rows = max(strip, most/strip*strip)
	}
	if f.product != nil {
		rows = roundUp(rows, f.kern.MR)
	}
	return rows, ceil(n, rows)
}

// generate writes the features of the rows of x.
func (f *form[T]) generate(s *rowScratch[T], x General[T], to layout[T]) {
	if f.product == nil {
		f.project(s, x, to)
		return
	}
	z := General[T]{Rows: x.Rows, Cols: f.base, Stride: f.base, Data: s.z[:x.Rows*f.base]}
	at := layout[T]{z: z.Data, rowStride: z.Stride, panelStride: f.kern.Panel}
	if f.fn == CosSin {
		at.z2 = z.Data[f.freqs:]
	}
	f.project(s, x, at)
	f.product.multiply(s, z, to)
}

// project is generate without Product.
func (f *form[T]) project(s *rowScratch[T], x General[T], to layout[T]) {
	if f.stacks != nil {
		f.projectBlocks(s, x, to)
		return
	}
	f.projectTiles(s, x, to, 0, f.tiles)
}

// projectTiles writes tiles first to end−1 of each half of the features of a
// dense map: to's z and z2 are those of tile 0.
func (f *form[T]) projectTiles(s *rowScratch[T], x General[T], to layout[T], first, end int) {
	width := f.kern.Width
	// s is on the heap already; a literal here would be moved there at every call.
	p, o := &s.projection, &s.output
	p.X, p.LDX, p.Rows, p.D = x.Data, x.Stride, x.Rows, f.dim
	o.RowStride, o.PanelStride, o.Stream, o.StreamSines = to.rowStride, to.panelStride, to.stream, to.streamSines
	for q := first; q < end; q += f.group {
		j := q * width
		p.Cols = min(min(f.group, end-q)*width, f.freqs-j)
		f.columns(p, j)
		at := j / f.kern.Panel * to.panelStride
		o.Z = to.z[at:]
		if f.fn == CosSin {
			o.Z2 = to.z2[at:]
		}
		f.kern.Features(f.fn, p, o)
	}
}

// rowScratch is what one worker needs to generate rows.
type rowScratch[T Float] struct {
	projection asm.Projection[T]
	output     asm.Output[T]
	z          []T // rows × columns before Product, or the features of Predict
	zp         []T // rows × columns after Product
	a, b       []T // Hadamard buffers
	t          []T // structured projections of one row
	row        []T // and its features
	strip      []T // packed rows for Product
}

// grow makes b at least n long, losing its contents if it was not.
func grow[T Float](b *[]T, n int) {
	if len(*b) < n {
		*b = make([]T, n)
	}
}

// rowForm is a Spec as row-major matrices of T.
type rowForm[T Float] struct {
	w, product             General[T]
	phase, weight, weight2 []T
	stacks                 []hadamardStack[T]
}

// newRowForm lays out s with its angles times unit.
func newRowForm[T Float](s *Spec, unit float64) *rowForm[T] {
	n := s.Frequencies()
	f := &rowForm[T]{phase: make([]T, n), weight: make([]T, n)}
	for j, p := range s.Phase {
		f.phase[j] = T(p * unit)
	}
	for j := range n {
		f.weight[j] = T(s.Weight[j])
	}
	if s.Func == CosSin {
		f.weight2 = make([]T, n)
		for j := range n {
			f.weight2[j] = T(s.Weight[n+j])
		}
	}
	if len(s.Blocks) > 0 {
		f.stacks = newHadamardStacks[T](s.Blocks, unit)
	} else {
		f.w = convert[T](s.W, unit)
	}
	if s.Product.Data != nil {
		f.product = convert[T](s.Product, 1)
	}
	return f
}
