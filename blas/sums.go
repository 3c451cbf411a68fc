package blas

import (
	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/internal/schedule"
)

// Sums are the sufficient statistics of a stream of rows for ridge regression
// on features z with targets y and row weights w, all in float64:
//
//	G = Σ w·zzᵀ (upper triangle; zeros below)  ZY = Σ w·zyᵀ  Z = Σ w·z  Y = Σ w·y  YY = Σ w·y²  W = Σ w
//
// On an exact backend, for rows z, y of element type T and blocks of RowBlock
// rows in order, with z' = √w·z and y' = √w·y rounded to T where there are
// weights: each element of G, ZY and Z adds, as a float64, the fused chain in T
// from 0 over the rows of the block of z'ᵢz'ⱼ, y'z' and √w·z'. Without G they
// add the chains of (w·y)·z and w·z instead, so the result is the same only
// where all weights are 1. Y, YY and W add w·y, (w·y)·y and w row by row in float64.
type Sums struct {
	Rows int64
	W    float64
	G    General[float64] // s×s; empty when only scores are wanted
	ZY   General[float64] // s×t
	Z    []float64        // s
	Y    []float64        // t
	YY   []float64        // t

	// Eps is the spacing of T at 1, 2⁻⁵² or 2⁻²³; 0 stands for 2⁻⁵². G's rounding
	// errors have a norm of Eps·tr G or less.
	Eps float64
	// Noise is about the norm of G's rounding errors where that is more than
	// Eps·tr G, otherwise 0.
	Noise float64
}

// NewSums returns zero sums for s columns and t targets, with or without G.
func NewSums(s, targets int, gram bool) *Sums {
	u := &Sums{ZY: NewGeneral[float64](s, targets), Z: make([]float64, s), Y: make([]float64, targets), YY: make([]float64, targets)}
	if gram {
		u.G = NewGeneral[float64](s, s)
	}
	return u
}

// Merge adds o to s. It panics if the sizes differ or only one has G.
func (s *Sums) Merge(o *Sums) { s.combine(o, 1) }

// Subtract removes o from s, for rows that o has and s shall not have any
// longer. It panics if the sizes differ or only one has G.
func (s *Sums) Subtract(o *Sums) { s.combine(o, -1) }

func (s *Sums) combine(o *Sums, sign float64) {
	if len(s.Z) != len(o.Z) || len(s.Y) != len(o.Y) || s.G.Rows != o.G.Rows {
		panic(errShape)
	}
	s.Rows += int64(sign) * o.Rows
	s.W += float64(sign * o.W)
	s.Eps, s.Noise = max(s.Eps, o.Eps), s.Noise+o.Noise
	add := func(a, b []float64) {
		for i, v := range b {
			a[i] += float64(sign * v)
		}
	}
	for i := range s.G.Rows {
		add(s.G.Row(i)[i:], o.G.Row(i)[i:])
	}
	for i := range s.ZY.Rows {
		add(s.ZY.Row(i), o.ZY.Row(i))
	}
	add(s.Z, o.Z)
	add(s.Y, o.Y)
	add(s.YY, o.YY)
}

// Accumulator adds rows to Sums, RowBlock rows at a time whatever the sizes of
// the pieces they come in, so the result depends on the order of the rows only.
// Beyond the sums it holds RowBlock rows of x and y (or what Hold says), and during
// Add one block of features (two with several workers). One goroutine at a time may
// use it.
type Accumulator[T Float] struct {
	Sums
	features *Features[T]
	x, y     General[T] // pending rows
	weight   []T
	weighted bool // some pending row has a weight other than 1
	pending  int
	most     int // pending rows that are added together: whole row blocks
}

// NewAccumulator returns an empty accumulator for t targets; with gram unset it
// leaves out G, the expensive part, and never stores features.
func NewAccumulator[T Float](m *Features[T], targets int, gram bool) *Accumulator[T] {
	in, s := m.Dims()
	a := &Accumulator[T]{Sums: *NewSums(s, targets, gram), features: m, most: RowBlock,
		x: General[T]{Cols: in, Stride: in}, y: General[T]{Cols: targets, Stride: targets}}
	a.Eps = 0x1p-52
	if _, single := any(T(0)).(float32); single {
		a.Eps = 0x1p-23
	}
	return a
}

// Hold lets that many row blocks of rows wait, to be added together: rows that come
// one by one then keep as many workers busy as rows that come in large pieces. It
// changes no sum. It panics unless blocks ≥ 1 and no row is pending.
func (a *Accumulator[T]) Hold(blocks int) {
	if blocks < 1 || a.pending > 0 {
		panic(errShape)
	}
	a.most = blocks * RowBlock
}

// Next returns room for the inputs and the targets of one more row, for the caller
// to write before Keep counts it.
func (a *Accumulator[T]) Next() (x, y []T) {
	a.reserve(a.pending + 1)
	return a.x.Row(a.pending), a.y.Row(a.pending)
}

