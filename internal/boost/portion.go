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
	t, words := g.targets, g.words
	g.packed = g.packed[:len(g.rows)*words]
	eachBlock(g.Workers, len(g.rows), 16*words, func(_, from, to int) {
		for k, i := range g.rows[from:to] {
			w, packed := g.weightOf(i), g.packed[(from+k)*words:][:words]
			e, by := g.error[int(i)*t:][:t], w*g.errorUnit
			packed[0] = pack(by*e[0], w*g.weightUnit)
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

// divide gives the rows beyond the threshold the bit of that depth. part becomes the rows on the side
// that has fewer.
func (g *grower) divide(s split, depth int) {
	bins := g.bins[s.input]
	n := len(g.rows)
	upper, lower := g.part.at[:n], g.others[:n]
	var b int
	for k, i := range g.rows {
		bit := beyond(bins[i], s.bin)
		g.leaf[k] |= uint16(bit << depth)
		upper[b], lower[k-b] = int32(k), int32(k)
		b += bit
	}
	g.part.at, g.others, g.beyond = upper[:b], lower[:n-b], true
	if n-b < b {
		g.part.at, g.others, g.beyond = lower[:n-b], upper[:b], false
	}
	g.collect(1<<depth - 1)
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
