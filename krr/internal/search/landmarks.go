package search

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
)

// landmarkPick is how landmarks are picked from the rows, unless they are uniform.
const landmarkPick = "rpcholesky"

// landmarkShare is the share of what is left that the step of landmarks may take.
const landmarkShare = 0.6

// landmarks tries kernel sections on rows of the data in the place of random
// features, as many: all kernels that have sections and bandwidths about the best
// one's on a part of the rows with half of the features, the best of these on all. Rows
// are drawn by equal chances, which costs little and ranks kernels and bandwidths as
// well; the best is tried with rows that are picked, too.
func (s *Search) landmarks(ctx context.Context) error {
	full := s.full(s.final)
	if s.Sampler != nil || s.size != full || full.rows < 2*s.final || s.best.learned != "" {
		return nil
	}
	small := size{max(full.rows/4, min(full.rows, max(4000, 2*s.final))), 0, max(32, s.final/2), 1}
	small.valid = min(full.valid, max(1000, small.rows/2))
	var jobs []job
	for _, k := range s.sectionKernels() {
		for by := -2; by <= 6; by += 2 {
			c := candidate{scaling: s.best.scaling, kernel: k, exponent: s.best.exponent + by, landmarks: true, uniform: true}
			if abs(c.exponent) <= mostExponent {
				jobs = append(jobs, job{c, s.grid})
			}
		}
	}
	if len(jobs) == 0 || s.stop() {
		return nil
	}
	uniform := jobs[0].candidate
	picked := uniform
	picked.uniform = false
	cost := float64(float64(len(jobs))*s.costOf(uniform, small, len(s.grid))) + float64(3*s.costOf(uniform, full, 7)) + float64(2*s.costOf(picked, full, 7))
	if may := landmarkShare * (s.available(s.final) - s.landmarkCost(picked, full)); cost > may {
		s.skip("landmarks", fmt.Sprintf("%d of them take %.3g s and may take %.3g", s.final, cost, max(0, may)))
		return nil
	}
	trials, err := s.step(ctx, "landmarks", jobs, small, 0)
	if err != nil {
		return err
	}
	if trials[0].err != nil {
		s.last().Why = "none is of use"
		return nil
	}
	s.last().Kept = true
	var finals []job
	for _, t := range trials[:min(2, len(trials))] {
		finals = append(finals, job{t.candidate, s.around(t.lambda, 3)})
	}
	narrower := trials[0].candidate
	narrower.exponent--
	picked = trials[0].candidate
	picked.uniform = false
	narrowerPicked := picked // rows that are picked lie apart, and suit narrow kernels
	narrowerPicked.exponent -= 2
	for _, c := range []candidate{narrower, picked, narrowerPicked} {
		if abs(c.exponent) <= mostExponent {
			finals = append(finals, job{c, s.around(trials[0].lambda, 3)})
		}
	}
	if s.stop() {
		return nil
	}
	if err := s.challenge(ctx, "landmarks", finals, full, 0); err != nil || !s.best.landmarks {
		return err
	}
	return s.climb(ctx)
}

// sectionKernels returns the kernels that have sections, and that which stands for
// those that have none.
func (s *Search) sectionKernels() []int {
	var out []int
	for i, k := range s.Kernels {
		if _, err := rff.Nystrom(k, mat.NewDense(1, s.in, nil)); err == nil {
			out = append(out, i)
		}
	}
	if s.Radial != nil && len(out) < len(s.Kernels) {
		s.Kernels = append(s.Kernels, s.Radial)
		for i, m := range s.medians {
			s.medians[i] = append(m, m[out[0]]) // of the Euclidean distance, too
		}
		out = append(out, len(s.Kernels)-1)
	}
	return out
}
