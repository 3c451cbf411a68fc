package blas

import (
	"math"
	"unsafe"

	"github.com/rffgo/rff/asm"
)

// gramGroupBytes is the size of a group of panels of Z that stays in the
// second-level cache while all panels left of it pass by: 5/16 of 1 MiB, as much
// for the next group on its way, and room for those that pass and for whoever
// else shares the cache. The features of a group are generated just before its
// product where they can be, so that it is there already.
const gramGroupBytes = 320 << 10

// gramFarBytes is the size of a block of features from which on its sines go past
// the caches: their half of the product comes after all cosines, long enough that
// what they would push out of the caches is wanted before them. In smaller blocks
// it makes no difference.
const gramFarBytes = 12 << 20

// partsInPlace is the number of parts of the features, per worker, from which on
// those of a row block replace those of the one before: with fewer, or with parts
// that are rows, which every task reads, too many workers would wait.
const partsInPlace = 2

// gram is the addition of row blocks to G, ZY and Z. The stages are row blocks,
// whose features lie in panels [panel][row][Panel] and are both operands of the
// product. A stage is a list of tasks, claimed in order and stage by stage
// without a barrier: each waits for the features it reads and for its like of
// the stage before, so every element adds its blocks in order. A part of the
// features replaces those of an earlier stage when nobody reads them any more, if
// it can those of the stage before: a second buffer would double what is written
// and what goes through the caches that workers share.
type gram[T Float] struct {
	sums   *Sums
	f      *form[T]
	x, y   General[T]
	roots  []T // of the weights; nil for ones
	groups []panelGroup
	tasks  []gramTask
	own    []gramScratch[T] // of each worker

	panels, stride, bufs int
	z, targets           []T
	chunk                int        // rows of a part of the features that holds all panels; 0 if parts are groups
	readers              [][]int    // of each part: the tasks that read what it overwrites
	made                 []progress // stages for which a part of the features is there
	done                 []progress // stages for which a task is done
}

// gramTask generates a part of the features, multiplies a range of panels with
// a group, or does one after the other.
type gramTask struct {
	part       int // of the features, or −1
	group      int // the columns of the product, or −1
	first, end int // panels that are its rows, up to the diagonal
	needs      int // parts of the features that the product reads
}

// nearDiagonal is how many tiles' widths before the diagonal a group starts to fetch
// the next one: early enough to have all of it, late enough not to lose it again.
const nearDiagonal = 8

type gramScratch[T Float] struct {
	rows *rowScratch[T]
	sums []float64 // (t+1) × the columns of a group
}

// gram adds the rows of x.
func (a *Accumulator[T]) gram(e Engine, kern *asm.Kernels[T], x, y General[T], weight []T) {
	f := a.features.packed(kern)
	s, t, n := len(a.Z), len(a.Y), x.Rows
	block := min(n, RowBlock)
	g := &gram[T]{sums: &a.Sums, f: f, x: x, y: y, stride: block * kern.Panel}
	if weight != nil {
		g.roots = make([]T, n)
		for r, w := range weight {
			g.roots[r] = T(math.Sqrt(float64(w)))
		}
	}
	size := max(1, gramGroupBytes/max(1, block*kern.Width*int(unsafe.Sizeof(*new(T)))))
	g.groups = f.panelGroups(size)
	last := g.groups[len(g.groups)-1]
	g.panels = last.panel + last.panels

	stages := ceil(n, RowBlock)
	products := float64(block) * float64(s) * float64(s) / 2
	workers := e.workersFor(f.work(block)+float64(products), ceil(block, f.kern.Strip)+len(g.groups))
	g.plan(block, workers)
	g.bufs = buffers(min(workers, stages))
	if g.chunk == 0 && len(g.made) >= partsInPlace*workers {
		g.bufs = 1
	}
	z := borrow[T](g.bufs*g.panels*g.stride + kern.Panel) // tiles from mid-panel on read whole rows
	defer z.giveBack()
	g.z, g.targets = z.data, make([]T, g.bufs*block*(t+1))
	widest := 0 // few rows make large groups, but none has more columns than there are
	for _, p := range g.groups {
		widest = max(widest, p.cols)
	}
	g.own = make([]gramScratch[T], workers)
	for w := range g.own {
		rows := a.features.borrowScratch(f, max(g.chunk, 1))
		defer a.features.scratch.Put(rows)
		g.own[w] = gramScratch[T]{rows, make([]float64, (t+1)*roundUp(widest, 8))}
	}
	parallel(workers, stages*len(g.tasks), func(w, i int) { g.run(w, i/len(g.tasks), i%len(g.tasks)) })
	g.clearBelow()
}

