package boost

// best returns the best threshold of an input, given the leaves so far.
func (g *grower) best(c, depth int) split {
	j := g.inputs[c]
	count, width := len(g.cuts[j])+1, g.targets+1
	if size := count * width << (g.Depth - 1); len(g.sums[c]) < size {
		g.sums[c] = make([]float64, size)
	}
	half := count * width << depth / 2
	sums := g.sums[c][:count*width<<depth]
	if depth == 0 {
		clear(sums)
		g.add(sums, j, 0)
	} else {
		// The sums of one side of the last division are added up, and those of the other are the rest.
		low, high := sums[:half], sums[half:]
		clear(high)
		g.add(high, j, 1<<(depth-1)-1)
		for i, v := range high {
			low[i] -= v
		}
		if !g.beyond {
			for i, v := range high {
				low[i], high[i] = v, low[i]
			}
		}
	}
	gain := make([]float64, count-1)
	all, low := make([]float64, width), make([]float64, width)
	for leaf := range 1 << depth {
		if of := sums[leaf*count*width:][:count*width]; width == 2 {
			scanOne(gain, of, g.ridge)
		} else {
			scan(gain, of, all, low, g.ridge)
		}
	}
	s := split{input: j}
	for b, v := range gain {
		if v > s.gain {
			s.gain, s.bin = v, b
		}
	}
	return s
}

// add adds the rows of part to sums for every leaf and bin of an input. mask has the bits of the leaf
// that count.
func (g *grower) add(sums []float64, j int, mask uint16) {
	bins, count, width := g.bins[j], len(g.cuts[j])+1, g.targets+1
	if g.rest[j] != nil {
		// Most rows are in one bin: its sums are what the others leave of the totals.
		for leaf := range len(g.totals) / width {
			copy(sums[(leaf*count+g.common[j])*width:][:width], g.totals[leaf*width:])
		}
		for _, i := range g.rest[j] {
			k := g.place[i]
			if k < 0 {
				continue
			}
			of := int(g.leaf[k]&mask) * count
			s, most := sums[(of+int(bins[i]))*width:][:width], sums[(of+g.common[j])*width:][:width]
			for t, v := range g.seen[int(k)*width:][:width] {
				s[t] += v
				most[t] -= v
			}
		}
		return
	}
	if width == 2 {
		for _, k := range g.part {
			at := (int(g.leaf[k]&mask)*count + int(bins[g.rows[k]])) * 2
			s := sums[at : at+2 : at+2]
			s[0] += g.seen[2*k]
			s[1] += g.seen[2*k+1]
		}
		return
	}
	for _, k := range g.part {
		at := (int(g.leaf[k]&mask)*count + int(bins[g.rows[k]])) * width
		s := sums[at : at+width]
		for t, v := range g.seen[int(k)*width:][:width] {
			s[t] += v
		}
	}
}

// scan adds to gain what each threshold explains of a leaf: the square of the sum of the errors over their
// weight, of both sides. sums are those of every bin, by is added to weights, all and low are scratch. What
// rounding leaves in a bin without rows does not count, so that its threshold has the gain of the one before.
func scan(gain, sums, all, low []float64, by float64) {
	width := len(all)
	clear(all)
	clear(low)
	for b := 0; b < len(sums); b += width {
		for t := range all {
			all[t] += sums[b+t]
		}
	}
	w := all[width-1]
	var sum float64
	for b := range gain {
		of := sums[b*width:][:width]
		if b > 0 && of[width-1] == 0 { // no rows
			gain[b] += sum
			continue
		}
		for t, v := range of {
			low[t] += v
		}
		left, right := low[width-1]+by, w-low[width-1]+by
		sum = 0
		for t, v := range low[:width-1] {
			r := all[t] - v
			sum += float64(float64(v*v)*right) + float64(float64(r*r)*left)
		}
		sum /= float64(left * right)
		gain[b] += sum
	}
}

// scanOne is scan of one target.
func scanOne(gain, sums []float64, by float64) {
	var all, w float64
	for b := 0; b+1 < len(sums); b += 2 {
		all += sums[b]
		w += sums[b+1]
	}
	var low, weight, sum float64
	sums = sums[:2*len(gain)]
	for b := range gain {
		of := sums[2*b : 2*b+2 : 2*b+2]
		if of[1] != 0 || b == 0 {
			low += of[0]
			weight += of[1]
			r, left, right := all-low, weight+by, w-weight+by
			sum = (float64(float64(low*low)*right) + float64(float64(r*r)*left)) / float64(left*right)
		}
		gain[b] += sum
	}
}
