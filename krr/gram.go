package krr

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/basis"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/inside/hook"
	"github.com/rffgo/rff/internal/ridge"
	"github.com/rffgo/rff/internal/stream"
)

// Gram holds the sufficient statistics of a stream of rows for ridge regression
// on the features of one map: ZᵀZ, ZᵀY, the column sums, Yᵀ∘Y and Σw, in
// float64. Its memory is O(s²), whatever the number of rows.
//
// Rows enter the sums in blocks of blas.RowBlock, so the result depends on the
// order of the rows only, not on the batches they come in, and not on workers. What solves, merges
// or subtracts sums ends the block of each Gram that it reads: sums of rows that are added later
// then differ by rounding. A row of weight 0 is no row: it changes nothing.
//
// The sums subtract a reference from the targets, so that a large mean costs no digits. The
// reference is the targets of the first row; for coded classes it is 0, or −1 for 64 or more.
// Only one goroutine at a time may use a Gram.
type Gram struct {
	m         *rff.Map
	base      *rff.Map      // the map whose features are summed; see package basis
	change    *basis.Change // turns these sums into those of m
	scaling   rff.Scaling
	precision *stream.Precision
	targets   int
	shift     shift   // of the targets
	limits    *limits // of the inputs
	clip      bool
	variance  bool       // models of Solve have Model.Variance
	schema    rff.Schema // without Rows
	parts     []string   // digests of the saved Grams that are in it
	origins   []*byte    // marks of the Grams that rows were added to in this process
	known     bool       // no row was added to an origin since it was saved
	own       *byte      // the mark of this Gram, nil before its first row
	core      stream.Adder
	mean      []float64 // that summed subtracts from targets with the reference 0; nil: nothing

	// settle sets in, or newWide. The sums are then in these coordinates, and the Gram can no longer
	// take raw rows, be merged with others or be saved.
	in *ridge.Coordinates
}

// GramSettings of a Gram. The zero value computes in float64 on unscaled rows.
type GramSettings struct {
	// Precision of features and their products. "": Float64.
	Precision Precision
	// Scaling is applied to every row before the map; models keep it.
	Scaling rff.Scaling
	// Schema says what the columns are. It is saved with the Gram and kept in its models. Grams
	// of different columns or classes, or of which one is Weighted, do not merge. A part of a
	// data set may have a single class, whose one column is +1 throughout; a model needs two
	// classes. The zero Schema: numbers without names, and a regression.
	Schema rff.Schema
	// ClipPredictions confines the predictions of a regression's models to the range of
	// the targets, as Settings.ClipPredictions does. It is not saved with the Gram.
	ClipPredictions bool
	// Variance keeps in models what Model.Variance needs, as Settings.Uncertainty "variance"
	// does. It is not saved with the Gram.
	Variance bool
}

// NewGram returns an empty Gram for the features of m and that many targets,
// computed on m's engine. It panics if targets < 1, if the precision is unknown, if
// scaling or schema do not fit the map, or if the classes repeat a label or take another number
// of columns than targets.
func NewGram(m *rff.Map, targets int, s GramSettings) *Gram { return newGram(m, targets, s, true) }

// newGram is NewGram; without square its sums have no G, see direct.join.
func newGram(m *rff.Map, targets int, s GramSettings, square bool) *Gram {
	in, _ := m.Dims()
	if inside.CheckScaling(s.Scaling, in) != nil {
		panic(errGram)
	}
	if s.Schema.Inputs == nil {
		s.Schema.Inputs = make([]rff.Column, in)
	}
	s.Schema.Target.Columns = targets
	base, change := inside.Split(m)
	precision, err := s.Precision.on(m)
	if targets < 1 || err != nil || inside.CheckSchema(s.Schema, in) != nil {
		panic(errGram)
	}
	g := &Gram{m: m, base: base, change: change, scaling: s.Scaling, precision: precision, targets: targets, clip: s.ClipPredictions, variance: s.Variance, schema: regression(summed(s.Schema))}
	g.shift, g.limits = newShift(targets, precision), newLimits(base, precision, s.Scaling)
	g.core = precision.NewAdder(base, inside.Engine(base), targets, s.Scaling, square)
	if c := s.Schema.Target.Classes; c != nil && g.setClasses(c) != nil {
		panic(errGram)
	}
	g.schema.Target.Weights = s.Schema.Target.Weights
	return g
}

