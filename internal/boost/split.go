package boost

import "github.com/rffgo/rff/asm"

// scratch is the memory of a worker.
type scratch struct {
	raw  []int64 // words of every leaf and bin; zeros between two inputs
	gain []float64
	all  []float64 // the sums of a leaf
}

// best returns the best threshold of an input, given the leaves so far.
func (g *grower) best(w *scratch, c, depth int) split {
	j := g.inputs[c]
	count := len(g.cuts[j]) + 1
	size := count * g.words
	if g.sums[c] == nil {
		g.sums[c] = make([]int64, size<<(g.Depth-1))
	}
	sums := g.sums[c][:size<<depth]
	// The sums of one side of the last division are added up. Those of the other are the rest.
	g.add(w.raw, j)
	low, high := sums[:len(sums)-len(sums)/2], sums[len(sums)/2:]
	if depth == 0 {
		low, high = sums, sums
	}
	if g.beyond {
		cumulate(high, low, low, w.raw, count, g.words)
	} else {
		cumulate(low, high, low, w.raw, count, g.words)
	}
	gain := w.gain[:count-1]
	clear(gain)
	gains := asm.Native[float64]().Gains
	for leaf := range 1 << depth {
		of := sums[leaf*size:][:size]
		for u := range g.words {
			w.all[2*u+1], w.all[2*u] = asm.Unpack(of[(u+1)*count-1])
		}
		gains(gain, of, count, w.all, g.ridge*g.weightUnit)
	}
	s := split{input: j}
	for b, v := range gain {
		if v > s.gain {
			s.gain, s.bin = v, b
		}
	}
	return s
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