// Keep adds the row that was written to Next.
func (a *Accumulator[T]) Keep(e Engine, weight T) {
	a.weight[a.pending] = weight
	a.weighted = a.weighted || weight != 1
	if a.pending++; a.pending == a.most {
		a.Flush(e)
	}
}

// Waiting returns the rows that Flush would add, until the next call of any method.
func (a *Accumulator[T]) Waiting() (x, y General[T], weight []T) {
	return a.x.RowRange(0, a.pending), a.y.RowRange(0, a.pending), a.weight[:a.pending]
}

// reserve makes room for n pending rows.
func (a *Accumulator[T]) reserve(n int) {
	if n <= len(a.weight) {
		return
	}
	n = min(a.most, max(n, 2*len(a.weight), 64))
	for _, m := range []*General[T]{&a.x, &a.y} {
		old := *m
		*m = NewGeneral[T](n, old.Cols)
		copy(m.Data, old.Data)
	}
	a.weight = append(make([]T, 0, n), a.weight...)[:n]
}

// Add adds the rows of x (n×d) with targets y (n×t) and weights (n, each ≥ 0,
// or nil for ones). Rows that do not fill a row block stay pending until Flush.
func (a *Accumulator[T]) Add(e Engine, x, y General[T], weight []T) {
	x.check()
	y.check()
	if x.Rows != y.Rows || x.Cols != a.x.Cols || y.Cols != a.y.Cols || (weight != nil && len(weight) != x.Rows) {
		panic(errShape)
	}
	from := func(i int) []T {
		if weight == nil {
			return nil
		}
		return weight[i:]
	}
	if a.pending > 0 {
		n := a.keep(x, y, weight)
		if a.pending < a.most {
			return
		}
		a.Flush(e)
		x, y, weight = x.RowRange(n, x.Rows), y.RowRange(n, y.Rows), from(n)
	}
	if n := x.Rows / RowBlock * RowBlock; n > 0 {
		w := weight
		if w != nil {
			w = w[:n]
		}
		a.blocks(e, x.RowRange(0, n), y.RowRange(0, n), w)
		x, y, weight = x.RowRange(n, x.Rows), y.RowRange(n, y.Rows), from(n)
	}
	a.keep(x, y, weight)
}

// keep moves rows to the pending ones while there is room and returns how many.
func (a *Accumulator[T]) keep(x, y General[T], weight []T) int {
	n := min(x.Rows, a.most-a.pending)
	a.reserve(a.pending + n)
	for i := range n {
		copy(a.x.Row(a.pending), x.Row(i))
		copy(a.y.Row(a.pending), y.Row(i))
		a.weight[a.pending] = 1
		if weight != nil {
			a.weight[a.pending] = weight[i]
			a.weighted = a.weighted || weight[i] != 1
		}
		a.pending++
	}
	return n
}

// Pending returns the number of rows that Flush would add.
func (a *Accumulator[T]) Pending() int { return a.pending }

// Flush adds the pending rows to the sums as one block.
func (a *Accumulator[T]) Flush(e Engine) {
	n := a.pending
	if n == 0 {
		return
	}
	var weight []T
	if a.weighted {
		weight = a.weight[:n]
	}
	a.pending, a.weighted = 0, false
	a.blocks(e, a.x.RowRange(0, n), a.y.RowRange(0, n), weight)
}

// blocks adds rows, the last block of which may be short.
func (a *Accumulator[T]) blocks(e Engine, x, y General[T], weight []T) {
	a.Rows += int64(x.Rows)
	for r := range x.Rows {
		w := 1.0
		if weight != nil {
			w = float64(weight[r])
		}
		for t, v := range y.Row(r) {
			wy := float64(w * float64(v))
			a.Y[t] += wy
			a.YY[t] += float64(wy * float64(v))
		}
		a.W += w
	}
	operationsOf[T](e).add(e, a, x, y, weight)
}

// targetBlock writes [y, 1] times the row factors to dst, row-major with t+1
// columns: the left operand that gives ZY and Z at once.
func targetBlock[T Float](dst []T, y General[T], factor []T) {
	n := y.Cols + 1
	for r := range y.Rows {
		row := dst[r*n : r*n+n]
		copy(row, y.Row(r))
		row[n-1] = 1
		if factor != nil {
			for i := range row {
				row[i] *= factor[r]
			}
		}
	}
}

// addTargets adds the sums of a block, (t+1)×s for columns j0 … of s, to ZY and Z.
func (s *Sums) addTargets(block []float64, stride, j0, n int) {
	t := s.ZY.Cols
	for j := range n {
		row := s.ZY.Row(j0 + j)
		for i := range row {
			row[i] += block[i*stride+j]
		}
		s.Z[j0+j] += block[t*stride+j]
	}
}

