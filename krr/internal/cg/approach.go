package cg

import (
	"context"
	"slices"
	"unsafe"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/stream"
)

const (
	// A descent from the constant begins on a sample of the rows, as large as that of its
	// preconditioner, if this is at most one row in fewOf. It ends there at fewsTolerance: F of
	// the sample is near F only as long as there is much to gain, and with curvedRows rows for a
	// feature the least point of the one is up to some 1/(2·curvedRows) of the loss above that of
	// the other. Further steps would fit the sample alone.
	fewOf         = 4
	fewsTolerance = 0.02
)

// approach moves at to about the point where F of a sample of the rows is least. It returns the
// number of passes over all rows, at most 1.
func (c *System[T]) approach(ctx context.Context, lambda float64, at blas.General[float64]) (passes int, err error) {
	in, _ := c.features.Dims()
	m := int64(curvedRows * len(c.z))
	kept := m
	if c.rows.kept {
		kept += c.rows.seen
	}
	if c.kept != nil || m*fewOf > c.n || kept*(int64(in)*int64(unsafe.Sizeof(T(0)))+8*int64(c.targets+2)) > c.rows.budget {
		return 0, nil
	}
	few := *c
	few.rows = &Rows[T]{features: c.rows.features, kept: true}
	few.held, few.acc, few.n, few.w = -1, nil, 0, 0
	draw := c.uniform(float64(m))
	err = c.rows.each(ctx, func(p *part[T], i int) bool { return draw(p, i) > 0 }, func(p part[T]) {
		few.rows.parts = append(few.rows.parts, part[T]{index: slices.Clone(p.index), w: slices.Clone(p.w),
			x: blas.General[T]{Rows: p.x.Rows, Cols: p.x.Cols, Stride: p.x.Cols, Data: slices.Clone(p.x.Data)},
			y: blas.General[float64]{Rows: p.y.Rows, Cols: p.y.Cols, Stride: p.y.Cols, Data: slices.Clone(p.y.Data)}})
		few.rows.seen += int64(p.x.Rows)
		for i := range p.x.Rows {
			few.n, few.w = few.n+1, few.w+stream.Weight(p.w, i)
		}
	})
	if err != nil {
		return 1, err
	}
	d, _ := few.newDescent(ctx, lambda*float64(c.n)/float64(few.n), at, fewsTolerance)
	return 1, d.run(ctx, fewsTolerance, maxPasses, func(int) {})
}
