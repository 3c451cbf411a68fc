package train

import (
	"unsafe"

	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/schedule"
)

// Gradient forms R, ∂W, ∂a and ∂b for a batch x, n×d, with targets y, n×t. It returns the loss
// Σ R², summed in float64, row by row. On one worker it allocates nothing once it has seen a batch
// of that length.
//
// The frequencies are in turns, rounded to T. Projections and features are those of
// blas.Features.Transform with weight 1 for every column. R, ∂a and ∂b are those of
// asm.Kernels.Residuals and Backward, as one chain over the rows of the batch. ∂W is the sum, over
// blocks of gradientRows rows in order, of the fused chains of XᵀD over the rows of the block.
func (t *Map[T]) Gradient(x, y blas.General[T]) float64 {
	check(x, x.Rows, t.dim)
	check(y, x.Rows, t.targets)
	t.plan(x, y)
	clear(t.gradCoef)
	if x.Rows == 0 {
		clear(t.gradW)
	}
	schedule.Stages(t.batch.workers, 2*t.batch.blocks, t.tasksOf, t.runTask)
	// The padding must not learn, although its features are not zero.
	for h := range 2 {
		for j := t.freqs; j < t.padded; j++ {
			for i := range t.targets {
				t.gradCoef[t.atCoef(h, j, i)] = 0
			}
		}
	}
	loss := 0.0
	for _, r := range t.residuals[:x.Rows*t.targets] {
		loss += float64(float64(r) * float64(r))
	}
	t.batch.x.Data, t.batch.y.Data = nil, nil
	return loss
}

// batch is a call of Gradient: blocks of rows, each in two stages. The first makes
// the features and residuals of the block, in chunks of rows; the second takes the
// features, groups of panels, through Backward and the product XᵀD. The features
// of a block stay in the second-level caches of the workers in between.
type batch[T asm.Float] struct {
	x, y    blas.General[T]
	workers int
	rows    int // of a block, a multiple of gradientRows
	blocks  int
	chunk   int // rows of a task of the first stage
	group   int // panels of a task of the second stage
	stride  int // from one panel of features to the next
	dStride int // and of D
	z, z2   []T
	own     []scratch[T] // of each worker
}

type scratch[T asm.Float] struct {
	projection asm.Projection[T]
	output     asm.Output[T]
	gradient   asm.Gradient[T]
	sums       []T // of residuals, which Forward uses
	d          []T // D of a group, gradientRows rows
}

// plan prepares a call.
func (t *Map[T]) plan(x, y blas.General[T]) {
	b := &t.batch
	b.x, b.y = x, y
	size, panel, strip := int(unsafe.Sizeof(*new(T))), t.kern.Panel, t.kern.Strip
	b.workers = t.workersFor(float64(x.Rows)*float64(t.padded)*float64(2*t.dim+6*t.targets+12), ceil(t.tiles, 2))
	most := b.workers * blockBytes(t.kern) / (2 * size * t.padded)
	b.rows = max(gradientRows, min(most/gradientRows*gradientRows, roundUp(x.Rows, gradientRows)))
	b.blocks = ceil(x.Rows, b.rows)
	b.chunk = b.rows
	if b.workers > 1 {
		b.chunk = max(strip, roundUp(ceil(b.rows, 4*b.workers), strip))
	}
	b.group = groupPanels(t.kern, t.targets)
	if b.workers > 1 {
		b.group = max(t.kern.Width/panel, min(b.group, ceil(t.panels, 4*b.workers)))
	}
	// padRows rows lie between panels. If their stride were a power of two, their lines would
	// share one set of the caches.
	b.stride, b.dStride = (b.rows+padRows)*panel, (gradientRows+padRows)*panel
	if n := t.panels * b.stride; len(b.z) < n {
		both := blas.NewGeneral[T](1, 2*n).Data
		b.z, b.z2 = both[:n], both[n:]
	}
	grow(&t.residuals, x.Rows*t.targets)
	for len(b.own) < b.workers {
		b.own = append(b.own, scratch[T]{})
	}
	for w := range b.workers {
		grow(&b.own[w].d, b.group*b.dStride)
		grow(&b.own[w].sums, b.chunk*t.targets*asm.GradientLanes[T]())
	}
}

