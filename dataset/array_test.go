package dataset

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/rffgo/rff"
)

// NaN in an array is missing, as an empty cell of the same table in CSV is.
func TestNaNInArrays(t *testing.T) {
	nan := math.NaN()
	array := write(t, "gaps.npy", npy("<f8", "(5, 3)", []float64{1, 2, 0.5, nan, 3, 1.5, 4, nan, 2.5, 7, 8, 3.5, 9, 1, nan}))
	text := write(t, "gaps.csv", []byte("1,2,0.5\n,3,1.5\n4,,2.5\n7,8,3.5\n9,1,\n"))
	rows := func(path string, o Options) (out [][]float64, err error) {
		f, err := Open(context.Background(), o, path)
		if err != nil {
			return nil, err
		}
		if o.Missing == rff.MissingMean {
			s, err := f.Scan(context.Background(), nil)
			if err != nil {
				return nil, err
			}
			f = f.filled(s.fill)
		}
		for row, err := range f.Rows(context.Background()) {
			if err != nil {
				return out, err
			}
			out = append(out, append(slices.Clone(row.X), row.label.Value))
		}
		return out, nil
	}
	for _, rule := range []rff.Missing{rff.MissingDrop, rff.MissingMean, rff.MissingNaN, ""} {
		a, aErr := rows(array, Options{Missing: rule})
		b, bErr := rows(text, Options{Missing: rule})
		if (aErr == nil) != (bErr == nil) || (rule == rff.MissingDrop) != (aErr == nil) {
			t.Errorf("%q: %v, %v", rule, aErr, bErr) // the last row lacks its label
		}
		if aErr != nil && !strings.Contains(aErr.Error(), "missing (NaN)") {
			t.Errorf("%q: %v", rule, aErr)
		}
		same := func(x, y []float64) bool {
			return slices.EqualFunc(x, y, func(v, w float64) bool { return v == w || v != v && w != w })
		}
		if want := map[rff.Missing]int{rff.MissingDrop: 2, rff.MissingNaN: 4, "": 1}[rule]; len(a) != want || !slices.EqualFunc(a, b, same) {
			t.Errorf("%q: %v, want %d rows %v", rule, a, want, b)
		}
	}
	// Without its last row every rule has an answer.
	array = write(t, "four.npy", npy("<f4", "(4, 3)", []float32{1, 2, 0.5, float32(nan), 3, 1.5, 4, float32(nan), 2.5, 7, 8, 3.5}))
	got, err := rows(array, Options{Missing: rff.MissingMean})
	want := [][]float64{{1, 2, 0.5}, {4, 3, 1.5}, {4, 13. / 3, 2.5}, {7, 8, 3.5}}
	if err != nil || !slices.EqualFunc(got, want, func(x, y []float64) bool {
		return slices.EqualFunc(x, y, func(v, w float64) bool { return math.Abs(v-w) < 1e-14 })
	}) {
		t.Errorf("%v, %v", got, err)
	}
}
