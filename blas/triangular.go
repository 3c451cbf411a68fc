package blas

import (
	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/internal/schedule"
)

// trsm is TrsmUpper on native kernels.
func trsm[T Float](kern *asm.Kernels[T], workers int, trans bool, u, b General[T]) {
	s := trsmState[T]{kern: kern, u: u, b: b, trans: trans}
	s.run(workers)
}

type trsmState[T Float] struct {
	kern  *asm.Kernels[T]
	u, b  General[T]
	trans bool
	upper bool // b is upper triangular (and U is not transposed)

	inverses []T  // room for the inverses of all small triangles of U, transposed; or nil
	inverted bool // inverses has been filled
}

// choleskySolve is CholeskySolve on native kernels. The second solution takes the inverses of
// small triangles from the first.
func choleskySolve[T Float](kern *asm.Kernels[T], workers int, u, b General[T]) {
	inverses := borrow[T](roundUp(u.Rows, blockInv) * blockInv)
	defer inverses.giveBack()
	s := trsmState[T]{kern: kern, u: u, b: b, trans: true, inverses: inverses.data}
	s.run(workers)
	s.trans, s.inverted = false, true
	s.run(workers)
}

// run solves in stages, one per diagonal block. Preparing a stage packs U's block and inverts
// its small triangles. Its tasks are chunks of right-hand sides, which do not depend on each
// other.
func (s *trsmState[T]) run(workers int) {
	n, rhs := s.u.Rows, s.b.Cols
	if n == 0 || rhs == 0 {
		return
	}
	kern := s.kern
	mr, panel := kern.MR, kern.Panel
	chunk := max(1, chunkCols/kern.Width) * kern.Width
	if rhs < chunk*workers {
		chunk = max(1, rhs/workers/kern.Width) * kern.Width
	}
	blocks := ceil(n, blockTri)
	bufs := schedule.Buffers(workers)
	size := roundUp(n, mr) * min(n, blockTri)
	strips := borrow[T](size * bufs)
	defer strips.giveBack()
	x := borrow[T](workers * chunk * blockTri)
	defer x.giveBack()
	diag := make([]triBlock[T], bufs)
	one := triSize(min(n, blockTri))
	triangles := borrow[T](one * bufs)
	defer triangles.giveBack()
	for i := range diag {
		diag[i].use(triangles.data[i*one:(i+1)*one], min(n, blockTri))
	}
	rows := func(stage int) (k0, k1, r0, r1 int) { // the block, the rows to update
		if s.trans {
			k0 = stage * blockTri
			k1 = min(k0+blockTri, n)
			return k0, k1, k1, n
		}
		k0 = (blocks - 1 - stage) * blockTri
		return k0, min(k0+blockTri, n), 0, k0
	}
	direct := s.trans && rhs <= kern.Width // rows of U serve as strips in place if each is read once
	p := schedule.Pipeline{Stages: blocks}
	p.Prepares = func(stage int) int {
		if direct {
			return 1
		}
		_, _, r0, r1 := rows(stage)
		return 1 + ceil(ceil(r1-r0, mr), stripsPerPack)
	}
	p.Prepare = func(_, stage, task int) {
		k0, k1, r0, r1 := rows(stage)
		if task == 0 {
			s.prepare(&diag[stage%bufs], k0, k1)
			return
		}
		op := operand[T]{s.u.view(k0, k1, r0, r1), true}
		if !s.trans {
			op = operand[T]{s.u.view(r0, r1, k0, k1), false}
		}
		first := (task - 1) * stripsPerPack
		end := min(first+stripsPerPack, ceil(r1-r0, mr))
		op.pack(strips.data[stage%bufs*size+first*mr*(k1-k0):], mr, first, end, r1-r0, 0, k1-k0)
	}
	p.Uses = func(int) int { return ceil(rhs, chunk) }
	p.Use = func(w, stage, task int) {
		k0, k1, r0, r1 := rows(stage)
		j0 := task * chunk
		j1 := min(j0+chunk, rhs)
		if s.upper && k0 >= j1 {
			return // zeros
		}
		k := k1 - k0
		buf := x.data[w*chunk*blockTri:][:roundUp(j1-j0, panel)*k]
		diag[stage%bufs].solve(kern, s.b.view(k0, k1, j0, j1), buf, k)
		for i := r0; i < r1; i += mr {
			if direct {
				kern.Gemm(min(mr, r1-i), j1-j0, k, -1, s.u.Data[k0*s.u.Stride+i:], s.u.Stride, buf, k*panel, s.b.Data[i*s.b.Stride+j0:], s.b.Stride, false, nil)
				continue
			}
			kern.Gemm(min(mr, r1-i), j1-j0, k, -1, strips.data[stage%bufs*size+(i-r0)*k:], mr, buf, k*panel, s.b.Data[i*s.b.Stride+j0:], s.b.Stride, false, nil)
		}
	}
	p.Run(workers)
}

