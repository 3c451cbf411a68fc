package boost

import (
	"math"
	"slices"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/portable"
	"github.com/rffgo/rff/internal/schedule"
	"github.com/rffgo/rff/internal/trial"
)

const (
	// An input has at most mostCuts thresholds, so that the number of a bin is a byte.
	mostCuts = 254
	// Sums of bins and leaves may take sumsBytes; otherwise there are fewer thresholds. The 784 inputs of
	// mnist with ten classes would take 560 MB.
	sumsBytes = 256 << 20

	// A tree takes usualRate of the best step where usual trees are planned, and more of it where there
	// are fewer, up to mostRate. Smaller steps do better: 1,500 trees have .98 of the error of 500.
	usualRate, usual, mostRate = 0.1, 500, 0.3
	// The weight of ridge average rows is added to that of the rows of a leaf, which draws the values of
	// small leaves to 0.
	ridge = 1
)

func newGrower(s Settings, rows *trial.Rows) *grower {
	n, t := rows.X.Rows, rows.Y.Cols
	g := &grower{Settings: s, targets: t, weight: rows.Weight, classes: rows.Labels != nil, scale: make([]float64, t), start: make([]float64, t),
		gains: make([]float64, rows.X.Cols), leaf: make([]uint16, n), place: make([]int32, n), words: wordsOf(t), rows: make([]int32, 0, n), unseen: make([]int32, 0, n),
		rest: make([][]int32, rows.X.Cols), common: make([]int, rows.X.Cols), bins: make([][]uint8, rows.X.Cols), cuts: make([][]float64, rows.X.Cols)}
	most := mostCuts
	for g.cut(rows.X, most) > sumsBytes && most > 1 {
		most /= 2
	}
	if len(g.inputs) == 0 {
		return nil
	}
	schedule.Tasks(schedule.Workers(s.Workers), len(g.inputs), func(_, c int) {
		j := g.inputs[c]
		g.bins[j] = binned(rows.X, j, g.cuts[j])
		g.common[j], g.rest[j] = rest(g.bins[j])
	})
	g.sparse = slices.ContainsFunc(g.rest, func(r []int32) bool { return r != nil })
	g.packed, g.totals = make([]int64, 0, n*g.words), make([]int64, g.words<<s.Depth/2)
	g.part = portion{row: make([]int32, n+1), leaf: make([]uint16, n+1), packed: make([]int64, (n+1)*g.words)}
	g.scratch = make([]scratch, schedule.Workers(s.Workers))
	for i := range g.scratch {
		g.scratch[i] = scratch{raw: make([]int64, max(1, 1<<s.Depth/4)*(mostCuts+1)*g.words), gain: make([]float64, mostCuts), all: make([]float64, mostCuts), total: make([]float64, 2*g.words),
			counts: make([]int, 1<<s.Depth), totals: make([]int64, len(g.totals)), chosen: make([]int32, min(n, chunkRows))}
	}
	g.rate = min(mostRate, usualRate*usual/float64(s.Planned))
	g.splits, g.sums = make([][]split, len(g.inputs)), make([][]int64, len(g.inputs))
	g.fewer = make([]uint16, max(1, 1<<s.Depth/2))
	ranges, _ := trial.RangesOf(rows.Y)
	var all float64
	for i := range n {
		all += rows.WeightOf(i)
	}
	g.ridge, g.weightUnit = ridge*all/float64(n), unitOf(all)
	for k := range t {
		var sum float64
		for i := range n {
			sum += float64(rows.WeightOf(i) * rows.Y.Row(i)[k])
		}
		if g.classes { // one more row is between them
			g.start[k], g.scale[k] = portable.Atanh(sum/(all+all/float64(n))), 1
		} else {
			g.start[k], g.scale[k] = sum/all, math.Sqrt(ranges.Variance[k])
		}
	}
	g.left = g.leftOf(rows)
	return g
}

// cut chooses up to so many thresholds of every input, and returns the bytes of the sums for them.
func (g *grower) cut(x blas.General[float64], most int) (bytes int) {
	g.inputs = g.inputs[:0]
	schedule.Tasks(schedule.Workers(g.Workers), x.Cols, func(_, j int) {
		column := make([]float64, x.Rows)
		for i := range column {
			column[i] = x.Row(i)[j]
		}
		g.cuts[j] = cuts(column, most)
	})
	for j := range x.Cols {
		if len(g.cuts[j]) > 0 {
			g.inputs = append(g.inputs, j)
			bytes += 8 * (len(g.cuts[j]) + 1) * g.words << (g.Depth - 1)
		}
	}
	return bytes
}

