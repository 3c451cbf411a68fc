package blas

import (
	"unsafe"

	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/internal/schedule"
)

// A gemmPlan says how a product is cut up: what is packed, the stages, and the
// tasks of a stage. It knows sizes, not elements.
//
// Operands are packed BlockK inner indices at a time: A in strips of MR rows, B in panels, in
// groups that fit the second-level cache. The outer loop of stages runs over blocks of
// columns, the next over chains, and the inner one over blocks of rows. B is packed in the
// first stage of its chain.
type gemmPlan struct {
	tri              triangle
	m, n, k          int
	mr, panel, width int // of the kernels
	workers          int

	blockM, blockN, kMax int // of a stage
	nm, nn, nk           int // numbers of blocks of rows, blocks of columns and chains
	bufs                 int // buffers for A and for B
	sizeA, sizeB         int // elements of a buffer; 0 for A if it is not packed
	group                int // panels of a group
	symmetric            bool
	inPlace              bool
}

// gemmShape is what a plan needs to know of the operands.
type gemmShape struct {
	m, n, k int
	transA  bool
	rowA    int  // bytes from one row of A to the next
	same    bool // op(B) is op(A)ᵀ
}

func planGemm[T Float](kern *asm.Kernels[T], workers int, tri triangle, s gemmShape) gemmPlan {
	mr, panel, width := kern.MR, kern.Panel, kern.Width
	p := gemmPlan{tri: tri, m: s.m, n: s.n, k: s.k, mr: mr, panel: panel, width: width, workers: workers,
		blockM: maxBlockM / mr * mr, blockN: maxBlockN / width * width, kMax: min(s.k, BlockK), bufs: schedule.Buffers(workers)}
	if workers == 1 && s.n <= 4*width && tri == full { // A is read once: pack as much as the second-level cache holds
		p.blockM = max(mr, narrowBytes(kern)/int(unsafe.Sizeof(*new(T)))/p.kMax/mr*mr)
	}
	p.nm, p.nn, p.nk = ceil(s.m, p.blockM), ceil(s.n, p.blockN), ceil(s.k, BlockK)
	// For a symmetric product of one block of rows and columns the panels of B
	// serve as strips of A.
	p.symmetric = tri != full && s.same && p.nm == 1 && p.nn == 1
	// A narrow product reads short rows of A in place, as strips of Aᵀ. If rows were long,
	// each element would be in a cache line, and a page, of its own.
	p.inPlace = s.transA && tri == full && s.n <= 2*width && s.rowA <= shortRow
	if !p.symmetric && !p.inPlace {
		p.sizeA = roundUp(min(s.m, p.blockM), mr) * p.kMax
	}
	p.sizeB = roundUp(min(s.n, p.blockN), panel) * p.kMax
	p.group = groupTiles(kern, p.kMax) * width / panel
	return p
}

// gemmStage is one stage: rows i0 … i1−1, columns j0 … j1−1 and inner indices
// l0 … l1−1.
type gemmStage struct{ index, i0, i1, j0, j1, l0, l1, chain int }

func (p *gemmPlan) stages() int { return p.nm * p.nn * p.nk }

func (p *gemmPlan) stage(s int) gemmStage {
	im, chain := s%p.nm, s/p.nm
	ik, in := chain%p.nk, chain/p.nk
	return gemmStage{s, im * p.blockM, min(p.m, (im+1)*p.blockM), in * p.blockN, min(p.n, (in+1)*p.blockN), ik * BlockK, min(p.k, (ik+1)*BlockK), chain}
}

func (p *gemmPlan) strips(st gemmStage) int { return ceil(st.i1-st.i0, p.mr) }
func (p *gemmPlan) panels(st gemmStage) int { return ceil(st.j1-st.j0, p.panel) }
func (p *gemmPlan) groups(st gemmStage) int { return ceil(p.panels(st), p.group) }

// packs returns the numbers of tasks that pack A and B for a stage. One worker
// packs groups of B just before their use.
func (p *gemmPlan) packs(s int) (tasksA, tasksB int) {
	st := p.stage(s)
	if p.sizeA > 0 {
		tasksA = ceil(p.strips(st), stripsPerPack)
	}
	if s%p.nm == 0 && p.workers > 1 {
		tasksB = ceil(p.panels(st), panelsPerPack)
	}
	return tasksA, tasksB
}

// uses returns the number of tasks that multiply in a stage. A task multiplies a part of the
// strips with one group.
func (p *gemmPlan) uses(s int) int {
	st := p.stage(s)
	return p.groups(st) * ceil(p.strips(st), stripsPerTask)
}

// product is a Gemm that runs by its plan.
type product[T Float] struct {
	gemmPlan
	kern       *asm.Kernels[T]
	opA, opB   operand[T]
	alpha      T
	beta       T
	c          General[T]
	bufA, bufB []T
	squares    squares[T]
	ahead      []groupAhead // of each worker
}

// groupAhead is how much a worker at a group has fetched of the next one.
type groupAhead struct {
	stage, group, at int
}

