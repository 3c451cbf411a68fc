package boost

import "math/bits"

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
	eachBlock(g.Workers, len(g.rows), 16*words, func(_, from, to int) {
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
	n := len(g.rows)
	g.leaf, g.part.at, g.others = g.leaf[:n], g.part.at[:n], g.others[:0]
	clear(g.leaf)
	for k := range g.part.at {
		g.part.at[k] = int32(k)
	}
	g.collect(0)
	return true
}

// draw draws rowShare of the rows.
func (g *grower) draw(seed uint64) {
	share := float64(rowShare)
	below := uint64(share * (1 << 53))
	rows := g.rows[:cap(g.rows)]
	n := 0
	for i := range g.place {
		g.place[i], rows[n] = 0, int32(i)
		_, drawn := bits.Sub64(mix(seed+uint64(i))>>11, below, 0)
		n += int(drawn)
	}
	g.rows = rows[:n]
}

// mix is number z of splitmix64 (Steele and others, OOPSLA 2014) from 0 on.
func mix(z uint64) uint64 {
	z *= 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// divide gives the rows beyond the threshold of their node the bit of that depth. part becomes the rows on
// the side that has fewer: of all rows where nodes share a threshold, otherwise of those of a node.
func (g *grower) divide(l level, depth int) {
	n, nodes := len(g.rows), 1<<depth
	in, out, leaf := g.part.at[:n], g.others[:n], g.leaf[:n]
	var k int
	if len(l) == 1 {
		bins, threshold := g.bins[l[0].input], l[0].bin
		for at, i := range g.rows {
			bit := beyond(bins[i], threshold)
			leaf[at] |= uint16(bit << depth)
			in[k], out[at-k] = int32(at), int32(at)
			k += bit
		}
		fewer := uint16(1)
		if n-k < k {
			in, out, k, fewer = out, in, n-k, 0
		}
		for node := range nodes {
			g.fewer[node] = fewer
		}
	} else {
		counts := g.counts[:2*nodes]
		clear(counts)
		for at, i := range g.rows {
			s := l[leaf[at]]
			leaf[at] |= uint16(beyond(g.bins[s.input][i], s.bin) << depth)
			counts[leaf[at]]++
		}
		for node := range nodes {
			g.fewer[node] = 0
			if counts[node+nodes] <= counts[node] {
				g.fewer[node] = 1
			}
		}
		for at, number := range leaf {
			in[k], out[at-k] = int32(at), int32(at)
			k += int(1 ^ number>>depth ^ g.fewer[int(number)&(nodes-1)])
		}
	}
	g.part.at, g.others = in[:k], out[:n-k]
	g.collect(uint16(nodes - 1))
}

// beyond returns 1 for a bin beyond a threshold, otherwise 0. It has no branch, which processors would often
// mispredict.
func beyond(bin uint8, threshold int) int {
	return int(uint(threshold-int(bin)) >> (bits.UintSize - 1))
}

// collect copies what belongs to the rows of part. mask has the bits of the leaf that count.
func (g *grower) collect(mask uint16) {
	p := &g.part
	n, words := len(p.at)+1, g.words
	p.row, p.leaf, p.packed = p.row[:n], p.leaf[:n], p.packed[:n*words]
	eachBlock(g.Workers, n-1, 8*words, func(_, from, to int) {
		row, leaf, packed := p.row[from+1:to+1], p.leaf[from+1:to+1], p.packed[(from+1)*words:(to+1)*words]
		for k, at := range p.at[from:to] {
			row[k], leaf[k] = g.rows[at], g.leaf[at]&mask
			if words == 1 {
				packed[k] = g.packed[at]
			} else {
				copy(packed[k*words:][:words], g.packed[int(at)*words:])
			}
		}
	})
	if !g.sparse {
		return
	}
	for _, k := range g.others {
		g.place[g.rows[k]] = 0
	}
	g.totals = g.totals[:(int(mask)+1)*words]
	clear(g.totals)
	for k := 1; k < n; k++ {
		g.place[p.row[k]] = int32(k)
		for u, v := range p.packed[k*words:][:words] {
			g.totals[int(p.leaf[k])*words+u] += v
		}
	}
}
