package holdout

import (
	"math"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/fold"
	"github.com/rffgo/rff/internal/stream"
)

// Sample holds the rows of a stream that have the least hashes of seed and number. So it does
// not depend on how the stream is cut into batches. Rows of weight 0 have no number: they are as if absent.
type Sample struct {
	// Unit returns the number of the unit of row i, which has the number given. A sample has units in
	// place of rows, and of each unit the one row with the least hash of its own. nil: every row is a
	// unit by itself.
	Unit func(b rff.Batch, i int, number int64) int64

	seed    uint64
	absent  int64  // rows of weight 0 so far
	most    int    // rows
	below   uint64 // rows whose hash is below this are kept
	in, out int
	hash    []uint64
	at      map[uint64]int // the place of a unit, by its hash
	own     []uint64       // hashes of the rows of units
	fold    []int
	of      []int64 // clusters of rows, as place gives them
	w, x, y []float64
}

// NewSample returns an empty sample of at most that many rows, of in inputs and out
// targets.
func NewSample(seed uint64, most, in, out int) *Sample {
	return &Sample{seed: seed, most: most, below: math.MaxUint64, in: in, out: out, at: map[uint64]int{}}
}

// Undivided is the place of rows of a sample without folds.
func Undivided(rff.Batch, int) (fold int, cluster int64) { return 0, 0 }

// Add takes those rows of b into the sample that belong to it and have a positive weight among
// weights. place returns the fold of a row, and a number that rows which may err alike share.
func (s *Sample) Add(b rff.Batch, weights []float64, place func(b rff.Batch, i int) (fold int, cluster int64)) {
	for i := range b.X.Rows {
		number, w := b.First+int64(i)-s.absent, stream.Weight(weights, i)
		if stream.Weight(b.Weight, i) == 0 {
			s.absent++
		}
		if !(w > 0) {
			continue
		}
		own := fold.Hash(s.seed, number)
		z := own
		if s.Unit != nil {
			z = fold.Hash(s.seed, s.Unit(b, i, number))
		}
		if z >= s.below {
			continue
		}
		if r, known := s.at[z]; known && s.Unit != nil {
			if own < s.own[r] {
				s.own[r], s.w[r] = own, w
				s.fold[r], s.of[r] = place(b, i)
				copy(s.x[r*s.in:], b.X.Row(i))
				copy(s.y[r*s.out:], b.Y.Row(i))
			}
			continue
		}
		if len(s.hash) == s.most {
			s.below /= 2
			s.drop()
			if z >= s.below {
				continue
			}
		}
		if s.Unit != nil {
			s.at[z] = len(s.hash)
		}
		s.hash, s.own = append(s.hash, z), append(s.own, own)
		fold, of := place(b, i)
		s.fold, s.of = append(s.fold, fold), append(s.of, of)
		s.w = append(s.w, w)
		s.x = append(s.x, b.X.Row(i)...)
		s.y = append(s.y, b.Y.Row(i)...)
	}
}

// drop removes the rows whose hash is not below the limit.
func (s *Sample) drop() {
	in, out, n := s.in, s.out, 0
	clear(s.at)
	for i, z := range s.hash {
		if z >= s.below {
			continue
		}
		s.hash[n], s.own[n], s.fold[n], s.of[n], s.w[n] = z, s.own[i], s.fold[i], s.of[i], s.w[i]
		if s.Unit != nil {
			s.at[z] = n
		}
		copy(s.x[n*in:(n+1)*in], s.x[i*in:])
		copy(s.y[n*out:(n+1)*out], s.y[i*out:])
		n++
	}
	s.hash, s.own, s.fold, s.of = s.hash[:n], s.own[:n], s.fold[:n], s.of[:n]
	s.w, s.x, s.y = s.w[:n], s.x[:n*in], s.y[:n*out]
}

// Rows returns the number of rows.
func (s *Sample) Rows() int { return len(s.hash) }

// Inputs returns the inputs of all rows, one after the other.
func (s *Sample) Inputs() []float64 { return s.x }

// Each calls f with the rows of a fold, block of them at a time,
// until f returns an error. Row i of x has the targets y(i), the weight w(i) and the cluster cluster(i).
func (s *Sample) Each(fold, block int, f func(x blas.General[float64], y func(i int) []float64, w func(i int) float64, cluster func(i int) int64) error) error {
	var at []int
	for i, of := range s.fold {
		if of == fold {
			at = append(at, i)
		}
	}
	x := blas.NewGeneral[float64](min(block, len(at)), s.in)
	for len(at) > 0 {
		now := at[:min(block, len(at))]
		at = at[len(now):]
		for i, r := range now {
			copy(x.Row(i), s.x[r*s.in:(r+1)*s.in])
		}
		y := func(i int) []float64 { return s.y[now[i]*s.out : (now[i]+1)*s.out] }
		w := func(i int) float64 { return s.w[now[i]] }
		cluster := func(i int) int64 { return s.of[now[i]] }
		if err := f(x.RowRange(0, len(now)), y, w, cluster); err != nil {
			return err
		}
	}
	return nil
}