// empty returns a Gram like g without rows, and without G unless square is set.
func (g *Gram) empty(square bool) *Gram {
	e := newGram(g.m, g.targets, g.Settings(), square)
	e.shift.at, e.in = g.shift.at, g.in
	return e
}

// inputs returns the number of inputs of raw rows.
func (g *Gram) inputs() int {
	in, _ := g.m.Dims()
	return in
}

// Map returns the feature map whose statistics these are.
func (g *Gram) Map() *rff.Map { return g.m }

// Settings returns the settings that the Gram was made with, or that Set gave it since.
func (g *Gram) Settings() GramSettings {
	return GramSettings{nameOf(g.precision), g.scaling, g.schema, g.clip, g.variance}
}

// Rows returns the number of rows of positive weight added, less those subtracted.
func (g *Gram) Rows() int64 {
	return g.core.Sums().Rows + int64(g.core.PendingRows())
}

// Add adds the rows of b. On an error — *rff.ParameterError for the wrong number of
// columns, *rff.ValueError for an input, a target or a
// weight that cannot be used — the Gram is unchanged.
func (g *Gram) Add(ctx context.Context, b rff.Batch) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := checkBatch(b, g.inputs(), g.targets); err != nil {
		return err
	}
	at := g.shift.from(b.Y, b.Weight)
	if at == nil {
		return nil // no row of positive weight yet
	}
	if err := g.shift.check(g.precision, at, b.Y, b.Weight, b.First); err != nil {
		return err
	}
	if err := g.limits.check(b.X, b.First, g.schema); err != nil {
		return err
	}
	if err := checkRows(g.precision, g.Rows()+int64(b.X.Rows)); err != nil {
		return err
	}
	g.shift.at = at
	g.add(b.X, b.Y, b.Weight)
	return nil
}

// add adds checked rows. There must be a reference.
func (g *Gram) add(x, y blas.General[float64], w []float64) {
	g.shift.add(y, w)
	g.known = false
	if g.own == nil && x.Rows > 0 {
		g.own = new(byte)
		g.origins = append(slices.Clone(g.origins), g.own)
	}
	g.core.Add(x, y, w, g.shift.at)
}

// AddSource adds all rows of data, in order. After an error the Gram holds the
// rows of the batches before it. The error is a *rff.ParameterError also if the Gram and data
// both have classes, or both have names of columns, and these differ.
func (g *Gram) AddSource(ctx context.Context, data rff.Source) error {
	data, err := counted(data)
	if err != nil {
		return err
	}
	if err := g.takes(data.Schema()); err != nil {
		return err
	}
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

// takes returns an error if data of schema s have the classes or the columns of g in another order, or
// others. What only one of the two says is no difference.
func (g *Gram) takes(s rff.Schema) error {
	if a, b := g.schema.Target.Classes, s.Target.Classes; a != nil && b != nil && !slices.Equal(a, b) {
		return mismatch("classes", fmt.Sprintf("%.60q", a), fmt.Sprintf("%.60q", b))
	}
	a, b := g.schema.InputNames(), s.InputNames()
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] && a[i] != "" && b[i] != "" {
			return mismatch(fmt.Sprintf("name of input %d", i+1), strconv.Quote(a[i]), strconv.Quote(b[i]))
		}
	}
	return nil
}

// Merge adds the rows of h, which must have the same map, targets and precision. The sums keep
// the reference of g, or take that of h if g has no rows. The error is a *rff.ParameterError: h
// differs, has rows that g has already, or has targets too far from those of g. g is then
// unchanged. If g and h each read the same rows in a pass of its own, Merge cannot tell, and
// the rows count twice.
func (g *Gram) Merge(h *Gram) error {
	if err := g.match(h); err != nil {
		return err
	}
	if h.Rows() == 0 {
		return nil
	}
	at := g.shift.at
	if at == nil {
		at = h.shift.at
	}
	if err := h.shift.resolved(g.precision, at); err != nil {
		return err
	}
	if err := checkRows(g.precision, g.Rows()+h.Rows()); err != nil {
		return err
	}
	if err := g.mergeParts(h); err != nil {
		return err
	}
	g.shift.at = at
	g.shift.merge(&h.shift)
	g.schema = widened(g.schema, h.schema, g.Rows() == 0)
	g.core.Merge(rebased(h.added(), h.shift.at, at), 1)
	return nil
}

