package krr

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/krr/internal/sample"
	"github.com/rffgo/rff/krr/internal/search"
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
	in, targets := data.Schema().Dims()
	found, n, err := learner{data, s.Settings}.Sample(ctx, s.SearchRows)
	if err != nil {
		return nil, nil, err
	}
	if s.Scaling.IsIdentity() {
		s.Scaling = found.RobustScaling()
	}
	found.Labels = s.Classes
	report := &AutoReport{Rows: n, Searched: found.X.Rows, Scaling: s.Scaling}

	bandwidths, err := s.choose(ctx, report, found, data)
	if err != nil {
		return nil, nil, err
	}
	report.Search = time.Since(begin)

	chosen := report.Trials[report.Best]
	report.Features = s.Features
	if s.Features == 0 {
		report.Features = 2 * int(max(128, min(1024, n/32)))
	}
	if err := CheckMemory(in, report.Features, targets, n, false, s.Settings); err != nil {
		return nil, nil, err
	}
	m, err := s.sample(ctx, chosen.Kernel, in, report.Features, data)
	if err != nil {
		return nil, nil, err
	}
	if m, err = m.Rescale(chosen.Scale); err != nil {
		return nil, nil, fmt.Errorf("krr: %w", err)
	}
	report.Kernel = m.Kernel()
	if s.Sampler == nil {
		report.Sampler = search.PlainSampler(chosen.Kernel, in)
	}
	how := fmt.Sprintf("%v of %d kernels, bandwidth %.4g (%.3g × median distance) of %d, on %d rows",
		report.Kernel, len(s.Kernels), chosen.Scale, chosen.Medians, bandwidths, found.X.Rows)
	model, fitted, err := Fit(ctx, m, data, s.final(how, report.Sampler))
	if err != nil {
		return nil, nil, err
	}
	report.Fit = fitted
	return model, report, nil
}

// choose searches a bandwidth of each kernel on the rows found, and sets the report's
// trials and the best of them. It returns how many bandwidths of the best kernel it
// tried.
func (s *AutoSettings) choose(ctx context.Context, report *AutoReport, found *sample.Rows, data rff.Source) (bandwidths int, err error) {
	in, _ := data.Schema().Dims()
	medians, err := found.MedianDistances(s.Kernels, s.Scaling, s.Seed)
	if err != nil {
		return 0, err
	}
	lowest := math.Inf(1)
	searching := newStage(s.Progress, "search", len(s.Kernels))
	for i, k := range s.Kernels {
		m, err := s.sample(ctx, k, in, s.SearchFeatures, data)
		if err != nil {
			return 0, fmt.Errorf("krr: kernel %v: %w", k, err)
		}
		points, best, err := searchBandwidths(ctx, m, found, medians[i], s.Settings, searching)
		if err != nil {
			return 0, err
		}
		if points[best].Error < lowest {
			lowest, report.Best, bandwidths = points[best].Error, len(report.Trials)+best, len(points)
		}
		for _, p := range points {
			report.Trials = append(report.Trials, AutoTrial{Kernel: k, Scale: p.Scale, Medians: p.Scale / medians[i],
				Error: p.Error, StdErr: p.StdErr, Lambda: p.Lambda, Rows: p.Rows, Stopped: p.Stopped})
		}
	}
	searching.end()
	return bandwidths, nil
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
