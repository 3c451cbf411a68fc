package krr

import (
	"fmt"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/krr/internal/stream"
)

// ClassTargets codes class indices, 0 to k−1, as targets: for two classes one
// column, −1 and +1; for more one column per class, +1 in the row's own and −1
// elsewhere.
func ClassTargets(class []int, k int) blas.General[float64] {
	y := blas.NewGeneral[float64](len(class), classColumns(k))
	for i, c := range class {
		row := y.Row(i)
		if k == 2 {
			row[0] = float64(2*c - 1)
			continue
		}
		for t := range row {
			row[t] = -1
		}
		row[c] = 1
	}
	return y
}

func classColumns(k int) int {
	if k == 2 {
		return 1
	}
	return k
}

// classCounter checks coded targets and counts the rows of each class.
type classCounter struct {
	classes []string
	count   []int64 // of rows of positive weight
}

func newClassCounter(classes []string, targets int) (*classCounter, error) {
	k := len(classes)
	if k < 2 {
		return nil, wrongClasses(k, "a classification needs two or more")
	}
	seen := make(map[string]bool, k)
	for _, l := range classes {
		if seen[l] {
			return nil, wrongClasses(k, fmt.Sprintf("the label %q appears twice", l))
		}
		seen[l] = true
	}
	if targets != classColumns(k) {
		return nil, wrongClasses(k, fmt.Sprintf("coded in %d target columns; the data have %d", classColumns(k), targets))
	}
	return &classCounter{classes, make([]int64, k)}, nil
}

// add counts the rows of y. first is the index of its first row in the stream.
func (c *classCounter) add(first int64, y blas.General[float64], weight []float64) error {
	for i := range y.Rows {
		k, ok := decodeTargets(y.Row(i))
		if !ok {
			return badRow(first+int64(i), "target 1", y.Row(i)[0], "targets of a classification are −1, and +1 for the row's class")
		}
		if stream.Weight(weight, i) > 0 {
			c.count[k]++
		}
	}
	return nil
}

// decodeTargets returns the class that a row of coded targets stands for.
func decodeTargets(y []float64) (class int, ok bool) {
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

// check returns an error if only one class was seen.
func (c *classCounter) check() error {
	seen, last := 0, 0
	for k, n := range c.count {
		if n > 0 {
			seen, last = seen+1, k
		}
	}
	if seen == 1 {
		return oneClass(c.classes[last], "")
	}
	return nil
}

// classOf returns the class of one row of scores: f ≥ 0 is the positive class
// of two, otherwise the first largest.
func classOf(scores []float64) int {
	if len(scores) == 1 {
		if scores[0] >= 0 {
			return 1
		}
		return 0
	}
	best := 0
	for k, v := range scores {
		if v > scores[best] {
			best = k
		}
	}
	return best
}
