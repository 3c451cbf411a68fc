package onnx

import (
	"slices"

	"github.com/rffgo/rff/blas"
)

// mostTreeNumbers bounds the numbers that one step of trees makes of a row. The steps follow each other,
// so that a runtime can take the memory of one for the next.
const mostTreeNumbers = 4096

func (m *part) hasTrees() bool {
	return slices.ContainsFunc(m.blocks, func(b blas.Block) bool { return b.Trees != nil })
}

// trees adds the projections of blocks of trees, with zeros in place of those of other blocks, to p if it
// is not "". As in the model, x has its precision, whatever the graph computes in, and thresholds have all
// their digits.
func (b *builder) trees(m *part, p, x string) string {
	if m.precision != b.real {
		x = b.cast(b.real, b.cast(m.precision, x))
	}
	first := 0
	for i := range m.blocks {
		block := &m.blocks[i]
		if block.Trees != nil {
			sum := b.block(m, block, x, first)
			if p != "" {
				sum = b.op("Add", p, sum)
			}
			p = sum
		}
		first += block.Keep
	}
	return p
}

// block adds the projections of a block of trees, the first of which is number first.
func (b *builder) block(m *part, block *blas.Block, x string, first int) (sum string) {
	t := block.Trees
	scale := make([]float64, m.w.Rows)
	copy(scale[first:], block.Scale)
	by := scale
	if t.Tanh { // which the scale follows
		by = slices.Repeat([]float64{1}, m.w.Rows)
	}
	step := max(1, mostTreeNumbers/max(t.Depth, m.w.Rows))
	for from := 0; from < t.Count(); from += step {
		part := b.treesOf(t, by, x, from, min(from+step, t.Count()), first)
		if sum != "" {
			part = b.op("Add", sum, part)
		}
		sum = part
	}
	if t.Tanh {
		sum = b.op("Mul", b.op("Tanh", sum), b.reals(scale))
	}
	return sum
}

// treesOf adds the sum of some trees, times scale, whose projections begin at first.
func (b *builder) treesOf(t *blas.Trees, scale []float64, x string, from, to, first int) string {
	n, width := to-from, len(scale)
	leaves := 1 << t.Depth
	rows := make([]int64, n)
	for i := range rows {
		rows[i] = int64(i * leaves)
	}
	table := make([]float64, n*leaves*width)
	for i := range n * leaves {
		for k, v := range t.Value.Row(from*leaves + i) {
			table[i*width+first+k] = float64(v * scale[first+k])
		}
	}
	row := b.numbers(t, x, from, to)
	sum := b.op("ReduceSum", b.op("Gather", b.reals(table, n*leaves, width), b.op("Add", row, b.whole(rows, 1, n))), b.ints(1))
	b.nodes[len(b.nodes)-1].attributes = []attribute{{"keepdims", int64(0)}}
	return sum
}

// numbers adds the numbers of rows in the tables of some trees, a column for each tree: the answers of one depth
// after the other. Where nodes have comparisons of their own, the answers so far choose the input and the threshold.
func (b *builder) numbers(t *blas.Trees, x string, from, to int) (number string) {
	next := 0 // comparison
	for i := range from * t.Depth {
		next += t.WidthOf(i)
	}
	begin := next
	firsts := make([][]int64, t.Depth)
	wide := make([][]int64, t.Depth) // 1: nodes have their own
	for i := from * t.Depth; i < to*t.Depth; i++ {
		d, w := i%t.Depth, t.WidthOf(i)
		firsts[d], wide[d] = append(firsts[d], int64(next-begin)), append(wide[d], int64(min(1, w-1)))
		next += w
	}
	inputs, thresholds := make([]int64, next-begin), t.Threshold[begin:next]
	for i, j := range t.Input[begin:next] {
		inputs[i] = int64(j)
	}
	var allInputs, allThresholds string
	for d, first := range firsts {
		var asked, threshold string
		if !slices.Contains(wide[d], 1) {
			columns, at := make([]int64, len(first)), make([]float64, len(first))
			for k, i := range first {
				columns[k], at[k] = inputs[i], thresholds[i]
			}
			asked, threshold = b.with([]attribute{{"axis", int64(1)}}, "Gather", x, b.ints(columns...)), b.reals(at)
		} else {
			if allInputs == "" {
				allInputs, allThresholds = b.ints(inputs...), b.reals(thresholds, len(thresholds))
			}
			place := b.op("Add", b.op("Mul", number, b.whole(wide[d], 1, len(first))), b.whole(first, 1, len(first)))
			asked = b.with([]attribute{{"axis", int64(1)}}, "GatherElements", x, b.op("Gather", allInputs, place))
			threshold = b.op("Gather", allThresholds, place)
		}
		bit := b.op("Where", b.op("Greater", asked, threshold), b.ints(1<<d), b.ints(0))
		if d > 0 {
			bit = b.op("Add", number, bit)
		}
		number = bit
	}
	return number
}
