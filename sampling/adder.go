package sampling

import (
	"fmt"
	"math"
	"slices"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/reach"
	"github.com/rffgo/rff/internal/stream"
)

// adder adds the rows of a pass to sums. A precision with a least ridge does not tell rows
// far from 0 from each other. There, cosines take each row minus the first row of the data,
// and the phases make up for the shift.
type adder struct {
	features  *rff.Map
	engine    blas.Engine
	width     int // number of targets
	gram      bool
	precision *stream.Precision

	stream.Adder               // nil before the first row of positive weight
	limits       *reach.Limits // of inputs; nil: there are none
}

// admit makes the Adder when it sees the first row of positive weight. It returns an error if the Adder's
// arithmetic cannot take a row of b.
func (d *adder) admit(b rff.Batch) error {
	if d.Adder == nil {
		x := new(present).of(b).X
		if x.Rows == 0 {
			return nil
		}
		if err := d.begin(x.Row(0)); err != nil {
			return err
		}
	}
	if d.limits == nil {
		return nil
	}
	if i, j, need := reach.First(d.limits, b.X); i >= 0 {
		return &rff.ValueError{Row: b.First + int64(i), Column: fmt.Sprintf("input %d", j+1), Value: b.X.Row(i)[j], Need: need}
	}
	most, need := heaviest, "rescale the weights"
	if d.precision.Weight == 1 {
		most, need = 1, "leave weights out, or take sums in float64"
	}
	for i, w := range b.Weight {
		if w != 0 && !(w >= 1/most && w <= most) {
			return &rff.ValueError{Row: b.First + int64(i), Column: "weight", Value: w,
				Need: fmt.Sprintf("sums in %s hold weights from %.2g to %.2g: %s", d.precision.Name, 1/most, most, need)}
		}
	}
	return nil
}

// heaviest is the largest weight of a row in float32. reach.New bounds the squares of
// features by 2¹⁰⁰, so the sum of 504 products with such weights stays finite. The smallest
// weight is 1/heaviest.
const heaviest float64 = 0x1p18

// begin makes what the first row determines.
func (d *adder) begin(row []float64) error {
	if d.precision.LeastRidge == 0 {
		d.Adder = d.precision.NewAdder(d.features, d.engine, d.width, rff.Scaling{}, d.gram)
		return nil
	}
	spec, first := inside.Spec(d.features), rff.Scaling{}
	if spec.Func == asm.Cos || spec.Func == asm.CosSin {
		first.Shift = slices.Clone(row)
		turn(spec, row)
	}
	d.limits = reach.New(spec, d.precision.Number).Raw(first.Shift, nil, nil)
	m, err := inside.New(spec, nil)
	if err != nil {
		return err
	}
	d.Adder = d.precision.NewAdder(m, d.engine, 0, first, d.gram)
	return nil
}

// turn changes the phases of spec, a map of cosines, so that it gives for x − row the
// features that it gave for x.
func turn(spec *blas.Spec, row []float64) {
	f := spec.Frequencies()
	angles := blas.Pack[float64](&blas.Spec{Dim: spec.Dim, W: spec.W, Blocks: spec.Blocks, Func: asm.Linear, Weight: slices.Repeat([]float64{1}, f)})
	at := make([]float64, f)
	angles.TransformRow(blas.Engine{Workers: 1}, at, row)
	dense.Add(at, spec.Phase)
	for i, v := range at {
		at[i] = math.Mod(v, 2*math.Pi)
	}
	spec.Phase = at
}
