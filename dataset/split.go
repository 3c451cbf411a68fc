package dataset

import (
	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/fold"
)

// Split returns a random division of n rows into training and test rows. The test part has
// ⌊n·test + ½⌋ rows, but each part has at least one. The same seed gives the same division
// everywhere.
func Split(n int, test float64, seed uint64) (train, held []int, err error) {
	if !(test > 0 && test < 1) {
		return nil, nil, &rff.ParameterError{Name: "test", Value: test, Need: "the share of test rows must be between 0 and 1"}
	}
	if n < 2 {
		return nil, nil, &rff.ParameterError{Name: "rows", Value: n, Need: "a division needs at least 2"}
	}
	p := fold.Permutation(n, seed)
	k := max(1, min(n-1, int(float64(float64(n)*test)+0.5)))
	return p[k:], p[:k], nil
}
