package dataset

import (
	"context"
	"iter"
	"math"
	"math/bits"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/optional"
)

// keptWords is the number of words that are taken at a time: 1 MiB.
const keptWords = 1 << 17

// packedRows has rows of numbers in memory. Every 64 inputs are one word that says which of them
// are not 0, and then the inputs that are not 0, unchanged.
type packedRows struct {
	parts [][]uint64 // whole rows each
	row   []uint64   // the row that was packed last; it has room for any row
}

// newPackedRows returns no rows of that many inputs.
func newPackedRows(width int) packedRows {
	return packedRows{row: make([]uint64, 0, width+(width+63)/64)}
}

// pack packs a row, and returns how many words keep would take for it.
func (p *packedRows) pack(x []float64) (take int) {
	p.row = packRow(p.row[:0], x)
	if n := len(p.parts) - 1; n < 0 || cap(p.parts[n])-len(p.parts[n]) < len(p.row) {
		return max(keptWords, len(p.row))
	}
	return 0
}

// keep keeps the row that was packed last. take is what pack said of it.
func (p *packedRows) keep(take int) {
	if take > 0 {
		p.parts = append(p.parts, make([]uint64, 0, take))
	}
	n := len(p.parts) - 1
	p.parts[n] = append(p.parts[n], p.row...)
}

// matrix returns n rows as a matrix. The packed rows are gone then, and their memory is free
// bit by bit.
func (p *packedRows) matrix(n, width int) blas.General[float64] {
	x := blas.NewGeneral[float64](n, width)
	i := 0
	for k, words := range p.parts {
		for ; len(words) > 0; i++ {
			words = unpackRow(x.Row(i), words)
		}
		p.parts[k] = nil
	}
	return x
}

// keptRows has the rows of a pass, packed in memory so that the next passes need not read the
// files.
type keptRows struct {
	most    int64 // bytes
	size    int64
	rows    int
	packed  packedRows // their inputs
	y       []float64  // of each row: the number, or the number of its label in the tally
	weights []float64  // or nil
	groups  []uint64
	numbers bool // y has the labels themselves: there are too many for classes
}

// keep returns an empty keptRows, or nil if o allows no bytes for it.
func (o *Options) keep(width int) *keptRows {
	if o.ours.Keep == 0 {
		return nil
	}
	return &keptRows{most: o.ours.Keep, packed: newPackedRows(width)}
}

// add packs a row. label is the number of its label, or −1 once there are more labels than
// classes may have. It reports false if there is no more room, or if the labels make the
// kept rows useless.
func (k *keptRows) add(o *Options, row Row, label int, t *tally) bool {
	k.size += 8
	if o.Weights != "" {
		k.weights = append(k.weights, row.Weight)
		k.size += 8
	}
	if o.Groups != "" {
		k.groups = append(k.groups, row.group)
		k.size += 8
	}
	y := float64(label)
	if !k.numbers && t.More {
		for i, l := range k.y {
			k.y[i] = t.values[int(l)]
		}
		k.numbers = true
	}
	if k.numbers {
		if y = row.label.Value; !row.label.Number {
			return false
		}
	}
	k.y = append(k.y, y)
	k.rows++
	take := k.packed.pack(row.X)
	if k.size += 8 * int64(take); k.size > k.most {
		return false
	}
	k.packed.keep(take)
	return true
}

// packRow appends a row, for which there is room.
func packRow(to []uint64, x []float64) []uint64 {
	for ; len(x) > 0; x = x[min(64, len(x)):] {
		at, mask := len(to), uint64(0)
		n, room := at+1, to[:cap(to)]
		for j, v := range x[:min(64, len(x))] {
			word, there := math.Float64bits(v), uint64(0)
			if word != 0 {
				there = 1
			}
			room[n] = word
			n += int(there)
			mask |= there << j
		}
		room[at] = mask
		to = room[:n]
	}
	return to
}

// unpackRow writes the row at the beginning of from to x and returns what follows it.
func unpackRow(x []float64, from []uint64) []uint64 {
	for ; len(x) > 0; x = x[min(64, len(x)):] {
		mask := from[0]
		from = from[1:]
		if mask == math.MaxUint64 {
			for j, word := range from[:64] {
				x[j] = math.Float64frombits(word)
			}
			from = from[64:]
			continue
		}
		clear(x[:min(64, len(x))])
		n := bits.OnesCount64(mask)
		for _, word := range from[:n] {
			x[bits.TrailingZeros64(mask)] = math.Float64frombits(word)
			mask &= mask - 1
		}
		from = from[n:]
	}
	return from
}

// Source returns the stream of the rows that Scan has seen, as Files.Source does with
// Coding. It reads the files again, unless Scan could keep all rows in memory.
func (s *Summary) Source() rff.Source {
	again := s.files.source(inside.Observed(s.files.schema, s.fill, s.min, s.max), s.Coding, s.Rows)
	if s.kept == nil {
		return again
	}
	return &keptSource{*again, s.kept, s.fill}
}

type keptSource struct {
	source
	kept *keptRows
	fill []float64
}

func (s *keptSource) Batches(ctx context.Context) iter.Seq2[rff.Batch, error] {
	return func(yield func(rff.Batch, error) bool) {
		in, targets := s.Schema().Dims()
		rows := rowsOf(in+targets, batchValues, batchRows)
		x, y := blas.NewGeneral[float64](rows, in), blas.NewGeneral[float64](rows, targets)
		k, part := s.kept, 0
		var words []uint64
		for first := 0; first < k.rows; first += rows {
			if ctx.Err() != nil {
				yield(rff.Batch{}, context.Cause(ctx))
				return
			}
			n := min(rows, k.rows-first)
			for i := range n {
				if len(words) == 0 {
					words = k.packed.parts[part]
					part++
				}
				words = unpackRow(x.Row(i), words)
				if s.fill != nil {
					fillRow(x.Row(i), s.fill)
				}
				if targets > 0 {
					s.coding.encode(y.Row(i), k.y[first+i])
				}
			}
			b := rff.Batch{First: int64(first), X: x.RowRange(0, n), Y: y.RowRange(0, n),
				Weight: optional.Range(k.weights, first, first+n), Group: optional.Range(k.groups, first, first+n)}
			if !yield(b, nil) {
				return
			}
		}
	}
}

// code replaces the number of each label by the value that c gives it.
func (k *keptRows) code(c Coding, t *tally) error {
	if k.numbers {
		return nil
	}
	values := make([]float64, len(t.values))
	for text, i := range t.ids {
		var err error
		if values[i], err = c.value(textLabel([]byte(text))); err != nil {
			return err
		}
	}
	for i, l := range k.y {
		k.y[i] = values[int(l)]
	}
	return nil
}
