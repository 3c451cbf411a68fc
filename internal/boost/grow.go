package boost

import (
	"slices"

	"github.com/rffgo/rff/internal/schedule"
)

// grow adds a tree, and reports whether errors were left to explain, all of them finite.
func (g *grower) grow() bool {
	if !g.choose() {
		return false
	}
	t := tree{}
	var before float64
	for depth := range g.Depth {
		work := float64(len(g.part.row) * len(g.inputs) * 16)
		schedule.Tasks(schedule.Worthwhile(g.Workers, work, len(g.inputs)), len(g.inputs), func(w, c int) { g.best(&g.scratch[w], c, depth) })
		l := g.level(1 << depth)
		t.levels = append(t.levels, l)
		if len(l) == 1 {
			g.took(l[0].input, l[0].gain-before)
			before = l[0].gain
		} else {
			before = 0
			for node, s := range l {
				left, gain := g.explained(s, node)
				g.took(s.input, gain-left)
				before += gain
			}
		}
		g.divide(l, depth)
	}
	t.value = g.values()
	g.trees = append(g.trees, t)
	eachPart(chunkRows, g.Workers, len(g.rows), 64*g.targets, func(_, _, from, to int) {
		for k, i := range g.rows[from:to] {
			g.take(int(i), t.of(g.leaf[from+k], g.targets))
		}
	})
	t.explain(g.Workers, g.bins, g.unseen, &g.left, g.targets)
	return true
}

// level returns the splits of a depth of so many nodes.
func (g *grower) level(nodes int) level {
	best := func(at int) split {
		best := g.splits[0][at]
		for _, of := range g.splits[1:] {
			if of[at].gain > best.gain {
				best = of[at]
			}
		}
		return best
	}
	shared := best(0)
	out := level{shared}
	if g.Own && nodes > 1 {
		out = slices.Repeat(out, nodes)
		some := false
		for node := range out {
			_, gain := g.explained(shared, node)
			if own := best(1 + node); own.gain > gain+g.noise {
				out[node], some = own, true
			}
		}
		if !some {
			out = out[:1]
		}
	}
	return out
}

// took counts what a split took off the squared error.
func (g *grower) took(input int, gain float64) {
	g.gains[input] += max(0, gain) / g.errorUnit / g.errorUnit
}

// values returns the values of the leaves.
func (g *grower) values() []float64 {
	t := g.targets
	width := t + 1 // the sums of errors, and then of weights: of classes for each of them
	if g.classes {
		width = 2 * t
	}
	parts := make([][]float64, partsOf(len(g.rows), blockRows))
	eachPart(blockRows, g.Workers, len(g.rows), 64*width, func(_, block, from, to int) {
		sums := make([]float64, width<<g.Depth)
		for k, i := range g.rows[from:to] {
			w := g.weightOf(i)
			of := sums[int(g.leaf[from+k])*width:][:width]
			for c, e := range g.error[int(i)*t:][:t] {
				of[c] += float64(w * e)
			}
			for c := range width - t {
				of[t+c] += float64(w * g.curvature(int(i), c))
			}
		}
		parts[block] = sums
	})
	sums := parts[0]
	for _, p := range parts[1:] {
		for i, v := range p {
			sums[i] += v
		}
	}
	value := make([]float64, t<<g.Depth)
	for leaf := range 1 << g.Depth {
		of := sums[leaf*width:][:width]
		for c := range t {
			value[leaf*t+c] = float64(g.rate*of[c]) / (of[t+c%(width-t)] + g.ridge)
		}
	}
	return value
}

// of returns the values of a leaf.
func (t tree) of(leaf uint16, targets int) []float64 { return t.value[int(leaf)*targets:][:targets] }

// explain takes the values of a tree off what is left of rows, which are numbers of rows of bins.
func (t tree) explain(workers int, bins [][]uint8, rows []int32, of *left, targets int) {
	eachPart(chunkRows, workers, len(rows), 32*(len(t.levels)+targets), func(_, _, from, end int) {
		var numbers [1024]uint16 // leaves of rows that stay in the first-level cache from depth to depth
		for ; from < end; from += len(numbers) {
			rows := rows[from:min(end, from+len(numbers))]
			leaf := numbers[:len(rows)]
			clear(leaf)
			for depth, l := range t.levels {
				if len(l) > 1 {
					for k, at := range leaf {
						s := l[at]
						leaf[k] |= uint16(beyond(bins[s.input][rows[k]], s.bin) << depth)
					}
					continue
				}
				column, threshold := bins[l[0].input], l[0].bin
				for k, i := range rows {
					leaf[k] |= uint16(beyond(column[i], threshold) << depth)
				}
			}
			for k, number := range leaf {
				of.take(int(rows[k]), t.of(number, targets))
			}
		}
	})
}
