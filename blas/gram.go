package blas

import (
	"math"
	"unsafe"

	"github.com/rffgo/rff/internal/schedule"
)

// gramRun adds row blocks to G, ZY and Z by a plan. The stages are row blocks, whose features
// lie in panels [panel][row][Panel] and are both operands of the product. The tasks of all
// stages are one list, which workers take in order, without a barrier between stages. A task
// starts when the features that it reads exist and the same task of the previous row block is
// done, which fixes the order of additions. A part of the features overwrites the same part
// of an earlier stage once all tasks have read it. If possible this is the stage just before,
// because a second buffer would double the memory that is written.
type gramRun[T Float] struct {
	*gramPlan
	sums  *Sums
	f     *form[T]
	x, y  General[T]
	roots []T              // square roots of the weights; nil for ones
	lone  *lone[T]         // if not nil, it has the targets, and y has none
	whole *rounded[T]      // if not nil, features and targets are integers
	own   []gramScratch[T] // of each worker

	stride     int // from one panel of features to the next
	z, targets []T
	made       []schedule.Progress // per part of the features: stages for which it is made
	done       []schedule.Progress // per task: stages for which it is done
}

type gramScratch[T Float] struct {
	rows *rowScratch[T]
	sums []float64 // (t+1) × the columns of a group
	lone []T       // lone targets × the columns of a group
}

// add adds rows to ZY and Z, and to G if it is wanted.
func (o nativeOperations[T]) add(e Engine, sums *Sums, m *Features[T], x, y General[T], weight []T) {
	if sums.G.Data == nil {
		o.scores(e, sums, m, x, y, weight)
		return
	}
	o.addGram(e, sums, m, x, y, weight)
}

// addGram adds rows to G, ZY and Z.
func (o nativeOperations[T]) addGram(e Engine, sums *Sums, m *Features[T], x, y General[T], weight []T) {
	kern, all := o.kern, formsOf(m)
	f := all.packed(kern)
	s, t, n := len(sums.Z), len(sums.Y), x.Rows
	block, stages := min(n, RowBlock), ceil(n, RowBlock)
	whole := roundedOf(kern, sums, m.spec, stages)
	size := gramTiles(kern, block)
	products := float64(block) * float64(s) * float64(s) / 2
	workers := e.workersFor(f.work(block)+float64(products), ceil(block, f.kern.Strip)+len(f.panelGroups(size)))
	g := &gramRun[T]{gramPlan: planGram(f, size, block, workers, whole != nil), sums: sums, f: f, x: x, y: y, whole: whole, stride: roundUp(block, 4) * kern.Panel}
	if stages == 1 {
		g.bufs = 1
	}
	if f.section != nil && g.chunk == 0 { // all parts of a row block need its prepared rows
		xw := borrow[T](n * f.dim)
		defer xw.giveBack()
		g.x = f.section.prepared(&xw.data, x)
	}
	if weight != nil {
		g.roots = make([]T, n)
		for r, w := range weight {
			g.roots[r] = T(math.Sqrt(float64(w)))
		}
	}
	most := 0
	if whole != nil {
		t = kern.MR
	} else if g.lone = loneTargets(y, g.roots); g.lone != nil {
		g.y, t, most = General[T]{Rows: n}, 0, g.lone.most
	}
	z := borrow[T](g.bufs*g.panels*g.stride + kern.Panel) // tiles that begin within a panel read whole rows
	defer z.giveBack()
	g.z, g.targets = z.data, make([]T, g.bufs*block*(t+1))
	widest := 0 // few rows allow large groups, but a group has no more columns than G
	for _, p := range g.groups {
		widest = max(widest, p.cols)
	}
	g.made, g.done = make([]schedule.Progress, g.parts), make([]schedule.Progress, len(g.tasks))
	g.own = make([]gramScratch[T], workers)
	for w := range g.own {
		rows := all.borrowScratch(f, max(g.chunk, 1))
		defer all.giveBack(rows)
		g.own[w] = gramScratch[T]{rows, make([]float64, (t+1)*roundUp(widest, 8)), make([]T, most*widest)}
	}
	schedule.Tasks(workers, stages*len(g.tasks), func(w, i int) { g.run(w, i/len(g.tasks), i%len(g.tasks)) })
	g.clearBelow()
}

// rows returns the rows of a stage.
func (g *gramRun[T]) rows(stage int) (int, int) {
	return stage * RowBlock, min(g.x.Rows, (stage+1)*RowBlock)
}

// block returns the buffers of a stage: features and targets.
func (g *gramRun[T]) block(stage int) (z, targets []T) {
	b := stage % g.bufs
	n := len(g.targets) / g.bufs
	return g.z[b*g.panels*g.stride:], g.targets[b*n : (b+1)*n]
}

