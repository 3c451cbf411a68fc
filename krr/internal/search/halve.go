package search

import (
	"context"
	"slices"

	"github.com/rffgo/rff/internal/ridge"
)

// Bandwidths are 2^{k/2} medians, k from lowExponent to highExponent, and beyond
// where the best lies at an end, to mostExponent on both sides.
const (
	lowExponent, highExponent = -8, 4
	mostExponent              = 24
)

// halve tries every scaling, kernel and bandwidth on few rows and features, and the
// best of them on more and more, up to all rows and the features of the final fit.
func (s *Search) halve(ctx context.Context) error {
	var jobs []job
	for exponent := range highExponent - lowExponent + 1 {
		for sc := range s.scalings {
			for k := range s.Kernels {
				jobs = append(jobs, job{candidate{scaling: sc, kernel: k, exponent: lowExponent + exponent}, s.grid})
			}
		}
	}
	z, jobs := s.firstRung(jobs)
	trials, err := s.step(ctx, "search", jobs, z, 0)
	if err != nil {
		return err
	}
	s.take(trials, z)
	if trials, err = s.extend(ctx, trials, z); err != nil {
		return err
	}
	if s.best.err != nil {
		return s.best.err // no candidate is of use
	}
	for full := s.full(s.final); ; {
		next := size{min(2*z.rows, full.rows), 0, min(2*z.features, full.features), 1}
		if next.rows == full.rows {
			next.splits = full.splits
		}
		if 3*full.features < 4*next.features { // no step for little more
			next.features = full.features
		}
		next.valid = min(full.valid, max(1000, next.rows/2))
		done := next.rows == full.rows && next.features == full.features
		if done {
			next = full
		}
		if next == z || s.stop() {
			return nil
		}
		survivors := s.survivors(trials, next, done)
		if len(survivors) == 0 {
			return nil
		}
		if trials, err = s.step(ctx, "search", survivors, next, 0); err != nil {
			return err
		}
		z = next
		s.take(trials, z)
	}
}

// take makes the first trial the best: those of a larger size replace those of a
// smaller one.
func (s *Search) take(trials []trial, z size) {
	s.best, s.size, s.last().Kept = trials[0], z, true
}

// firstRung returns a size at which all jobs take a fifth of the budget, or the
// smallest and the first jobs that do.
func (s *Search) firstRung(jobs []job) (size, []job) {
	full := s.full(s.final)
	var z size
	for _, rows := range []int{4000, 2000, 1000, 500, 250} {
		features := min(full.features, max(64, rows/16*2)) // in pairs
		z = size{min(rows, full.rows), min(rows/2, full.valid), min(256, features), 1}
		if z.rows == full.rows {
			z.splits, z.valid = full.splits, full.valid
		}
		if s.cost(z, len(s.grid))*float64(len(jobs)) <= 0.2*s.budget.left {
			return z, jobs
		}
	}
	most := int(0.4 * s.budget.left / s.cost(z, len(s.grid)))
	// The middle of the grid, of every scaling and kernel.
	slices.SortStableFunc(jobs, func(a, b job) int { return abs(a.exponent+1) - abs(b.exponent+1) })
	return z, jobs[:min(len(jobs), max(1, most))]
}

func abs(v int) int { return max(v, -v) }

// extend tries bandwidths beyond the grid where the best of a scaling and kernel
// lies at its end.
func (s *Search) extend(ctx context.Context, trials []trial, z size) ([]trial, error) {
	low, high := lowExponent, highExponent
	for low > -mostExponent && high < mostExponent {
		var more []job
		for _, t := range s.bestOfEach(trials) {
			// Those far behind stay behind.
			if t.err != nil || t.mean > 1.2*trials[0].mean {
				continue
			}
			for step := 1; step <= 4; step++ {
				c := t.candidate
				switch t.exponent {
				case low:
					c.exponent = low - step
				case high:
					c.exponent = high + step
				default:
					continue
				}
				more = append(more, job{c, s.grid})
			}
		}
		if len(more) == 0 || s.stop() || s.cost(z, len(s.grid))*float64(len(more)) > 0.2*s.available(s.final) {
			break
		}
		found, err := s.step(ctx, "bandwidth", more, z, 0)
		if err != nil {
			return nil, err
		}
		s.last().Gain, s.last().StdErr = gain(s.best, found[0])
		if found[0].mean < s.best.mean {
			s.take(found, z)
		} else {
			s.last().Why = "the grid's own are better"
		}
		trials = append(trials, found...)
		slices.SortStableFunc(trials, compareTrials)
		low, high = low-4, high+4
	}
	return trials, nil
}

// bestOfEach returns the best trial of every scaling and kernel. trials are sorted.
func (s *Search) bestOfEach(trials []trial) []trial {
	seen := map[[2]int]bool{}
	var out []trial
	for _, t := range trials {
		if at := [2]int{t.scaling, t.kernel}; !seen[at] {
			seen[at] = true
			out = append(out, t)
		}
	}
	return out
}

// survivors returns who goes on to a size: the best, and, but for the last size, the
// best of every kernel; with the bandwidths just below those of the first, since
// more features ask for narrower kernels. As many as a share of the budget pays for.
func (s *Search) survivors(trials []trial, z size, last bool) []job {
	share := 0.12
	if s.large() || s.wide() {
		share = 0.05
	}
	cost := s.cost(z, ridge.FewLambdas)
	most := int(share * s.budget.whole / cost)
	if most < 2 {
		most = int(min(2, 0.5*s.available(s.final)/cost))
	}
	keep := min(max(3, len(trials)/4), most)
	if last {
		keep = min(keep, 6)
	}
	kernels, in := map[int]bool{}, map[candidate]bool{}
	var out []job
	add := func(t trial, by int) {
		t.exponent += by
		if len(out) < most && abs(t.exponent) <= mostExponent && !in[t.candidate] {
			in[t.candidate] = true
			out = append(out, job{t.candidate, s.around(t.lambda, 2)})
		}
	}
	for i, t := range trials {
		first := !kernels[t.kernel] && !last
		if t.err != nil || !(len(out) < keep || first) {
			continue
		}
		kernels[t.kernel] = true
		add(t, 0)
		if i < 2 {
			add(t, -1)
			add(t, -2)
		}
	}
	return out
}

// climb moves the bandwidth of the best, at the size of the final fit, for as long
// as that helps: more features ask for another bandwidth than few.
func (s *Search) climb(ctx context.Context) error {
	if s.size != s.full(s.final) {
		return nil // the budget ended before
	}
	for range 4 {
		var jobs []job
		for _, by := range []int{-1, 1} {
			c := s.best.candidate
			c.exponent += by
			if abs(c.exponent) <= mostExponent && !s.tried[key{c, s.size}] {
				jobs = append(jobs, job{c, s.around(s.best.lambda, 1)})
			}
		}
		if len(jobs) == 0 || s.stop() || float64(len(jobs))*s.costOf(s.best.candidate, s.size, 3) > 0.25*s.available(s.final) {
			return nil
		}
		before := s.best
		trials, err := s.step(ctx, "bandwidth", jobs, s.size, 0)
		if err != nil {
			return err
		}
		s.last().Gain, s.last().StdErr = gain(before, trials[0])
		if !(trials[0].mean < before.mean) {
			s.last().Why = "its neighbours are no better"
			return nil
		}
		s.best, s.last().Kept = trials[0], true
	}
	return nil
}
