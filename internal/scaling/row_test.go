package scaling

import (
	"math"
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

// The function through points has their values at them, to the last bit, those of the ends beyond,
// and is straight between; NaN stays NaN.
func TestBent(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct{ from, to, x, want []float64 }{
		{[]float64{1}, []float64{7}, []float64{0, 1, 2}, []float64{7, 7, 7}},
		{[]float64{-1, 3}, []float64{-1, 3}, []float64{-9, -1, 0, 3, 9}, []float64{-1, -1, 0, 3, 3}},
		// 1 + (0.1 − 1) is not 0.1, so a value of a point is no sum.
		{[]float64{0, 1, 2, 4, 8}, []float64{0, 1, 0.1, 5, 6}, []float64{-1, 0, 0.5, 1, 2, 4, 7, 8, 9}, []float64{0, 0, 0.5, 1, 0.1, 5, 5.75, 6, 6}},
		{[]float64{0, 1, 1, 2}, []float64{0, 1, 9, 10}, []float64{1, 1.5}, []float64{1, 9.5}},
		{nil, nil, []float64{3, 4}, []float64{3, 4}},
	} {
		for i, v := range append(c.x, nan) {
			got := []float64{0}
			Bent([][]float64{c.from}, [][]float64{c.to}, nil, nil, got, []float64{v})
			switch {
			case v != v && got[0] == got[0]:
				t.Errorf("%v: NaN becomes %v", c.from, got[0])
			case v == v && got[0] != c.want[i]:
				t.Errorf("%v to %v: %v becomes %v, want %v", c.from, c.to, v, got[0], c.want[i])
			}
		}
	}
}

// A value that follows another of its column is bent as it is alone: counts that repeat and ascend, and zeros of
// both signs.
func TestBentRepeats(t *testing.T) {
	from, to := [][]float64{{0, 2, 5}, nil}, [][]float64{{0, 9, -1}, nil}
	x := blas.NewGeneral[float64](12, 2)
	for i := range x.Rows {
		x.Row(i)[0], x.Row(i)[1] = float64(i/2), math.Copysign(0, float64(i%2)-.5)
	}
	got, want := blas.NewGeneral[float64](12, 2), make([]float64, 2)
	BentRows(from, to, nil, nil, got, x)
	for i := range x.Rows {
		Bent(from, to, nil, nil, want, x.Row(i))
		if !slices.Equal(got.Row(i), want) || math.Signbit(got.Row(i)[1]) != math.Signbit(want[1]) {
			t.Errorf("row %d: %v, want %v", i, got.Row(i), want)
		}
	}
}

// Blocks of rows have the values of single rows, in either element type.
func TestBentBlocks(t *testing.T) {
	from, to := [][]float64{{-3, 0, 40, 90}, nil, {0, 50, 100}, {-9, 9}}, [][]float64{{0, 1, -2, 8}, nil, {1, 0, 5}, {0, 1}}
	shift, scale := []float64{1, 2, 3, 4}, []float64{.3, 7, -2, 1}
	for _, n := range []int{1, together - 1, together, 2*together + 3} {
		x := blas.NewGeneral[float64](n, 4)
		for i := range x.Data {
			x.Data[i] = 100*math.Sin(float64(i)) - 1
		}
		got, low := blas.NewGeneral[float64](n, 4), blas.NewGeneral[float32](n, 4)
		BentRows(from, to, shift, scale, got, x)
		BentRows(from, to, shift, scale, low, x)
		want, wantLow := make([]float64, 4), make([]float32, 4)
		for i := range n {
			Bent(from, to, shift, scale, want, x.Row(i))
			Bent(from, to, shift, scale, wantLow, x.Row(i))
			if !slices.Equal(got.Row(i), want) || !slices.Equal(low.Row(i), wantLow) {
				t.Fatalf("row %d of %d: %v, %v, want %v, %v", i, n, got.Row(i), low.Row(i), want, wantLow)
			}
		}
		if BentRows(from, to, nil, nil, x, x); x.Row(n - 1)[0] != bend(from[0], to[0], 100*math.Sin(float64(4*n-4))-1) {
			t.Errorf("%d rows in place: %v", n, x.Row(n-1))
		}
	}
}
