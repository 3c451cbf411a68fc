package boost

import "github.com/rffgo/rff/asm"

// scratch is the memory of a worker.
type scratch struct {
	raw   []int64   // words of every leaf and bin; zeros between two inputs
	gain  []float64 // of thresholds, in a leaf
	all   []float64 // in all of them
	total []float64 // the sums of a leaf

	counts []int   // rows on each side of each threshold
	totals []int64 // words of every leaf
	chosen []int32 // places of rows in a chunk
}

// best finds the best thresholds of an input, given the leaves so far.
func (g *grower) best(w *scratch, c, depth int) {
	j := g.inputs[c]
	count := len(g.cuts[j]) + 1
	size := count * g.words
	if g.sums[c] == nil {
		g.sums[c] = make([]int64, size<<(g.Depth-1))
	}
	sums := g.sums[c][:size<<depth]
	// The sums of one side of a division are added up. Those of the other are the rest.
	g.add(w.raw, j)
	if depth == 0 {
		cumulate(sums, sums, sums, w.raw, count, g.words)
	}
	low, high := sums[:len(sums)/2], sums[len(sums)/2:]
	for node := range 1 << depth / 2 {
		at := node * size
		low, high, raw := low[at:at+size], high[at:at+size], w.raw[at:at+size]
		if g.fewer[node] == 1 {
			cumulate(high, low, low, raw, count, g.words)
		} else {
			cumulate(low, high, low, raw, count, g.words)
		}
	}
	all, gain := w.all[:count-1], w.gain[:count-1]
	clear(all)
	splits := append(g.splits[c][:0], split{})
	for leaf := range 1 << depth {
		of := sums[leaf*size:][:size]
		if !g.Own {
			w.gains(g, all, of, 0, count)
			continue
		}
		clear(gain)
		w.gains(g, gain, of, 0, count)
		s := split{place: c, input: j}
		for b, v := range gain {
			all[b] += v
			if v > s.gain {
				s.gain, s.bin = v, b
			}
		}
		splits = append(splits, s)
	}
	splits[0] = largest(all, c, j)
	g.splits[c] = splits
}

// largest returns the threshold of an input with the largest gain.
func largest(gain []float64, place, input int) split {
	s := split{place: place, input: input}
	for b, v := range gain {
		if v > s.gain {
			s.gain, s.bin = v, b
		}
	}
	return s
}

// gains adds what thresholds explain in a leaf, given its sums, of which the first are those up to the first of
// the thresholds.
func (w *scratch) gains(g *grower, gain []float64, of []int64, first, count int) {
	for u := range g.words {
		w.total[2*u+1], w.total[2*u] = asm.Unpack(of[(u+1)*count-1])
	}
	asm.Native[float64]().Gains(gain, of[first:], count, w.total, g.ridge*g.weightUnit)
}

// explained returns what a leaf explains before a split, and after it.
func (g *grower) explained(s split, leaf int) (before, after float64) {
	w, count := &g.scratch[0], len(g.cuts[s.input])+1
	var gain [1]float64
	w.gains(g, gain[:], g.sums[s.place][leaf*count*g.words:][:count*g.words], s.bin, count)
	for _, v := range w.total[1:] {
		before += float64(v * v)
	}
	return before / (w.total[0] + float64(g.ridge*g.weightUnit)), gain[0]
}

// add adds the rows of part to the words of every leaf and bin of an input.
func (g *grower) add(raw []int64, j int) {
	bins, count, words, p := g.bins[j], len(g.cuts[j])+1, g.words, &g.part
	switch {
	case g.rest[j] != nil:
		// Most rows are in one bin: its sums are what the others leave of the totals.
		for _, i := range g.rest[j] {
			k := int(g.place[i])
			s := raw[(int(p.leaf[k])*count+int(bins[i]))*words:][:words]
			for u, v := range p.packed[k*words:][:words] {
				s[u] += v
			}
		}
		for at, total := range g.totals {
			of := raw[at/words*count*words:][:count*words]
			for b := at % words; b < len(of); b += words {
				total -= of[b]
			}
			of[g.common[j]*words+at%words] = total
		}
	case words == 1:
		leaf, packed := p.leaf[:len(p.row)], p.packed[:len(p.row)]
		for k, i := range p.row {
			raw[int(leaf[k])*count+int(bins[i])] += packed[k]
		}
	default:
		for k, i := range p.row {
			s := raw[(int(p.leaf[k])*count+int(bins[i]))*words:][:words]
			for u, v := range p.packed[k*words:][:words] {
				s[u] += v
			}
		}
	}
}

// cumulate writes the sums of raw up to each bin to fresh, and what they leave of whole to other, which is one
// of the two. It clears raw.
func cumulate(fresh, other, whole, raw []int64, count, words int) {
	for at := 0; at < len(fresh); at += count * words {
		for u := range words {
			var sum int64
			from := raw[at+u : at+count*words]
			to, left, whole := fresh[at+u*count:][:count], other[at+u*count:][:count], whole[at+u*count:][:count]
			for b, v := range whole {
				sum += from[b*words]
				from[b*words] = 0
				left[b] = v - sum
				to[b] = sum
			}
		}
	}
}
