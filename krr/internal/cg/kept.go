package cg

import (
	"context"
	"math"
	"unsafe"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/loss"
	"github.com/rffgo/rff/internal/stream"
)

const (
	// A step of kept rows ends when what is left to gain is stepTolerance² of what there was at
	// first, or a quarter of what the descent on all rows may leave, or after mostSteps.
	stepTolerance = 0.01
	mostSteps     = 200
	// Making its preconditioner anew is worth s/(renewed·t) steps, with t targets but at least
	// renewedTargets, and at least leastRenewed: it multiplies curvedRows·s rows by s features, and
	// a step multiplies all rows by the targets, twice. A new one of one target makes steps many
	// times as long, so whether it is worth that shows after leastRenewed steps. Several targets
	// share one, which is about as good for none of them when it is new.
	renewed        = 2
	renewedTargets = 8
	leastRenewed   = 4
)

// kept holds the features of all training rows, in float32, which are the same for all λ, and
// how F changes from a point. With the scores f of the rows at the point, the gradient v there,
// and u that a change p of the point adds to the scores, the change of F is
//
//	φ(p) = vᵀp + (1/Σw)Σwᵢ(ℓ(fᵢ + uᵢ) − ℓ(fᵢ) − uᵢᵀ∇ℓ(fᵢ)) + λ‖p‖².
//
// Its values are differences, so that float32 has their first digits however near the point is
// to the least value. The least point of φ is a step of the descent on all rows, as in Shamir,
// Srebro and Zhang, "Communication-efficient distributed optimization using an approximate
// Newton-type method" (ICML 2014). There the rows are a sample.
type kept[T blas.Float] struct {
	c     *System[T]
	rows  blas.General[float32] // the features less their mean, and a 1
	ready bool                  // all rows are kept
	pairs int
	least []float64 // the gain that may be left
	// tolerance is that of the descent on all rows, and base what values are counted from: F at
	// the point if the loss has corners, or 0.
	tolerance float64
	base      []float64
	// sharpen, if set, is that of a descent with corners, which a step goes through.
	sharpen func(d *descent, q *curvature[T])

	q       *curvature[T] // the descent on φ has its preconditioner
	made    bool          // the preconditioner is made, at some point
	renews  bool          // rows are weighed for it at the next point
	weighed bool          // they have been, and it is to be made anew

	score, y, slope, value []float64   // at the point, for every row
	weight, counts         []float64   // of every row, and that in the preconditioner
	index                  []int64     // in the data
	turns, next            []loss.Turn // at the last point of a step and at its trial, where the loss has corners
	widest                 float64     // the largest sum of squares of a row

	narrow             products[float32]
	wide               products[float64] // where the loss has corners: float32 has no digits of narrow ones
	at, v              blas.General[float64]
	row, after, turned []float64 // of the row at work
}

// keep makes room for the features of the training rows, if there is memory for all of them.
func (c *System[T]) keep() {
	order, t, n := c.order(), c.targets, c.rows.seen
	corners := c.loss.Traits().Levels != nil
	row, block := 4*order+24, int64(0)
	if corners {
		t = 1 // the columns descend one after the other
		row, block = row+2*int(unsafe.Sizeof(loss.Turn{})), int64(order)*8*blas.BlockK
	}
	need := n*int64(row+32*t) + int64(order*t)*int64(24+8*(2*c.plan.pairs+descentVectors+2)) + block
	if !c.plan.primal || need > c.plan.features {
		return
	}
	k := c.kept
	if k == nil {
		k = &kept[T]{c: c, pairs: c.plan.pairs, rows: blas.NewGeneral[float32](int(n), order)}
		if corners {
			k.wide, k.turns, k.next = newProducts[float64](order, t), make([]loss.Turn, n), make([]loss.Turn, n)
		} else {
			k.narrow = newProducts[float32](order, t)
		}
		k.at, k.v = blas.NewGeneral[float64](order, t), blas.NewGeneral[float64](order, t)
		k.row, k.after, k.turned, k.least, k.base = make([]float64, t), make([]float64, t), make([]float64, t), make([]float64, t), make([]float64, t)
		for _, v := range []*[]float64{&k.score, &k.y, &k.slope, &k.value} {
			*v = make([]float64, 0, n*int64(t))
		}
		k.weight, k.counts, k.index = make([]float64, 0, n), make([]float64, n), make([]int64, 0, n)
		c.kept = k
	}
	k.rows.Rows, k.ready, k.made, k.widest = 0, false, false, 0
}

