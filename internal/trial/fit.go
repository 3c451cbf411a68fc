package trial

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/basis"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/optional"
	"github.com/rffgo/rff/internal/reach"
	"github.com/rffgo/rff/internal/reweight"
	"github.com/rffgo/rff/internal/ridge"
	"github.com/rffgo/rff/internal/stream"
)

// Lambdas returns the grid of λ of trials in a precision, from its LeastLambda on.
func Lambdas(p *stream.Precision) []float64 {
	grid := []float64{1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1}
	return grid[slices.Index(grid, p.On(false).LeastLambda):]
}

// fitted is a ridge regression on the features of one map.
type fitted struct {
	engine    blas.Engine
	m         *rff.Map      // the base of the map (package basis)
	change    *basis.Change // from its features to those of the map
	precision *stream.Precision
	scaling   rff.Scaling   // of the rows
	limits    *reach.Limits // of the raw inputs
	ref       []float64     // the reference subtracted from the targets in sums
	sums      *blas.Sums    // sums of the features of m over the training rows
}

// newFitted returns a fit of rows on the features of a map, without their sums.
func newFitted(e blas.Engine, m *rff.Map, s rff.Scaling, p *stream.Precision, train *Rows) *fitted {
	base, change := inside.Split(m)
	f := &fitted{engine: e, m: inside.On(base, e), change: change, precision: p.For(m), scaling: s, ref: make([]float64, train.Y.Cols)}
	if f.precision.Weight == 1 && train.Weight != nil { // also that of rows which are equal
		f.precision = f.precision.Unbounded
	}
	f.limits = inside.Reach(base, f.precision.Number, s)
	if train.Labels == nil && train.Y.Rows > 0 {
		copy(f.ref, train.Y.Row(0))
	}
	return f
}

// resolved returns a *rff.ValueError for a row that the map does not resolve.
func (f *fitted) resolved(r *Rows) error {
	if r.Low != nil && f.within(r.Low) && f.within(r.High) { // so are all between
		return nil
	}
	i, j, need := reach.First(f.limits, r.X)
	if i < 0 {
		return nil
	}
	row := int64(i)
	if r.Index != nil {
		row = r.Index[i]
	}
	return &rff.ValueError{Row: row, Column: fmt.Sprintf("input %d", j+1), Value: r.X.Row(i)[j], Need: need}
}

// within reports whether the map resolves a row.
func (f *fitted) within(x []float64) bool {
	i, _, _ := reach.First(f.limits, dense.Vector(x))
	return i < 0
}

// sum returns the sums of rows. The error is a *rff.ValueError for a row that the map does not
// resolve, or that of ctx.
func (f *fitted) sum(ctx context.Context, r *Rows) (*blas.Sums, error) {
	if err := f.resolved(r); err != nil {
		return nil, err
	}
	x, by := f.inputs(r)
	adder := f.precision.NewAdder(f.m, f.engine, r.Y.Cols, by, true)
	for from := 0; ; from += chunk {
		end, add := from+chunk, adder.Add
		if end >= r.X.Rows {
			end, add = r.X.Rows, adder.Last
		}
		add(x.RowRange(from, end), r.Y.RowRange(from, end), optional.Range(r.Weight, from, end), f.ref)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if end == r.X.Rows {
			break
		}
	}
	sums := *adder.Sums().Joined(nil) // a copy, which keeps no row blocks
	return &sums, nil
}

// inputs returns rows with the scaling that is still to be done.
func (f *fitted) inputs(r *Rows) (blas.General[float64], rff.Scaling) {
	if x, ok := r.scaledBy(f.scaling); ok {
		return x, rff.Scaling{}
	}
	return r.X, f.scaling
}

// chunk is the number of rows that are added between two looks at ctx.
const chunk = 8 * blas.RowBlock

// model has the coefficients and intercepts of several solutions, side by side.
type model struct {
	coef  blas.General[float64]
	shift []float64
}

