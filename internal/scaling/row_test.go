package scaling

import (
	"slices"
	"testing"

	"github.com/rffgo/rff/blas"
)

func TestRows(t *testing.T) {
	x := blas.General[float64]{Rows: 2, Cols: 2, Stride: 3, Data: []float64{3, 4, 99, 1, 2}}
	if BentRows(nil, nil, []float64{1, 2}, []float64{2, -4}, x, x); !slices.Equal(x.Data, []float64{1, -.5, 99, 0, 0}) {
		t.Error(x.Data)
	}
	defer func() {
		if recover() != errSizes {
			t.Error("a scaling of other columns passes")
		}
	}()
	BentRows(nil, nil, []float64{1}, nil, x, x)
}

func TestRow(t *testing.T) {
	// 1 − 2⁻³⁰ is no float32: a difference that rounds twice would be 0.
	x := []float64{1 - 0x1p-30, 7}
	var low [2]float32
	if Row([]float64{1, 1}, []float64{0x1p-20, 3}, low[:], x); low != [2]float32{-0x1p-10, 2} {
		t.Errorf("float32: %v", low)
	}
	var high [2]float64
	if Row(nil, nil, high[:], x); high != [2]float64(x) {
		t.Errorf("neither: %v", high)
	}
	if Row(nil, []float64{2, 2}, high[:], high[:]); high != [2]float64{x[0] / 2, 3.5} {
		t.Errorf("in place: %v", high)
	}
}
