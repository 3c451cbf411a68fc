package blas

import (
	"math"

	"github.com/rffgo/rff/internal/portable"
)

// Rows are projected eight at a time, but for a row alone (numberRow). The answer to a comparison is then a word with a byte for each of
// them, which is 1 where x is above the threshold and otherwise 0, and the bytes of a sum of such words,
// each times a power of 2, are the numbers of the rows of a table. Tables of more than tableRows rows take
// twice the bits, and so half the rows at a time.

// lane returns the number of bits of a word for each row.
func (t *trees[T]) lane() int {
	if 1<<t.depth <= tableRows {
		return treeGroups
	}
	return 16
}

// project writes the projections of the rows of x, times scale, to dst. scratch has words() elements.
func (t *trees[T]) project(dst, x General[T], scale []T, scratch []uint64) {
	if t.ones != nil {
		defer squash(dst, scale)
		scale = t.ones
	}
	answers, count, lane := t.answers(), t.count(), t.lane()
	leaves := scratch[t.groups()*answers : t.words()]
	if x.Rows == 1 {
		t.numberRow(leaves[:count], scratch[:answers], x.Data)
		t.sums(dst, leaves[:count], scale)
		return
	}
	lanes := 64 / lane
	for r := 0; r < x.Rows; r += t.groups() * lanes {
		end := min(r+t.groups()*lanes, x.Rows)
		groups := (end - r + lanes - 1) / lanes
		for g := range groups {
			answer := scratch[g*answers:][:answers]
			t.compare(answer, x.RowRange(r+g*lanes, min(r+(g+1)*lanes, end)), lane)
			number(leaves[g*count:][:count], answer, t.places)
		}
		t.numberWide(leaves, scratch, end-r, lane)
		for g := range groups {
			t.sums(dst.RowRange(r+g*lanes, min(r+(g+1)*lanes, end)), leaves[g*count:][:count], scale)
		}
	}
}

// squash puts hyperbolic tangents, times scale, in the place of numbers.
func squash[T Float](dst General[T], scale []T) {
	for r := range dst.Rows {
		for k, v := range dst.Row(r)[:len(scale)] {
			dst.Row(r)[k] = T(portable.Tanh(float64(v))) * scale[k]
		}
	}
}

// sums writes the sums of the rows that have a lane of the numbers.
func (t *trees[T]) sums(dst General[T], leaf []uint64, scale []T) {
	if t.cols == 1 && t.lane() == 8 && dst.Rows > 1 {
		t.sumColumn(dst, leaf, scale[0])
		return
	}
	for r := range dst.Rows {
		if t.cols == 1 {
			dst.Row(r)[0] = T(t.sumOne(leaf, t.lane()*r) * scale[0])
		} else {
			t.sumRow(dst.Row(r)[:t.cols], leaf, t.lane()*r, scale)
		}
	}
}

// compare writes the answers for as many rows as have a lane, or fewer. Lanes beyond them, to which carries go,
// have no meaning.
func (t *trees[T]) compare(answer []uint64, x General[T], lane int) {
	// Of the words of an input, word k first gets a 1 for each row that exactly k of its thresholds are
	// below. Once words 0 … k are taken off ones, what is left are the rows that more than k thresholds
	// are below, that is, those above threshold k. All are taken off at last, so one sum can go on to the
	// next input.
	ones := uint64(math.MaxUint64) / (1<<lane - 1)
	clear(answer)
	for i := range t.inputs {
		answer[t.inputs[i].first] -= ones
	}
	for r := range x.Rows {
		mark(answer, t.inputs, x.Row(r), 1<<(lane*r))
	}
	var sum uint64
	for i, rows := range answer {
		sum -= rows
		answer[i] = sum
	}
}

// number writes the numbers of rows of tables.
func number(leaf, answer []uint64, place []uint32) {
	clear(leaf)
	for n := len(leaf); len(place) >= 3*n; place = place[3*n:] {
		// Three bits at a time, for one reading and writing of leaf.
		a, b, c := place[:n], place[n:][:n], place[2*n:][:n]
		for i, w := range leaf {
			leaf[i] = 8*w + 4*answer[a[i]] + 2*answer[b[i]] + answer[c[i]]
		}
	}
	for ; len(place) > 0; place = place[len(leaf):] {
		for i, k := range place[:len(leaf)] {
			leaf[i] = 2*leaf[i] + answer[k]
		}
	}
}