// Subtract removes the rows of h, which must have been added before. The range of the targets
// of a regression (Settings.ClipPredictions) stays as it was. The error is a
// *rff.ParameterError: h differs, has more rows or weight than g, or has rows that are not in
// g, since no rows could have the sums that would be left. g then has the rows that it had.
func (g *Gram) Subtract(h *Gram) error {
	if err := g.match(h); err != nil {
		return err
	}
	n, m := g.Rows(), h.Rows()
	if m == 0 {
		return nil
	}
	if m > n {
		return setting("rows to subtract", m, fmt.Sprintf("the Gram has %d: subtract what was added to it", n))
	}
	// By rounding, two sums of the same weights may differ by a factor of 1 ± eps·n.
	have, less := g.weight(), h.weight()
	slack := 0x1p-52 * float64(n) * have
	if left := have - less; left < -slack || (m == n && left > slack) {
		return setting("weight to subtract", less, fmt.Sprintf("the %d rows of the Gram weigh %g, the %d given %g: subtract what was added to it", n, have, m, less))
	}
	if !ridge.Contains(inside.Engine(g.m), g.summed(), rebased(h.summed(), h.shift.at, g.shift.at)) {
		return setting("rows to subtract", m, "no rows have the sums that would be left: subtract what was added to the Gram")
	}
	g.parts = slices.DeleteFunc(slices.Clone(g.parts), func(p string) bool { return slices.Contains(h.parts, p) })
	g.origins = slices.DeleteFunc(slices.Clone(g.origins), func(o *byte) bool { return slices.Contains(h.origins, o) })
	g.known = g.known && len(g.parts) > 0
	if m == n { // nothing is left, not even rounding errors
		at := g.shift.at
		g.core, g.shift = g.empty(true).core, newShift(g.targets, g.precision)
		if g.schema.Target.Classes != nil {
			g.shift.at = at
		}
		g.forgetParts()
		return nil
	}
	g.core.Merge(rebased(h.added(), h.shift.at, g.shift.at), -1)
	if g.schema.Target.Classes != nil {
		g.shift.narrow(g.core.Sums().Joined(nil), slack)
	}
	switch {
	case len(g.parts)+len(g.origins) == 0: // h had lost some rows of them, which are left
		g.forgetParts()
	case !slices.Contains(g.origins, g.own):
		g.own = nil
	}
	return nil
}

// weight returns Σw of all rows, pending ones included.
func (g *Gram) weight() float64 {
	sum := g.core.Sums().W
	_, _, w := g.core.Pending()
	for _, v := range w {
		sum += v
	}
	return sum
}

func (g *Gram) match(h *Gram) error {
	switch {
	case h == nil:
		return setting("the Gram", nil, "must be given")
	case g.m != h.m && g.m.Fingerprint() != h.m.Fingerprint():
		return mismatch("map", g.m.Fingerprint()[:16], h.m.Fingerprint()[:16])
	case !slices.Equal(g.scaling.Shift, h.scaling.Shift) || !slices.Equal(g.scaling.Scale, h.scaling.Scale) || !slices.EqualFunc(g.scaling.From, h.scaling.From, slices.Equal) || !slices.EqualFunc(g.scaling.To, h.scaling.To, slices.Equal):
		return mismatch("input scaling", "that of the Gram", "another")
	case g.precision != h.precision:
		return mismatch("precision", g.precision.Name, h.precision.Name)
	}
	if err := g.schema.Match(h.schema); err != nil {
		return fmt.Errorf("krr: sums add up only for the same columns: %w", err)
	}
	return nil
}

// widened returns s with ranges that hold both its own and those of t. A column has no range if
// one of the two is not known. If s is that of no rows, a range that it does not say is empty.
func widened(s, t rff.Schema, none bool) rff.Schema {
	s.Inputs = slices.Clone(s.Inputs)
	for i := range s.Inputs {
		a, b := s.Inputs[i].Range, t.Inputs[i].Range
		switch s.Inputs[i].Range = nil; {
		case none && a == nil:
			s.Inputs[i].Range = b
		case a != nil && b != nil:
			s.Inputs[i].Range = []float64{min(a[0], b[0]), max(a[1], b[1])}
		}
	}
	return s
}