// fill keeps the features of rows, in the first pass.
func (c *System[T]) fill(x blas.General[T]) {
	k := c.kept
	if k == nil || k.ready {
		return
	}
	for from := 0; from < x.Rows; from += c.plan.chunk() {
		c.centred(x.RowRange(from, min(from+c.plan.chunk(), x.Rows)), func(_ int, row []float64) {
			k.rows.Rows++
			stream.Convert(k.rows.Row(k.rows.Rows-1), row)
			k.widest = max(k.widest, dense.SumSquares(row))
		})
	}
	k.ready = int64(k.rows.Rows) == c.n
}

// begin sets the gain that may be left, from the tolerance of the descent on all rows.
func (k *kept[T]) begin(scale []float64, tolerance float64) {
	k.tolerance = tolerance
	for t, v := range scale {
		k.least[t] = float64(tolerance*tolerance) * v / (4 * stepTolerance * stepTolerance)
	}
}

// clear forgets the point.
func (k *kept[T]) clear() {
	k.score, k.y, k.slope, k.value, k.weight, k.index = k.score[:0], k.y[:0], k.slope[:0], k.value[:0], k.weight[:0], k.index[:0]
}

// add takes the system's row at work, with these targets.
func (k *kept[T]) add(index int64, y []float64, w float64) {
	k.score, k.y, k.value, k.slope = append(k.score, k.c.score...), append(k.y, y...), append(k.value, k.c.value...), append(k.slope, k.c.slope...)
	k.weight, k.index = append(k.weight, w), append(k.index, index)
}

// step replaces v by −p, where p is about the least point of φ, found by a descent with the
// preconditioner q. Errors: *ridge.SingularError; that of ctx.
func (k *kept[T]) step(ctx context.Context, v blas.General[float64], q *curvature[T]) error {
	copy(k.v.Data, v.Data)
	clear(k.at.Data)
	if k.renews = k.sharpen != nil || !k.made; k.made && k.q != q {
		if err := q.factor(); err != nil {
			return err
		}
	}
	if k.sharpen != nil && !k.made {
		clear(k.turns)
	}
	k.q, k.made, k.weighed = q, true, false
	d := newDescent(k.at, k.c.loss.Traits().Joint, k.pairs)
	first := true
	order, t := k.rows.Cols, v.Cols
	worth := max(leastRenewed, order/(renewed*max(t, renewedTargets)))
	renewal, within, most := pace{least: worth, worth: worth}, stepTolerance, mostSteps
	if t == 1 {
		renewal.least = leastRenewed
	}
	d.f = func(ctx context.Context, at blas.General[float64], value []float64, gradient blas.General[float64]) (err error) {
		if d.started && k.sharpen == nil {
			k.renews = renewal.slow(d.info.Residual / within)
		}
		d.excess, err = k.evaluate(ctx, at, value, gradient)
		return err
	}
	d.rounding = 0x1p-40
	d.precondition = func(v blas.General[float64]) {
		if d.failed = k.renew(); d.failed != nil {
			return
		}
		if q.precondition(v); !first {
			return
		}
		first = false
		d.dots(d.scale, k.v, v)
		for t := range d.scale {
			d.scale[t] = max(d.scale[t]/2, k.least[t])
		}
	}
	if k.sharpen != nil {
		within, most, first = k.tolerance/2, maxPasses, false
		d.straight, d.restarted = true, true
		copy(d.scale, k.c.null)
		d.sharpen = func() { k.sharpen(d, q) }
	}
	err := d.run(ctx, within, most, func(int) {})
	for i, x := range k.at.Data {
		v.Data[i] = -x
	}
	return err
}

// evaluate writes φ at a point to value and its gradient. It returns how much further φ may fall
// because of corners. Errors: that of ctx.
func (k *kept[T]) evaluate(ctx context.Context, at blas.General[float64], value []float64, gradient blas.General[float64]) (excess float64, err error) {
	t := at.Cols
	copy(value, k.base)
	if k.renews {
		k.q.next = 0
	}
	if corner, ok := k.c.loss.(loss.Pinball); ok {
		turn(k, &k.wide, at, value, gradient, func(i int) {
			excess += float64(k.weight[i]*corner.Excess(k.row[0], k.y[i])) / k.c.w
			k.next[i] = corner.Turn(k.turns[i], k.row[0]-k.y[i])
			k.counts[i] = k.q.weigh(k.weight[i], k.next[i].Bend())
		})
	} else {
		turn(k, &k.narrow, at, value, gradient, func(i int) {
			if k.renews {
				k.counts[i] = k.q.weigh(k.weight[i], k.c.loss.Bend(k.row, k.y[i*t:][:t]))
			}
		})
	}
	dots := make([]float64, t)
	columnDots(dots, at, k.v)
	dense.Add(value, dots)
	coef := at.RowRange(0, at.Rows-1)
	columnDots(dots, coef, coef)
	dense.AddTimes(value, k.q.lambda, dots)
	dense.Add(gradient.Data, k.v.Data)
	dense.AddTimes(gradient.Data, 2*k.q.lambda, coef.Data)
	if k.c.loss.Traits().Joint {
		total(value)
	}
	k.weighed = k.weighed || k.renews
	return excess, ctx.Err()
}

