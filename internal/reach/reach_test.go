package reach_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/reach"
)

// At the limit of an input the spacing of numbers at ωx is 2π: that of an input less
// its shift, over its scale.
func TestLimits(t *testing.T) {
	s := &blas.Spec{Dim: 2, Func: asm.CosSin, W: blas.General[float64]{Rows: 1, Cols: 2, Stride: 2, Data: []float64{2, -0.5}}, Weight: []float64{1, 1}}
	for number, bits := range map[reach.Number]float64{reach.Float64: 52, reach.Float32: 23} {
		for _, scaled := range []bool{false, true} {
			var shift, scale []float64
			middle, factor := []float64{0, 0}, []float64{1, 1}
			if scaled {
				shift, scale = []float64{1e3, -7}, []float64{3, -0.25}
				middle, factor = shift, []float64{3, 0.25}
			}
			l := reach.New(s, number).Raw(shift, scale, nil)
			for j, w := range []float64{2, 0.5} {
				limit := 2 * math.Pi * math.Exp2(bits) / w * factor[j]
				x := blas.NewGeneral[float64](3, 2)
				for i := range x.Rows {
					copy(x.Row(i), middle)
				}
				for by, beyond := range map[float64]bool{0.9999: false, -0.9999: false, 1.0001: true, -1.0001: true} {
					x.Row(1)[j] = middle[j] + by*limit
					i, at, need := reach.First(l, x)
					if beyond != (i == 1 && at == j && strings.Contains(need, "resolves")) || !beyond && (i != -1 || need != "") {
						t.Errorf("input %d, %v, scaled %v, %g of the limit: row %d, %q", j, number, scaled, by, i, need)
					}
				}
				for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
					x.Row(1)[j] = v
					if i, at, need := reach.First(l, x); i != 1 || at != j || !strings.Contains(need, "finite") {
						t.Errorf("%g: row %d, column %d, %q", v, i, at, need)
					}
				}
			}
		}
	}
}

// Trees beside Hadamard blocks leave the limits those of the blocks. Alone they have none, however the
// rows are scaled.
func TestLimitsOfTrees(t *testing.T) {
	trees := blas.Block{Size: 2, Keep: 1, Scale: []float64{1e6}, Trees: &blas.Trees{Depth: 1, Input: []int{0}, Threshold: []float64{3}, Value: blas.NewGeneral[float64](2, 1)}}
	hadamard := blas.Block{Size: 2, Keep: 2, Scale: []float64{2, 3}, D: [][]float64{{1, -1}, {1, 1}}}
	of := func(n reach.Number, blocks ...blas.Block) []float64 {
		_, width := reach.New(&blas.Spec{Dim: 2, Func: asm.Cos, Blocks: blocks}, n).Raw([]float64{5, 5}, []float64{0.5, -2}, nil).Box()
		return width
	}
	for _, n := range []reach.Number{reach.Float64, reach.Float32} {
		if got := of(n, trees, trees); !math.IsInf(got[0], 1) || !math.IsInf(got[1], 1) {
			t.Errorf("%s: trees have the limits %v", n.Name, got)
		}
		for _, blocks := range [][]blas.Block{{trees, trees, hadamard}, {hadamard, trees, trees}} {
			if got, want := of(n, blocks...), of(n, hadamard); !slices.Equal(got, want) {
				t.Errorf("%s: blocks beside trees have the limits %v, alone %v", n.Name, got, want)
			}
		}
	}
}

// A map resolves no value in numbers that do not hold its frequencies, scaled and bent or not.
func TestLimitsOfHugeFrequencies(t *testing.T) {
	s := &blas.Spec{Dim: 2, Func: asm.CosSin, W: blas.General[float64]{Rows: 1, Cols: 2, Stride: 2, Data: []float64{1e39, 1}}, Weight: []float64{1, 1}}
	x := blas.General[float64]{Rows: 1, Cols: 2, Stride: 2, Data: []float64{0, 0}}
	single := reach.New(s, reach.Float32)
	for _, l := range []*reach.Limits{single, single.Raw(nil, []float64{5, 5}, [][]float64{{1, 2}, nil})} {
		if i, j, need := reach.First(l, x); i != 0 || j != 0 || !strings.Contains(need, "frequencies") {
			t.Errorf("row %d, column %d, %q", i, j, need)
		}
	}
	if i, _, need := reach.First(reach.New(s, reach.Float64), x); i >= 0 {
		t.Errorf("float64: row %d, %q", i, need)
	}
}
