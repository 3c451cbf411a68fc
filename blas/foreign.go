package blas

import (
	"math"
)

// This file runs the operations of the package on the products of a backend
// other than the native one: the same row blocks and workers, with single
// threaded products on row-major blocks in place of micro-kernels on panels.

// rowForm is a Spec as row-major matrices of T.
type rowForm[T Float] struct {
	w, product             General[T]
	phase, weight, weight2 []T
	stacks                 []hadamardStack[T]
}

// foreignForm returns m's row-major layout, with angles in radians or turns.
func (m *Features[T]) foreignForm(radians bool) *rowForm[T] {
	m.mu.Lock()
	defer m.mu.Unlock()
	i, unit := 0, m.spec.unit()
	if radians {
		i, unit = 1, 1
	}
	if m.rows[i] != nil {
		return m.rows[i]
	}
	s := m.spec
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
	m.rows[i] = f
	return f
}

func convert[T Float](m General[float64], unit float64) General[T] {
	c := NewGeneral[T](m.Rows, m.Cols)
	for i := range m.Rows {
		for j, v := range m.Row(i) {
			c.Data[i*c.Stride+j] = T(v * unit)
		}
	}
	return c
}

// foreign is a map on one backend.
type foreign[T Float] struct {
	*rowForm[T]
	m     *Features[T]
	ops   Products[T]
	apply func(f Func, z, z2, t, phase, weight, weight2 []T)
}

func (m *Features[T]) on(e Engine) *foreign[T] {
	f := &foreign[T]{m: m, ops: productsOf[T](e)}
	own, radians := f.ops.(Elementwise[T])
	if radians {
		f.apply = own.Apply
	} else {
		f.apply = nativeKernels[T]().Apply
	}
	f.rowForm = m.foreignForm(radians)
	return f
}

// foreignRows is the number of rows whose projections are made at once: they
// shall stay in the second-level cache until the cosine has read them.
func (f *foreign[T]) chunk() int { return max(16, min(RowBlock, 65536/max(1, f.m.spec.Frequencies()))) }

// generate writes the features of the rows of x to z. t and p are scratch.
func (f *foreign[T]) generate(z, x General[T]) {
	s := f.m.spec
	n := s.Frequencies()
	tw := borrow[T](x.Rows * n)
	defer tw.giveBack()
	t := General[T]{Rows: x.Rows, Cols: n, Stride: n, Data: tw.data}
	if f.stacks != nil {
		kern := nativeKernels[T]()
		size := stackWidth(f.stacks)
		buf := borrow[T](2 * size)
		for r := range x.Rows {
			at := 0
			for i := range f.stacks {
				h := &f.stacks[i]
				h.project(kern, t.Row(r)[at:at+h.keep], x.Row(r), buf.data[:size], buf.data[size:])
				at += h.keep
			}
		}
		buf.giveBack()
	} else {
		f.ops.Gemm(false, true, 1, x, f.w, 0, t)
	}
	out := z
	if f.product.Data != nil {
		zw := borrow[T](x.Rows * f.product.Rows)
		defer zw.giveBack()
		out = General[T]{Rows: x.Rows, Cols: f.product.Rows, Stride: f.product.Rows, Data: zw.data}
	}
	for r := range x.Rows {
		row := out.Row(r)
		var sines []T
		if s.Func == CosSin {
			sines = row[n:]
		}
		f.apply(s.Func, row[:n], sines, t.Row(r), f.phase, f.weight, f.weight2)
	}
	if f.product.Data != nil {
		f.ops.Gemm(false, false, 1, out, f.product, 0, z)
	}
}

func (m *Features[T]) transformBy(e Engine, dst, x General[T]) {
	f := m.on(e)
	chunk := f.chunk()
	parallel(e.workersFor(float64(dst.Rows)*float64(dst.Cols)*float64(x.Cols+16), ceil(x.Rows, chunk)), ceil(x.Rows, chunk), func(_, task int) {
		i0, i1 := task*chunk, min((task+1)*chunk, x.Rows)
		f.generate(dst.RowRange(i0, i1), x.RowRange(i0, i1))
	})
}

func (m *Features[T]) predictBy(e Engine, dst, x, coef General[T], intercept []T) {
	f := m.on(e)
	_, s := m.Dims()
	chunk := f.chunk()
	parallel(e.workersFor(float64(x.Rows)*float64(s)*float64(x.Cols+16), ceil(x.Rows, chunk)), ceil(x.Rows, chunk), func(_, task int) {
		i0, i1 := task*chunk, min((task+1)*chunk, x.Rows)
		zw := borrow[T]((i1 - i0) * s)
		defer zw.giveBack()
		z := General[T]{Rows: i1 - i0, Cols: s, Stride: s, Data: zw.data}
		f.generate(z, x.RowRange(i0, i1))
		d := dst.RowRange(i0, i1)
		f.ops.Gemm(false, true, 1, z, coef, 0, d)
		for i := range d.Rows {
			for t, v := range intercept {
				d.Data[i*d.Stride+t] += v
			}
		}
	})
}

