// Package classes codes classes as targets of a regression, and takes predicted
// targets for classes: two classes have one column, −1 for the first and +1 for
// the second; k others have one column each, +1 in the row's own and −1 elsewhere.
package classes

import "github.com/rffgo/rff/blas"

// Columns returns the number of target columns of k classes, or of a number if k is 0.
func Columns(k int) int {
	if k == 2 {
		return 1
	}
	return max(1, k)
}

// Targets codes the indices of k classes as targets.
func Targets(class []int, k int) blas.General[float64] {
	y := blas.NewGeneral[float64](len(class), Columns(k))
	for i, c := range class {
		Encode(y.Row(i), c, k)
	}
	return y
}

// Encode writes class c of k to the Columns(k) targets y.
func Encode(y []float64, c, k int) {
	if k == 2 {
		y[0] = float64(2*c - 1)
		return
	}
	for t := range y {
		y[t] = -1
	}
	y[c] = 1
}

// Decode returns the class that predicted targets y stand for: the largest of
// several, the first of equal ones; the sign of a single one, where 0 counts as
// positive.
func Decode(y []float64) int {
	if len(y) == 1 {
		if y[0] >= 0 {
			return 1
		}
		return 0
	}
	best := 0
	for c, v := range y {
		if v > y[best] {
			best = c
		}
	}
	return best
}

// Of returns the class that the coded targets y stand for, and whether they are
// coded.
func Of(y []float64) (class int, ok bool) {
	positive, at := 0, 0
	for t, v := range y {
		if v == 1 {
			positive, at = positive+1, t
		} else if v != -1 {
			return 0, false
		}
	}
	if len(y) == 1 {
		return positive, true
	}
	return at, positive == 1
}
