package blas

import (
	"unsafe"

	"github.com/rffgo/rff/asm"
)

// BlockK is the longest inner dimension of one fused chain in Gemm and Syrk:
// part of the definition of their results. A strip of MR × BlockK stays in the
// first-level cache while it meets the panels of the other operand.
const BlockK = 504

// Rows and columns of the result for which operands are packed at once, rounded
// down to whole strips and panels. They bound workspace to 21 + 31 MiB in
// float64; the micro-kernel fetches strips ahead, so these need not stay in cache.
const (
	maxBlockM   = 5376
	narrowBytes = 512 << 10 // of packed A beside a few panels of B
	maxBlockN   = 8064
	shortRow    = 1 << 10 // bytes: two pages hold eight of them
)

// groupBytes is the size of a group of panels that stays in the second-level
// cache while the strips of the other operand pass by: 3/8 of 1 MiB, as much
// for the next group on its way, the rest for the strips and the result.
const groupBytes = 384 << 10

// triangle is the part of a result that is computed.
type triangle uint8

const (
	full triangle = iota
	upperTriangle
	lowerTriangle
)

func triangleOf(upper bool) triangle {
	if upper {
		return upperTriangle
	}
	return lowerTriangle
}

// Gemm computes C = α·op(A)·op(B) + β·C, where op is the transpose if asked
// for. With β = 0 C is overwritten, whatever it held; with α = 0 A and B are
// not read. C must not overlap A or B.
//
// On an exact backend element (i, j) is, with chains over at most BlockK terms
// p ≤ l < q, s = fma(op(A)[i,l], op(B)[l,j], s) from s = 0, and all but fma
// rounded:
//
//	c = β·c (β ≠ 0, 1);  for each chain: c = fma(α, s, c), or α·s for the first one with β = 0
func Gemm[T Float](e Engine, transA, transB bool, alpha T, a, b General[T], beta T, c General[T]) {
	a.check()
	b.check()
	c.check()
	m, k := a.op(transA)
	kb, n := b.op(transB)
	if k != kb || c.Rows != m || c.Cols != n {
		panic(errShape)
	}
	if c.overlaps(a) || c.overlaps(b) {
		panic(errAlias)
	}
	if kern := kernelsOf[T](e); kern != nil {
		gemm(kern, e.workersFor(float64(m)*float64(n)*float64(k), m*n), full, transA, transB, alpha, a, b, beta, c)
		return
	}
	gemmBy(e, productsOf[T](e), transA, transB, alpha, a, b, beta, c)
}

// Syrk computes one triangle of C = α·AᵀA + β·C (trans) or of C = α·AAᵀ + β·C;
// the other triangle is not touched. Elements are those of Gemm. C must not
// overlap A.
func Syrk[T Float](e Engine, upper, trans bool, alpha T, a General[T], beta T, c General[T]) {
	a.check()
	c.check()
	n, k := a.op(trans)
	if c.Rows != n || c.Cols != n {
		panic(errShape)
	}
	if c.overlaps(a) {
		panic(errAlias)
	}
	if kern := kernelsOf[T](e); kern != nil {
		gemm(kern, e.workersFor(float64(n)*float64(n)*float64(k)/2, n*n), triangleOf(upper), trans, !trans, alpha, a, a, beta, c)
		return
	}
	syrkBy(e, productsOf[T](e), upper, trans, alpha, a, beta, c)
}

// op returns the sizes of op(m).
func (m General[T]) op(trans bool) (rows, cols int) {
	if trans {
		return m.Cols, m.Rows
	}
	return m.Rows, m.Cols
}

// scale computes C = β·C on a triangle.
func scale[T Float](tri triangle, beta T, c General[T]) {
	for i := range c.Rows {
		row := c.Row(i)
		switch tri {
		case upperTriangle:
			row = row[min(i, len(row)):]
		case lowerTriangle:
			row = row[:min(i+1, len(row))]
		}
		if beta == 0 {
			clear(row)
			continue
		}
		for j := range row {
			row[j] *= beta
		}
	}
}