// added returns the sums of the base's features as the core holds them, with pending rows
// added.
func (g *Gram) added() *blas.Sums {
	g.core.Flush()
	return g.core.Sums()
}

// summed is added for solving; see blas.Sums.Joined.
func (g *Gram) summed() *blas.Sums { return g.added().Joined(g.mean) }

// reference returns what is subtracted from the targets of summed.
func (g *Gram) reference() []float64 {
	if g.mean != nil {
		return g.mean
	}
	return g.shift.at
}

// centred returns g with the mean of exact sums for summed to subtract, which is as they are the
// same for any order of the rows. Other sums have their reference already, and so have classes.
func (g *Gram) centred() *Gram {
	if g.precision.Levels == 0 || g.schema.Target.Classes != nil || g.mean != nil || g.Rows() == 0 {
		return g
	}
	c := *g
	c.mean = g.added().Means()
	return &c
}

// isKnown reports whether all rows of g came in parts that were saved.
func (g *Gram) isKnown() bool { return g.known || len(g.origins) == 0 }

// mergeParts adds the parts and origins of h. The error is a *rff.ParameterError if g has one
// of them already.
func (g *Gram) mergeParts(h *Gram) error {
	for _, p := range h.parts {
		if slices.Contains(g.parts, p) {
			return setting("part", p[:min(16, len(p))], "must not be in both: its rows would count twice")
		}
	}
	for _, o := range h.origins {
		if slices.Contains(g.origins, o) {
			return setting("rows to merge", h.Rows(), "some of them are in the Gram already and would count twice")
		}
	}
	g.known = g.isKnown() && h.isKnown()
	g.parts, g.origins = slices.Concat(g.parts, h.parts), slices.Concat(g.origins, h.origins)
	return nil
}

// setClasses sets the classes of the schema.
func (g *Gram) setClasses(classes []string) error {
	if len(classes) != 1 || g.targets != 1 {
		if _, err := newClassCounter(classes, g.targets); err != nil {
			return err
		}
	}
	g.schema.Target.Classes = slices.Clone(classes)
	if g.shift.at == nil {
		g.shift.coded(g.targets)
	}
	return nil
}

func init() {
	hook.Sums = func(of any) (*blas.Sums, []float64) {
		g := of.(*Gram).centred()
		s, _ := g.sums()
		return s, slices.Clone(g.reference())
	}
	hook.ForgetParts = func(g any) { g.(*Gram).forgetParts() }
}

// sums returns the statistics of all rows added, with a reference r subtracted from the
// targets: Y is Σw(y−r), YY is Σw(y−r)², ZY is Σwz(y−r)ᵀ. It also returns their coordinates.
// The caller must not modify the sums, since they may be the Gram's own. Rows added later start
// a new row block.
func (g *Gram) sums() (*blas.Sums, ridge.Coordinates) {
	if g.in != nil {
		return g.summed(), *g.in
	}
	return ridge.SettleCopy(inside.Engine(g.m), g.change, g.summed())
}

// settle puts the sums of Grams of one map in the coordinates that they are solved in; few
// is that of ridge.Settle. They may be in such coordinates already.
func settle(all []*Gram, few bool) {
	if all[0].in != nil {
		return
	}
	sums := make([]*blas.Sums, len(all))
	for i, g := range all {
		sums[i] = g.summed()
	}
	in := ridge.Settle(inside.Engine(all[0].m), all[0].change, few, sums...)
	for _, g := range all {
		g.in = &in
	}
}

// forgetParts makes g forget which saved parts its rows came in, so that Merge
// takes Grams of equal sums, as shards with equal rows have. It is for engines such as Beam,
// which make sure themselves that no part counts twice.
func (g *Gram) forgetParts() {
	g.parts, g.origins, g.own, g.known = nil, nil, nil, false
	if g.Rows() > 0 {
		g.own = new(byte)
		g.origins = []*byte{g.own}
	}
}
