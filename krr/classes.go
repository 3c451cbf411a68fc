package krr

import (
	"fmt"
	"slices"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	coding "github.com/rffgo/rff/internal/classes"
	"github.com/rffgo/rff/internal/stream"
)

// regression returns the schema of the same columns without classes.
func regression(s rff.Schema) rff.Schema {
	s.Target.Classes, s.Target.Weights = nil, nil
	return s
}

// classCounter checks coded targets and counts the rows of each class, by their most probable one.
type classCounter struct {
	classes []string
	count   []int64 // of rows of positive weight
	shares  bool    // such a row has a target other than −1, 0 and 1, which only probabilities give
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
	if targets != coding.Columns(k) {
		return nil, wrongClasses(k, fmt.Sprintf("coded in %d target columns; the data have %d", coding.Columns(k), targets))
	}
	return &classCounter{classes: classes, count: make([]int64, k)}, nil
}

// add counts the rows of y. first is the index of its first row in the stream.
func (c *classCounter) add(first int64, y blas.General[float64], weight []float64) error {
	for i := range y.Rows {
		k, ok := coding.Of(y.Row(i))
		if !ok {
			return badRow(first+int64(i), "target 1", y.Row(i)[0], "targets of a classification are −1, and +1 for the row's class, or 2p − 1 for the probability p of each class, which add up to 1")
		}
		if stream.Weight(weight, i) > 0 {
			c.count[k]++
			v := y.Row(i)[0]
			c.shares = c.shares || v != 0 && v*v != 1
		}
	}
	return nil
}

// check returns an error if only one class was seen, or if targets in the range of s are codes of
// something else. A row with probabilities counts in its likeliest class alone, so targets of one
// class say that it is the only one where they do not vary.
func (c *classCounter) check(s *shift) error {
	if len(s.lo) == 1 && !c.shares && s.lo[0] == 0 && s.hi[0] == 1 {
		return setting("targets of two classes", "0 and 1", "are −1 for the first and +1 for the second, or 2p − 1 for the probability p of the second")
	}
	return s.varied(c.classes, ": give rows of another class and of positive weight, and more of them where intervals keep a fold apart")
}

// varied returns an error if the targets, which are coded classes, are those of one class. then says
// what to do about it.
func (s *shift) varied(classes []string, then string) error {
	if !slices.Equal(s.lo, s.hi) && slices.Max(s.lo) != 1 {
		return nil
	}
	only := 0
	if len(classes) > 1 {
		only = coding.Decode(s.lo)
	}
	return oneClass(classes[only], then)
}
