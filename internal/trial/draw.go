package trial

import (
	"cmp"
	"iter"
	"math"
	"slices"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/fold"
	"github.com/rffgo/rff/internal/stream"
)

// Drawing says which rows of a source a sample has.
type Drawing struct {
	Count int           // different rows, at most
	Seed  uint64        // of the hashes
	Run   int64         // consecutive rows that form a group where a batch has no groups; up to 1: none
	Read  func(n int64) // called after every batch with the rows of positive weight so far; nil: nobody asks
}

// Draw returns the rows of positive weight whose contents have the smallest hashes, in the
// order of their hashes. It also returns how many rows of positive weight there are. The sample
// is random. It depends on the contents of the rows alone, not on their order or number. Rows
// of equal inputs, targets and group become one row, whose weight is the sum of theirs. batches
// are checked rows of in inputs and so many targets.
func Draw(batches iter.Seq2[rff.Batch, error], in, targets int, s Drawing) (*Rows, int64, error) {
	d := &drawn{in: in, width: in + targets, most: max(1, s.Count), below: math.MaxUint64}
	low, high := make([]float64, in), make([]float64, in)
	for j := range in {
		low[j], high[j] = math.Inf(1), math.Inf(-1)
	}
	var n int64
	grouped := s.Run > 1
	for b, err := range batches {
		if err != nil {
			return nil, n, err
		}
		grouped = grouped || b.Group != nil
		for i, w := range stream.Present(b.Weight, b.X.Rows) {
			n++
			x := b.X.Row(i)
			for j, v := range x {
				low[j], high[j] = min(low[j], v), max(high[j], v)
			}
			e := entry{weight: w, copies: 1, index: b.First + int64(i)}
			switch {
			case b.Group != nil:
				e.group = b.Group[i]
			case s.Run > 1:
				e.group = uint64(e.index / s.Run)
			}
			d.add(e, s.Seed, x, b.Y.Row(i))
		}
		if s.Read != nil {
			s.Read(n)
		}
	}
	r := d.rows(targets)
	r.Low, r.High = low, high
	if !grouped {
		r.Group = nil
	}
	return r, n, nil
}

// drawn holds the rows of the smallest hashes so far, and some more.
type drawn struct {
	in, width, most int
	below           uint64 // rows with a larger hash are not in the sample
	entries         []entry
	chunks          [][]float64 // numbers of chunkRows rows each, inputs before targets
	free            []int       // places in chunks that no entry has
}

// chunkRows is how many rows are allotted together.
const chunkRows = 256

type entry struct {
	key    uint64
	weight float64
	copies int64
	group  uint64
	index  int64
	at     int // its place in chunks
}

func (d *drawn) of(e entry) []float64 {
	return d.chunks[e.at/chunkRows][e.at%chunkRows*d.width:][:d.width]
}

func (d *drawn) add(e entry, seed uint64, x, y []float64) {
	e.key = hash(hash(seed+e.group, x), y)
	if e.key > d.below {
		return
	}
	if len(d.entries) >= d.most+d.most/4+64 {
		d.cut()
	}
	if n := len(d.free); n > 0 {
		e.at, d.free = d.free[n-1], d.free[:n-1]
	} else if e.at = len(d.entries); e.at/chunkRows == len(d.chunks) {
		d.chunks = append(d.chunks, make([]float64, chunkRows*d.width))
	}
	d.entries = append(d.entries, e)
	to := d.of(e)
	copy(to, x)
	copy(to[d.in:], y)
}

// cut merges equal rows and keeps those with the smallest hashes, in the order of the hashes.
func (d *drawn) cut() {
	slices.SortFunc(d.entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.weight, b.weight), cmp.Compare(a.index, b.index))
	})
	kept := d.entries[:0]
	for _, e := range d.entries {
		if last := len(kept) - 1; last >= 0 && kept[last].key == e.key && kept[last].group == e.group && slices.Equal(d.of(kept[last]), d.of(e)) {
			kept[last].weight += e.weight
			kept[last].copies += e.copies
			kept[last].index = min(kept[last].index, e.index)
			d.free = append(d.free, e.at)
			continue
		}
		if len(kept) == d.most {
			d.below = kept[len(kept)-1].key
			d.free = append(d.free, e.at)
			continue
		}
		kept = append(kept, e)
	}
	d.entries = kept
}

func (d *drawn) rows(targets int) *Rows {
	d.cut()
	n := len(d.entries)
	r := &Rows{X: blas.NewGeneral[float64](n, d.in), Y: blas.NewGeneral[float64](n, targets)}
	weighted := false
	for i, e := range d.entries {
		copy(r.X.Row(i), d.of(e))
		copy(r.Y.Row(i), d.of(e)[d.in:])
		r.Weight, r.Copies = append(r.Weight, e.weight), append(r.Copies, e.copies)
		r.Group, r.Index = append(r.Group, e.group), append(r.Index, e.index)
		weighted = weighted || e.weight != 1
	}
	if !weighted {
		r.Weight, r.Copies = nil, nil
	}
	return r
}

// hash returns a hash of seed and values. 0 and −0 are the same value.
func hash(seed uint64, values []float64) uint64 {
	h := fold.Mix(seed + 0x9e3779b97f4a7c15)
	for _, v := range values {
		h = (h ^ math.Float64bits(v+0)) * 0xff51afd7ed558ccd
		h ^= h >> 32
	}
	return fold.Mix(h)
}
