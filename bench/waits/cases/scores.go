package main

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/sampling"
)

// scoreCases are leverage scores of that many candidates, and projections of pools.
var scoreCases = func() []Case {
	var all []Case
	for _, s := range []shape{{10000, 14, 1024}, {10000, 14, 2048}, {10000, 14, 4096}, {60000, 14, 1024}, {60000, 14, 4096}} {
		all = append(all, scores(s, "float64", "leverage"), scores(s, "float32, for float64 before", "leverage:sums=float32"))
	}
	for _, name := range []string{"tefm-g", "tefm-s"} {
		all = append(all, sketch(name, shape{10000, 14, 1024}))
	}
	return all
}()

// sketch is a projection of a pool of four times as many features.
func sketch(sampler string, s shape) Case {
	return Case{Name: fmt.Sprintf("%s %v", sampler, s), Subject: "Samplers", prepare: func(*side) (func() error, error) {
		src, _, err := problem(s)
		if err != nil {
			return nil, err
		}
		pick, err := sampling.ByName(sampler)
		return func() error {
			_, err := pick.Sample(context.Background(), rff.Request{Kernel: rff.NewGaussian(3), Dim: s.d, Features: s.s, Data: src, Rand: rand.NewPCG(3, 4)})
			return err
		}, err
	}}
}

// scores is the sampler, or leverage where it lacks the option.
func scores(s shape, sums, sampler string) Case {
	return Case{Name: fmt.Sprintf("leverage %v, sums in %s", s, sums), Subject: "Samplers", prepare: func(*side) (func() error, error) {
		src, _, err := problem(s)
		if err != nil {
			return nil, err
		}
		pick, err := sampling.ByName(sampler)
		if err != nil {
			pick = sampling.Leverage{}
		}
		return func() error {
			_, err := pick.Sample(context.Background(), rff.Request{Kernel: rff.NewGaussian(3), Dim: s.d, Features: s.s / 4, Data: src, Rand: rand.NewPCG(3, 4)})
			return err
		}, nil
	}}
}