// numberRow writes the numbers of rows of tables for x alone, with fewer steps than there are comparisons: it
// turns the bits of those whose thresholds are between x and the middle. No branch depends on a search
// before all are made, so that they overlap.
func (t *trees[T]) numberRow(leaf, end []uint64, x []T) {
	for i := range t.inputs {
		c := &t.inputs[i]
		end[c.first] = uint64(c.first + below(c.heap, float64(x[c.input])))
	}
	copy(leaf, t.middle)
	for i := range t.inputs {
		c := &t.inputs[i]
		end, middle := t.ends[end[c.first]], c.middle
		bits := t.bits[min(end, middle):max(end, middle)]
		for ; len(bits) >= 2; bits = bits[2:] {
			leaf[bits[0].tree] ^= uint64(bits[0].value)
			leaf[bits[1].tree] ^= uint64(bits[1].value)
		}
		for _, b := range bits {
			leaf[b.tree] ^= uint64(b.value)
		}
	}
	for _, w := range t.wide {
		n := t.nodes[uint64(w.first)+leaf[w.tree]&w.mask]
		leaf[w.tree] |= (uint64(n.place) - end[n.first]) >> 63 << w.bit
	}
}

// numberWide adds to the numbers of rows the bits of comparisons that each node has of its own.
func (t *trees[T]) numberWide(leaves, answers []uint64, rows, lane int) {
	for _, w := range t.wide {
		nodes := t.nodes[w.first:][:w.mask+1]
		leaves, answers := leaves, answers
		for left := rows; left > 0; left -= 64 / lane {
			of := leaves[w.tree]
			var bits uint64 // apart from of, so that rows do not wait for each other
			for at := 0; at < min(left*lane, 64); at += lane {
				bits |= answers[nodes[of>>(at&63)&w.mask].place] >> (at & 63) & 1 << (at & 63)
			}
			leaves[w.tree] = of | bits<<w.bit
			if left > 64/lane {
				leaves, answers = leaves[t.count():], answers[t.answers():]
			}
		}
	}
}

// sumColumn writes the sums of the one column of tables of at most tableRows rows. Lanes without a row read some
// number within tableRows of the table.
func (t *trees[T]) sumColumn(dst General[T], leaf []uint64, scale T) {
	var s0, s1, s2, s3, s4, s5, s6, s7 T
	value, first, size := t.value, 0, 1<<t.depth
	for _, w := range leaf {
		v := (*[tableRows]T)(value[first : first+tableRows : first+tableRows])
		first += size
		s0 += v[uint8(w)]
		w >>= 8
		s1 += v[uint8(w)]
		w >>= 8
		s2 += v[uint8(w)]
		w >>= 8
		s3 += v[uint8(w)]
		w >>= 8
		s4 += v[uint8(w)]
		w >>= 8
		s5 += v[uint8(w)]
		w >>= 8
		s6 += v[uint8(w)]
		w >>= 8
		s7 += v[uint8(w)]
	}
	sum := [treeRows]T{s0, s1, s2, s3, s4, s5, s6, s7}
	for r := range dst.Rows {
		dst.Row(r)[0] = T(sum[r] * scale)
	}
}

// mask has the bits of the number of a row of a table.
func (t *trees[T]) mask() uint64 { return 1<<t.depth - 1 }

// sumOne returns the sum, not yet scaled, of the one column for the row whose lane begins at bit shift.
func (t *trees[T]) sumOne(leaf []uint64, shift int) (sum T) {
	value, first, size, mask := t.value, 0, 1<<t.depth, t.mask()
	for _, w := range leaf {
		sum += value[first+int(w>>(shift&63)&mask)]
		first += size
	}
	return sum
}

// sumRow writes the sums of the row whose lane begins at bit shift, some columns at a time. The last of them
// are the last columns, or beyond them if there are not so many.
func (t *trees[T]) sumRow(dst []T, leaf []uint64, shift int, scale []T) {
	const width = 8
	value, cols, size, mask := t.value, len(dst), len(dst)<<t.depth, t.mask()
	for k := 0; k < cols; k += width {
		k := max(0, min(k, cols-width))
		var s0, s1, s2, s3, s4, s5, s6, s7 T
		first := k
		for _, w := range leaf {
			at := first + int(w>>(shift&63)&mask)*cols
			first += size
			v := value[at : at+width : at+width]
			s0 += v[0]
			s1 += v[1]
			s2 += v[2]
			s3 += v[3]
			s4 += v[4]
			s5 += v[5]
			s6 += v[6]
			s7 += v[7]
		}
		sum := [width]T{s0, s1, s2, s3, s4, s5, s6, s7}
		for j := range min(width, cols) {
			dst[k+j] = T(sum[j] * scale[k+j])
		}
	}
}