// plan lists the parts of the features and the tasks of a stage.
func (g *gram[T]) plan(block, workers int) {
	f := g.f
	parts := len(g.groups) / f.halves()
	if f.stacks != nil || f.product != nil {
		// Groups of columns cannot be generated on their own.
		g.chunk, parts = f.split(block, workers)
		for i := range parts {
			g.tasks = append(g.tasks, gramTask{part: i, group: -1})
		}
	}
	// A task is at most an eighth of a worker's share of the stage, so that the
	// last one does not make the others wait.
	total := 0
	for _, p := range g.groups {
		total += (p.panel + p.panels) * p.panels
	}
	most := max(1, total/(8*workers))
	if workers == 1 {
		most = total
	}
	var rest [][]gramTask // of each group
	for i, p := range g.groups {
		rows := p.panel + p.panels
		needs := parts
		if g.chunk == 0 {
			needs = min(i+1, parts)
		}
		var tasks []gramTask
		count := ceil(rows*p.panels, most)
		if workers > 1 && i >= len(g.groups)-workers {
			// The last tasks of a stage are to leave alone what the first of the
			// next one replace, in each half.
			count = max(count, 2*f.halves())
		}
		count = min(rows, count)
		for c := range count {
			tasks = append(tasks, gramTask{-1, i, c * rows / count, (c + 1) * rows / count, needs})
		}
		if g.chunk == 0 && i < parts {
			tasks[0].part = i
		}
		// What else there is of a group comes after the beginning of the next
		// ones, so that nobody waits for features.
		g.tasks = append(g.tasks, tasks[0])
		rest = append(rest, tasks[1:])
		if i >= workers-1 {
			g.tasks = append(g.tasks, rest[i-workers+1]...)
			rest[i-workers+1] = nil
		}
	}
	for _, tasks := range rest {
		g.tasks = append(g.tasks, tasks...)
	}
	g.made, g.done = make([]progress, parts), make([]progress, len(g.tasks))
	g.readers = make([][]int, parts)
	for p := range g.readers {
		for i, t := range g.tasks {
			if g.reads(t, p) {
				g.readers[p] = append(g.readers[p], i)
			}
		}
	}
}

// reads reports whether a task reads what a part of the features overwrites.
// Whoever reads the first panels reads the targets as well.
func (g *gram[T]) reads(t gramTask, part int) bool {
	if t.group < 0 || g.chunk > 0 {
		return t.group >= 0
	}
	for i := part; i < len(g.groups); i += len(g.made) { // of every half
		p := g.groups[i]
		if t.group == i || t.first < p.panel+p.panels && p.panel < t.end {
			return true
		}
	}
	return false
}

// rows returns the rows of a stage.
func (g *gram[T]) rows(stage int) (int, int) {
	return stage * RowBlock, min(g.x.Rows, (stage+1)*RowBlock)
}

// block returns the buffers of a stage: features and targets.
func (g *gram[T]) block(stage int) (z, targets []T) {
	b := stage % g.bufs
	n := len(g.targets) / g.bufs
	return g.z[b*g.panels*g.stride:], g.targets[b*n : (b+1)*n]
}

func (g *gram[T]) run(worker, stage, i int) {
	t := &g.tasks[i]
	if t.part >= 0 {
		for _, r := range g.readers[t.part] { // in the stage that had the buffer
			g.done[r].reach(stage - g.bufs + 1)
		}
		g.generate(worker, stage, t.part)
		g.made[t.part].set(stage + 1)
	}
	if t.group >= 0 {
		for p := range t.needs {
			g.made[p].reach(stage + 1)
		}
		g.done[i].reach(stage)
		g.multiply(worker, stage, t)
		g.done[i].set(stage + 1)
	}
}

