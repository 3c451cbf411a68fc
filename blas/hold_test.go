package blas

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/internal/optional"
)

// Rows that come one by one, and wait for several row blocks, have the sums of rows
// that come at once, to the last bit, with weights and without.
func TestHeldRowsHaveTheSameSums(t *testing.T) {
	const n, in, targets = 2*RowBlock + 77, 3, 2
	m := Pack[float32](&Spec{Dim: in, W: randomGeneral[float64](rand.New(rand.NewPCG(1, 2)), 10, in, 0), Func: asm.CosSin, Weight: slices.Repeat([]float64{1}, 20)})
	r := rand.New(rand.NewPCG(3, 4))
	x, y := NewGeneral[float32](n, in), NewGeneral[float32](n, targets)
	for _, v := range [][]float32{x.Data, y.Data} {
		for i := range v {
			v[i] = float32(r.NormFloat64())
		}
	}
	for _, weighted := range []bool{false, true} {
		var w []float32
		if weighted {
			for i := range n {
				w = append(w, float32(i%3)+0.5)
			}
		}
		whole := NewAccumulator(m, targets, true)
		whole.Add(Engine{}, x, y, w)
		whole.Flush(Engine{})
		if !weighted {
			last := NewAccumulator(m, targets, true)
			last.Last(Engine{}, x, y)
			if last.Rows != whole.Rows || last.W != whole.W || !slices.Equal(last.G.Data, whole.G.Data) || !slices.Equal(last.ZY.Data, whole.ZY.Data) || !slices.Equal(last.YY, whole.YY) {
				t.Error("Last: other sums than Add and Flush")
			}
		}
		for _, blocks := range []int{1, 2, 5} {
			a := NewAccumulator(m, targets, true)
			a.Hold(blocks)
			for i := range n {
				a.Add(Engine{}, x.RowRange(i, i+1), y.RowRange(i, i+1), optional.Range(w, i, i+1))
				wait := (i + 1) % (blocks * RowBlock)
				if wx, _, ww := a.Waiting(); a.Pending() != wait || len(ww) != wait || (wait > 0 && !slices.Equal(wx.Row(wait-1), x.Row(i))) {
					t.Fatalf("%d blocks: %d rows wait after %d, want %d", blocks, a.Pending(), i+1, wait)
				}
			}
			a.Flush(Engine{})
			for name, v := range map[string][2][]float64{"G": {a.G.Data, whole.G.Data}, "ZY": {a.ZY.Data, whole.ZY.Data}, "Z": {a.Z, whole.Z}, "YY": {a.YY, whole.YY}} {
				if !slices.Equal(v[0], v[1]) {
					t.Errorf("%d blocks, weighted %v: %s differs", blocks, weighted, name)
				}
			}
		}
	}
}
