package blas

import (
	"maps"
	"slices"
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

const (
	treeRows  = 8      // are projected at once
	tableRows = 1 << 8 // have their numbers in a byte
)

// trees is a Trees in element type T. A comparison that several trees make is made once.
type trees[T Float] struct {
	depth   int
	inputs  []compared // those with few thresholds first, so that the length of a search seldom changes
	answers int        // one for each threshold, and one more for each input
	node    []uint32   // the places of the answers that are the highest bit of the number of a row, for each tree, then of the next bit
	cols    int
	value   []T // with padding that sums read beyond the last table
}

func newTrees[T Float](t *Trees) *trees[T] {
	out := &trees[T]{depth: t.Depth, cols: t.Value.Cols, value: append(convert[T](t.Value, 1).Data, make([]T, tableRows)...)}
	key, thresholds, first := make([]int64, len(t.Input)), map[int][]int64{}, map[int]int{}
	for i, j := range t.Input {
		key[i] = thresholdKey[T](t.Threshold[i])
		thresholds[j] = append(thresholds[j], key[i])
	}
	for _, j := range slices.Sorted(maps.Keys(thresholds)) {
		slices.Sort(thresholds[j])
		thresholds[j] = slices.Compact(thresholds[j])
		first[j] = out.answers
		out.inputs = append(out.inputs, compared{j, first[j], heapOf(thresholds[j])})
		out.answers += len(thresholds[j]) + 1
	}
	slices.SortStableFunc(out.inputs, func(a, b compared) int { return len(a.heap) - len(b.heap) })
	for b := t.Depth - 1; b >= 0; b-- {
		for i := b; i < len(t.Input); i += t.Depth {
			j := t.Input[i]
			place, _ := slices.BinarySearch(thresholds[j], key[i])
			out.node = append(out.node, uint32(first[j]+place))
		}
	}
	return out
}

// count is Trees.Count.
func (t *trees[T]) count() int { return len(t.node) / t.depth }

// words returns the number of words that project takes as scratch.
func (t *trees[T]) words() int { return t.answers + t.count() }
