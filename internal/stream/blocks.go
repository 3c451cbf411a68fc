package stream

import (
	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/optional"
)

// Adder adds rows to sums of their features, in one element type. Rows that do not
// fill a row block yet can be read and put back, so that a pass that goes on from a
// file has the bits of one that was not interrupted.
type Adder interface {
	// Add scales the rows of positive weight and adds them, with ref subtracted from the
	// targets y.
	Add(x, y blas.General[float64], w, ref []float64)
	// Last is Add and then Flush. It copies fewer rows.
	Last(x, y blas.General[float64], w, ref []float64)
	// Flush ends the row block.
	Flush()
	// Merge ends the row block and adds sign times o, which are sums of the same
	// arithmetic.
	Merge(o *blas.Sums, sign float64)
	// Sums returns what was added, without the rows that wait.
	Sums() *blas.Sums
	// Pending returns the rows that wait, scaled and with the reference subtracted from their
	// targets.
	Pending() (x, y blas.General[float64], w []float64)
	// PendingRows returns their number.
	PendingRows() int
	// Restore puts back rows that Pending returned, which are fewer than Chunk.
	Restore(x, y blas.General[float64], w []float64)
}

type blocks[T blas.Float] struct {
	engine  blas.Engine
	acc     *blas.Accumulator[T]
	scaling rff.Scaling
	chunk   int // rows added together
	columns int // of a target
	// Of the rows that are added next:
	inputs, targets, weights []T
}

// newAdder returns an Adder for features, whose sums have G if square is set.
func newAdder[T blas.Float](f *blas.Features[T], e blas.Engine, targets int, s rff.Scaling, square bool) Adder {
	in, out := f.Dims()
	return held(&blocks[T]{engine: e, acc: blas.NewAccumulator(f, targets, square), scaling: s, chunk: Chunk(in+targets, out), columns: 1})
}

// newIntegers is newAdder for sums of integers.
func newIntegers(f *blas.Features[float32], e blas.Engine, targets int, s rff.Scaling, square bool, levels int) Adder {
	in, out := f.Dims()
	return held(&blocks[float32]{engine: e, acc: blas.NewIntegers(f, targets, levels, square), scaling: s, chunk: Chunk(in+targets, out), columns: blas.Parts})
}

func held[T blas.Float](b *blocks[T]) Adder {
	b.acc.Hold(b.chunk / blas.RowBlock)
	return b
}

// less writes y − r to the columns of a row's targets.
func (b *blocks[T]) less(dst []T, y, r []float64) {
	if b.columns == 1 {
		Less(dst, y, r)
		return
	}
	clear(dst)
	for t, v := range y {
		blas.SplitTarget(dst[t*b.columns:][:b.columns], v-r[t])
	}
}

func (b *blocks[T]) Add(x, y blas.General[float64], w, ref []float64) {
	b.add(b.scaling, x, y, w, ref, false)
}

func (b *blocks[T]) Last(x, y blas.General[float64], w, ref []float64) {
	b.add(b.scaling, x, y, w, ref, true)
	b.Flush()
}

// add adds rows, a chunk at a time. If they are the last, their last block may be short.
func (b *blocks[T]) add(s rff.Scaling, x, y blas.General[float64], w, ref []float64, last bool) {
	for from := 0; from < x.Rows; from += b.chunk {
		end := min(from+b.chunk, x.Rows)
		xt, yt, wt := b.converted(s, x.RowRange(from, end), y.RowRange(from, end), optional.Range(w, from, end), ref)
		if last && w == nil && b.acc.Pending() == 0 { // a chunk is of whole row blocks, but the last
			b.acc.Last(b.engine, xt, yt)
		} else {
			b.acc.Add(b.engine, xt, yt, wt)
		}
	}
}

// converted returns the rows of positive weight as they are added, and their weights, or nil for ones. It does not
// copy inputs that are so already.
func (b *blocks[T]) converted(s rff.Scaling, x, y blas.General[float64], w, ref []float64) (blas.General[T], blas.General[T], []T) {
	xt, ok := any(x).(blas.General[T])
	if !ok || w != nil || !inside.IsIdentity(s) {
		xt = dense.Fitting(&b.inputs, x.Rows, x.Cols)
		ScaleRows(s, xt, x)
	}
	yt, wt := dense.Fitting(&b.targets, y.Rows, y.Cols*b.columns), dense.Fitting(&b.weights, 1, y.Rows).Data
	n, ones := 0, true
	for i := range y.Rows {
		v := Weight(w, i)
		if v == 0 {
			continue // it is no row, and without any row there is no reference
		}
		if n < i {
			copy(xt.Row(n), xt.Row(i))
		}
		b.less(yt.Row(n), y.Row(i), ref)
		wt[n], ones = T(v), ones && T(v) == 1
		n++
	}
	if wt = wt[:n]; ones {
		wt = nil
	}
	return xt.RowRange(0, n), yt.RowRange(0, n), wt
}

func (b *blocks[T]) Flush() { b.acc.Flush(b.engine) }

func (b *blocks[T]) Merge(o *blas.Sums, sign float64) {
	b.Flush()
	b.acc.Sums.Merge(o, sign)
}

func (b *blocks[T]) Sums() *blas.Sums { return &b.acc.Sums }

func (b *blocks[T]) PendingRows() int { return b.acc.Pending() }

func (b *blocks[T]) Pending() (x, y blas.General[float64], w []float64) {
	xt, yt, wt := b.acc.Waiting()
	x, y, w = blas.NewGeneral[float64](xt.Rows, xt.Cols), blas.NewGeneral[float64](yt.Rows, yt.Cols/b.columns), make([]float64, len(wt))
	for i := range wt {
		Convert(x.Row(i), xt.Row(i))
		for t, v := range yt.Row(i) {
			y.Row(i)[t/b.columns] += float64(v) // columns of a target add up exactly
		}
	}
	Convert(w, wt)
	return x, y, w
}

func (b *blocks[T]) Restore(x, y blas.General[float64], w []float64) {
	b.add(rff.Scaling{}, x, y, w, make([]float64, y.Cols), false)
}