// scores adds whole blocks to ZY and Z without storing features where the
// kernel for that applies, otherwise by way of a few rows.
func (a *Accumulator[T]) scores(e Engine, kern *asm.Kernels[T], x, y General[T], weight []T) {
	f := a.features.packed(kern)
	n, t := x.Rows, len(a.Y)
	left := borrow[T](n * (t + 1))
	defer left.giveBack()
	targetBlock(left.data, y, weight)
	// Tasks are ranges of frequencies: outputs, not rows, are split.
	size := max(1, min(f.group, ceil(f.tiles, 4*e.workers())))
	if f.stacks != nil || f.projected() {
		a.scoresByRows(e, f, x, left.data)
		return
	}
	if f.section != nil {
		xw := borrow[T](n * f.dim)
		defer xw.giveBack()
		x = f.section.prepared(&xw.data, x)
	}
	tasks := ceil(f.tiles, size)
	workers := e.workersFor(f.work(n), tasks)
	width := size * kern.Width
	halves := f.fn.Outputs()
	accs, all := borrow[T](workers*2*(t+1)*width), borrow[float64](workers*(t+1)*width)
	defer accs.giveBack()
	defer all.giveBack()
	schedule.Tasks(workers, tasks, func(w, task int) {
		acc, sums := accs.data[w*2*(t+1)*width:], all.data[w*(t+1)*width:]
		j := task * width
		cols := min(width, f.freqs-j)
		p := asm.Projection[T]{LDX: x.Stride, D: f.dim, Cols: cols}
		f.columns(&p, j)
		for r := 0; r < n; r += RowBlock {
			p.Rows = min(RowBlock, n-r)
			p.X = x.Data[r*x.Stride:]
			half := [2][]T{acc[:(t+1)*width], acc[(t+1)*width:][:(t+1)*width]}
			clear(half[0])
			clear(half[1])
			kern.Scores(f.fn, &p, left.data[r*(t+1):], t+1, t+1, half[0], half[1], width)
			for h := range halves {
				for i, v := range half[h] {
					sums[i] = float64(v)
				}
				a.addTargets(sums, width, h*f.freqs+j, cols)
			}
		}
	})
}

// scoresByRows is scores for maps whose features no kernel can sum as they are
// generated: in chunks of rows, with the sums as further rows of a product.
func (a *Accumulator[T]) scoresByRows(e Engine, f *form[T], x General[T], left []T) {
	n, t, s := x.Rows, len(a.Y), len(a.Z)
	kern := f.kern
	mr, panel := kern.MR, kern.Panel
	groups := f.panelGroups(groupTiles(kern, RowBlock))
	last := groups[len(groups)-1]
	panels := last.panel + last.panels
	block := min(n, RowBlock)
	stride := block * panel
	chunk, tasks := f.split(block, e.workers())
	workers := e.workersFor(f.work(block), tasks)
	bufs := schedule.Buffers(workers)
	z := borrow[T](panels * stride * bufs)
	defer z.giveBack()
	scratch := make([]*rowScratch[T], workers)
	for w := range scratch {
		scratch[w] = a.features.borrowScratch(f, chunk)
		defer a.features.scratch.Put(scratch[w])
	}
	sums := make([]float64, workers*(t+1)*s)
	rows := func(stage int) (int, int) { return stage * RowBlock, min(n, (stage+1)*RowBlock) }
	p := schedule.Pipeline{Stages: ceil(n, RowBlock)}
	p.Prepares = func(stage int) int { r0, r1 := rows(stage); return ceil(r1-r0, chunk) }
	p.Prepare = func(w, stage, task int) {
		r0, r1 := rows(stage)
		i0 := task * chunk
		i1 := min(i0+chunk, r1-r0)
		buf := z.data[stage%bufs*panels*stride:]
		to := layout[T]{z: buf[i0*panel:], rowStride: panel, panelStride: stride}
		if f.halves() == 2 {
			to.z2 = buf[panels/2*stride+i0*panel:]
		}
		f.generate(scratch[w], x.RowRange(r0+i0, r0+i1), to)
	}
	p.Uses = func(int) int { return len(groups) }
	p.Use = func(w, stage, i int) {
		r0, r1 := rows(stage)
		g := groups[i]
		sums := sums[w*(t+1)*s:][:(t+1)*g.cols]
		clear(sums)
		for i := 0; i <= t; i += mr {
			kern.Accumulate(min(mr, t+1-i), g.cols, r1-r0, left[r0*(t+1)+i:], t+1, z.data[(stage%bufs*panels+g.panel)*stride:], stride, sums[i*g.cols:], g.cols, nil)
		}
		a.addTargets(sums, g.cols, g.col, g.cols)
	}
	p.Run(workers)
}
