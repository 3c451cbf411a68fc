package blas

import (
	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/internal/schedule"
)

// scores adds row blocks to ZY and Z. If the kernel for it applies, no features are stored.
// Otherwise, and for many targets, those of a few rows at a time are.
func (o nativeOperations[T]) scores(e Engine, total *Sums, m *Features[T], x, y General[T], weight []T) {
	kern, f := o.kern, formsOf(m).packed(o.kern)
	n, t := x.Rows, len(total.Y)
	left := borrow[T](n * (t + 1))
	defer left.giveBack()
	targetBlock(left.data, y, weight)
	// Tasks are ranges of frequencies: outputs, not rows, are split.
	size := max(1, min(f.group, ceil(f.tiles, 4*e.workers())))
	if f.stacks != nil || f.projected() || t >= manyTargets {
		scoresByRows(e, total, m, f, x, left.data)
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
				round(sums[:len(half[h])], half[h])
				total.addTargets(sums, width, h*f.freqs+j, cols, t)
			}
		}
	})
}

// scoresByRows is scores for maps whose features no kernel can sum while it generates them, and
// for many targets, whose sums it adds at the rate of matrix products. It makes the features of a
// chunk of rows, and multiplies them with the targets as a left operand.
func scoresByRows[T Float](e Engine, total *Sums, m *Features[T], f *form[T], x General[T], left []T) {
	n, t := x.Rows, len(total.Y)
	kern, all := f.kern, formsOf(m)
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
		scratch[w] = all.borrowScratch(f, chunk)
		defer all.scratch.Put(scratch[w])
	}
	widest := 0
	for _, g := range groups {
		widest = max(widest, g.cols)
	}
	sums := make([]float64, workers*(t+1)*widest)
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
		sums := sums[w*(t+1)*widest:][:(t+1)*g.cols]
		clear(sums)
		for i := 0; i <= t; i += mr {
			kern.Accumulate(min(mr, t+1-i), g.cols, r1-r0, left[r0*(t+1)+i:], t+1, z.data[(stage%bufs*panels+g.panel)*stride:], stride, sums[i*g.cols:], g.cols, nil)
		}
		total.addTargets(sums, g.cols, g.col, g.cols, t)
	}
	p.Run(workers)
}

// addTargets adds the sums of a block to ZY and Z. They are (t+1)×n and belong to columns
// j0 … j0+n−1.
func (s *Sums) addTargets(block []float64, stride, j0, n, t int) {
	for j := range n {
		row := s.ZY.Row(j0 + j)[:t]
		for i := range row {
			row[i] += block[i*stride+j]
		}
		s.Z[j0+j] += block[t*stride+j]
	}
}

// targetBlock writes [y, 1] times the row factors to dst, row-major with t+1 columns. As a
// left operand it gives ZY and Z at once.
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
