package krr

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

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
	scaling   rff.Scaling
	precision Precision
	targets   int
	lo, hi    []float64 // range of each target
	classes   []string  // or nil
	inputs    []string  // names of the columns, or nil
	target    string
	parts     []string // digests of saved Grams that are in it
	added     bool     // and rows since
	core      core
}

// core is a Gram's arithmetic in one element type.
type core interface {
	add(x, y blas.General[float64], w []float64)
	flush()
	sums() *blas.Sums
	pending() (x, y blas.General[float64], w []float64)
	pendingRows() int
	// restore makes the pending rows, fewer than a row block and already scaled,
	// those of an earlier pending.
	restore(x, y blas.General[float64], w []float64)
}

// GramSettings of a Gram. The zero value computes in float64 on unscaled rows.
type GramSettings struct {
	// Precision of features and their products.
	Precision Precision
	// Scaling is applied to every row before the map; models keep it.
	Scaling rff.Scaling
	// Inputs and Target name the columns, as in Settings.
	Inputs []string
	Target string
}

// NewGram returns an empty Gram for the features of m and that many targets,
// computed on m's engine. It panics if targets < 1 or the scaling does not fit
// the map.
func NewGram(m *rff.Map, targets int, s GramSettings) *Gram {
	in, _ := m.Dims()
	if targets < 1 || s.Scaling.Check(in) != nil || (s.Inputs != nil && len(s.Inputs) != in) {
		panic(errGram)
	}
	g := &Gram{m: m, scaling: s.Scaling, precision: s.Precision, targets: targets, inputs: slices.Clone(s.Inputs), target: s.Target, lo: make([]float64, targets), hi: make([]float64, targets)}
	for t := range targets {
		g.lo[t], g.hi[t] = math.Inf(1), math.Inf(-1)
	}
	if s.Precision == Float32 {
		g.core = newBlocks(m.Features32(), m.Engine(), targets, s.Scaling)
	} else {
		g.core = newBlocks(m.Features64(), m.Engine(), targets, s.Scaling)
	}
	return g
}

// empty returns a Gram like g without rows.
func (g *Gram) empty() *Gram {
	e := NewGram(g.m, g.targets, GramSettings{g.precision, g.scaling, g.inputs, g.target})
	e.classes = g.classes
	return e
}

// Map returns the feature map whose statistics these are.
func (g *Gram) Map() *rff.Map { return g.m }

// Inputs returns the names of the inputs, or nil.
func (g *Gram) Inputs() []string { return slices.Clone(g.inputs) }

// Target returns the name of the target, or "".
func (g *Gram) Target() string { return g.target }

// Targets returns the number of targets.
func (g *Gram) Targets() int { return g.targets }

// Precision returns the arithmetic of the features and their products.
func (g *Gram) Precision() Precision { return g.precision }

// Rows returns the number of rows added, less those subtracted.
func (g *Gram) Rows() int64 {
	return g.core.sums().Rows + int64(g.core.pendingRows())
}

// Add adds the rows of b. On an error — *MismatchError for the wrong number of
// columns, *rff.NotFiniteError for an input, *RowError for a target or weight
// that cannot be used — the Gram is unchanged.
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
	g.added = g.added || x.Rows > 0
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
// is a *MismatchError, or a *PartError for a part that g has already; g is then
// unchanged.
func (g *Gram) Merge(h *Gram) error {
	if err := g.match(h); err != nil {
		return err
	}
	if err := g.mergeParts(h, 1); err != nil {
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
	if err := g.mergeParts(h, -1); err != nil {
		return err
	}
	g.combine(h, -1)
	return nil
}

func (g *Gram) match(h *Gram) error {
	switch {
	case g.m.Fingerprint() != h.m.Fingerprint():
		return &MismatchError{"map fingerprints", g.m.Fingerprint().String()[:16], h.m.Fingerprint().String()[:16]}
	case !slices.Equal(g.scaling.Shift, h.scaling.Shift) || !slices.Equal(g.scaling.Scale, h.scaling.Scale):
		return &MismatchError{"input scalings", "one", "another"}
	case g.targets != h.targets:
		return &MismatchError{"targets", fmt.Sprint(g.targets), fmt.Sprint(h.targets)}
	case g.precision != h.precision:
		return &MismatchError{"precisions", g.precision.String(), h.precision.String()}
	case !slices.Equal(g.classes, h.classes):
		return &MismatchError{"classes", fmt.Sprintf("%.60q", g.classes), fmt.Sprintf("%.60q", h.classes)}
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
			x[i] += float64(sign * v)
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
	a.W += float64(sign * b.W)
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
	if err := rff.CheckFinite(b.X, b.First); err != nil {
		return err
	}
	var bad *rff.NotFiniteError
	if err := rff.CheckFinite(b.Y, b.First); errors.As(err, &bad) {
		return &RowError{bad.Row, fmt.Sprintf("target %d", bad.Col+1), bad.Value, "must be finite: remove the row or fill the value in"}
	}
	for i, w := range b.Weight {
		if !(w >= 0) || math.IsInf(w, 1) {
			return &RowError{b.First + int64(i), "weight", w, "must be finite and not negative"}
		}
	}
	return nil
}