// solve returns the solutions for every λ of a grid, from sums that stay as they are.
func (f *fitted) solve(ctx context.Context, sums *blas.Sums, grid []float64) (*model, error) {
	sums, in := ridge.SettleCopy(f.engine, f.change, sums)
	system := ridge.New(in, sums, nil, f.ref)
	all := blas.NewGeneral[float64](len(sums.Z), sums.ZY.Cols*len(grid))
	if _, err := system.SolveGrid(ctx, f.engine, grid, all, func(float64) {}); err != nil {
		return nil, err
	}
	return &model{system.Base(f.engine, all), system.Intercept(all)}, nil
}

// manyScores is the number of scores of a row from which on a product of matrices is faster than
// one product of vectors for each.
const manyScores = 24

// predict calls each with the scores of every row of r, the solutions side by side.
func (f *fitted) predict(ctx context.Context, m *model, r *Rows, each func(row int, scores []float64)) error {
	if err := f.resolved(r); err != nil {
		return err
	}
	in, scaling := f.inputs(r)
	by := f.precision.NewPredictor(f.m, scaling, m.coef, m.shift)
	block := min(r.X.Rows, max(16, (1<<20)/max(m.coef.Rows, len(m.shift))))
	out := blas.NewGeneral[float64](block, len(m.shift))
	for from := 0; from < r.X.Rows && ctx.Err() == nil; from += block {
		n := min(block, r.X.Rows-from)
		if to, x := out.RowRange(0, n), in.RowRange(from, from+n); out.Cols < manyScores {
			by.Predict(f.engine, to, x, false)
		} else {
			by.Multiply(f.engine, to, x)
		}
		for i := range n {
			each(from+i, out.Row(i))
		}
	}
	return ctx.Err()
}

// reweighted returns the second solutions under rules: first those of all rules for the first
// λ, then those for the next λ.
func (f *fitted) reweighted(ctx context.Context, train *Rows, grid []float64, rules []reweight.Rule) (*model, error) {
	first, err := f.solve(ctx, f.sums, grid)
	if err != nil {
		return nil, err
	}
	var ways []reweight.Rule
	all := newModel(first.coef.Rows, train.Y.Cols*len(grid)*len(rules))
	for l := range grid {
		for range rules {
			all.set(len(ways), first, l, train.Y.Cols)
			ways = append(ways, rules[len(ways)%len(rules)])
		}
	}
	again, err := f.rewritten(ctx, train, all, ways)
	if err != nil {
		return nil, err
	}
	last := newModel(all.coef.Rows, len(all.shift))
	for i, r := range again {
		sums, err := f.sum(ctx, r)
		if err != nil {
			return nil, err
		}
		sums.Merge(f.sums, 1)
		one, err := f.solve(ctx, sums, grid[i/len(rules):][:1])
		if err != nil {
			return nil, err
		}
		last.set(i, one, 0, train.Y.Cols)
	}
	return last, nil
}

// rewritten returns, for each rule, the rows that get more weight, with their additional
// weights.
func (f *fitted) rewritten(ctx context.Context, train *Rows, first *model, rules []reweight.Rule) ([]*Rows, error) {
	targets := train.Y.Cols
	at, weight := make([][]int, len(rules)), make([][]float64, len(rules))
	err := f.predict(ctx, first, train, func(row int, scores []float64) {
		for i, rule := range rules {
			if more := rule.Row(scores[i*targets:(i+1)*targets], train.Y.Row(row)) - 1; more != 0 {
				at[i], weight[i] = append(at[i], row), append(weight[i], more*train.WeightOf(row))
			}
		}
	})
	if err != nil {
		return nil, err
	}
	out := make([]*Rows, len(rules))
	for i := range out {
		out[i] = train.Pick(at[i])
		out[i].Weight = weight[i]
	}
	return out, nil
}

func newModel(features, columns int) *model {
	return &model{blas.NewGeneral[float64](features, columns), make([]float64, columns)}
}

// set copies solution from of another model to solution to of m.
func (m *model) set(to int, other *model, from, targets int) {
	for i := range m.coef.Rows {
		copy(m.coef.Row(i)[to*targets:][:targets], other.coef.Row(i)[from*targets:])
	}
	copy(m.shift[to*targets:][:targets], other.shift[from*targets:])
}

// finite reports whether v is a number.
func finite(v float64) bool { return !math.IsInf(v, 0) && !math.IsNaN(v) }