// generate makes one part of the features of a stage: a group of panels of
// every half, or all panels of some rows.
func (g *gram[T]) generate(worker, stage, part int) {
	f, panel := g.f, g.f.kern.Panel
	r0, r1 := g.rows(stage)
	z, targets := g.block(stage)
	half := g.panels / f.halves()
	i0, i1, q0, q1 := 0, r1-r0, 0, half
	if g.chunk == 0 {
		q0 = g.groups[part].panel
		q1 = q0 + g.groups[part].panels
	} else {
		i0 = part * g.chunk
		i1 = max(i0, min(i0+g.chunk, i1)) // the last stage may have fewer rows
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

// multiply adds the product of a task.
func (g *gram[T]) multiply(worker, stage int, task *gramTask) {
	kern := g.f.kern
	mr, panel := kern.MR, kern.Panel
	r0, r1 := g.rows(stage)
	k := r1 - r0
	z, targets := g.block(stage)
	group := &g.groups[task.group]
	b := z[group.panel*g.stride:]
	// The first two targets go along with the first strip where the kernel can do
	// that, without a pass over the group of their own.
	var sums []float64
	n, with := g.y.Cols+1, 0
	if task.first == 0 {
		sums = g.own[worker].sums[:n*group.cols]
		clear(sums)
		if _, cols := g.columns(0); kern.AccumulateWith != nil && n >= 2 && cols >= mr {
			with = 2
		}
		for i := with; i < n; i += mr {
			kern.Accumulate(min(mr, n-i), group.cols, k, targets[i:], n, b, g.stride, sums[i*group.cols:], group.cols, nil)
		}
	}
	// While a strip of rows is at work it fetches, one cache line per four rows
	// and tile (see asm.Kernels.Gemm), its share of the next panel of rows, and
	// towards the diagonal, where that is there already, the next group: to be
	// read, or to be overwritten by its features.
	lines := k / 4 * (64 / int(unsafe.Sizeof(*new(T))))
	following, after, end := 0, 0, 0
	if task.group+1 < len(g.groups) {
		n := &g.groups[task.group+1]
		after, end = n.panel*g.stride, (n.panel+n.panels)*g.stride
	}
	for q := task.first; q < task.end; q++ {
		row, cols := g.columns(q)
		for o := 0; o < cols; o += mr {
			m := min(mr, cols-o)
			left := z[q*g.stride+o:]
			from := 0 // column of the group
			if q >= group.panel {
				from = (q - group.panel) * panel
				if o > 0 { // the rest of the panel, then the others
					to := min(from+panel, group.cols)
					kern.Accumulate(m, to-from-o, k, left, panel, b[from/panel*g.stride+o:], g.stride,
						g.sums.G.Data[(row+o)*g.sums.G.Stride+group.col+from+o:], g.sums.G.Stride, nil)
					from = to
				}
			}
			if from >= group.cols {
				continue
			}
			fetch := ceil(group.cols-from, kern.Width) * lines
			var far []T
			following = max(following, (q+1)*g.stride)
			there := q+1 >= group.panel || following >= (q+2)*g.stride
			switch {
			case there && q+nearDiagonal*kern.Width/panel >= group.panel && after < end:
				far = z[after:]
				after += fetch
			case following < g.panels*g.stride:
				far = z[following:]
				following = min(following+fetch, (q+3)*g.stride)
			}
			c := g.sums.G.Data[(row+o)*g.sums.G.Stride+group.col+from:]
			if q+o == 0 && with > 0 {
				kern.AccumulateWith(group.cols, k, left, panel, targets, n, b, g.stride, c, g.sums.G.Stride, sums, group.cols, far)
				continue
			}
			kern.Accumulate(m, group.cols-from, k, left, panel, b[from/panel*g.stride:], g.stride, c, g.sums.G.Stride, far)
		}
	}
	if task.first == 0 {
		g.sums.addTargets(sums, group.cols, group.col, group.cols)
	}
}

// columns returns the first column of G that belongs to a panel, and their number.
func (g *gram[T]) columns(panel int) (first, count int) {
	half, size := g.panels/g.f.halves(), g.f.kern.Panel
	h, j := panel/half, panel%half*size
	cols := len(g.sums.Z) / g.f.halves()
	return h*cols + j, min(size, cols-j)
}

// clearBelow zeroes what tiles on the diagonal have left below it.
func (g *gram[T]) clearBelow() {
	for q := range g.panels {
		col, cols := g.columns(q)
		for r := range cols {
			clear(g.sums.G.Row(col + r)[col : col+r])
		}
	}
}