// run runs a task of a stage once the tasks that it waits for are done.
func (g *gramRun[T]) run(worker, stage, i int) {
	t := &g.tasks[i]
	if t.part >= 0 {
		for _, r := range g.readers[t.part] { // wait for the stage that had the buffer before
			g.done[r].Reach(stage - g.bufs + 1)
		}
		g.generate(worker, stage, t.part)
		// If there are more workers than tasks, this part of the stage before may not be made.
		g.made[t.part].Reach(stage)
		g.made[t.part].Set(stage + 1)
	}
	if t.group >= 0 {
		for p := range t.needs {
			g.made[p].Reach(stage + 1)
		}
		g.done[i].Reach(stage)
		g.multiply(worker, stage, t)
		g.done[i].Set(stage + 1)
	}
}

// generate makes one part of the features of a stage: a group of panels of
// every half, or all panels of some rows.
func (g *gramRun[T]) generate(worker, stage, part int) {
	f, panel := g.f, g.f.kern.Panel
	r0, r1 := g.rows(stage)
	z, targets := g.block(stage)
	half := g.panels / f.halves()
	i0, i1, q0, q1 := 0, r1-r0, 0, half
	if g.chunk == 0 {
		q0 = g.groups[part].panel
		q1 = q0 + g.groups[part].panels
	} else {
		i0 = min(part*g.chunk, i1) // the last stage may have fewer rows, and parts without rows
		i1 = min(i0+g.chunk, i1)
	}
	x := g.x.RowRange(r0+i0, r0+i1)
	to := layout[T]{z: z[i0*panel:], rowStride: panel, panelStride: g.stride}
	if f.halves() == 2 {
		to.z2 = z[half*g.stride+i0*panel:]
		to.streamSines = g.chunk == 0 && g.panels*g.stride*int(unsafe.Sizeof(*new(T))) >= gramFarBytes
	}
	switch {
	case i0 == i1:
	case g.chunk == 0:
		across := f.kern.Width / panel
		f.projectTiles(g.own[worker].rows, x, to, q0/across, ceil(q1, across))
	default:
		f.generate(g.own[worker].rows, x, to)
	}
	var factor []T
	if g.roots != nil {
		factor = g.roots[r0+i0 : r0+i1]
		for h := range f.halves() {
			for q := q0; q < q1; q++ {
				scaleRows(z[(h*half+q)*g.stride+i0*panel:], panel, factor)
			}
		}
	}
	if g.whole != nil {
		for h := range f.halves() {
			for q := q0; q < q1; q++ {
				g.whole.Round(z[(h*half+q)*g.stride:][:g.stride], r1-r0, g.whole.factor)
			}
		}
		if part == 0 {
			g.whole.prepare(&g.whole.sides[stage], g.y.RowRange(r0, r1))
		}
		return
	}
	if g.chunk > 0 || part == 0 {
		targetBlock(targets[i0*(g.y.Cols+1):], g.y.RowRange(r0+i0, r0+i1), factor)
	}
}

// scaleRows multiplies rows of a panel by factors.
func scaleRows[T Float](z []T, panel int, factor []T) {
	for r, v := range factor {
		if v == 1 {
			continue
		}
		row := z[r*panel : (r+1)*panel]
		for c := range row {
			row[c] *= v
		}
	}
}

// columns returns the first column of G that belongs to a panel, and their number.
func (g *gramRun[T]) columns(panel int) (first, count int) {
	half, size := g.panels/g.f.halves(), g.f.kern.Panel
	h, j := panel/half, panel%half*size
	cols := len(g.sums.Z) / g.f.halves()
	return h*cols + j, min(size, cols-j)
}

// clearBelow zeroes the elements that tiles on the diagonal have written below it.
func (g *gramRun[T]) clearBelow() {
	for q := range g.panels {
		col, cols := g.columns(q)
		for r := range cols {
			clear(g.sums.G.Row(col + r)[col : col+r])
		}
	}
}

