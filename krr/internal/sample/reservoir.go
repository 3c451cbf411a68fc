package sample

import (
	"iter"
	"math"
	"math/rand/v2"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/krr/internal/holdout"
	"github.com/rffgo/rff/krr/internal/stream"
)

// Settings of a draw.
type Settings struct {
	Count int           // rows to draw, at most
	Rows  int64         // that the data have, −1 if they do not say
	Seed  uint64        // of the draw
	Run   int64         // consecutive rows that share a fold, and so are a group of the sample
	Read  func(n int64) // called after every batch with the rows of positive weight so far
}

// Reservoir returns up to Count of the rows of positive weight, drawn without
// replacement and in random order, and how many of these rows there are (Vitter's
// algorithm R). Rows that share a fold in the data are a group in the sample.
// batches are checked rows of in inputs and so many targets.
func Reservoir(batches iter.Seq2[rff.Batch, error], in, targets int, s Settings) (*Rows, int64, error) {
	count := s.Count
	if s.Rows >= 0 {
		count = int(min(int64(count), s.Rows)) // take no memory for rows that are not there
	}
	r := newRows(count, in, targets)
	r.Weight, r.Group, r.Low, r.High = make([]float64, count), make([]uint64, count), make([]float64, in), make([]float64, in)
	for j := range in {
		r.Low[j], r.High[j] = math.Inf(1), math.Inf(-1)
	}
	rng := rand.New(rand.NewPCG(s.Seed, 0x9e3779b9))
	var n int64
	weighted, grouped := false, s.Run > 1
	for b, err := range batches {
		if err != nil {
			return nil, n, err
		}
		for i := range b.X.Rows {
			if stream.Weight(b.Weight, i) == 0 {
				continue // no row
			}
			for j, v := range b.X.Row(i) {
				r.Low[j], r.High[j] = min(r.Low[j], v), max(r.High[j], v)
			}
			at := n
			if n >= int64(count) {
				if at = rng.Int64N(n + 1); at >= int64(count) {
					n++
					continue
				}
			}
			copy(r.X.Row(int(at)), b.X.Row(i))
			copy(r.Y.Row(int(at)), b.Y.Row(i))
			r.Weight[at] = stream.Weight(b.Weight, i)
			r.Group[at], r.Index[at] = uint64(holdout.Unit(b, i, s.Run)), b.First+int64(i)
			weighted, grouped = weighted || b.Weight != nil, grouped || b.Group != nil
			n++
		}
		s.Read(n)
	}
	kept := int(min(n, int64(count)))
	r.X, r.Y, r.Weight = r.X.RowRange(0, kept), r.Y.RowRange(0, kept), r.Weight[:kept]
	r.Group, r.Index = r.Group[:kept], r.Index[:kept]
	rng.Shuffle(kept, r.swap)
	if !grouped {
		r.Group = nil
	}
	if !weighted {
		r.Weight = nil
	}
	return r, n, nil
}

func (r *Rows) swap(i, j int) {
	for _, m := range []blas.General[float64]{r.X, r.Y} {
		a, b := m.Row(i), m.Row(j)
		for k := range a {
			a[k], b[k] = b[k], a[k]
		}
	}
	r.Weight[i], r.Weight[j] = r.Weight[j], r.Weight[i]
	r.Group[i], r.Group[j] = r.Group[j], r.Group[i]
	r.Index[i], r.Index[j] = r.Index[j], r.Index[i]
}
