package sampling

import (
	"context"
	"math"
	"slices"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/learn"
	"github.com/rffgo/rff/internal/limit"
	"github.com/rffgo/rff/internal/scaling"
)

// learningRows are the rows that a sampler learns on and those it validates on, in
// units of its own: inputs less their means, in standard deviations.
type learningRows struct {
	train, valid learn.Rows
	given        []float64 // standard deviation of each input, in the units of the data
	seen         int64     // rows of positive weight
}

// share of the rows that validate.
const validShare = 0.2

// readLearning reads the data once and keeps up to most of the rows to learn on and
// most/4 to validate on, drawn at random. Which, and which of the two, a hash of the
// seed and the row's index or group decides: a group, or foldRows consecutive rows,
// stay together. The rows come in random order.
func readLearning(ctx context.Context, q *request, most, foldRows int, seed uint64) (*learningRows, error) {
	_, targets := q.data.Schema().Dims()
	if !limit.Fits(most, q.dim+targets) {
		return nil, &rff.ParameterError{Name: "dim", Value: q.dim, Need: "has too many inputs to hold the rows that are learned on in memory"}
	}
	train, valid := newSample(most, q.dim, targets), newSample(max(1, most/4), q.dim, targets)
	check := &pass{width: targets}
	var seen int64
	for b, err := range q.data.Batches(ctx) {
		if err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := checkBatch(b, q.dim, targets); err != nil {
			return nil, err
		}
		if err := check.check(b); err != nil {
			return nil, err
		}
		for i := range b.X.Rows {
			weight := 1.0
			if b.Weight != nil {
				weight = b.Weight[i]
			}
			if weight == 0 {
				continue // no row
			}
			seen++
			row := b.First + int64(i)
			unit := uint64(row / int64(max(1, foldRows)))
			if b.Group != nil {
				unit = b.Group[i]
			}
			to := train
			if float64(hashOf(seed, unit)>>11)*0x1p-53 < validShare {
				to = valid
			}
			to.add(hashOf(^seed, uint64(row)), row, b.X.Row(i), b.Y.Row(i), weight)
		}
	}
	r := &learningRows{train: train.rows(), valid: valid.rows(), seen: seen}
	r.standardise()
	return r, nil
}

// hashOf is a hash of seed and number.
func hashOf(seed, number uint64) uint64 { return mix(seed + 0x9e3779b97f4a7c15*(number+1)) }

// sample keeps the rows of the smallest keys.
type sample struct {
	most int
	d, t int
	at   []kept
	data []float64 // d inputs, t targets and the weight of each row
	full bool      // most rows were left once, the last of them with this key
	last uint64
}

type kept struct {
	key  uint64
	row  int64
	data int // where its numbers begin
}

func newSample(most, d, t int) *sample { return &sample{most: most, d: d, t: t} }

func (s *sample) width() int { return s.d + s.t + 1 }

func (s *sample) add(key uint64, row int64, x, y []float64, weight float64) {
	if s.full && key > s.last {
		return
	}
	if len(s.at) == 2*s.most {
		s.cut()
		s.full, s.last = true, s.at[s.most-1].key
	}
	s.at = append(s.at, kept{key, row, len(s.data)})
	s.data = append(append(append(s.data, x...), y...), weight)
}

// cut leaves the rows of the smallest keys, sorted by them.
func (s *sample) cut() {
	slices.SortFunc(s.at, func(a, b kept) int {
		switch {
		case a.key != b.key && a.key < b.key, a.key == b.key && a.row < b.row:
			return -1
		}
		return 1
	})
	s.at = s.at[:min(len(s.at), s.most)]
	data := make([]float64, 0, len(s.at)*s.width())
	for i, k := range s.at {
		s.at[i].data = len(data)
		data = append(data, s.data[k.data:k.data+s.width()]...)
	}
	s.data = data
}

func (s *sample) rows() learn.Rows {
	s.cut()
	n := len(s.at)
	view := func(from, cols int) blas.General[float64] {
		g := blas.NewGeneral[float64](n, cols)
		for i, k := range s.at {
			copy(g.Row(i), s.data[k.data+from:])
		}
		return g
	}
	r := learn.Rows{X: view(0, s.d), Y: view(s.d, s.t), Weight: make([]float64, n)}
	weighted := false
	for i, k := range s.at {
		r.Weight[i] = s.data[k.data+s.width()-1]
		weighted = weighted || r.Weight[i] != 1
	}
	if !weighted {
		r.Weight = nil
	}
	return r
}

// standardise brings inputs and targets to the units to learn in: inputs to mean
// 0 and standard deviation 1 of the training rows, both of values clipped to the
// 0.5 and 99.5 % quantiles; targets to mean 0 and deviation 1, of classes, which
// are −1 and +1, to mean 0 alone.
func (r *learningRows) standardise() {
	n, d := r.train.X.Rows, r.train.X.Cols
	if n == 0 {
		return
	}
	r.given = make([]float64, d)
	column := make([]float64, n)
	for j := range d {
		for i := range column {
			column[i] = r.train.X.Row(i)[j]
		}
		slices.Sort(column)
		low, high := scaling.Quantile(column, 0.005), scaling.Quantile(column, 0.995)
		if low < high {
			for i, v := range column {
				column[i] = min(max(v, low), high)
			}
		}
		shift, scale := scaling.Standard(column)
		r.given[j] = scale
		for _, x := range []blas.General[float64]{r.train.X, r.valid.X} {
			for i := range x.Rows {
				x.Row(i)[j] = (x.Row(i)[j] - shift) / scale
			}
		}
	}
	for t := range r.train.Y.Cols {
		coded := true
		for i := range column {
			column[i] = r.train.Y.Row(i)[t]
			coded = coded && math.Abs(column[i]) == 1
		}
		shift, scale := scaling.Standard(column)
		if coded {
			scale = 1
		}
		for _, y := range []blas.General[float64]{r.train.Y, r.valid.Y} {
			for i := range y.Rows {
				y.Row(i)[t] = (y.Row(i)[t] - shift) / scale
			}
		}
	}
}
