package krr

import (
	"context"
	"fmt"
	"math"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
)

// Gram holds the sufficient statistics of a stream of rows for ridge regression
// on the features of one map: ZᵀZ, ZᵀY, the column sums, Yᵀ∘Y and Σw, in
// float64. Its memory is O(s²), whatever the number of rows.
//
// Rows enter the sums in blocks of blas.RowBlock, so the result depends on the
// order of the rows only, not on the batches they come in, and not on workers.
// One goroutine at a time may use a Gram.
type Gram struct {
	m         *rff.Map
	id        Fingerprint
	precision Precision
	targets   int
	lo, hi    []float64 // range of each target
	core      core
}

// core is a Gram's arithmetic in one element type.
type core interface {
	add(x, y blas.General[float64], w []float64)
	flush()
	sums() *blas.Sums
	pending() (x, y blas.General[float64], w []float64)
	pendingRows() int
}

// NewGram returns an empty Gram for the features of m and that many targets,
// computed on m's engine.
func NewGram(m *rff.Map, targets int, p Precision) *Gram {
	return newGram(m, MapFingerprint(m), targets, p)
}

func newGram(m *rff.Map, id Fingerprint, targets int, p Precision) *Gram {
	g := &Gram{m: m, id: id, precision: p, targets: targets, lo: make([]float64, targets), hi: make([]float64, targets)}
	for t := range targets {
		g.lo[t], g.hi[t] = math.Inf(1), math.Inf(-1)
	}
	if p == Float32 {
		g.core = newBlocks(m.Features32(), m.Engine(), targets)
	} else {
		g.core = newBlocks(m.Features64(), m.Engine(), targets)
	}
	return g
}

// Map returns the feature map whose statistics these are.
func (g *Gram) Map() *rff.Map { return g.m }

// Targets returns the number of targets.
func (g *Gram) Targets() int { return g.targets }

// Precision returns the arithmetic of the features and their products.
func (g *Gram) Precision() Precision { return g.precision }

// Rows returns the number of rows added, less those subtracted.
func (g *Gram) Rows() int64 {
	return g.core.sums().Rows + int64(g.core.pendingRows())
}

// Add adds the rows of b. On an error — *MismatchError for the wrong number of
// columns, *RowError for a value that is not finite or a negative weight — the
// Gram is unchanged.
func (g *Gram) Add(ctx context.Context, b rff.Batch) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	in, _ := g.m.Dims()
	if err := checkBatch(b, in, g.targets); err != nil {
		return err
	}
	g.add(b.X, b.Y, b.Weight)
	return nil
}

// add adds rows that have been checked.
func (g *Gram) add(x, y blas.General[float64], w []float64) {
	for i := range y.Rows {
		for t, v := range y.Row(i) {
			g.lo[t], g.hi[t] = min(g.lo[t], v), max(g.hi[t], v)
		}
	}
	g.core.add(x, y, w)
}

// AddSource adds all rows of data, in order. After an error the Gram holds the
// rows of the batches before it.
func (g *Gram) AddSource(ctx context.Context, data rff.Source) error {
	for b, err := range data.Batches(ctx) {
		if err == nil {
			err = g.Add(ctx, b)
		}
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// Merge adds the rows of h, of the same map, targets and precision. The error
// is a *MismatchError; g is then unchanged.
func (g *Gram) Merge(h *Gram) error {
	if err := g.match(h); err != nil {
		return err
	}
	for t := range g.lo {
		g.lo[t], g.hi[t] = min(g.lo[t], h.lo[t]), max(g.hi[t], h.hi[t])
	}
	g.combine(h, 1)
	return nil
}

// Subtract removes the rows of h, which must have been added before. The range
// of the targets (Settings.ClipPredictions) stays as it was.
func (g *Gram) Subtract(h *Gram) error {
	if err := g.match(h); err != nil {
		return err
	}
	g.combine(h, -1)
	return nil
}

func (g *Gram) match(h *Gram) error {
	switch {
	case g.id != h.id:
		return &MismatchError{"map fingerprints", g.id.String(), h.id.String()}
	case g.targets != h.targets:
		return &MismatchError{"targets", fmt.Sprint(g.targets), fmt.Sprint(h.targets)}
	case g.precision != h.precision:
		return &MismatchError{"precisions", g.precision.String(), h.precision.String()}
	}
	return nil
}

func (g *Gram) combine(h *Gram, sign float64) {
	g.core.flush()
	h.core.flush()
	addSums(g.core.sums(), h.core.sums(), sign)
}

// Sums returns the statistics of all rows added. They must not be modified.
// Rows added later start a new row block.
func (g *Gram) Sums() *blas.Sums {
	g.core.flush()
	return g.core.sums()
}

// addSums adds sign·b to a; sign is ±1.
func addSums(a, b *blas.Sums, sign float64) {
	add := func(x, y []float64) {
		for i, v := range y {
			x[i] += sign * v
		}
	}
	for i := range a.G.Rows {
		add(a.G.Row(i)[i:], b.G.Row(i)[i:])
	}
	for i := range a.ZY.Rows {
		add(a.ZY.Row(i), b.ZY.Row(i))
	}
	add(a.Z, b.Z)
	add(a.Y, b.Y)
	add(a.YY, b.YY)
	a.W += sign * b.W
	a.Rows += int64(sign) * b.Rows
}

// checkBatch returns the error that keeps b from being added.
func checkBatch(b rff.Batch, in, targets int) error {
	if b.X.Cols != in {
		return &MismatchError{"inputs", fmt.Sprint(in), fmt.Sprint(b.X.Cols)}
	}
	if b.Y.Cols != targets {
		return &MismatchError{"targets", fmt.Sprint(targets), fmt.Sprint(b.Y.Cols)}
	}
	if b.Y.Rows != b.X.Rows || (b.Weight != nil && len(b.Weight) != b.X.Rows) {
		return &MismatchError{"rows of inputs, targets and weights", fmt.Sprint(b.X.Rows), fmt.Sprintf("%d and %d", b.Y.Rows, len(b.Weight))}
	}
	if err := checkFinite(b.First, "input", b.X); err != nil {
		return err
	}
	if err := checkFinite(b.First, "target", b.Y); err != nil {
		return err
	}
	for i, w := range b.Weight {
		if !(w >= 0) || math.IsInf(w, 1) {
			return &RowError{b.First + int64(i), "weight", w, "must be finite and not negative"}
		}
	}
	return nil
}

// checkFinite names the first element of m that is NaN or infinite.
func checkFinite(first int64, what string, m blas.General[float64]) error {
	for i := range m.Rows {
		// v−v is 0 for every finite v and NaN otherwise, so one sum decides a row.
		var s float64
		row := m.Row(i)
		for _, v := range row {
			s += v - v
		}
		if s == 0 {
			continue
		}
		for j, v := range row {
			if v-v != 0 {
				return &RowError{first + int64(i), fmt.Sprintf("%s %d", what, j+1), v, "must be finite: remove the row or fill the value in"}
			}
		}
	}
	return nil
}