// cuts sorts a column and returns up to most thresholds between its values: all, or those that leave
// about as many rows between each two.
func cuts(column []float64, most int) []float64 {
	slices.Sort(column)
	n := len(column)
	var out []float64
	different := 1
	for i := 1; i < n; i++ {
		if column[i] != column[i-1] {
			different++
		}
	}
	each := most + 1
	due := n // row i has the next threshold before it if i·each is this or more
	for i := 1; i < n; i++ {
		if column[i] == column[i-1] || different > each && i*each < due {
			continue
		}
		due = max(due+n, i*each+n-most) // the latter after many equal rows
		middle := float64(column[i-1]/2) + float64(column[i]/2)
		if middle >= column[i] { // rounded
			middle = column[i-1]
		}
		out = append(out, middle)
	}
	return out
}

// binned returns for each row the number of cuts below its value of an input.
func binned(x blas.General[float64], j int, cuts []float64) []uint8 {
	out := make([]uint8, x.Rows)
	for i := range out {
		v := x.Row(i)[j]
		// A binary search without branches, which processors would mispredict.
		below := 0
		for left := len(cuts); left > 0; {
			half := (left + 1) / 2
			next := below + half
			if cuts[next-1] < v {
				below = next
			}
			left -= half
		}
		out[i] = uint8(below)
	}
	return out
}

// few is the share of rows in other bins than the one of most rows up to which only these others are added up. For
// one of them that takes as long as for ten of all rows, since it is for every depth, and they lie apart.
const few = 0.1

// rest returns the bin of most rows, and the rows in other bins, or nil if these are many.
func rest(bins []uint8) (common int, rows []int32) {
	var count [256]int
	for _, b := range bins {
		count[b]++
	}
	for b, n := range count {
		if n > count[common] {
			common = b
		}
	}
	n := len(bins) - count[common]
	if float64(n) > few*float64(len(bins)) {
		return common, nil
	}
	rows = make([]int32, 0, n)
	for i, b := range bins {
		if int(b) != common {
			rows = append(rows, int32(i))
		}
	}
	return common, rows
}

// held has the rows by which growing is stopped.
type held struct {
	bins [][]uint8
	left
	rows  *trial.Rows
	all   []int32 // 0, 1, …
	least float64
	g     *grower
	// before and best are the squared errors of rows without trees and with the best number of them.
	before, best []float64
}

func (g *grower) holding(rows *trial.Rows) *held {
	h := &held{bins: make([][]uint8, len(g.bins)), left: g.leftOf(rows), rows: rows, all: make([]int32, rows.X.Rows), least: math.Inf(1), g: g}
	for i := range h.all {
		h.all[i] = int32(i)
	}
	schedule.Tasks(schedule.Workers(g.Workers), len(g.inputs), func(_, c int) {
		j := g.inputs[c]
		h.bins[j] = binned(rows.X, j, g.cuts[j])
	})
	h.before = h.squares()
	return h
}

// squares returns the squared error of each row.
func (h *held) squares() []float64 {
	out := make([]float64, h.rows.X.Rows)
	t := h.g.targets
	eachPart(chunkRows, h.g.Workers, len(out), 32*t, func(_, _, from, to int) {
		for i := from; i < to; i++ {
			for _, e := range h.error[i*t:][:t] {
				out[i] += float64(e * e)
			}
		}
	})
	return out
}

// learned reports whether trees have a smaller error than none, by twice its standard error: the number
// of trees is the best of many.
func (h *held) learned() bool {
	of := func(squares []float64) *trial.Result {
		return trial.ResultOf(len(squares), func(i int) (float64, float64, float64, float64) {
			return squares[i], squares[i], squares[i], h.rows.WeightOf(i)
		})
	}
	return trial.Compare(of(h.before), of(h.best)).Better(2)
}

func (h *held) add(t tree) { t.explain(h.g.Workers, h.bins, h.all, &h.left, h.g.targets) }

// improved reports whether the squared error is the least so far.
func (h *held) improved() bool {
	var sum float64
	squares := h.squares()
	for i, v := range squares {
		sum += float64(h.rows.WeightOf(i) * v)
	}
	if !(sum < h.least) {
		return false
	}
	h.least, h.best = sum, squares
	return true
}
