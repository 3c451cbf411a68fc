package stream

import (
	"context"
	"slices"
	"strings"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/reach"
)

// A Precision is an arithmetic of features and their products, with everything in which it
// differs from others. A new precision is one more value in Precisions.
type Precision struct {
	reach.Number // that of inputs, with the name

	Short string // another name, in flags
	// Cost is that of a multiply-add of features, as a multiple of the one in Float64.
	Cost float64
	// LeastLambda is the smallest λ in the grids of trials. A smaller one would fit rounding
	// errors of ZᵀZ.
	LeastLambda float64
	// Target bounds |y − r|, the size of targets less their reference. That of the row
	// farthest from r must be at least one over it. In float64 the sum of w(y−r)² over n
	// rows then is at most n·2⁹⁸⁰ and, unless all targets are equal, at least 2⁻⁹⁸⁰. In
	// float32 a row block adds 504 products √w·(y−r)·z, at most 2¹¹⁹·|z|, and
	// coefficients, about (y−r)/λ, have that precision too.
	Target float64
	// Weight is the largest weight of a row. The smallest is one over it. 1: all rows count
	// alike, and no rule weighs them.
	Weight float64
	// LeastRidge is the least nλ/tr ZᵀZ with which sums in this precision give leverage scores,
	// as sampling.Leverage says; 0: any. If it is set, the first row is subtracted from all
	// rows before cosines, since a row far from 0 has too few digits.
	LeastRidge float64
	// Few says what the products of rows cost, by which fits of fewer rows than features are
	// solved. nil: such fits go by sums as well.
	Few *Few
	// Passes says that conjugate gradients and losses other than squares can pass over its
	// features, and LeaveOneOut that its sums can be compared with single rows.
	Passes, LeaveOneOut bool
	// Changed is the precision of sums that change their basis (package basis). The change
	// makes their rounding errors ‖P‖² times as large, which leaves no digits of float32.
	Changed *Precision
	// Levels, if not 0, says that features are rounded to so many multiples of a unit each way,
	// so that their sums are exact (blas.NewIntegers). Unbounded is then the precision of
	// features that are not cosines, and Columns the number of columns of a target in the sums.
	Levels    int
	Unbounded *Precision
	Columns   int
	// Rows is the number of rows from which on sums in this precision would lose digits that
	// it promises; 0: there is none.
	Rows  int64
	Finer string // the short name of a precision that resolves smaller λ, or ""

	// Narrow or Wide, the other is nil, returns the features that solvers and predictions
	// make of single rows.
	Narrow func(m *rff.Map) *blas.Features[float32]
	Wide   func(m *rff.Map) *blas.Features[float64]
	// Evaluate makes the features of all rows of x, block by block, and drops them.
	Evaluate func(ctx context.Context, m *rff.Map, x blas.General[float64]) error
	// NewAdder returns an Adder of rows to sums of the features of m. The sums have G if square
	// is set.
	NewAdder func(m *rff.Map, e blas.Engine, targets int, s rff.Scaling, square bool) Adder
	// NewMaker returns a Maker of the features of m.
	NewMaker func(m *rff.Map, e blas.Engine, s rff.Scaling) Maker
	// NewPredictor returns a Multiplier of rows by coefficients of the features of m.
	NewPredictor func(m *rff.Map, s rff.Scaling, coef blas.General[float64], intercept []float64) Multiplier
}

// Few says what products of rows cost.
type Few struct {
	// Copies is the memory of a feature, in float64 numbers, where it is kept in float64 as
	// well.
	Copies float64
	// Hardly says when a fit of one λ has hardly fewer rows than features, so that the products
	// of rows save nothing: when it has less than features/Hardly fewer. It is small if
	// products of features cost little, since those of rows are added and solved in float64.
	Hardly int
}

// Float64 is float64 throughout.
var Float64 = of(inside.Features64, Precision{Number: reach.Float64, Short: "f64", Cost: 1, LeastLambda: 1e-12, Target: 0x1p440, Weight: inside.HeaviestWeight,
	Few: &Few{Copies: 1, Hardly: 16}, Passes: true, LeaveOneOut: true})

// Float32 has features and their products in float32, and sums of row blocks and solutions
// in float64. ZᵀZ has a relative error of 2·10⁻⁷.
var Float32 = of(inside.Features32, Precision{Number: reach.Float32, Short: "f32", Cost: 0.5, LeastLambda: 1e-8, Target: 0x1p80, Weight: 0x1p60, LeastRidge: 0x1p-13,
	Few: &Few{Copies: 1.5, Hardly: 6}, Passes: true, LeaveOneOut: true, Changed: Float64, Finer: Float64.Short})