// multiply adds the product of a task.
func (g *gramRun[T]) multiply(worker, stage int, task *gramTask) {
	kern := g.f.kern
	mr, panel := kern.MR, kern.Panel
	r0, r1 := g.rows(stage)
	k := r1 - r0
	if g.whole != nil {
		k = ceil(k, g.whole.Rows)
	}
	z, targets := g.block(stage)
	group := &g.groups[task.group]
	b := z[group.panel*g.stride:]
	sums, with := g.targetSums(worker, stage, task, targets, b, k)
	n := g.y.Cols + 1
	fetch := g.fetchFrom(task)
	for q := task.first; q < task.end; q++ {
		row, cols := g.columns(q)
		for o := 0; o < cols; o += mr {
			m := min(mr, cols-o)
			left := z[q*g.stride+o:]
			from := 0 // column of the group
			if q >= group.panel {
				from = (q - group.panel) * panel
				if o > 0 { // first the rest of this panel, then the other panels
					to := min(from+panel, group.cols)
					g.accumulate(m, to-from-o, k, left, b[from/panel*g.stride+o:],
						g.sums.G.Data[(row+o)*g.sums.G.Stride+group.col+from+o:], g.sums.G.Stride, nil)
					from = to
				}
			}
			if from >= group.cols {
				continue
			}
			far := g.next(&fetch, z, q, ceil(group.cols-from, kern.Width), k)
			c := g.sums.G.Data[(row+o)*g.sums.G.Stride+group.col+from:]
			if q+o == 0 && with > 0 {
				kern.AccumulateWith(group.cols, k, left, panel, targets, n, b, g.stride, c, g.sums.G.Stride, sums, group.cols, far)
				continue
			}
			g.accumulate(m, group.cols-from, k, left, b[from/panel*g.stride:], c, g.sums.G.Stride, far)
		}
	}
	if task.first == 0 && g.whole == nil {
		g.sums.addTargets(sums, group.cols, group.col, group.cols, g.y.Cols)
		if g.lone != nil {
			g.lone.add(g.sums.ZY.RowRange(group.col, group.col+group.cols), stage, b, g.stride, panel, g.own[worker].lone)
		}
	}
}

// accumulate adds the product of m columns of a panel and n columns of others to c.
func (g *gramRun[T]) accumulate(m, n, k int, a, b []T, c []float64, ldc int, next []T) {
	panel := g.f.kern.Panel
	if g.whole != nil {
		g.whole.Accumulate(m, n, k, a, panel, b, g.stride, g.whole.unit*g.whole.unit, c, ldc, next)
		return
	}
	g.f.kern.Accumulate(m, n, k, a, panel, b, g.stride, c, ldc, next)
}

// targetSums makes the sums of the targets times a group, for the task that starts at panel
// 0. If the kernel allows it, the first strip of the task takes the first two targets along,
// which saves a pass over the group.
func (g *gramRun[T]) targetSums(worker, stage int, task *gramTask, targets, b []T, k int) (sums []float64, with int) {
	if task.first > 0 {
		return nil, 0
	}
	kern, group := g.f.kern, &g.groups[task.group]
	if g.whole != nil {
		g.whole.add(g.sums, &g.whole.sides[stage], kern.MR, k, group.col, group.cols, b, g.stride, g.own[worker].sums)
		return nil, 0
	}
	n := g.y.Cols + 1
	sums = g.own[worker].sums[:n*group.cols]
	clear(sums)
	if _, cols := g.columns(0); kern.AccumulateWith != nil && n >= 2 && cols >= kern.MR {
		with = 2
	}
	for i := with; i < n; i += kern.MR {
		kern.Accumulate(min(kern.MR, n-i), group.cols, k, targets[i:], n, b, g.stride, sums[i*group.cols:], group.cols, nil)
	}
	return sums, with
}

// A gramFetch records how far a task has prefetched. Each strip prefetches one cache line per
// four rows and tile (see asm.Kernels.Gemm). It first takes a share of the next panel of rows.
// Near the diagonal, once that panel is cached, it takes a share of the next group, whose
// memory is read or written next.
type gramFetch struct {
	following  int // in the panels of rows
	after, end int // in the next group
	diagonal   int // the first panel of the group
	near       int // how many panels before it prefetching of the next group starts
}

func (g *gramRun[T]) fetchFrom(task *gramTask) gramFetch {
	kern := g.f.kern
	f := gramFetch{diagonal: g.groups[task.group].panel, near: nearDiagonal * kern.Width / kern.Panel}
	if task.group+1 < len(g.groups) {
		n := &g.groups[task.group+1]
		f.after, f.end = n.panel*g.stride, (n.panel+n.panels)*g.stride
	}
	return f
}

// next returns the memory that a strip of panel q of the features z prefetches. The
// strip is multiplied with that many tiles of k rows.
func (g *gramRun[T]) next(f *gramFetch, z []T, q, tiles, k int) []T {
	lines := tiles * (k / 4) * (64 / int(unsafe.Sizeof(*new(T))))
	f.following = max(f.following, (q+1)*g.stride)
	there := q+1 >= f.diagonal || f.following >= (q+2)*g.stride
	switch {
	case there && q+f.near >= f.diagonal && f.after < f.end:
		far := z[f.after:]
		f.after += lines
		return far
	case f.following < g.panels*g.stride:
		far := z[f.following:]
		f.following = min(f.following+lines, (q+3)*g.stride)
		return far
	}
	return nil
}
