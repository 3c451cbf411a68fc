package krr

import (
	"context"
	"iter"
	"math"
	"math/rand/v2"
	"time"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/scaling"
	"github.com/rffgo/rff/krr/internal/stream"
)

// reservoir returns up to count rows of data, drawn without replacement and in
// random order, and the number of rows there are (Vitter's algorithm R). Rows that
// share a fold in the data are a group in the sample.
func reservoir(ctx context.Context, data rff.Source, count int, s *Settings) (*memory, int64, error) {
	in, targets := data.Dims()
	if rows := stream.Count(data); rows >= 0 {
		count = int(min(int64(count), rows)) // take no memory for rows that are not there
	}
	r := &memory{x: blas.NewGeneral[float64](count, in), y: blas.NewGeneral[float64](count, targets), w: make([]float64, count),
		group: make([]uint64, count), index: make([]int64, count), low: make([]float64, in), high: make([]float64, in)}
	for j := range in {
		r.low[j], r.high[j] = math.Inf(1), math.Inf(-1)
	}
	rng := rand.New(rand.NewPCG(s.Seed, 0x9e3779b9))
	var n int64
	weighted, grouped := false, s.foldRows() > 1
	begun := time.Now()
	reported := begun
	for b, err := range ahead(ctx, data, 1) {
		if err != nil {
			return nil, n, err
		}
		for i := range b.X.Rows {
			if stream.Weight(b.Weight, i) == 0 {
				continue // no row
			}
			for j, v := range b.X.Row(i) {
				r.low[j], r.high[j] = min(r.low[j], v), max(r.high[j], v)
			}
			at := n
			if n >= int64(count) {
				if at = rng.Int64N(n + 1); at >= int64(count) {
					n++
					continue
				}
			}
			copy(r.x.Row(int(at)), b.X.Row(i))
			copy(r.y.Row(int(at)), b.Y.Row(i))
			r.w[at] = stream.Weight(b.Weight, i)
			r.group[at], r.index[at] = uint64(s.unit(b, i)), b.First+int64(i)
			weighted, grouped = weighted || b.Weight != nil, grouped || b.Group != nil
			n++
		}
		if now := time.Now(); s.Progress != nil && now.Sub(reported) > progressEvery {
			reported = now
			s.Progress(Progress{Stage: "rows", Rows: n, Total: stream.Count(data), Elapsed: now.Sub(begun)})
		}
	}
	kept := int(min(n, int64(count)))
	r.x, r.y, r.w = r.x.RowRange(0, kept), r.y.RowRange(0, kept), r.w[:kept]
	r.group, r.index = r.group[:kept], r.index[:kept]
	rng.Shuffle(kept, func(i, j int) {
		swap := func(m blas.General[float64]) {
			a, b := m.Row(i), m.Row(j)
			for k := range a {
				a[k], b[k] = b[k], a[k]
			}
		}
		swap(r.x)
		swap(r.y)
		r.w[i], r.w[j] = r.w[j], r.w[i]
		r.group[i], r.group[j] = r.group[j], r.group[i]
		r.index[i], r.index[j] = r.index[j], r.index[i]
	})
	if !grouped {
		r.group = nil
	}
	if !weighted {
		r.w = nil
	}
	return r, n, nil
}

// head returns the first n rows of m, or all.
func (m *memory) head(n int) *memory {
	h := *m
	n = min(n, m.x.Rows)
	h.x, h.y = m.x.RowRange(0, n), m.y.RowRange(0, n)
	h.index = m.index[:n]
	if m.w != nil {
		h.w = m.w[:n]
	}
	if m.group != nil {
		h.group = m.group[:n]
	}
	return &h
}

// rows returns a copy of those rows.
func (m *memory) rows(at []int) *memory {
	c := &memory{x: blas.NewGeneral[float64](len(at), m.x.Cols), y: blas.NewGeneral[float64](len(at), m.y.Cols), classes: m.classes,
		low: m.low, high: m.high}
	for to, i := range at {
		copy(c.x.Row(to), m.x.Row(i))
		copy(c.y.Row(to), m.y.Row(i))
		c.index = append(c.index, m.index[i])
		if m.w != nil {
			c.w = append(c.w, m.w[i])
		}
		if m.group != nil {
			c.group = append(c.group, m.group[i])
		}
	}
	return c
}

// scaled returns the rows of m with scaled inputs, made when they are read.
func (m *memory) scaled(s rff.Scaling) rff.Source { return &scaledRows{memory: m, by: s} }

type scaledRows struct {
	*memory
	by rff.Scaling
}

func (s *scaledRows) Batches(ctx context.Context) iter.Seq2[rff.Batch, error] {
	return func(yield func(rff.Batch, error) bool) {
		for b, err := range s.memory.Batches(ctx) {
			if err == nil {
				x := blas.NewGeneral[float64](b.X.Rows, b.X.Cols)
				scaling.BentRows(s.by.From, s.by.To, s.by.Shift, s.by.Scale, x, b.X)
				b.X = x
			}
			if !yield(b, err) {
				return
			}
		}
	}
}
