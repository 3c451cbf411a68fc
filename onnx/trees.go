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
		if t := block.Trees; t != nil {
			step := max(1, mostTreeNumbers/max(t.Depth, m.w.Rows))
			for from := 0; from < t.Count(); from += step {
				sum := b.treesOf(m, block, x, from, min(from+step, t.Count()), first)
				if p != "" {
					sum = b.op("Add", p, sum)
				}
				p = sum
			}
		}
		first += block.Keep
	}
	return p
}

// treesOf adds the sum of some trees of a block, whose projections begin at first.
func (b *builder) treesOf(m *part, block *blas.Block, x string, from, to, first int) string {
	t, n := block.Trees, to-from
	depth, leaves := t.Depth, 1<<t.Depth
	columns := make([]int64, n*depth)
	for i, j := range t.Input[from*depth : to*depth] {
		columns[i] = int64(j)
	}
	bits, rows := make([]int64, depth), make([]int64, n)
	for i := range bits {
		bits[i] = 1 << i
	}
	for i := range rows {
		rows[i] = int64(i * leaves)
	}
	table := make([]float64, n*leaves*m.w.Rows)
	for i := range n * leaves {
		for k, v := range t.Value.Row(from*leaves + i) {
			table[i*m.w.Rows+first+k] = float64(v * block.Scale[k])
		}
	}
	integers := func(v []int64, shape ...int) string { return b.constant(tensor{kind: int64s, shape: shape, i: v}) }
	sum := func(axis int64, of string) string {
		of = b.op("ReduceSum", of, b.ints(axis))
		b.nodes[len(b.nodes)-1].attributes = []attribute{{"keepdims", int64(0)}}
		return of
	}
	asked := b.with([]attribute{{"axis", int64(1)}}, "Gather", x, integers(columns, n, depth))
	more := b.op("Greater", asked, b.reals(t.Threshold[from*depth:to*depth], 1, n, depth))
	row := sum(2, b.op("Where", more, integers(bits, 1, 1, depth), b.ints(0)))
	return sum(1, b.op("Gather", b.reals(table, n*leaves, m.w.Rows), b.op("Add", row, integers(rows, 1, n))))
}
