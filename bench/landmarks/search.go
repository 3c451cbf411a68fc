package main

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/krr"
	"github.com/rffgo/rff/sampling"
)

// octaves are the bandwidths that the first kernel is tried at, in powers of two of
// the median distance: the error can have several minima.
var octaves = []float64{-3, -2, -1, 0, 1, 2}

// furthest is the last octave that the search goes to.
const furthest = 8

// search is for the kernel with the least error on d.measure of ridge regression on
// d.learn, at the best λ. Features are drawn anew for every kernel.
type search struct {
	*divided
	sampler  rff.Sampler
	features int
	median   float64
	best     rff.Kernel
	lowest   float64 // error of best
}

// search tries the first kernel at all octaves, the others at its best one, each goes
// on to its neighbours until neither does better, and the best of all to half an octave
// at either side. Samplers that find a bandwidth themselves are given none. Landmarks
// with a metric begin to learn it, with every kernel, at the best octave of landmarks
// without one.
func (d *divided) search(ctx context.Context, sampler rff.Sampler, specs []string, features int) (rff.Kernel, error) {
	median, err := rff.MedianDistance(d.learn.Matrix(), 1000, rand.NewPCG(d.seed, 1))
	if err != nil {
		return nil, err
	}
	s := &search{d, sampler, features, median, nil, math.Inf(1)}
	steps := s
	n, isLandmarks := sampler.(sampling.Nystrom)
	metric := isLandmarks && n.Metric
	if metric {
		n.Metric = false
		steps = &search{d, n, features, median, nil, math.Inf(1)}
	}
	var at float64    // the best octave of the first kernel, then of the best
	var of rff.Kernel // the best, without a bandwidth
	starts := octaves
	for _, spec := range specs {
		k, err := rff.ParseKernel(spec)
		if err != nil {
			return nil, err
		}
		lowest := s.lowest
		switch sampler.(type) {
		case sampling.Metric, sampling.Refined:
			if _, err := s.try(ctx, k); err != nil {
				return nil, err
			}
			continue
		}
		octave, err := steps.descend(ctx, k, starts)
		if err != nil {
			return nil, err
		}
		if metric {
			if _, err := s.at(ctx, k, octave); err != nil {
				return nil, err
			}
		}
		if s.lowest < lowest {
			of, at = k, octave
		}
		starts = []float64{octave}
	}
	if of == nil || metric {
		return s.best, nil
	}
	for _, half := range []float64{-0.5, 0.5} {
		if _, err := s.at(ctx, of, at+half); err != nil {
			return nil, err
		}
	}
	return s.best, nil
}

// descend returns the best octave of k.
func (s *search) descend(ctx context.Context, k rff.Kernel, starts []float64) (best float64, err error) {
	errors := map[float64]float64{}
	try := func(octave float64) error {
		if _, done := errors[octave]; done {
			return nil
		}
		e, err := s.at(ctx, k, octave)
		if err != nil {
			return err
		}
		if errors[octave] = e; len(errors) == 1 || e < errors[best] {
			best = octave
		}
		return nil
	}
	for _, o := range starts {
		if err := try(o); err != nil {
			return 0, err
		}
	}
	for from := math.NaN(); from != best && math.Abs(best) < furthest; {
		from = best
		for _, step := range []float64{1, -1} {
			if err := try(from + step); err != nil {
				return 0, err
			}
		}
	}
	return best, nil
}

// at tries k at an octave.
func (s *search) at(ctx context.Context, k rff.Kernel, octave float64) (float64, error) {
	scaled, err := rff.WithBandwidth(k, s.median*math.Exp2(octave))
	if err != nil {
		return 0, err
	}
	return s.try(ctx, scaled)
}

// try returns the error of k at the best λ.
func (s *search) try(ctx context.Context, k rff.Kernel) (float64, error) {
	m, err := s.sampler.Sample(ctx, rff.Request{Kernel: k, Dim: s.learn.X.Cols, Features: s.features, Data: s.learn.Source(), Rand: s.draws(s.features)})
	if err != nil {
		return 0, err
	}
	_, targets := s.learn.Source().Schema().Dims()
	g := krr.NewGram(m, targets, krr.GramSettings{})
	if err := g.AddSource(ctx, s.learn.Source()); err != nil {
		return 0, err
	}
	models, err := g.Path(ctx, nil)
	if err != nil {
		return 0, err
	}
	// The coefficients of all λ side by side, so that features are made once.
	var z mat.Dense
	if err := models[0].Map().Transform(&z, s.measure.Matrix()); err != nil {
		return 0, err
	}
	rows, columns := z.Dims()
	coef := blas.NewGeneral[float64](columns, len(models)*targets)
	scores := blas.NewGeneral[float64](rows, coef.Cols)
	for i, model := range models {
		c, intercept := model.Coefficients()
		for t := range targets {
			for j := range columns {
				coef.Row(j)[i*targets+t] = c.At(j, t)
			}
			for j := range rows {
				scores.Row(j)[i*targets+t] = intercept[t]
			}
		}
	}
	blas.Gemm(blas.Engine{}, false, false, 1, blas.General[float64]{Rows: rows, Cols: columns, Stride: columns, Data: z.RawMatrix().Data}, coef, 1, scores)
	sums := make([]float64, len(models))
	for b, err := range s.measure.Source().Batches(ctx) {
		if err != nil {
			return 0, err
		}
		for i := range b.Y.Rows {
			row := scores.Row(int(b.First) + i)
			for at, v := range row {
				e := v - b.Y.Row(i)[at%targets]
				sums[at/targets] += e * e
			}
		}
	}
	lowest := slices.Min(sums)
	if lowest < s.lowest {
		s.lowest, s.best = lowest, k
	}
	return lowest, nil
}
