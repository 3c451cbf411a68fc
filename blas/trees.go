package blas

import (
	"cmp"
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
	depth  int
	inputs []compared // those with few thresholds first, so that the length of a search seldom changes
	bits   []bit      // of the comparisons, by input and then by threshold
	ends   []int      // in bits, of the comparisons with the lowest thresholds of an input: with none, one, … all
	node   []uint32   // the places of the answers that are the highest bit of the number of a row, for each tree, then of the next bit
	middle []uint64   // the numbers of rows where each input is above the lower half of its thresholds
	cols   int
	value  []T // with padding that sums read beyond the last table
}

func newTrees[T Float](t *Trees) *trees[T] {
	out := &trees[T]{depth: t.Depth, middle: make([]uint64, t.Count()), cols: t.Value.Cols, value: append(convert[T](t.Value, 1).Data, make([]T, tableRows)...)}
	key, order, place := make([]int64, len(t.Input)), make([]int, len(t.Input)), make([]uint32, len(t.Input))
	for i, v := range t.Threshold {
		key[i], order[i] = thresholdKey[T](v), i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(t.Input[a], t.Input[b]), cmp.Compare(key[a], key[b]))
	})
	for len(order) > 0 {
		c := compared{input: t.Input[order[0]], first: len(out.ends)}
		var keys []int64
		for len(order) > 0 && t.Input[order[0]] == c.input {
			i := order[0]
			order = order[1:]
			if n := len(keys); n == 0 || keys[n-1] != key[i] {
				keys, out.ends = append(keys, key[i]), append(out.ends, len(out.bits))
			}
			place[i] = uint32(len(out.ends) - 1)
			out.bits = append(out.bits, bit{uint32(i / t.Depth), 1 << (i % t.Depth)})
		}
		c.middle = out.ends[c.first+len(keys)/2]
		for _, b := range out.bits[out.ends[c.first]:c.middle] {
			out.middle[b.tree] += uint64(b.value)
		}
		c.heap, out.ends = heapOf(keys), append(out.ends, len(out.bits))
		out.inputs = append(out.inputs, c)
	}
	slices.SortStableFunc(out.inputs, func(a, b compared) int { return len(a.heap) - len(b.heap) })
	for b := t.Depth - 1; b >= 0; b-- {
		for i := b; i < len(place); i += t.Depth {
			out.node = append(out.node, place[i])
		}
	}
	return out
}

// count is Trees.Count.
func (t *trees[T]) count() int { return len(t.node) / t.depth }

// answers returns the number of answers: one for each threshold, and one more for each input.
func (t *trees[T]) answers() int { return len(t.ends) }

// words returns the number of words that project takes as scratch.
func (t *trees[T]) words() int { return t.answers() + t.count() }
