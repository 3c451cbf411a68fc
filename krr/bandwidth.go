package krr

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/krr/internal/search"
)

// bandwidthPoint is one bandwidth of a search.
type bandwidthPoint struct {
	Scale   float64 // factor on the bandwidth of the map given
	Error   float64 // cross-validated squared error summed over targets, at the best λ
	StdErr  float64 // over folds
	Lambda  float64 // the best λ
	Rows    int64   // rows the error rests on: fewer than all if the search gave up on it
	Stopped bool    // given up after a part of the rows
}

// The grid of bandwidths is 2^{k/2} times a unit, the median distance in the kernel's
// own metric, for k from gridLow to gridHigh. All of it is tried: on real data the error
// has several minima, and climbing from the median would stop at one of them. While the
// best is an end of the grid, gridMore bandwidths are added there, up to k = ±gridMost.
const (
	gridLow  = -8
	gridHigh = 4
	gridMore = 4
	gridMost = 20
)

// searchBandwidths returns the error of every bandwidth of the grid in ascending order,
// and the index of the best. unit is a factor on the bandwidth of m. It advances
// progress by one part. bandwidths says what data and settings must be.
func searchBandwidths(ctx context.Context, m *rff.Map, data rff.Source, unit float64, s Settings, progress *stage) ([]bandwidthPoint, int, error) {
	low, high := gridLow, gridHigh
	points, best, err := bandwidths(ctx, m, data, search.Bandwidths(unit, low, high), s, progress)
	for err == nil && ((best == 0 && low > -gridMost) || (best == len(points)-1 && high < gridMost)) {
		var more []bandwidthPoint
		if best == 0 {
			more, _, err = bandwidths(ctx, m, data, search.Bandwidths(unit, low-gridMore, low-1), s, nil)
			points, low = append(more, points...), low-gridMore
		} else {
			more, _, err = bandwidths(ctx, m, data, search.Bandwidths(unit, high+1, high+gridMore), s, nil)
			points, high = append(points, more...), high+gridMore
		}
		if bad := (*rff.ValueError)(nil); errors.As(err, &bad) {
			err = nil // a map of so small a bandwidth does not resolve the rows
			break
		}
		best = bestBandwidth(points)
	}
	if err != nil {
		return nil, 0, err
	}
	return points, bestBandwidth(points), nil
}

// bestBandwidth returns the index of the least error. Ties go to the larger
// bandwidth, the smoother function.
func bestBandwidth(points []bandwidthPoint) (at int) {
	for i, p := range points {
		if o := points[at]; !p.Stopped && (o.Stopped || p.Error < o.Error || (p.Error == o.Error && p.Scale > o.Scale)) {
			at = i
		}
	}
	return at
}

// bandwidths returns the cross-validated error of every factor in scales on the
// bandwidth of m, and the index of the best; it advances progress by one part.
//
// All factors use the frequencies of m, divided by the factor, so that no draw disturbs
// the comparison. A factor is given up after a quarter of the rows if its error there is
// more than three standard errors above that of the best. data should be a sample in
// memory: it is read once per factor. Of the settings Lambda, Lambdas, Folds, FoldRows,
// Seed, Precision, Scaling and Engine matter.
func bandwidths(ctx context.Context, m *rff.Map, data rff.Source, scales []float64, s Settings, progress *stage) ([]bandwidthPoint, int, error) {
	w, err := newSweep(ctx, m, data, s, progress)
	if err != nil {
		return nil, 0, err
	}
	const least = 400   // below this a quarter of the rows says too little
	const quarter = 0.2 // of the time
	out := make([]bandwidthPoint, len(scales))
	share := 1 / float64(len(scales))
	if len(scales) > 2 && w.rows >= 4*least {
		for i, scale := range scales {
			if out[i], err = w.try(ctx, head{data, w.rows / 4}, scale, share*quarter); err != nil {
				return nil, 0, err
			}
		}
		best := out[bestBandwidth(out)]
		for i := range out {
			out[i].Stopped = out[i].Error > best.Error+float64(3*max(best.StdErr, out[i].StdErr))
		}
		share = (1 - quarter) / float64(len(scales))
	}
	for i, scale := range scales {
		if out[i].Stopped {
			progress.add(share)
		} else if out[i], err = w.try(ctx, data, scale, share); err != nil {
			return nil, 0, err
		}
	}
	return out, bestBandwidth(out), nil
}

