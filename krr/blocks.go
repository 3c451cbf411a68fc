package krr

import (
	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/scaling"
)

// blocks feeds an accumulator whole row blocks, and keeps the rows that do not
// fill one, so that the state of an unfinished pass can be written and resumed
// without changing a bit of the result.
type blocks[T blas.Float] struct {
	engine  blas.Engine
	acc     *blas.Accumulator[T]
	x, y    blas.General[T] // the first n rows in use; grow to most
	w       []T
	n, most int // most: whole row blocks
	scaling rff.Scaling
	ones    bool // all weights so far in the block are 1
}

func newBlocks[T blas.Float](f *blas.Features[T], e blas.Engine, targets int, s rff.Scaling) *blocks[T] {
	in, out := f.Dims()
	rows := chunkRows(in+targets, out)
	return &blocks[T]{engine: e, acc: blas.NewAccumulator(f, targets, true),
		x: blas.General[T]{Cols: in, Stride: in}, y: blas.General[T]{Cols: targets, Stride: targets},
		most: rows, scaling: s, ones: true}
}

// reserve makes room for n rows. A Gram without rows, as one that was just read
// from a file, takes no memory for them.
func (b *blocks[T]) reserve(n int) {
	if n <= b.x.Rows {
		return
	}
	n = min(b.most, max(n, 2*b.x.Rows, 64))
	for _, m := range []*blas.General[T]{&b.x, &b.y} {
		old := *m
		*m = blas.NewGeneral[T](n, old.Cols)
		copy(m.Data, old.Data)
	}
	b.w = append(make([]T, 0, n), b.w...)[:n]
}

func (b *blocks[T]) add(x, y blas.General[float64], w, ref []float64) {
	for i := 0; i < x.Rows; {
		if b.n == 0 && w == nil && b.scaling.IsIdentity() && x.Rows-i >= blas.RowBlock {
			if xt, ok := any(x).(blas.General[T]); ok { // whole blocks, no inputs to convert
				b.reserve(min(b.most, x.Rows-i))
				whole := i + min(x.Rows-i, b.y.Rows)/blas.RowBlock*blas.RowBlock
				yt := b.y.RowRange(0, whole-i)
				for r := range yt.Rows {
					shiftTo(yt.Row(r), y.Row(i+r), ref)
				}
				b.acc.Add(b.engine, xt.RowRange(i, whole), yt, nil)
				i = whole
				continue
			}
		}
		if w != nil && w[i] == 0 {
			i++
			continue
		}
		b.reserve(b.n + 1)
		scaleTo(b.scaling, b.x.Row(b.n), x.Row(i))
		shiftTo(b.y.Row(b.n), y.Row(i), ref)
		b.w[b.n] = 1
		if w != nil {
			b.w[b.n] = T(w[i])
			b.ones = b.ones && w[i] == 1
		}
		b.n++
		i++
		if b.n == b.most {
			b.flush()
		}
	}
}

func (b *blocks[T]) flush() {
	if b.n > 0 {
		w := b.w[:b.n]
		if b.ones {
			w = nil
		}
		b.acc.Add(b.engine, b.x.RowRange(0, b.n), b.y.RowRange(0, b.n), w)
		b.acc.Flush(b.engine)
	}
	b.n, b.ones = 0, true
}

func (b *blocks[T]) sums() *blas.Sums { return &b.acc.Sums }

func (b *blocks[T]) pending() (x, y blas.General[float64], w []float64) {
	x, y, w = blas.NewGeneral[float64](b.n, b.x.Cols), blas.NewGeneral[float64](b.n, b.y.Cols), make([]float64, b.n)
	for i := range b.n {
		convert(x.Row(i), b.x.Row(i))
		convert(y.Row(i), b.y.Row(i))
	}
	convert(w, b.w[:b.n])
	return x, y, w
}

func (b *blocks[T]) pendingRows() int { return b.n }

func (b *blocks[T]) restore(x, y blas.General[float64], w []float64) {
	b.reserve(len(w))
	b.n, b.ones = 0, true
	for i, v := range w {
		if v == 0 { // no row, as in add
			continue
		}
		convert(b.x.Row(b.n), x.Row(i))
		convert(b.y.Row(b.n), y.Row(i))
		b.w[b.n] = T(v)
		b.ones = b.ones && v == 1
		b.n++
	}
}

// convert copies src to dst, of the same length, in dst's element type.
func convert[D, S blas.Float](dst []D, src []S) {
	for i, v := range src {
		dst[i] = D(v)
	}
}

// scaleTo writes the scaled row x to dst in dst's element type, rounded once.
func scaleTo[T blas.Float](s rff.Scaling, dst []T, x []float64) {
	scaling.Bent(s.From, s.To, s.Shift, s.Scale, dst, x)
}
