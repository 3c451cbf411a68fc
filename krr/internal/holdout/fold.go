package holdout

import (
	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/fold"
)

// Unit returns a number that all rows which must share the fold of row i of b have in common:
// that of its group if b has groups, otherwise that of its run of consecutive rows. If run is
// 0, it is that of all rows with the same inputs.
func Unit(b rff.Batch, i int, run int64) int64 {
	switch {
	case b.Group != nil:
		return int64(b.Group[i])
	case run == 0:
		return fold.Content(b.X.Row(i))
	}
	return (b.First + int64(i)) / run
}