// gemm is Gemm on one triangle of the result (op(A)·op(B) need not be
// symmetric), with operands packed BlockK rows at a time: A in strips of MR, B
// in panels, as groups that fit the second-level cache.
func gemm[T Float](kern *asm.Kernels[T], workers int, tri triangle, transA, transB bool, alpha T, a, b General[T], beta T, c General[T]) {
	m, k := a.op(transA)
	_, n := b.op(transB)
	if m == 0 || n == 0 {
		return
	}
	if alpha == 0 || k == 0 {
		scale(tri, beta, c)
		return
	}
	if beta != 0 && beta != 1 {
		scale(tri, beta, c)
	}
	opA, opB := operand[T]{a, transA}, operand[T]{b, !transB}
	mr, panel := kern.MR, kern.Panel
	width := kern.Width
	blockM, blockN := maxBlockM/mr*mr, maxBlockN/width*width
	if workers == 1 && n <= 4*width && tri == full { // A is read once: let it pass through the second-level cache
		blockM = max(mr, narrowBytes/int(unsafe.Sizeof(*new(T)))/min(k, BlockK)/mr*mr)
	}

	// Stages: for columns, for chains, for rows; B is packed in the first stage of its chain.
	nm, nn, nk := ceil(m, blockM), ceil(n, blockN), ceil(k, BlockK)
	kMax := min(k, BlockK)
	sizeA := roundUp(min(m, blockM), mr) * kMax
	sizeB := roundUp(min(n, blockN), panel) * kMax
	bufs := buffers(workers)
	// For a symmetric product of one block of rows and columns the panels of B
	// serve as strips of A.
	symmetric := tri != full && unsafe.SliceData(a.Data) == unsafe.SliceData(b.Data) && transA != transB && nm == 1 && nn == 1
	// A narrow product reads short rows of A as strips of Aᵀ where they lie; from
	// long ones it would take a line here and a line there.
	inPlace := transA && tri == full && n <= 2*width && a.Stride*int(unsafe.Sizeof(*new(T))) <= shortRow
	if symmetric || inPlace {
		sizeA = 0
	}
	wa, wb := borrow[T](sizeA*bufs), borrow[T](sizeB*bufs+panel) // tiles from mid-panel on read whole rows
	defer wa.giveBack()
	defer wb.giveBack()
	group := groupTiles(kern, kMax) * width / panel
	squares := newSquares(kern, workers)
	groupsAhead := make([]groupAhead, workers)
	const stripsPerTask = 16

	type stage struct{ i0, i1, j0, j1, l0, l1, chain int }
	at := func(s int) stage {
		im, chain := s%nm, s/nm
		ik, in := chain%nk, chain/nk
		return stage{im * blockM, min(m, (im+1)*blockM), in * blockN, min(n, (in+1)*blockN), ik * BlockK, min(k, (ik+1)*BlockK), chain}
	}
	const panelsPerPack, stripsPerPack = 8, 16
	p := pipeline{stages: nm * nn * nk}
	packTasks := func(s int) (tasksA, tasksB int) {
		st := at(s)
		if sizeA > 0 {
			tasksA = ceil(ceil(st.i1-st.i0, mr), stripsPerPack)
		}
		if s%nm == 0 && workers > 1 {
			tasksB = ceil(ceil(st.j1-st.j0, panel), panelsPerPack)
		}
		return
	}
	packB := func(st stage, q, panels int) { // from panel q of the stage on
		first, end := st.j0/panel+q, ceil(st.j1, panel)
		buf := wb.data[st.chain%bufs*sizeB+q*(st.l1-st.l0)*panel:]
		opB.pack(buf, panel, first, min(first+panels, end), n, st.l0, st.l1)
	}
	p.prepares = func(s int) int { ta, tb := packTasks(s); return ta + tb }
	p.prepare = func(_, s, task int) {
		st := at(s)
		ta, _ := packTasks(s)
		k := st.l1 - st.l0
		if task < ta {
			first, end := st.i0/mr+task*stripsPerPack, ceil(st.i1, mr)
			buf := wa.data[s%bufs*sizeA+task*stripsPerPack*k*mr:]
			opA.pack(buf, mr, first, min(first+stripsPerPack, end), m, st.l0, st.l1)
			return
		}
		packB(st, (task-ta)*panelsPerPack, panelsPerPack)
	}
	p.uses = func(s int) int {
		st := at(s)
		return ceil(ceil(st.j1-st.j0, panel), group) * ceil(ceil(st.i1-st.i0, mr), stripsPerTask)
	}
	p.use = func(w, s, task int) {
		st := at(s)
		k := st.l1 - st.l0
		strips := ceil(st.i1-st.i0, mr)
		perGroup := ceil(strips, stripsPerTask)
		g, part := task/perGroup, task%perGroup
		nextGroup := g + 1
		if tri == lowerTriangle { // rows of a symmetric product come from groups before
			g = ceil(ceil(st.j1-st.j0, panel), group) - 1 - g
			nextGroup = g - 1
		}
		if workers == 1 && part == 0 && s%nm == 0 {
			packB(st, g*group, group) // alone, just before its use, so that it is in the second-level cache
		}
		bufA, bufB := wa.data[s%bufs*sizeA:], wb.data[st.chain%bufs*sizeB:]
		t := tiles[T]{kern: kern, tri: tri, alpha: alpha, overwrite: st.l0 == 0 && beta == 0, k: k, c: c, square: squares.of(w)}
		t.j0 = st.j0 + g*group*panel
		t.j1 = min(st.j1, t.j0+group*panel)
		t.b = bufB[g*group*k*panel:]
		left, lda, per := bufA, mr, 1 // strips side by side in left
		if symmetric {
			left, lda, per = bufB, panel, panel/mr
		}
		if inPlace {
			for q := part * stripsPerTask; q < min(strips, (part+1)*stripsPerTask); q++ {
				i := st.i0 + q*mr
				t.strip(a.Data[st.l0*a.Stride+i:], a.Stride, i, min(i+mr, st.i1), nil)
			}
			return
		}
		// Every strip fetches ahead (see asm.Kernels.Gemm): the strips that follow
		// and, where they are there already and the group nears its end, the next
		// group.
		last := strips
		if tri == upperTriangle {
			last = min(strips, ceil(t.j1-st.i0, mr))
		}
		near := last - workers*nearEnd
		size := per * k * mr
		first, end := part*stripsPerTask, min(last, (part+1)*stripsPerTask)
		following := (first/per + 1) * size
		afterwards := &groupsAhead[w]
		if afterwards.group != g || afterwards.stage != s {
			*afterwards = groupAhead{s, g, 0}
		}
		for q := first; q < end; q++ {
			i := st.i0 + q*mr
			var next []T
			lines := (t.j1 - t.j0) / width * (k / 4) * (64 / int(unsafe.Sizeof(*new(T))))
			switch from := (q/per + 1) * size; {
			case following < from+size && from < strips*k*mr:
				following = max(following, from)
				if following < len(left) {
					next = left[following:]
				}
				following += lines
			case q >= near && nextGroup >= 0 && afterwards.at < group*k*panel:
				if from := nextGroup*group*k*panel + afterwards.at; from < len(bufB) {
					next = bufB[from:]
				}
				afterwards.at += lines
			}
			t.strip(left[q/per*size+q%per*mr:], lda, i, min(i+mr, st.i1), next)
		}
	}
	p.run(workers)
}

