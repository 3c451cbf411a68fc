// Package classes codes classes as targets of a regression, and takes predicted
// targets for classes: two classes have one column, −1 for the first and +1 for
// the second; k others have one column each, +1 in the row's own and −1 elsewhere.
// A row that has a probability p of each class in place of a label has the targets 2p − 1,
// the mean of those of the classes: of two classes p is that of the second.
package classes

import (
	"math"

	"github.com/rffgo/rff/blas"
)

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

// sumTolerance bounds what the probabilities of a row differ from 1 by, all together: those of
// float32 do by up to half a unit in the last place each, 4096 times 6e-8 at most.
const sumTolerance = 1e-3

// Of returns the class that the coded targets y give the largest probability, which is that of
// the label of a row that has one, and whether they are coded.
func Of(y []float64) (class int, ok bool) {
	var sum float64
	for _, v := range y {
		if !(v >= -1 && v <= 1) {
			return 0, false
		}
		sum += float64((1 + v) / 2)
	}
	return Decode(y), len(y) == 1 || math.Abs(sum-1) <= sumTolerance
}

// Share returns the probability of class k by coded targets: 1 or 0 for a row with a label.
func Share(y []float64, k int) float64 {
	switch {
	case len(y) > 1:
		return (1 + y[k]) / 2
	case k == 0:
		return (1 - y[0]) / 2
	}
	return (1 + y[0]) / 2
}

// Each calls each with the classes that coded targets give a probability, and with it. Whoever
// counts rows by their class counts a row without a label in each of its classes by that much.
func Each(y []float64, each func(class int, p float64)) {
	for k := range max(2, len(y)) {
		switch p := Share(y, k); {
		case p == 1:
			each(k, 1)
			return
		case p > 0:
			each(k, p)
		}
	}
}
