package boost

import (
	"math/bits"
	"sync/atomic"

	"github.com/rffgo/rff/internal/fold"
)

// A tree sees two of three rows.
const rowShare = 2. / 3

// choose draws the rows of the next tree and rounds their errors. It reports whether there are any, all of them finite.
func (g *grower) choose() bool {
	g.draw(g.Rand.Uint64())
	if g.errorUnit = g.unitOfErrors(); g.errorUnit == 0 {
		return false
	}
	if g.Own {
		g.noise = g.noiseOfSplits()
	}
	t, words := g.targets, g.words
	g.packed = g.packed[:len(g.rows)*words]
	eachPart(chunkRows, g.Workers, len(g.rows), 64*words, func(_, _, from, to int) {
		for k, i := range g.rows[from:to] {
			w, packed := g.weightOf(i), g.packed[(from+k)*words:][:words]
			e, by := g.error[int(i)*t:][:t], w*g.errorUnit
			packed[0] = pack(by*e[0], w*g.meanCurvature(int(i))*g.weightUnit)
			for u := 1; u < words; u++ {
				var low float64
				if 2*u < t {
					low = by * e[2*u]
				}
				packed[u] = pack(by*e[2*u-1], low)
			}
		}
	})
	g.leaf = g.leaf[:len(g.rows)]
	clear(g.leaf)
	g.fewer[0] = 0
	g.collect(0, 0)
	return true
}

// draw draws rowShare of the rows.
func (g *grower) draw(seed uint64) {
	share := float64(rowShare)
	below := uint64(share * (1 << 53))
	rows, unseen := g.rows[:cap(g.rows)], g.unseen[:cap(g.unseen)]
	n := 0
	for i := range g.place {
		g.place[i], rows[n], unseen[i-n] = 0, int32(i), int32(i)
		_, drawn := bits.Sub64(fold.Hash(0, int64(seed)+int64(i)-1)>>11, below, 0)
		n += int(drawn)
	}
	g.rows, g.unseen = rows[:n], unseen[:len(g.place)-n]
}

// divide gives the rows beyond the threshold of their node the bit of that depth. part becomes the rows on
// the side that has fewer: of all rows where nodes share a threshold, otherwise of those of a node.
func (g *grower) divide(l level, depth int) {
	apart := len(l) // thresholds: 1 where all nodes share one
	for w := range g.scratch {
		clear(g.scratch[w].counts)
	}
	eachPart(chunkRows, g.Workers, len(g.rows), 64, func(worker, _, from, to int) {
		counts, leaf, rows := g.scratch[worker].counts, g.leaf[from:to], g.rows[from:to]
		if apart == 1 {
			bins, threshold, k := g.bins[l[0].input], l[0].bin, 0
			for at, i := range rows {
				bit := beyond(bins[i], threshold)
				leaf[at] |= uint16(bit << depth)
				k += bit
			}
			counts[0] += len(rows) - k
			counts[1] += k
			return
		}
		for at, i := range rows {
			s := l[leaf[at]]
			leaf[at] |= uint16(beyond(g.bins[s.input][i], s.bin) << depth)
			counts[leaf[at]]++
		}
	})
	for node := range 1 << depth {
		of, more := node&(apart-1), 0 // how many more are beyond than not
		for _, s := range g.scratch {
			more += s.counts[of+apart] - s.counts[of]
		}
		g.fewer[node] = 0
		if more <= 0 {
			g.fewer[node] = 1
		}
	}
	g.collect(depth, uint16(1<<depth-1))
}

// beyond returns 1 for a bin beyond a threshold, otherwise 0. It has no branch, which processors would often
// mispredict.
func beyond(bin uint8, threshold int) int {
	return int(uint(threshold-int(bin)) >> (bits.UintSize - 1))
}

// collect copies what belongs to the rows of part, in any order. Of a row they have the bits of the leaf in mask.
func (g *grower) collect(depth int, mask uint16) {
	p, words := &g.part, g.words
	p.row, p.leaf, p.packed = p.row[:cap(p.row)], p.leaf[:cap(p.leaf)], p.packed[:cap(p.packed)]
	g.totals = g.totals[:(int(mask)+1)*words]
	clear(g.totals)
	for w := range g.scratch {
		clear(g.scratch[w].totals)
	}
	var end atomic.Int64
	end.Store(1)
	eachPart(chunkRows, g.Workers, len(g.rows), 64*words, func(worker, _, from, to int) {
		s, rows, leaf := &g.scratch[worker], g.rows[from:to], g.leaf[from:to]
		chosen, k := s.chosen[:len(rows)], 0
		for at, number := range leaf {
			chosen[k] = int32(at)
			k += int(1 ^ number>>depth ^ g.fewer[number&mask])
		}
		first := int(end.Add(int64(k))) - k
		row, part, packed := p.row[first:first+k], p.leaf[first:first+k], p.packed[first*words:(first+k)*words]
		for n, at := range chosen[:k] {
			row[n], part[n] = rows[at], leaf[at]&mask
			if words == 1 {
				packed[n] = g.packed[from+int(at)]
			} else {
				copy(packed[n*words:][:words], g.packed[(from+int(at))*words:])
			}
		}
		if !g.sparse {
			return
		}
		for _, i := range rows {
			g.place[i] = 0
		}
		for n, i := range row {
			g.place[i] = int32(first + n)
			for u, v := range packed[n*words:][:words] {
				s.totals[int(part[n])*words+u] += v
			}
		}
	})
	n := int(end.Load())
	p.row, p.leaf, p.packed = p.row[:n], p.leaf[:n], p.packed[:n*words]
	for _, s := range g.scratch {
		for at := range g.totals {
			g.totals[at] += s.totals[at]
		}
	}
}
