package krr

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/scaling"
	"github.com/rffgo/rff/krr/internal/stream"
	"github.com/rffgo/rff/sampling"
)

// AutoSettings of Auto. The zero value is the default throughout.
type AutoSettings struct {
	// Settings of the final fit. In Auto a regression clips its predictions and
	// a classification has probabilities; a zero Scaling is fitted to the data.
	Settings
	// Features of the map. 0: a sixteenth of the rows, within 256 to 2048.
	Features int
	// Kernels to choose from, with bandwidth 1: Auto scales them. nil: the
	// Gaussian and the Laplacian kernel.
	Kernels []rff.Stationary
	// Sampler of the frequencies. nil: sampling.Default.
	Sampler rff.Sampler
	// SearchRows is the number of rows, drawn at random, that kernel, bandwidth
	// and scaling are chosen on. 0: 4000.
	SearchRows int
	// SearchFeatures of the search's map. 0: 256.
	SearchFeatures int
	// KeepUnclipped leaves the predictions of a regression unbounded.
	KeepUnclipped bool
}

// Choice is a kernel that Auto tried.
type Choice struct {
	Kernel rff.Stationary // of bandwidth 1
	Median float64        // median distance of scaled rows, the unit of Points' scales
	Points []BandwidthPoint
	Best   int // index in Points
}

// AutoReport says what Auto chose and why.
type AutoReport struct {
	Rows     int64 // in the data, of positive weight
	Searched int   // rows that the search used
	Choices  []Choice
	Best     int        // index in Choices
	Kernel   rff.Kernel // the one chosen, with its bandwidth, in scaled inputs
	Features int
	Scaling  rff.Scaling
	Fit      *Report
	Search   time.Duration // reading the sample and searching
}

// Auto fits a well-tuned model to rows: it scales the inputs robustly, chooses
// kernel and bandwidth by cross-validation on a sample of the rows, and λ by
// cross-validation on all of them. Everything chosen is in the report and in
// the model's provenance. Errors: those of Fit; *rff.ParameterError.
func Auto(ctx context.Context, data rff.Source, s AutoSettings) (*Model, *AutoReport, error) {
	begin := time.Now()
	if s.SearchRows == 0 {
		s.SearchRows = 4000
	}
	if s.SearchRows < 20 {
		return nil, nil, setting("search rows", s.SearchRows, "must be at least 20")
	}
	if s.SearchFeatures == 0 {
		s.SearchFeatures = 256
	}
	if s.Kernels == nil {
		s.Kernels = []rff.Stationary{rff.Gaussian{}, rff.Laplacian{}}
	}
	if l, ok := data.(Labelled); ok && s.Classes == nil {
		s.Classes = l.Classes()
	}
	in, targets := data.Dims()
	found, n, err := reservoir(ctx, data, s.SearchRows, &s.Settings)
	if err != nil {
		return nil, nil, err
	}
	if n == 0 {
		return nil, nil, none("rows")
	}
	if s.Scaling.IsIdentity() {
		s.Scaling = robustScaling(found)
	}
	found.classes = s.Classes
	report := &AutoReport{Rows: n, Searched: found.x.Rows, Scaling: s.Scaling}

	median, err := medianDistance(found, s.Scaling, s.Seed)
	if err != nil {
		return nil, nil, err
	}
	lowest := math.Inf(1)
	searching := newStage(s.Progress, "search", len(s.Kernels))
	for i, k := range s.Kernels {
		m, err := s.sample(ctx, k, in, s.SearchFeatures, data)
		if err != nil {
			return nil, nil, fmt.Errorf("krr: kernel %v: %w", k, err)
		}
		points, best, err := bandwidths(ctx, m, found, bandwidthGrid(median, -8, 4), s.Settings, searching)
		if err != nil {
			return nil, nil, err
		}
		report.Choices = append(report.Choices, Choice{k, median, points, best})
		if points[best].Error < lowest {
			lowest, report.Best = points[best].Error, i
		}
	}
	searching.end()
	report.Search = time.Since(begin)

	chosen := report.Choices[report.Best]
	report.Features = s.Features
	if s.Features == 0 {
		report.Features = 2 * int(max(128, min(1024, n/32)))
	}
	if err := CheckMemory(in, report.Features, targets, n, s.Settings); err != nil {
		return nil, nil, err
	}
	m, err := s.sample(ctx, chosen.Kernel, in, report.Features, data)
	if err != nil {
		return nil, nil, err
	}
	if m, err = m.Rescale(chosen.Points[chosen.Best].Scale); err != nil {
		return nil, nil, fmt.Errorf("krr: %w", err)
	}
	report.Kernel = m.Kernel()
	set := s.Settings
	set.ClipPredictions = s.Classes == nil && !s.KeepUnclipped
	set.Probabilities = s.Classes != nil
	set.Provenance = map[string]string{
		"auto": fmt.Sprintf("%v of %d kernels, bandwidth %.4g (%.3g × median distance) of %d, on %d rows",
			report.Kernel, len(s.Kernels), chosen.Points[chosen.Best].Scale, chosen.Points[chosen.Best].Scale/median, len(chosen.Points), found.x.Rows),
	}
	for k, v := range s.Provenance {
		set.Provenance[k] = v
	}
	model, fitted, err := Fit(ctx, m, data, set)
	if err != nil {
		return nil, nil, err
	}
	report.Fit = fitted
	return model, report, nil
}