// blocksBy is Accumulator.blocks on another backend's products. Workers share
// out tiles of G, so results do not depend on their number.
func (a *Accumulator[T]) blocksBy(e Engine, x, y General[T], weight []T) {
	f := a.features.on(e)
	n, s, t := x.Rows, len(a.Z), len(a.Y)
	block := min(n, RowBlock)
	chunk := min(f.chunk(), max(1, ceil(block, e.workers())))
	tile := 512
	if e.workers() > 1 { // a few to share; more of them cost packing
		tile = min(tile, max(128, ceil(s, 2)))
	}
	side := ceil(s, tile)
	type span struct{ i0, i1, j0, j1 int }
	var tiles []span
	if a.G.Data != nil {
		for i := range side {
			for j := i; j < side; j++ {
				tiles = append(tiles, span{i * tile, min(s, (i+1)*tile), j * tile, min(s, (j+1)*tile)})
			}
		}
	}
	workers := e.workersFor(float64(block)*float64(s)*float64(s)/2, max(len(tiles), ceil(block, chunk)))
	bufs := buffers(workers)
	zw := borrow[T](bufs * block * s)
	defer zw.giveBack()
	targets := make([]T, bufs*block*(t+1))
	sums := make([]T, (t+1)*s)
	sums64 := make([]float64, (t+1)*s)
	rows := func(stage int) (int, int) { return stage * RowBlock, min(n, (stage+1)*RowBlock) }
	zOf := func(stage int) General[T] {
		r0, r1 := rows(stage)
		return General[T]{Rows: r1 - r0, Cols: s, Stride: s, Data: zw.data[stage%bufs*block*s:][:(r1-r0)*s]}
	}
	p := pipeline{stages: ceil(n, RowBlock)}
	p.prepares = func(stage int) int { r0, r1 := rows(stage); return ceil(r1-r0, chunk) }
	p.prepare = func(_, stage, task int) {
		r0, r1 := rows(stage)
		i0 := task * chunk
		i1 := min(i0+chunk, r1-r0)
		z := zOf(stage).RowRange(i0, i1)
		f.generate(z, x.RowRange(r0+i0, r0+i1))
		var factor []T
		if weight != nil {
			factor = make([]T, i1-i0)
			for r := range factor {
				factor[r] = weight[r0+i0+r]
				if a.G.Data == nil {
					continue
				}
				factor[r] = T(math.Sqrt(float64(factor[r])))
				for j := range z.Row(r) {
					z.Data[r*s+j] *= factor[r]
				}
			}
		}
		targetBlock(targets[(stage%bufs*block+i0)*(t+1):], y.RowRange(r0+i0, r0+i1), factor)
	}
	p.uses = func(int) int { return len(tiles) + 1 }
	p.use = func(_, stage, task int) {
		z := zOf(stage)
		if task == 0 {
			left := General[T]{Rows: z.Rows, Cols: t + 1, Stride: t + 1, Data: targets[stage%bufs*block*(t+1):]}
			f.ops.Gemm(true, false, 1, left, z, 0, General[T]{Rows: t + 1, Cols: s, Stride: s, Data: sums})
			for i, v := range sums {
				sums64[i] = float64(v)
			}
			a.addTargets(sums64, s, 0, s)
			return
		}
		tl := tiles[task-1]
		c := a.G.view(tl.i0, tl.i1, tl.j0, tl.j1)
		left, right := z.view(0, z.Rows, tl.i0, tl.i1), z.view(0, z.Rows, tl.j0, tl.j1)
		if direct, ok := any(c).(General[T]); ok { // float64
			if tl.i0 == tl.j0 {
				f.ops.Syrk(true, true, 1, left, 1, direct)
			} else {
				f.ops.Gemm(true, false, 1, left, right, 1, direct)
			}
			return
		}
		w := borrow[T](c.Rows * c.Cols)
		defer w.giveBack()
		part := General[T]{Rows: c.Rows, Cols: c.Cols, Stride: c.Cols, Data: w.data}
		from := func(i int) int { return 0 }
		if tl.i0 == tl.j0 {
			f.ops.Syrk(true, true, 1, left, 0, part)
			from = func(i int) int { return i }
		} else {
			f.ops.Gemm(true, false, 1, left, right, 0, part)
		}
		for i := range c.Rows {
			to, row := c.Row(i), part.Row(i)
			for j := from(i); j < len(row); j++ {
				to[j] += float64(row[j])
			}
		}
	}
	p.run(workers)
}

// foreignTile is the side of a tile of a result that one worker computes at a time.
const foreignTile = 512

