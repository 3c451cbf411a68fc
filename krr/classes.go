package krr

import (
	"fmt"

	"github.com/rffgo/rff/blas"
)

// encoder turns class indices into ±1 targets: one column for two classes,
// +1 for Labels[1]; one column per class, one against the rest, for more.
type encoder struct {
	labels []string
	count  []int64
}

func newEncoder(labels []string) (*encoder, error) {
	if len(labels) < 2 {
		return nil, &ClassError{len(labels), "a classification needs two or more"}
	}
	seen := make(map[string]bool, len(labels))
	for _, l := range labels {
		if seen[l] {
			return nil, &ClassError{len(labels), fmt.Sprintf("the label %q appears twice", l)}
		}
		seen[l] = true
	}
	return &encoder{labels, make([]int64, len(labels))}, nil
}

func (c *encoder) targets() int {
	if len(c.labels) == 2 {
		return 1
	}
	return len(c.labels)
}

// encode returns the targets of the class indices y, n×1. first is the index of
// the first row in the stream.
func (c *encoder) encode(first int64, y blas.General[float64]) (blas.General[float64], error) {
	out := blas.NewGeneral[float64](y.Rows, c.targets())
	for i := range y.Rows {
		v := y.Row(i)[0]
		k := int(v)
		if !(v >= 0 && v < float64(len(c.labels))) || float64(k) != v {
			return out, &RowError{first + int64(i), "target 1", v, fmt.Sprintf("must be the index of a class, 0 to %d", len(c.labels)-1)}
		}
		c.count[k]++
		row := out.Row(i)
		for t := range row {
			row[t] = -1
		}
		if len(c.labels) > 2 {
			row[k] = 1
		} else if k == 1 {
			row[0] = 1
		}
	}
	return out, nil
}

// check returns an error if only one class was seen.
func (c *encoder) check() error {
	seen, last := 0, 0
	for k, n := range c.count {
		if n > 0 {
			seen, last = seen+1, k
		}
	}
	if seen == 1 {
		return &ClassError{1, fmt.Sprintf("every row is of class %q; a classification needs two", c.labels[last])}
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