// sample draws a map of kernel k.
func (s *AutoSettings) sample(ctx context.Context, k rff.Stationary, in, features int, data rff.Source) (*rff.Map, error) {
	sampler := s.Sampler
	if sampler == nil {
		sampler = sampling.Default(k, in)
	}
	m, err := sampler.Sample(ctx, k, in, features, data, rand.NewPCG(s.Seed, 0x5bd1e995))
	if err != nil {
		return nil, err
	}
	return m.On(s.Engine), nil
}

// reservoir returns up to count rows of data, drawn without replacement and in
// random order, and the number of rows there are (Vitter's algorithm R). Rows that
// share a fold in the data are a group in the sample.
func reservoir(ctx context.Context, data rff.Source, count int, s *Settings) (*memory, int64, error) {
	in, targets := data.Dims()
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

// robustScaling fits a scaling that a few wild values do not spoil.
func robustScaling(sample *memory) rff.Scaling {
	x := sample.x
	s := rff.Scaling{Shift: make([]float64, x.Cols), Scale: make([]float64, x.Cols)}
	column := make([]float64, x.Rows)
	for j := range x.Cols {
		for i := range column {
			column[i] = x.Row(i)[j]
		}
		s.Shift[j], s.Scale[j] = scaling.RobustSample(column, sample.low[j], sample.high[j])
	}
	return s
}

// medianDistance of scaled rows, 1 if it is not determined. The error is a *rff.ValueError
// for a value whose square is beyond the numbers.
func medianDistance(rows *memory, s rff.Scaling, seed uint64) (float64, error) {
	x := rows.x
	scaled := blas.NewGeneral[float64](x.Rows, x.Cols)
	scaling.Rows(s.Shift, s.Scale, scaled, x)
	for i := range scaled.Rows {
		for j, v := range scaled.Row(i) {
			if !(math.Abs(v) < 0x1p480) {
				return 0, badRow(rows.index[i], fmt.Sprintf("input %d", j+1), x.Row(i)[j], "it is too far from the other rows to measure their distances: correct or clip the value, or scale the column")
			}
		}
	}
	m, err := rff.MedianDistance(mat.NewDense(scaled.Rows, scaled.Cols, scaled.Data), 500, rand.NewPCG(seed, 0x85ebca6b))
	var degenerate *rff.DegenerateDataError
	if errors.As(err, &degenerate) {
		return 1, nil
	}
	return m, err
}