// gemmBy is Gemm by single-threaded products on tiles of c.
func gemmBy[T Float](e Engine, ops Products[T], transA, transB bool, alpha T, a, b General[T], beta T, c General[T]) {
	_, k := a.op(transA)
	if k == 0 || alpha == 0 || len(c.Data) == 0 { // BLAS differ in what they allow of an empty operand
		scale(full, beta, c)
		return
	}
	work := float64(c.Rows) * float64(c.Cols) * float64(k)
	if e.workersFor(work, 2) == 1 {
		ops.Gemm(transA, transB, alpha, a, b, beta, c)
		return
	}
	across := ceil(c.Cols, foreignTile)
	tasks := ceil(c.Rows, foreignTile) * across
	parallel(e.workersFor(work, tasks), tasks, func(_, task int) {
		i0, j0 := task/across*foreignTile, task%across*foreignTile
		i1, j1 := min(i0+foreignTile, c.Rows), min(j0+foreignTile, c.Cols)
		ops.Gemm(transA, transB, alpha, opRows(a, transA, i0, i1), opRows(b, !transB, j0, j1), beta, c.view(i0, i1, j0, j1))
	})
}

// opRows returns the part of m that gives rows [i0, i1) of op(m).
func opRows[T Float](m General[T], trans bool, i0, i1 int) General[T] {
	if trans {
		return m.view(0, m.Rows, i0, i1)
	}
	return m.view(i0, i1, 0, m.Cols)
}

// syrkBy is Syrk by single-threaded products on tiles of c.
func syrkBy[T Float](e Engine, ops Products[T], upper, trans bool, alpha T, a General[T], beta T, c General[T]) {
	n, k := a.op(trans)
	if k == 0 || alpha == 0 || n == 0 {
		scale(triangleOf(upper), beta, c)
		return
	}
	side := ceil(n, foreignTile)
	parallel(e.workersFor(float64(n)*float64(n)*float64(k)/2, side*(side+1)/2), side*side, func(_, task int) {
		i, j := task/side, task%side
		if (upper && i > j) || (!upper && i < j) {
			return
		}
		i0, j0 := i*foreignTile, j*foreignTile
		i1, j1 := min(i0+foreignTile, n), min(j0+foreignTile, n)
		if i == j {
			ops.Syrk(upper, trans, alpha, opRows(a, trans, i0, i1), beta, c.view(i0, i1, i0, i1))
			return
		}
		ops.Gemm(trans, !trans, alpha, opRows(a, trans, i0, i1), opRows(a, trans, j0, j1), beta, c.view(i0, i1, j0, j1))
	})
}

// trsmBy is TrsmUpper by single-threaded solves of chunks of right-hand sides.
func trsmBy[T Float](e Engine, ops Products[T], trans bool, u, b General[T]) {
	if u.Rows == 0 || b.Cols == 0 {
		return
	}
	workers := e.workersFor(float64(u.Rows)*float64(u.Rows)*float64(b.Cols)/2, b.Cols)
	chunk := max(1, min(foreignTile, ceil(b.Cols, workers)))
	parallel(workers, ceil(b.Cols, chunk), func(_, task int) {
		ops.TrsmUpper(trans, u, b.view(0, b.Rows, task*chunk, min((task+1)*chunk, b.Cols)))
	})
}

// choleskyBy is Cholesky, right-looking over blocks of rows, on another
// backend's products. Diagonal blocks are factored in float64 here.
func choleskyBy[T Float](e Engine, ops Products[T], a General[T]) error {
	const block = 128
	n := a.Rows
	for k0 := 0; k0 < n; k0 += block {
		k1 := min(k0+block, n)
		d := a.view(k0, k1, k0, k1)
		if p, v := factorPlain(d); p >= 0 {
			return &NotPositiveDefiniteError{Pivot: k0 + p, Value: v}
		}
		if k1 == n {
			break
		}
		right := a.view(k0, k1, k1, n)
		trsmBy(e, ops, true, d, right)
		syrkBy(e, ops, true, true, -1, right, 1, a.view(k1, n, k1, n))
	}
	return nil
}

// factorPlain replaces the upper triangle of a by its Cholesky factor. It
// returns the row and value of a pivot that is not positive, or −1.
func factorPlain[T Float](a General[T]) (int, float64) {
	n := a.Rows
	for l := range n {
		p := float64(a.Data[l*a.Stride+l])
		if !(p > 0) || math.IsInf(p, 1) {
			return l, p
		}
		p = math.Sqrt(p)
		row := a.Row(l)
		row[l] = T(p)
		for j := l + 1; j < n; j++ {
			row[j] = T(float64(row[j]) / p)
		}
		for i := l + 1; i < n; i++ {
			v := row[i]
			to := a.Row(i)
			for j := i; j < n; j++ {
				to[j] -= T(v * row[j])
			}
		}
	}
	return -1, 0
}
