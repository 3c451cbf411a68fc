package krr

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

// chunkRows returns the rows handed on at once for rows of that many columns
// and features: whole row blocks, enough of them that the workers of a product
// overlap one block's features with another's products, few enough that
// cancellation, progress and checkpoints come often (3·10⁹ multiply-adds, tens
// of milliseconds on one worker) and that they take 2 MiB at most.
func chunkRows(columns, features int) int {
	most := min(3e9/(blas.RowBlock*float64(features)*float64(features)), 2<<20/(8*blas.RowBlock*float64(columns)))
	return blas.RowBlock * int(max(1, min(8, most)))
}

// chunk is a copy of some rows of a batch.
type chunk struct {
	rff.Batch
	x, y, w []float64
	group   []uint64
	err     error
	panic   any
}

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

// ahead returns the rows of src in chunks, read by a goroutine of its own so
// that decoding overlaps computing. Every batch is checked. Cancelling ctx ends
// it at once, even while the source blocks.
func ahead(ctx context.Context, src rff.Source, features int) iter.Seq2[rff.Batch, error] {
	return aheadIn(ctx, src, features, new(chunks))
}

// chunks are what one pass after the other reads into.
type chunks []*chunk

// aheadIn is ahead on the memory of pool, which a pass at a time may use.
func aheadIn(ctx context.Context, src rff.Source, features int, pool *chunks) iter.Seq2[rff.Batch, error] {
	return func(yield func(rff.Batch, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		free, full := make(chan *chunk, aheadChunks), make(chan *chunk, aheadChunks)
		all := *pool
		*pool = nil // until the source has ended: it may fill them
		for len(all) < aheadChunks {
			all = append(all, new(chunk))
		}
		for _, c := range all {
			free <- c
		}
		go func() {
			defer close(full)
			var c *chunk
			next := func() bool {
				select {
				case c = <-free:
					return true
				case <-ctx.Done():
					return false
				}
			}
			defer func() {
				if p := recover(); p != nil {
					full <- &chunk{panic: p}
				}
			}()
			in, targets := src.Dims()
			rows := chunkRows(in+targets, features)
			for b, err := range src.Batches(ctx) {
				if err == nil {
					err = checkBatch(b, in, targets)
				}
				if err != nil {
					if next() {
						full <- &chunk{err: err}
					}
					return
				}
				for i := 0; i < b.X.Rows; i += rows {
					if !next() {
						return
					}
					c.fill(b, i, min(i+rows, b.X.Rows))
					full <- c
				}
			}
		}()
		defer func() {
			cancel()
			timeout := time.After(stopWait)
			for {
				select {
				case _, ok := <-full:
					if !ok {
						*pool = all
						return
					}
				case <-timeout:
					return
				}
			}
		}()
		for {
			select {
			case <-ctx.Done():
				yield(rff.Batch{}, ctx.Err())
				return
			case c, ok := <-full:
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
				free <- c
			}
		}
	}
}
