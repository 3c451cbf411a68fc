package blas

import (
	"cmp"
	"slices"
)

// Trees is a sum of trees in place of the transforms of a Block. A node of a tree compares an input with a
// threshold, and its answer, x[Input] > Threshold, is a bit of the number of a row of Value: the first answer
// is the lowest of Depth bits. All nodes of a depth make the same comparison, or each its own: then the answers so far
// number the nodes in the same way. A projection is the sum of those rows over the trees, in their order.
type Trees struct {
	Depth     int
	Width     []int            // Depth for each tree: the comparisons of depth d, 1 or 2^d; nil: 1 of each
	Input     []int            // of the comparisons, depth by depth
	Threshold []float64        // the same
	Value     General[float64] // 2^Depth rows for each tree, and a column for each projection
	Tanh      bool             // a projection is the hyperbolic tangent of the sum
}

// Count returns the number of trees.
func (t *Trees) Count() int { return t.Value.Rows >> t.Depth }

// WidthOf returns Width of depth i % Depth of tree i / Depth.
func (t *Trees) WidthOf(i int) int {
	if t.Width == nil {
		return 1
	}
	return t.Width[i]
}

const (
	treeRows   = 8 // are projected at once, and treeGroups times as many where nodes have comparisons of their own
	treeGroups = 8
	tableRows  = 1 << 8 // have their numbers in a byte
)

// trees is a Trees in element type T. A comparison that several trees make is made once.
type trees[T Float] struct {
	depth  int
	inputs []compared // those with few thresholds first, so that the length of a search seldom changes
	bits   []bit      // of the comparisons, by input and then by threshold
	wide   []wide     // by tree and then by depth
	nodes  []node     // of all depths
	ends   []int      // in bits, of the comparisons with the lowest thresholds of an input: with none, one, … all
	places []uint32   // of the answers that are the highest bit of the number of a row, for each tree, then of the next bit; for wide depths that of an answer that is always no
	middle []uint64   // the numbers of rows where each input is above the lower half of its thresholds
	cols   int
	value  []T // with padding that sums read beyond the last table
	ones   []T // of columns, if projections are hyperbolic tangents
}

// wide is a depth of a tree whose nodes have comparisons of their own. As many of the lowest bits of the number so
// far as mask has are the number of a node.
type wide struct {
	tree, bit, first uint32
	mask             uint64
}

// node is a comparison: the place of its answer, and that of the first answer of its input.
type node struct{ place, first uint32 }

func newTrees[T Float](t *Trees) *trees[T] {
	out := &trees[T]{depth: t.Depth, middle: make([]uint64, t.Count()), cols: t.Value.Cols, value: append(convert[T](t.Value, 1).Data, make([]T, tableRows)...)}
	if t.Tanh {
		out.ones = slices.Repeat([]T{1}, t.Value.Cols)
	}
	key, order := make([]int64, len(t.Input)), make([]int, len(t.Input))
	out.nodes = make([]node, len(t.Input))
	one := make([]int, 0, len(t.Input)) // the tree and depth of a comparison that all nodes make, or -1
	for i := range t.Count() * t.Depth {
		w := t.WidthOf(i)
		if w == 1 {
			one = append(one, i)
			continue
		}
		out.wide = append(out.wide, wide{uint32(i / t.Depth), uint32(i % t.Depth), uint32(len(one)), uint64(w - 1)})
		one = append(one, slices.Repeat([]int{-1}, w)...)
	}
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
			out.nodes[i] = node{uint32(len(out.ends) - 1), uint32(c.first)}
			if i := one[i]; i >= 0 {
				out.bits = append(out.bits, bit{uint32(i / t.Depth), 1 << (i % t.Depth)})
			}
		}
		c.middle = out.ends[c.first+len(keys)/2]
		for _, b := range out.bits[out.ends[c.first]:c.middle] {
			out.middle[b.tree] += uint64(b.value)
		}
		c.heap, out.ends = heapOf(keys), append(out.ends, len(out.bits))
		out.inputs = append(out.inputs, c)
	}
	slices.SortStableFunc(out.inputs, func(a, b compared) int { return len(a.heap) - len(b.heap) })
	out.places = slices.Repeat([]uint32{uint32(len(out.ends) - 1)}, t.Count()*t.Depth)
	for k, i := range one {
		if i >= 0 {
			out.places[(t.Depth-1-i%t.Depth)*t.Count()+i/t.Depth] = out.nodes[k].place
		}
	}
	return out
}

// count is Trees.Count.
func (t *trees[T]) count() int { return len(t.places) / t.depth }

// answers returns the number of answers: one for each threshold, and one more for each input.
func (t *trees[T]) answers() int { return len(t.ends) }

// groups returns how many groups of rows, as many as have a lane of a word each, go through the wide depths of one
// tree after the other, whose nodes stay in the first-level cache.
func (t *trees[T]) groups() int {
	if t.wide == nil {
		return 1
	}
	return treeGroups
}

// words returns the number of words that project takes as scratch.
func (t *trees[T]) words() int { return t.groups() * (t.answers() + t.count()) }
