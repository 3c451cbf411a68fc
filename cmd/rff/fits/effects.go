package fits

import (
	"fmt"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/krr"
)

const (
	// mostEffectRows is how many rows effects are measured on: one of them has a standard error
	// of some 5 %.
	mostEffectRows = 1000
	// effectWork is how many multiply-adds they may take, a second or less. With fewer than
	// leastEffectRows rows for it there are none.
	effectWork      = 2e10
	leastEffectRows = 20
)

// Effects are by how much predictions depend on inputs.
type Effects struct {
	Of   []float64 // each input; nil if they were not measured
	Rows int       // on which they were measured
	Why  string    // they were not
}

// EffectsOf returns by how much the predictions of m, in all columns, depend on each input: half
// the mean square by which they change when another row gives the input, as a share of their
// variance. Of independent inputs these are the total effects (Jansen, "Analysis of variance
// designs for model output", Computer Physics Communications 117, 1999). x has rows in no order,
// unscaled, of which it takes the first. Effects are not measured where predictions do not vary,
// and where there are too few rows, or too many inputs, to measure them.
func EffectsOf(m *krr.Model, x rff.Matrix) (Effects, error) {
	in, out := m.Dims()
	_, s := m.Map().Dims()
	row := float64(in+1) * float64(s) * float64(in+out)
	n := int(min(float64(x.Rows), mostEffectRows, effectWork/row))
	switch {
	case x.Rows < leastEffectRows:
		return Effects{Why: fmt.Sprintf("%d rows are too few to measure how much predictions depend on each input.", x.Rows)}, nil
	case n < leastEffectRows:
		return Effects{Why: fmt.Sprintf("%d inputs with %d features are too many to measure how much predictions depend on each of them.", in, s)}, nil
	}
	x = x.RowRange(0, n)
	of, with := blas.NewGeneral[float64](n, out), blas.NewGeneral[float64](n, out)
	if err := PredictBatch(m, of, x); err != nil {
		return Effects{}, err
	}
	var variance float64
	for k := range out {
		var mean, square float64
		for i := range n {
			d := of.Row(i)[k] - of.Row(0)[k]
			mean, square = mean+d/float64(n), square+float64(d*d)/float64(n)
		}
		variance += square - float64(mean*mean)
	}
	if !(variance > 0) {
		return Effects{Why: "The predictions are the same in all rows, whatever their inputs."}, nil
	}
	changed := blas.NewGeneral[float64](n, in)
	effects := make([]float64, in)
	for j := range effects {
		for i := range n {
			copy(changed.Row(i), x.Row(i))
			changed.Row(i)[j] = x.Row((i + 1) % n)[j]
		}
		if err := PredictBatch(m, with, changed); err != nil {
			return Effects{}, err
		}
		for i := range n {
			for k, v := range with.Row(i) {
				d := v - of.Row(i)[k]
				effects[j] += float64(d*d) / (2 * float64(n) * variance)
			}
		}
	}
	return Effects{Of: effects, Rows: n}, nil
}
