package blas

import (
	"fmt"
	"math"
)

// Trees is a sum of oblivious trees in place of the transforms of a Block. All nodes of one depth
// of such a tree compare the same input with the same threshold, so that a tree is a table: the
// answers of its Depth comparisons x[Input] > Threshold are the bits of the number of a row of Value,
// the first of them the lowest bit. A projection is the sum of those rows over the trees, in their
// order.
type Trees struct {
	Depth     int
	Input     []int            // Depth for each tree
	Threshold []float64        // the same
	Value     General[float64] // 2^Depth rows for each tree, and a column for each projection
}

// Count returns the number of trees.
func (t *Trees) Count() int { return len(t.Input) / t.Depth }

// mostDepth is the largest Depth of Trees, and mostTreeInputs are the most inputs of their map: no array of
// them has an element for each input, so that a damaged file could claim any number.
const (
	mostDepth      = 12
	mostTreeInputs = 1 << 20
)

// check is Block.check for trees of a block that keeps so many projections of dim inputs.
func (t *Trees) check(dim, keep int) (field string, value any, need string) {
	if t.Depth < 1 || t.Depth > mostDepth {
		return "Trees.Depth", t.Depth, fmt.Sprintf("must be in 1..%d", mostDepth)
	}
	if dim > mostTreeInputs {
		return "Dim", dim, fmt.Sprintf("must be at most %d for trees", mostTreeInputs)
	}
	n := t.Count()
	if n == 0 || len(t.Input) != n*t.Depth || len(t.Threshold) != len(t.Input) {
		return "Trees.Input", len(t.Input), "must have Depth elements for each tree, as Threshold must"
	}
	for i, j := range t.Input {
		if j < 0 || j >= dim {
			return fmt.Sprintf("Trees.Input[%d]", i), j, fmt.Sprintf("must be in 0..%d", dim-1)
		}
	}
	if field, value, need = checkVector("Trees.Threshold", t.Threshold); need != "" {
		return field, value, need
	}
	if t.Value.Rows != n<<t.Depth || t.Value.Cols != keep {
		return "Trees.Value", t.Value.Rows, fmt.Sprintf("must have 2^Depth rows for each tree and Keep = %d columns", keep)
	}
	return checkMatrix("Trees.Value", t.Value)
}

// trees is a Trees in element type T.
type trees[T Float] struct {
	depth int
	node  []node[T]
	value General[T]
}

type node[T Float] struct {
	input     int32
	threshold T
}

func newTrees[T Float](t *Trees) *trees[T] {
	out := &trees[T]{depth: t.Depth, node: make([]node[T], len(t.Input)), value: convert[T](t.Value, 1)}
	for i, j := range t.Input {
		threshold := T(t.Threshold[i])
		if float64(threshold) > t.Threshold[i] {
			// A float32 just above a threshold stays above it only if the threshold is rounded down.
			threshold = T(math.Nextafter32(float32(threshold), float32(math.Inf(-1))))
		}
		out.node[i] = node[T]{int32(j), threshold}
	}
	return out
}

// project writes the projections of x to sum.
func (t *trees[T]) project(sum, x []T) {
	clear(sum)
	first, cols := 0, t.value.Cols
	for nodes := t.node; len(nodes) > 0; nodes = nodes[t.depth:] {
		leaf := 0
		for b := range nodes[:t.depth] {
			bit := 0
			if x[nodes[b].input] > nodes[b].threshold {
				bit = 1
			}
			leaf |= bit << b
		}
		for k, v := range t.value.Data[(first+leaf)*cols:][:cols] {
			sum[k] += v
		}
		first += 1 << t.depth
	}
}