// renew makes the preconditioner of the weights at the last point, if it is to be made anew.
func (k *kept[T]) renew() error {
	if !k.weighed {
		return nil
	}
	k.weighed, k.turns, k.next = false, k.next, k.turns
	k.q.c.precond.clear()
	k.q.total = k.q.next
	row := dense.Fitting(&k.c.scratch.row, 1, k.rows.Cols).Data
	var left float64
	for i, counts := range k.counts[:k.rows.Rows] {
		if k.turns != nil && counts*k.widest*float64(k.rows.Rows) < negligible*k.q.mu {
			left += float64(k.weight[i]*leastCorner) + counts
			continue
		}
		root := k.q.draw(k.index[i], counts)
		if root == 0 {
			continue
		}
		for j, z := range k.rows.Row(i) {
			row[j] = root * float64(z)
		}
		k.c.precond.add(row)
	}
	if left > 0 { // of these the score at the mean alone counts, which has no ridge
		clear(row)
		row[len(row)-1] = math.Sqrt(left)
		k.c.precond.add(row)
	}
	return k.q.end()
}

// products has room for the products of rows and columns in F.
type products[F blas.Float] struct{ x, to, u, sum blas.General[F] }

func newProducts[F blas.Float](order, t int) products[F] {
	p := products[F]{to: blas.NewGeneral[F](order, t), u: blas.NewGeneral[F](blas.BlockK, t), sum: blas.NewGeneral[F](t, order)}
	if !single[F]() {
		p.x = blas.NewGeneral[F](blas.BlockK, order)
	}
	return p
}

// block returns rows in F. The next call overwrites them.
func (p *products[F]) block(rows blas.General[float32]) blas.General[F] {
	if own, ok := any(rows).(blas.General[F]); ok {
		return own
	}
	x := p.x.RowRange(0, rows.Rows)
	for i := range rows.Rows {
		stream.Convert(x.Row(i), rows.Row(i))
	}
	return x
}

// turn adds the sum in φ to value, and writes its gradient. It calls each for every row in turn,
// with its scores in k.row.
func turn[T, F blas.Float](k *kept[T], p *products[F], at blas.General[float64], value []float64, gradient blas.General[float64], each func(i int)) {
	stream.Convert(p.to.Data, at.Data)
	clear(p.sum.Data)
	for from := 0; from < k.rows.Rows; from += blas.BlockK {
		x := p.block(k.rows.RowRange(from, min(from+blas.BlockK, k.rows.Rows)))
		u := p.u.RowRange(0, x.Rows)
		blas.Gemm(k.c.engine, false, false, 1, x, p.to, 0, u)
		for i := range u.Rows {
			change(k, from+i, u.Row(i), value)
			each(from + i)
		}
		blas.Gemm(k.c.engine, true, false, 1, u, x, 1, p.sum)
	}
	for j := range p.sum.Rows {
		for i, v := range p.sum.Row(j) {
			gradient.Row(i)[j] = float64(v)
		}
	}
}

// change adds the term of row i in the sum of φ to value, where u is the change of the row's
// scores. It replaces u by the derivatives of the term.
func change[T, F blas.Float](k *kept[T], i int, u []F, value []float64) {
	t := len(u)
	score, y, slope, was := k.score[i*t:][:t], k.y[i*t:][:t], k.slope[i*t:][:t], k.value[i*t:][:t]
	w := k.weight[i] / k.c.w
	for j, v := range u {
		k.row[j] = score[j] + float64(v)
	}
	k.c.loss.Row(k.row, y, k.after, k.turned)
	for j, v := range u {
		value[j] += float64(w * (k.after[j] - was[j] - float64(slope[j]*float64(v))))
		u[j] = F(w * (k.turned[j] - slope[j]))
	}
}