// nearEnd is the number of strips at the end of a group, for each worker, that
// fetch the next group: a third of them has time to, and six panels need eight.
const nearEnd = 32

// groupAhead is how much a worker at a group has fetched of the next one.
type groupAhead struct {
	stage, group, at int
}

// tiles is a group of panels b of a product with inner dimension k, for
// columns j0 … j1−1 of c.
type tiles[T Float] struct {
	kern      *asm.Kernels[T]
	tri       triangle
	alpha     T
	overwrite bool
	k         int
	b         []T
	j0, j1    int
	c         General[T]
	square    []T // scratch of MR × Width for tiles on the diagonal
}

// strip computes rows i0 … i1−1 of the group; element (i0+r, l) of the left
// operand is a[l·lda+r]; next is the left operand of the next strip, or nil. Triangles need i0 and j0 counted from the same origin
// in multiples of MR and Panel.
func (t *tiles[T]) strip(a []T, lda, i0, i1 int, next []T) {
	j0, j1 := t.j0, t.j1
	panel, width := t.kern.Panel, t.kern.Width
	switch t.tri {
	case upperTriangle:
		if j1 <= i0 {
			return
		}
		if j0 < i1 { // the tile with the diagonal, from column i0 on
			j0 = max(j0, i0)
			end := i0/width*width + width
			if i0%panel != 0 {
				end = i0/panel*panel + panel
			}
			end = min(t.j1, end)
			t.diagonal(a, lda, i0, i1, j0, end)
			j0 = end
		}
	case lowerTriangle:
		if j0 >= i1 {
			return
		}
		if j1 > i0 {
			j1 = min(j1, i1)
			start := max(t.j0, i0/panel*panel)
			t.diagonal(a, lda, i0, i1, start, j1)
			j1 = start
		}
	}
	if j0 < j1 {
		t.kern.Gemm(i1-i0, j1-j0, t.k, t.alpha, a, lda, t.at(j0), t.k*panel, t.c.Data[i0*t.c.Stride+j0:], t.c.Stride, t.overwrite, next)
	}
}

