package blas

import "math"

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
