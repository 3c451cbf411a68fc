package sampling

import (
	"slices"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
)

// present drops rows of weight 0, so that whatever goes by the number or the place of a row, such
// as random signs and blocks of sums, is as if they had never been there.
type present struct{ absent int64 } // rows dropped so far

// of returns the rows of positive weight of b, which is the next batch, and numbers them without
// the others.
func (p *present) of(b rff.Batch) rff.Batch {
	b.First -= p.absent
	if !slices.Contains(b.Weight, 0) {
		return b
	}
	weighted := func(m blas.General[float64]) blas.General[float64] {
		if m.Rows != len(b.Weight) { // targets that nobody asked for
			return m
		}
		kept := blas.General[float64]{Cols: m.Cols, Stride: m.Cols}
		for i, w := range b.Weight {
			if w != 0 {
				kept.Data = append(kept.Data, m.Row(i)...)
				kept.Rows++
			}
		}
		return kept
	}
	kept := rff.Batch{First: b.First, X: weighted(b.X), Y: weighted(b.Y)}
	kept.Weight = weighted(blas.General[float64]{Rows: len(b.Weight), Cols: 1, Stride: 1, Data: b.Weight}).Data
	p.absent += int64(b.X.Rows - kept.X.Rows)
	return kept
}
