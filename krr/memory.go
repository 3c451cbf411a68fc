package krr

import (
	"context"
	"iter"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
)

// memory is a Source of weighted rows in memory.
type memory struct {
	x, y      blas.General[float64]
	w         []float64
	group     []uint64
	classes   []string
	index     []int64   // of the rows in the data they come from, or nil
	low, high []float64 // of each input, over all the rows that x is a sample of
}

func (m *memory) Dims() (in, targets int) { return m.x.Cols, m.y.Cols }
func (m *memory) Rows() int64             { return int64(m.x.Rows) }
func (m *memory) Classes() []string       { return m.classes }

func (m *memory) Batches(ctx context.Context) iter.Seq2[rff.Batch, error] {
	return func(yield func(rff.Batch, error) bool) {
		if m.x.Rows > 0 {
			yield(rff.Batch{X: m.x, Y: m.y, Weight: m.w, Group: m.group}, ctx.Err())
		}
	}
}