// sweep measures bandwidths of one map on the same rows.
type sweep struct {
	m        *rff.Map
	s        Settings
	progress *stage
	rows     int64 // of the data
}

func newSweep(ctx context.Context, m *rff.Map, data rff.Source, s Settings, progress *stage) (*sweep, error) {
	s.Probabilities, s.HeldOut, s.Variance, s.Checkpoint, s.Progress, s.Criterion = false, false, false, Checkpoint{}, nil, CrossValidation
	if s.Lambda != 0 {
		// The same λ throughout, but still an error from folds.
		s.Lambdas = []float64{s.Lambda, math.Nextafter(s.Lambda, 1)}
		s.Lambda = 0
	}
	w := &sweep{m: m, s: s, progress: progress}
	for b, err := range data.Batches(ctx) {
		if err != nil {
			return nil, err
		}
		w.rows += int64(b.X.Rows)
	}
	return w, nil
}

// try measures a factor on the bandwidth, on the rows of data, and advances progress
// by share.
func (w *sweep) try(ctx context.Context, data rff.Source, scale, share float64) (p bandwidthPoint, err error) {
	scaled, err := w.m.Rescale(scale)
	if err != nil {
		return p, fmt.Errorf("krr: %w", err)
	}
	rest := share // of this fit
	s := w.s
	s.Progress = func(p Progress) {
		if p.Stage == "select" {
			left := float64(share * (1 - float64(p.Rows)/float64(p.Total)))
			w.progress.add(rest - left)
			rest = left
		}
	}
	all, err := newProblem(scaled, data, s)
	if err != nil {
		return p, err
	}
	f, err := newDirect(all)
	if err != nil {
		return p, err
	}
	if err := f.read(ctx); err != nil {
		return p, err
	}
	best, err := f.bestPoint(ctx)
	if err != nil {
		return p, err
	}
	w.progress.add(rest)
	return bandwidthPoint{Scale: scale, Error: best.Total, StdErr: best.StdErr, Lambda: best.Lambda, Rows: f.rows}, nil
}

// bestPoint returns the best λ of rows that have been read, by cross-validation.
func (f *direct) bestPoint(ctx context.Context) (*PathPoint, error) {
	if f.rows == 0 {
		return nil, none("rows")
	}
	var path []PathPoint
	if f.few != nil {
		d, err := f.few.dual(ctx)
		if err != nil {
			return nil, err
		}
		if _, err := f.few.choose(ctx, d, nil); err != nil {
			return nil, err
		}
		path = f.report.Path
	} else {
		total, err := f.total()
		if err != nil {
			return nil, err
		}
		if path, _, err = f.crossValidate(ctx, total); err != nil {
			return nil, err
		}
	}
	return &path[best(path, 0, totalOf)], nil
}

// head is the first rows of a source.
type head struct {
	rff.Source
	rows int64
}

func (h head) Schema() rff.Schema {
	s := h.Source.Schema()
	s.Rows = min(s.Rows, h.rows)
	return s
}

func (h head) Batches(ctx context.Context) iter.Seq2[rff.Batch, error] {
	return func(yield func(rff.Batch, error) bool) {
		for b, err := range h.Source.Batches(ctx) {
			if err == nil && b.First+int64(b.X.Rows) > h.rows {
				n := int(h.rows - b.First)
				if n <= 0 {
					return
				}
				b.X, b.Y = b.X.RowRange(0, n), b.Y.RowRange(0, n)
				if b.Weight != nil {
					b.Weight = b.Weight[:n]
				}
				if b.Group != nil {
					b.Group = b.Group[:n]
				}
			}
			if !yield(b, err) {
				return
			}
		}
	}
}
