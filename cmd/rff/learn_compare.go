package main

import (
	"cmp"
	"github.com/rffgo/rff/cmd/rff/compare"
	"github.com/rffgo/rff/cmd/rff/fits"
	"github.com/rffgo/rff/sampling"
)

// apply writes the flags to the settings of a comparison.
func (l *learnFlags) apply(s *compare.Settings) error {
	if err := l.settle(); err != nil {
		return err
	}
	own := len(s.Samplers) > 0
	for _, m := range s.Samplers {
		sampler, err := sampling.ByName(m)
		own = own && err == nil && hasOwnKernel(sampler)
	}
	if err := cmp.Or(
		given{l.flags}.unused(own, "is of no use: the samplers have kernels of their own", "kernel", "sigma"),
		given{l.flags}.unused(l.lambda.set && l.rule != fits.SearchedBandwidth && !s.Probabilities, "is of no use: with --lambda given nothing is cross-validated", "folds"),
	); err != nil {
		return err
	}
	s.Kernel, s.Bandwidth, s.Scale, s.Lambda, s.Folds, s.Seed, s.Precision = l.kernel, l.rule, l.scale, l.lambda.value, l.folds, l.seed, l.precision
	var err error
	s.Engine, err = engine(l.backend, l.workers)
	return err
}