// gemm is Gemm on one triangle of the result (op(A)·op(B) need not be symmetric).
func gemm[T Float](kern *asm.Kernels[T], workers int, tri triangle, transA, transB bool, alpha T, a, b General[T], beta T, c General[T]) {
	m, k := a.op(transA)
	_, n := b.op(transB)
	if m == 0 || n == 0 {
		return
	}
	if n == 1 && m > 1 && c.Stride == 1 { // as a row, a vector leaves fewer elements of a tile empty
		c = General[T]{Rows: 1, Cols: m, Stride: m, Data: c.Data}
		transA, a, transB, b = !transB, b, !transA, a
		m, n = 1, m
	}
	if alpha == 0 || k == 0 {
		scale(tri, beta, c)
		return
	}
	if beta != 0 && beta != 1 {
		scale(tri, beta, c)
	}
	shape := gemmShape{m, n, k, transA, a.Stride * int(unsafe.Sizeof(alpha)),
		unsafe.SliceData(a.Data) == unsafe.SliceData(b.Data) && transA != transB}
	p := &product[T]{gemmPlan: planGemm(kern, workers, tri, shape), kern: kern, opA: operand[T]{a, transA}, opB: operand[T]{b, !transB},
		alpha: alpha, beta: beta, c: c, ahead: make([]groupAhead, workers)}
	if tri != full {
		p.squares = newSquares(kern, workers)
	}
	wa, wb := borrow[T](p.sizeA*p.bufs), borrow[T](p.sizeB*p.bufs+p.panel) // tiles that begin within a panel read whole rows
	defer wa.giveBack()
	defer wb.giveBack()
	p.bufA, p.bufB = wa.data, wb.data
	stages := schedule.Pipeline{Stages: p.stages(), Prepare: p.pack, Uses: p.uses, Use: p.use,
		Prepares: func(s int) int { tasksA, tasksB := p.packs(s); return tasksA + tasksB }}
	stages.Run(workers)
}

// pack packs a part of A or of B.
func (p *product[T]) pack(_, s, task int) {
	st := p.stage(s)
	tasksA, _ := p.packs(s)
	if task >= tasksA {
		p.packB(st, (task-tasksA)*panelsPerPack, panelsPerPack)
		return
	}
	k, mr := st.l1-st.l0, p.mr
	first, end := st.i0/mr+task*stripsPerPack, ceil(st.i1, mr)
	buf := p.bufA[s%p.bufs*p.sizeA+task*stripsPerPack*k*mr:]
	p.opA.pack(buf, mr, first, min(first+stripsPerPack, end), p.m, st.l0, st.l1)
}

// packB packs panels from panel q of the stage on.
func (p *product[T]) packB(st gemmStage, q, panels int) {
	first, end := st.j0/p.panel+q, ceil(st.j1, p.panel)
	buf := p.bufB[st.chain%p.bufs*p.sizeB+q*(st.l1-st.l0)*p.panel:]
	p.opB.pack(buf, p.panel, first, min(first+panels, end), p.n, st.l0, st.l1)
}

// use multiplies a part of the strips with a group.
func (p *product[T]) use(w, s, task int) {
	st := p.stage(s)
	k := st.l1 - st.l0
	perGroup := ceil(p.strips(st), stripsPerTask)
	g, part := task/perGroup, task%perGroup
	next := g + 1
	if p.tri == lowerTriangle { // rows of a symmetric product come from groups before
		g = p.groups(st) - 1 - g
		next = g - 1
	}
	if p.workers == 1 && part == 0 && s%p.nm == 0 {
		p.packB(st, g*p.group, p.group) // packed just before its use, the group is in the second-level cache
	}
	t := tiles[T]{kern: p.kern, tri: p.tri, alpha: p.alpha, overwrite: st.l0 == 0 && p.beta == 0, k: k, c: p.c, square: p.squares.of(w)}
	t.j0 = st.j0 + g*p.group*p.panel
	t.j1 = min(st.j1, t.j0+p.group*p.panel)
	t.b = p.bufB[st.chain%p.bufs*p.sizeB+g*p.group*k*p.panel:]
	if p.inPlace {
		for q := part * stripsPerTask; q < min(p.strips(st), (part+1)*stripsPerTask); q++ {
			i := st.i0 + q*p.mr
			t.strip(p.opA.Data[st.l0*p.opA.Stride+i:], p.opA.Stride, i, min(i+p.mr, st.i1), nil)
		}
		return
	}
	p.multiply(w, st, &t, g, next, part)
}

// multiply multiplies a part of the packed strips with group g. Every strip prefetches (see
// asm.Kernels.Gemm) the strips that follow. Once these are cached and the end of the group is
// near, it prefetches the next group.
func (p *product[T]) multiply(w int, st gemmStage, t *tiles[T], g, nextGroup, part int) {
	k, mr, panel := t.k, p.mr, p.panel
	bufB := p.bufB[st.chain%p.bufs*p.sizeB:]
	left, lda, per := p.bufA[st.index%p.bufs*p.sizeA:], mr, 1 // strips side by side in left
	if p.symmetric {
		left, lda, per = bufB, panel, panel/mr
	}
	strips := p.strips(st)
	last := strips
	if p.tri == upperTriangle {
		last = min(strips, ceil(t.j1-st.i0, mr))
	}
	near := last - p.workers*nearEnd
	size := per * k * mr
	first, end := part*stripsPerTask, min(last, (part+1)*stripsPerTask)
	following := (first/per + 1) * size
	lines := (t.j1 - t.j0) / p.width * (k / 4) * (64 / int(unsafe.Sizeof(*new(T))))
	afterwards := &p.ahead[w]
	if afterwards.group != g || afterwards.stage != st.index {
		*afterwards = groupAhead{st.index, g, 0}
	}
	for q := first; q < end; q++ {
		i := st.i0 + q*mr
		var next []T
		switch from := (q/per + 1) * size; {
		case following < from+size && from < strips*k*mr:
			following = max(following, from)
			if following < len(left) {
				next = left[following:]
			}
			following += lines
		case q >= near && nextGroup >= 0 && afterwards.at < p.group*k*panel:
			if from := nextGroup*p.group*k*panel + afterwards.at; from < len(bufB) {
				next = bufB[from:]
			}
			afterwards.at += lines
		}
		t.strip(left[q/per*size+q%per*mr:], lda, i, min(i+mr, st.i1), next)
	}
}