func (t *Map[T]) workersFor(work float64, tasks int) int {
	if t.eager {
		return schedule.Workers(t.workers)
	}
	return schedule.Worthwhile(t.workers, work, tasks)
}

// grow makes b at least n long. If it was shorter, its contents are lost.
func grow[T asm.Float](b *[]T, n int) {
	if len(*b) < n {
		*b = make([]T, n)
	}
}

// batchTasks returns the number of tasks of a stage.
func (t *Map[T]) batchTasks(stage int) int {
	b := &t.batch
	if stage%2 == 0 {
		r0, r1 := b.block(stage / 2)
		return ceil(r1-r0, b.chunk)
	}
	return ceil(t.panels, b.group)
}

// block returns the rows of a block.
func (b *batch[T]) block(i int) (r0, r1 int) { return i * b.rows, min(b.x.Rows, (i+1)*b.rows) }

func (t *Map[T]) runBatch(worker, stage, task int) {
	b := &t.batch
	r0, r1 := b.block(stage / 2)
	own := &b.own[worker]
	if stage%2 == 0 {
		i0 := task * b.chunk
		t.forward(own, r0, i0, min(i0+b.chunk, r1-r0))
		return
	}
	q0 := task * b.group
	q1 := min(q0+b.group, t.panels)
	for r := r0; r < r1; r += gradientRows {
		t.backward(own, r, min(r+gradientRows, r1), r-r0, q0, q1)
	}
}

// forward makes the features and residuals of rows i0 … i1−1 of the block that
// begins at row r0.
func (t *Map[T]) forward(own *scratch[T], r0, i0, i1 int) {
	b, panel := &t.batch, t.kern.Panel
	x := b.x.Data[(r0+i0)*b.x.Stride:]
	own.projection = asm.Projection[T]{X: x, LDX: b.x.Stride, Rows: i1 - i0, D: t.dim, W: t.w.x, Cols: t.padded, Phase: t.phase, Scale: 1}
	own.output = asm.Output[T]{Z: b.z[i0*panel:], Z2: b.z2[i0*panel:], RowStride: panel, PanelStride: b.stride}
	n := t.panels * t.targets * panel
	own.gradient = asm.Gradient[T]{Targets: t.targets, A: t.coef.x[:n], B: t.coef.x[n:], Sums: own.sums, Y: b.y.Data[(r0+i0)*b.y.Stride:], LDY: b.y.Stride, R: t.residuals[(r0+i0)*t.targets:], LDR: t.targets}
	t.kern.Forward(&own.projection, &own.output, &own.gradient)
}

// backward adds the derivatives of rows r0 … r1−1, which begin at row i of the
// features, for panels q0 … q1−1.
func (t *Map[T]) backward(own *scratch[T], r0, r1, i, q0, q1 int) {
	b, panel := &t.batch, t.kern.Panel
	from, n := q0*t.targets*panel, t.panels*t.targets*panel
	at := q0*b.stride + i*panel
	own.gradient = asm.Gradient[T]{Rows: r1 - r0, Panels: q1 - q0, Targets: t.targets, Z: b.z[at:], Z2: b.z2[at:], ZStride: b.stride,
		A: t.coef.x[from:n], B: t.coef.x[n+from:], R: t.residuals[r0*t.targets:], LDR: t.targets,
		D: own.d, DStride: b.dStride, GA: t.gradCoef[from:n], GB: t.gradCoef[n+from:]}
	t.kern.Backward(&own.gradient)
	mr, cols := t.kern.MR, (q1-q0)*panel
	for k := 0; k < t.dim; k += mr {
		t.kern.Gemm(min(mr, t.dim-k), cols, r1-r0, 1, b.x.Data[r0*b.x.Stride+k:], b.x.Stride, own.d, b.dStride,
			t.gradW[k*t.padded+q0*panel:], t.padded, r0 == 0, nil)
	}
}