// at returns the packed panels from column j on; j is a multiple of Panel
// unless no further panel is read.
func (t *tiles[T]) at(j int) []T {
	panel := t.kern.Panel
	j -= t.j0
	return t.b[j/panel*t.k*panel+j%panel:]
}

// diagonal computes the part of a tile that lies in the triangle, through a
// scratch square. Columns j0 … j1−1 lie in one tile, and unless j0 begins a panel in
// one panel.
func (t *tiles[T]) diagonal(a []T, lda, i0, i1, j0, j1 int) {
	m, n := i1-i0, j1-j0
	inside := func(r int) (from, to int) {
		if t.tri == upperTriangle {
			return min(max(i0+r-j0, 0), n), n
		}
		return 0, max(0, min(i0+r+1-j0, n))
	}
	if !t.overwrite {
		for r := range m {
			from, to := inside(r)
			row := t.square[r*n : r*n+n]
			clear(row)
			copy(row[from:to], t.c.Data[(i0+r)*t.c.Stride+j0+from:])
		}
	}
	t.kern.Gemm(m, n, t.k, t.alpha, a, lda, t.at(j0), t.k*t.kern.Panel, t.square, n, t.overwrite, nil)
	for r := range m {
		from, to := inside(r)
		copy(t.c.Data[(i0+r)*t.c.Stride+j0+from:], t.square[r*n+from:r*n+to])
	}
}

// squares holds one tile of MR × Width per worker.
type squares[T any] struct {
	data []T
	size int
}

func newSquares[E Float](kern *asm.Kernels[E], workers int) squares[E] {
	size := roundUp(kern.MR*kern.Width, 64) // workers share no cache line
	return squares[E]{make([]E, workers*size), size}
}

func (s squares[T]) of(worker int) []T { return s.data[worker*s.size:][:s.size] }

// groupTiles returns how many tiles' widths of panels of inner dimension k make a group.
func groupTiles[T Float](kern *asm.Kernels[T], k int) int {
	return max(1, groupBytes/max(1, kern.Width*k*int(unsafe.Sizeof(*new(T)))))
}

func ceil(a, b int) int    { return (a + b - 1) / b }
func roundUp(a, b int) int { return ceil(a, b) * b }
