package stream

import (
	"context"
	"iter"
	"time"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
)

const (
	// aheadChunks is how many chunks there are: one in use, one being filled,
	// the others waiting.
	aheadChunks = 4
	// stopWait is how long a stream that ends early waits for its source to notice.
	stopWait = 50 * time.Millisecond
)

// Chunk returns the number of rows handed on at once, for rows of that many columns
// and features: whole row blocks. There are enough of them that the workers of a
// product overlap one block's features with another's products. They are few enough
// that cancellation, progress and checkpoints come often (3·10⁹ multiply-adds, tens
// of milliseconds on one worker), and take 2 MiB at most.
func Chunk(columns, features int) int {
	most := min(3e9/(blas.RowBlock*float64(features)*float64(features)), 2<<20/(8*blas.RowBlock*float64(columns)))
	return blas.RowBlock * int(max(1, min(8, most)))
}

// chunk is a copy of some rows of a batch.
type chunk struct {
	rff.Batch
	x, y, w []float64
	group   []uint64
	err     error // of the source, in place of rows
	panic   any   // of the source
}

// fill copies rows from … to−1 of b.
func (c *chunk) fill(b rff.Batch, from, to int) {
	c.First = b.First + int64(from)
	c.X, c.Y = dense.Fitting[float64](&c.x, to-from, b.X.Cols), dense.Fitting[float64](&c.y, to-from, b.Y.Cols)
	for i := range to - from {
		copy(c.X.Row(i), b.X.Row(from+i))
		if b.Y.Cols > 0 {
			copy(c.Y.Row(i), b.Y.Row(from+i))
		}
	}
	c.Weight = nil
	if b.Weight != nil {
		c.w = append(c.w[:0], b.Weight[from:to]...)
		c.Weight = c.w
	}
	c.Group = nil
	if b.Group != nil {
		c.group = append(c.group[:0], b.Group[from:to]...)
		c.Group = c.group
	}
}

// Check returns an error for a batch that does not have so many inputs and targets,
// or has values that cannot be used.
type Check func(b rff.Batch, in, targets int) error

// Ahead returns the rows of src in chunks, read by a goroutine of its own so that
// decoding overlaps computing. Every batch is checked. Cancelling ctx ends it at
// once, even while the source blocks.
func Ahead(ctx context.Context, src rff.Source, features int, check Check) iter.Seq2[rff.Batch, error] {
	return new(Chunks).Ahead(ctx, src, features, check)
}

// Chunks is the memory that passes read into, one after the other.
type Chunks []*chunk

// Ahead is the function Ahead in the memory of pool, which serves one pass at a time.
func (pool *Chunks) Ahead(ctx context.Context, src rff.Source, features int, check Check) iter.Seq2[rff.Batch, error] {
	return func(yield func(rff.Batch, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		r := &reader{src: src, features: features, check: check, all: *pool,
			free: make(chan *chunk, aheadChunks), full: make(chan *chunk, aheadChunks)}
		*pool = nil // until the source has ended: it may fill them
		for len(r.all) < aheadChunks {
			r.all = append(r.all, new(chunk))
		}
		for _, c := range r.all {
			r.free <- c
		}
		go r.read(ctx)
		defer func() {
			cancel()
			if r.ended() {
				*pool = r.all
			}
		}()
		r.hand(ctx, yield)
	}
}

// reader is one pass over a source. Chunks go round from free to full and back.
type reader struct {
	src        rff.Source
	features   int
	check      Check
	all        []*chunk
	free, full chan *chunk
}

// read fills chunks until the source ends or ctx is done.
func (r *reader) read(ctx context.Context) {
	defer close(r.full)
	defer func() {
		if p := recover(); p != nil {
			r.full <- &chunk{panic: p}
		}
	}()
	in, targets := r.src.Schema().Dims()
	rows := Chunk(in+targets, r.features)
	for b, err := range r.src.Batches(ctx) {
		if err == nil {
			err = r.check(b, in, targets)
		}
		if err != nil {
			if r.next(ctx) != nil {
				r.full <- &chunk{err: err}
			}
			return
		}
		for i := 0; i < b.X.Rows; i += rows {
			c := r.next(ctx)
			if c == nil {
				return
			}
			c.fill(b, i, min(i+rows, b.X.Rows))
			r.full <- c
		}
	}
}

// next returns a free chunk, nil if ctx is done.
func (r *reader) next(ctx context.Context) *chunk {
	select {
	case c := <-r.free:
		return c
	case <-ctx.Done():
		return nil
	}
}

// hand yields the chunks that are full. A panic of the source goes on here, on the
// goroutine of the caller.
func (r *reader) hand(ctx context.Context, yield func(rff.Batch, error) bool) {
	for {
		select {
		case <-ctx.Done():
			yield(rff.Batch{}, ctx.Err())
			return
		case c, ok := <-r.full:
			switch {
			case !ok:
				if err := ctx.Err(); err != nil {
					yield(rff.Batch{}, err)
				}
				return
			case c.panic != nil:
				panic(c.panic)
			case c.err != nil:
				yield(rff.Batch{}, c.err)
				return
			}
			if !yield(c.Batch, nil) {
				return
			}
			r.free <- c
		}
	}
}

// ended reports whether the source has stopped once nobody reads on. It waits for this at most
// stopWait.
func (r *reader) ended() bool {
	timeout := time.After(stopWait)
	for {
		select {
		case _, ok := <-r.full:
			if !ok {
				return true
			}
		case <-timeout:
			return false
		}
	}
}