// Int12 and Int8 have features in float32, rounded to 11 or 12 and to 7 or 8 bits with their
// signs, and sums of integers.
var (
	Int12 = integers("int12", 2047, 0.25, 1e-9, Float64)
	Int8  = integers("int8", 127, 0.125, 1e-7, Int12)
)

// integers returns a precision of sums of integers. Targets of at most 2³⁰ are rounded to
// multiples of 2⁻⁴² there, so those of at least 2⁻³⁰ have 12 bits.
func integers(name string, levels int, cost, leastLambda float64, finer *Precision) *Precision {
	p := *Float32
	p.Name, p.Short, p.Cost, p.LeastLambda, p.Target, p.Weight = name, name, cost, leastLambda, 0x1p30, 1
	p.Few, p.Passes, p.LeaveOneOut, p.Finer, p.Unbounded = nil, false, false, finer.Short, Float32
	p.Levels, p.Columns, p.Rows = levels, blas.Parts, blas.ExactRows
	p.NewAdder = func(m *rff.Map, e blas.Engine, targets int, s rff.Scaling, square bool) Adder {
		return newIntegers(inside.Features32(m), e, targets, s, square, levels)
	}
	return &p
}

// Precisions has all precisions.
var Precisions = []*Precision{Float64, Float32, Int12, Int8}

// Named returns the precision that name is the name or the short name of, or nil.
func Named(name string) *Precision {
	for _, p := range Precisions {
		if name == p.Name || name == p.Short {
			return p
		}
	}
	return nil
}

// Names returns the names of all precisions, and how a sentence lists them.
func Names() (names []string, sentence string) {
	var words []string
	for _, p := range Precisions {
		all := slices.Compact([]string{p.Short, p.Name})
		names, words = append(names, all...), append(words, strings.Join(all, "|"))
	}
	return names, strings.Join(words, " or ")
}

// of completes p for features of the element type T.
func of[T blas.Float](features func(*rff.Map) *blas.Features[T], p Precision) *Precision {
	switch of := any(features).(type) {
	case func(*rff.Map) *blas.Features[float32]:
		p.Narrow = of
	case func(*rff.Map) *blas.Features[float64]:
		p.Wide = of
	}
	p.Evaluate = func(ctx context.Context, m *rff.Map, x blas.General[float64]) error {
		return evaluate(ctx, inside.Engine(m), features(m), x)
	}
	p.NewAdder = func(m *rff.Map, e blas.Engine, targets int, s rff.Scaling, square bool) Adder {
		return newAdder(features(m), e, targets, s, square)
	}
	p.NewMaker = func(m *rff.Map, e blas.Engine, s rff.Scaling) Maker { return newMaker(features(m), e, s) }
	p.NewPredictor = func(m *rff.Map, s rff.Scaling, coef blas.General[float64], intercept []float64) Multiplier {
		return newPredictor(features, m, s, coef, intercept)
	}
	p.Columns = 1
	return &p
}

func evaluate[T blas.Float](ctx context.Context, e blas.Engine, f *blas.Features[T], x blas.General[float64]) error {
	const rows = 4 * blas.RowBlock
	_, out := f.Dims()
	xt, z := blas.NewGeneral[T](rows, x.Cols), blas.NewGeneral[T](rows, out)
	for at := 0; at < x.Rows; at += rows {
		n := min(rows, x.Rows-at)
		for i := range n {
			Convert(xt.Row(i), x.Row(at+i))
		}
		f.Transform(e, z.RowRange(0, n), xt.RowRange(0, n))
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// On returns the precision of sums on a map: p, or the precision that takes its place if the
// sums change their basis. If p is nil it is Float64.
func (p *Precision) On(changed bool) *Precision {
	switch {
	case p == nil:
		return Float64
	case changed && p.Changed != nil:
		return p.Changed
	}
	return p
}

// For is On for the map m, whose features may also be unbounded.
func (p *Precision) For(m *rff.Map) *Precision {
	base, change := inside.Split(m)
	p = p.On(change != nil)
	if p.Unbounded != nil && !inside.Spec(base).Bounded() {
		return p.Unbounded
	}
	return p
}
