package krr

import (
	"context"
	"fmt"
	"iter"
	"math"

	"github.com/rffgo/rff"
)

// BandwidthPoint is one bandwidth of a search.
type BandwidthPoint struct {
	Scale   float64 // factor on the bandwidth of the map given
	Error   float64 // cross-validated squared error summed over targets, at the best λ
	StdErr  float64 // over folds
	Lambda  float64 // the best λ
	Rows    int64   // rows the error rests on: fewer than all if the search gave up on it
	Stopped bool    // given up after a part of the rows
}

// Bandwidths searches the bandwidth of a map: it returns the cross-validated
// error of every factor in scales on m's bandwidth, and the index of the best.
// All use the frequencies of m, which scale by 1/factor, so the comparison has
// no noise from the draws. Factors whose error on the first quarter of the rows
// lies more than three standard errors above the best one's are given up there.
// data should be a sample that fits in memory: it is read once per factor. Of
// the settings Lambda, Lambdas, Folds, FoldRows, Seed, Precision, Scaling, Engine and
// Progress matter.
func Bandwidths(ctx context.Context, m *rff.Map, data rff.Source, scales []float64, s Settings) ([]BandwidthPoint, int, error) {
	p := newStage(s.Progress, "search", 1)
	points, best, err := bandwidths(ctx, m, data, scales, s, p)
	if err == nil {
		p.end()
	}
	return points, best, err
}

// bandwidths is Bandwidths, which advances progress by one part.
func bandwidths(ctx context.Context, m *rff.Map, data rff.Source, scales []float64, s Settings, progress *stage) ([]BandwidthPoint, int, error) {
	if len(scales) == 0 {
		return nil, 0, setting("scales", 0, "the search needs a bandwidth to try")
	}
	s.Probabilities, s.Variance, s.Checkpoint, s.Progress, s.Criterion = false, false, Checkpoint{}, nil, CrossValidation
	if s.Lambda != 0 {
		// The same λ throughout, but still an error from folds.
		s.Lambdas = []float64{s.Lambda, math.Nextafter(s.Lambda, 1)}
		s.Lambda = 0
	}
	var rows int64
	for b, err := range data.Batches(ctx) {
		if err != nil {
			return nil, 0, err
		}
		rows += int64(b.X.Rows)
	}
	out := make([]BandwidthPoint, len(scales))
	share := 1 / float64(len(scales))
	try := func(data rff.Source, i int) error {
		scaled, err := m.Rescale(scales[i])
		if err != nil {
			return fmt.Errorf("krr: %w", err)
		}
		rest := share // of this fit
		s.Progress = func(p Progress) {
			if p.Stage == "select" {
				left := float64(share * (1 - float64(p.Rows)/float64(p.Total)))
				progress.add(rest - left)
				rest = left
			}
		}
		all, err := newProblem(scaled, data, s)
		if err != nil {
			return err
		}
		f, err := newDirect(all)
		if err != nil {
			return err
		}
		if err := f.read(ctx); err != nil {
			return err
		}
		p, err := f.bestPoint(ctx)
		if err != nil {
			return err
		}
		progress.add(rest)
		out[i] = BandwidthPoint{Scale: scales[i], Error: p.Total(), StdErr: p.StdErr, Lambda: p.Lambda, Rows: f.rows}
		return nil
	}
	first := func() (at int) {
		for i, p := range out {
			// Ties go to the larger bandwidth, the smoother function.
			if o := out[at]; !p.Stopped && (o.Stopped || p.Error < o.Error || (p.Error == o.Error && p.Scale > o.Scale)) {
				at = i
			}
		}
		return at
	}
	const least = 400 // below this a quarter of the rows says too little
	if len(scales) > 2 && rows >= 4*least {
		const quarter = 0.2 // of the time
		share *= quarter
		for i := range scales {
			if err := try(head{data, rows / 4}, i); err != nil {
				return nil, 0, err
			}
		}
		best := out[first()]
		for i := range out {
			out[i].Stopped = out[i].Error > best.Error+float64(3*max(best.StdErr, out[i].StdErr))
		}
		share = (1 - quarter) / float64(len(scales))
	}
	for i := range scales {
		if !out[i].Stopped {
			if err := try(data, i); err != nil {
				return nil, 0, err
			}
		} else {
			progress.add(share)
		}
	}
	return out, first(), nil
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
	return &path[best(path, 0, (*PathPoint).Total)], nil
}

// head is the first rows of a source.
type head struct {
	rff.Source
	rows int64
}

func (h head) Classes() []string {
	if l, ok := h.Source.(Labelled); ok {
		return l.Classes()
	}
	return nil
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
