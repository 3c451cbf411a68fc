package classes

import (
	"slices"
	"testing"
)

// The class of predicted targets: the largest, the first of equal ones; of one,
// its sign, where 0 is positive.
func TestDecode(t *testing.T) {
	for _, c := range []struct {
		y    []float64
		want int
	}{
		{[]float64{-0.1}, 0}, {[]float64{0}, 1}, {[]float64{0.1}, 1},
		{[]float64{-1, 0.5, 0.2}, 1}, {[]float64{-1, -0.5, -0.2}, 2}, {[]float64{0.5, 0.5, 0.2}, 0},
	} {
		if got := Decode(c.y); got != c.want {
			t.Errorf("%v: %d, want %d", c.y, got, c.want)
		}
	}
}

func TestEncode(t *testing.T) {
	for _, c := range []struct {
		class, of int
		want      []float64
	}{
		{0, 2, []float64{-1}}, {1, 2, []float64{1}}, {0, 1, []float64{1}}, {1, 3, []float64{-1, 1, -1}},
	} {
		y := make([]float64, Columns(c.of))
		if Encode(y, c.class, c.of); !slices.Equal(y, c.want) {
			t.Errorf("class %d of %d: %v, want %v", c.class, c.of, y, c.want)
		}
	}
}

func TestSort(t *testing.T) {
	for _, want := range [][]string{{"-1", "0.5", "9", "10"}, {"10", "9", "a"}, {"10", "9", "nan"}, {"0x10", "9"}, {"1_0", "9"}} {
		got := slices.Clone(want)
		slices.Reverse(got)
		if Sort(got); !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
