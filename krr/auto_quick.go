package krr

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/sampling"
)

// quick is a search of kernel and bandwidth at one size, and a fit.
func (s AutoSettings) quick(ctx context.Context, data rff.Source) (*Model, *AutoReport, error) {
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
		s.Kernels = searchedKernels(s.Sampler, rff.Gaussian{}, rff.Laplacian{})
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

	if err := s.choose(ctx, report, found, data); err != nil {
		return nil, nil, err
	}
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
			report.Kernel, len(s.Kernels), chosen.Points[chosen.Best].Scale, chosen.Points[chosen.Best].Scale/chosen.Median, len(chosen.Points), found.x.Rows),
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

// choose searches a bandwidth of each kernel on the rows found, and sets the report's
// choices and the best of them.
func (s *AutoSettings) choose(ctx context.Context, report *AutoReport, found *memory, data rff.Source) error {
	in, _ := data.Dims()
	median, err := medianDistance(found, s.Scaling, s.Seed)
	if err != nil {
		return err
	}
	lowest := math.Inf(1)
	searching := newStage(s.Progress, "search", len(s.Kernels))
	for i, k := range s.Kernels {
		m, err := s.sample(ctx, k, in, s.SearchFeatures, data)
		if err != nil {
			return fmt.Errorf("krr: kernel %v: %w", k, err)
		}
		unit := median
		if _, ok := k.(rff.Laplacian); ok {
			unit = medianL1(found, s.Scaling)
		}
		points, best, err := searchBandwidths(ctx, m, found, unit, s.Settings, searching)
		if err != nil {
			return err
		}
		report.Choices = append(report.Choices, Choice{k, unit, points, best})
		if points[best].Error < lowest {
			lowest, report.Best = points[best].Error, i
		}
	}
	searching.end()
	return nil
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
