package sampling

import (
	"fmt"
	"math"
	"slices"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/reach"
)

// adder adds the rows of a pass to sums.
type adder interface {
	// admit returns an error for a row that the sums cannot take. It sees every batch
	// before add.
	admit(b rff.Batch) error
	add(x, y blas.General[float64], weight []float64)
	// sums ends the last row block.
	sums() *blas.Sums
}

// adder64 adds rows in float64.
type adder64 struct {
	engine blas.Engine
	acc    *blas.Accumulator[float64]
}

func (d *adder64) admit(rff.Batch) error { return nil }

func (d *adder64) add(x, y blas.General[float64], weight []float64) {
	d.acc.Add(d.engine, x, y, weight)
}

func (d *adder64) sums() *blas.Sums {
	d.acc.Flush(d.engine)
	return &d.acc.Sums
}

// adder32 adds rows, without targets, in float32: sums of row blocks are added up in
// float64. Cosines take rows less the first one, as float32 does not tell rows far from 0
// from each other; what that takes away goes to the phases.
type adder32 struct {
	engine   blas.Engine
	features *rff.Map
	gram     bool

	acc    *blas.Accumulator[float32] // nil before the first batch
	limits *reach.Limits
	first  []float64 // the first row, or nil for no difference
	x, w   []float32
}

func (s *adder32) admit(b rff.Batch) error {
	if b.X.Rows == 0 {
		return nil
	}
	if s.acc == nil {
		if err := s.begin(b.X.Row(0)); err != nil {
			return err
		}
	}
	if i, j, need := reach.First(s.limits, b.X); i >= 0 {
		return &rff.ValueError{Row: b.First + int64(i), Column: fmt.Sprintf("input %d", j+1), Value: b.X.Row(i)[j], Need: need}
	}
	for i, w := range b.Weight {
		if w != 0 && !(w >= 1/heaviest32 && w <= heaviest32) {
			return &rff.ValueError{Row: b.First + int64(i), Column: "weight", Value: w,
				Need: fmt.Sprintf("sums in float32 hold weights from %.2g to %.2g: rescale the weights", 1/heaviest32, heaviest32)}
		}
	}
	return nil
}

// heaviest32 is the largest weight of a row in float32: 504 products with features whose
// squares reach.New bounds by 2¹⁰⁰ stay finite. The smallest is one over it.
const heaviest32 = 0x1p18

// begin makes what the first row determines.
func (s *adder32) begin(row []float64) error {
	spec := s.features.Spec()
	if spec.Func == asm.Cos || spec.Func == asm.CosSin {
		s.first = slices.Clone(row)
		turn(spec, row)
	}
	s.limits = reach.New(spec, true, s.first, nil)
	m, err := rff.FromSpec(spec, nil)
	if err != nil {
		return err
	}
	s.acc = blas.NewAccumulator(m.Features32(), 0, s.gram)
	return nil
}

// turn makes spec, of cosines, the map of x − row with the features of x.
func turn(spec *blas.Spec, row []float64) {
	f := spec.Frequencies()
	ones := make([]float64, f)
	for i := range ones {
		ones[i] = 1
	}
	angles := blas.Pack[float64](&blas.Spec{Dim: spec.Dim, W: spec.W, Blocks: spec.Blocks, Func: asm.Linear, Weight: ones})
	at := make([]float64, f)
	angles.TransformRow(blas.Engine{Workers: 1}, at, row)
	for i, p := range spec.Phase {
		at[i] += p
	}
	for i, v := range at {
		at[i] = math.Mod(v, 2*math.Pi)
	}
	spec.Phase = at
}

func (s *adder32) add(x, _ blas.General[float64], weight []float64) {
	narrow := dense.Fitting(&s.x, x.Rows, x.Cols)
	for i := range x.Rows {
		to := narrow.Row(i)
		for j, v := range x.Row(i) {
			if s.first != nil {
				v -= s.first[j]
			}
			to[j] = float32(v)
		}
	}
	var w []float32
	if weight != nil {
		w = dense.Fitting(&s.w, 1, x.Rows).Data
		for i, v := range weight {
			w[i] = float32(v)
		}
	}
	s.acc.Add(s.engine, narrow, blas.NewGeneral[float32](x.Rows, 0), w)
}

func (s *adder32) sums() *blas.Sums {
	if s.acc == nil { // no rows
		return new(blas.Sums)
	}
	s.acc.Flush(s.engine)
	return &s.acc.Sums
}