// prepare fills d from rows and columns k0 … k1−1 of U.
func (s *trsmState[T]) prepare(d *triBlock[T], k0, k1 int) {
	d.set(s.u.view(k0, k1, k0, k1), s.trans)
	var kept []T
	if s.inverses != nil {
		kept = s.inverses[k0*blockInv : roundUp(k1, blockInv)*blockInv]
	}
	switch {
	case s.inverted:
		for b := 0; b < d.n; b += blockInv {
			for i := range blockInv {
				for j, v := range kept[(b+i)*blockInv : (b+i+1)*blockInv] {
					d.inv[(b+j)*blockInv+i] = v
				}
			}
		}
		return
	case s.inverses != nil:
		defer copy(kept, d.inv)
	}
	small := borrowSmall()
	defer small.giveBack()
	for b := 0; b < d.n; b += blockInv {
		t := d.triangle(b)
		t.load(small)
		s.kern.Invert(&small.v, &small.u, t.n)
		t.storeInverse(d.inverse(b), small)
	}
}

// triBlock is a diagonal block op(U) with the inverses of its small triangles, as left
// operands. Element (row i, inner l) of op(U) is u[l·triLD+i]. That of the inverse of the
// triangle from row b on is inv[b·blockInv+l·blockInv+i−b].
type triBlock[T Float] struct {
	n     int
	trans bool // op is the transpose: rows are solved forwards
	u     []T
	inv   []T
}

// triSize is the memory of a triBlock of n rows.
func triSize(n int) int { return n*triLD + roundUp(n, blockInv)*blockInv }

// use gives d its memory, triSize(n) elements.
func (d *triBlock[T]) use(memory []T, n int) {
	d.u, d.inv = memory[:n*triLD], memory[n*triLD:triSize(n)]
}

// set fills d from the upper triangle of u, without inverses.
func (d *triBlock[T]) set(u General[T], trans bool) {
	d.n, d.trans = u.Rows, trans
	if trans {
		for i := range u.Rows {
			copy(d.u[i*triLD+i:(i+1)*triLD], u.Row(i)[i:])
		}
		return
	}
	m := operand[T]{u, false}
	for i := 0; i < u.Rows; i += blockInv { // elements below the diagonal are not read
		end := min(i+blockInv, u.Rows)
		m.transpose(d.u[i*triLD+i:], triLD, i, end, i, u.Rows)
	}
}

// triangle is the small triangle from row b on.
func (d *triBlock[T]) triangle(b int) smallTriangle[T] {
	return smallTriangle[T]{n: min(blockInv, d.n-b), trans: d.trans, u: d.u[b*triLD+b:]}
}

// inverse is the room for the inverse of the triangle from row b on.
func (d *triBlock[T]) inverse(b int) []T { return d.inv[b*blockInv:] }

// solve replaces b, of d.n rows, by op(U)⁻¹·b and leaves the result in panels
// of inner dimension k as well.
func (d *triBlock[T]) solve(kern *asm.Kernels[T], b General[T], panels []T, k int) {
	mr, panel := kern.MR, kern.Panel
	blocks := ceil(d.n, blockInv)
	for step := range blocks {
		r0 := step * blockInv
		if !d.trans {
			r0 = (blocks - 1 - step) * blockInv
		}
		r1 := min(r0+blockInv, d.n)
		l0, l1 := 0, r0 // rows solved before
		if !d.trans {
			l0, l1 = r1, d.n
		}
		if l0 < l1 {
			for i := r0; i < r1; i += mr {
				kern.Gemm(min(mr, r1-i), b.Cols, l1-l0, -1, d.u[l0*triLD+i:], triLD, panels[l0*panel:], k*panel, b.Data[i*b.Stride:], b.Stride, false, nil)
			}
		}
		toPanels(panels[r0*panel:], panel, k*panel, b.RowRange(r0, r1))
		inv := d.inv[r0*blockInv:]
		for i := r0; i < r1; i += mr {
			kern.Gemm(min(mr, r1-i), b.Cols, r1-r0, 1, inv[i-r0:], blockInv, panels[r0*panel:], k*panel, b.Data[i*b.Stride:], b.Stride, true, nil)
		}
		toPanels(panels[r0*panel:], panel, k*panel, b.RowRange(r0, r1))
	}
}

// toPanels copies the rows of m to panels stride apart.
func toPanels[T Float](panels []T, panel, stride int, m General[T]) {
	for i := range m.Rows {
		row := m.Row(i)
		to := i * panel
		for len(row) > panel {
			copy(panels[to:to+panel], row)
			row = row[panel:]
			to += stride
		}
		n := copy(panels[to:to+panel], row)
		clear(panels[to+n : to+panel])
	}
}
