package cg

import (
	"fmt"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/basis"
	"github.com/rffgo/rff/internal/loss"
)

const (
	// A sample has at most sampleRows per feature, or cheapRows·n/s rows if that is
	// more: the product of m rows takes m·s² multiply-adds, as much as some ten
	// iterations, which take about a hundred for every feature of every row.
	sampleRows = 3
	cheapRows  = 1000
	// directions is the number k of random projections that estimate a leverage score:
	// its relative error is √(2/k), a third.
	directions = 16
	// productColumns is the number of columns of a triangle that changed works on at a
	// time: what it packs is small, and few zeros are multiplied.
	productColumns = 504
	// Memory is the default budget.
	Memory = 1 << 30
	// reserve is the part of the budget for the Go runtime, the chunks of a stream in
	// flight (8 MiB), the chunk at work (4 MiB) and garbage. The collector may wait
	// until there is as much garbage as memory in use, so all passes work on the same
	// memory. The garbage that remains is workspaces that a later product found too
	// small, up to 30 MiB.
	reserve = 56 << 20
	// perWorker is the workspace of a worker beyond the second. The budget decides how
	// many workers there are. The rest of the plan shapes the result, so it does not
	// depend on their number.
	perWorker = 6 << 20
	// chunkRows is the number of rows whose features are made at once for a sample:
	// few enough to stay in cache, enough for the workers.
	chunkRows = 96
	// changedRows is chunkRows where rows are multiplied by a change of basis, which is
	// read once for all rows of a chunk.
	changedRows = 504
	// A descent remembers from fewestPairs to mostPairs pairs of vectors, in a part of the
	// budget, and works on descentVectors others. One target has a preconditioner of its own,
	// which knows more than pairs of earlier points.
	mostPairs      = 20
	fewestPairs    = 3
	pairsShare     = 8
	descentVectors = 7
	// It keeps features of rows in that part of the budget, or in that part of twice the rest
	// of the budget.
	featuresShare = 4
)

// Plan says how conjugate gradients spend their budget, in bytes.
type Plan struct {
	Rows    int64 // for keeping rows
	primal  bool  // precondition with s×s numbers
	sample  int   // otherwise, precondition with this many rows
	changed bool  // features are those of a base, changed
	pairs   int   // of vectors that a descent remembers
	// features is the bytes for keeping the features of a descent's rows.
	features int64
}

// chunk is the number of rows whose features are made at once for a sample.
func (p *Plan) chunk() int {
	if p.changed {
		return changedRows
	}
	return chunkRows
}

// NewPlan divides a budget for s features of d inputs, t targets and elements of size bytes.
// change multiplies rows and vectors, and its memory is part of the budget. l is the loss, nil
// for squares. The error is a *rff.ParameterError for too small a budget.
func NewPlan(budget int64, s, d, t, size int, change *basis.Change, l loss.Loss) (Plan, error) {
	plan := Plan{changed: change != nil}
	// Per feature: six vectors of the iteration, a product in float64, coefficients in
	// the precision of the features, twice; frequencies; the features of a few rows;
	// projections and rows of leverage scores.
	perFeature := t*(7*8+2*size) + d*size + plan.chunk()*size + 8 + directions*(4+2*size) + sampleRows*32
	if plan.changed { // the chunk after the change, the memory that its product packs, and vectors after the change
		perFeature += plan.chunk()*size + productColumns*size + 3*t*size
	}
	if l != nil {
		// Points, gradients and directions, beside the pairs.
		plan.pairs = int(max(fewestPairs, min(mostPairs, budget/pairsShare/int64(16*s*t))))
		if t == 1 {
			plan.pairs = fewestPairs
		}
		perFeature += 8 * t * (2*plan.pairs + descentVectors)
	}
	fixed := int64(reserve) + change.Bytes() + int64(s)*int64(perFeature)
	left := budget - fixed
	// packed is the number of elements that a product packs of n rows, for two workers.
	packed := func(n int64) int64 { return 2 * blas.PackedElements(n) }
	// The whole preconditioner takes s×s numbers, and rows to be added, which the product packs
	// as both operands.
	number := int64(4)
	if l != nil && l.Traits().Levels != nil {
		number = 8
	}
	if whole := number * (int64(s)*int64(s) + int64(s)*blas.BlockK + 3*packed(int64(s))); left >= whole {
		if plan.primal, plan.Rows = true, left-whole; l != nil {
			plan.features = min(budget, 2*plan.Rows) / featuresShare
			plan.Rows -= plan.features
		}
		return plan, nil
	}
	// A sample of m rows takes these and m×m numbers, in three quarters of what is left.
	rowsOf := func(m int64) int64 { return 8 * (m*(int64(s)+m) + 3*packed(m) + packed(int64(s))) }
	m := int64(0)
	for step := int64(1) << 30; step > 0; step /= 2 {
		if n := m + step; n <= int64(s) && float64(rowsOf(n)) <= 0.75*float64(left) {
			m = n
		}
	}
	if m < 1 {
		return Plan{}, &rff.ParameterError{Name: "memory", Value: budget, Need: fmt.Sprintf("conjugate gradients with %d features need at least %d bytes", s, fixed+rowsOf(1)*4/3+1)}
	}
	plan.sample, plan.Rows = int(m), left-rowsOf(m)
	return plan, nil
}

// Workers returns how many of the workers wanted the plan has memory for, and
// takes that from the memory for rows.
func (p *Plan) Workers(wanted int) int {
	more := max(0, min(int64(wanted-2), p.Rows/2/perWorker))
	p.Rows -= more * perWorker
	return min(wanted, 2+int(more))
}
