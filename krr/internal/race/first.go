package race

import (
	"context"
	"slices"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/ridge"
	"github.com/rffgo/rff/internal/trial"
)

// firstSearch proposes to try every scaling, kernel and bandwidth on few rows and features, and the
// best of them on more and more, up to all rows and the features of the fit.
func firstSearch(r *Race) []proposal {
	if r.best != nil {
		return nil
	}
	return []proposal{{name: "search", gain: priors["search"].gain, work: 1, run: r.halve}}
}

func (r *Race) halve(ctx context.Context) error {
	var jobs []job
	base := candidate{sampler: r.Sampler, kind: kindOf(r.Sampler)}
	for exponent := gridLow; exponent <= gridHigh; exponent++ {
		for sc := range r.scalings {
			for k := range r.Kernels {
				c := base
				c.scaling, c.kernel, c.exponent = sc, k, exponent
				jobs = append(jobs, job{candidate: c, grid: r.grid})
			}
		}
	}
	z, jobs := r.firstRung(jobs)
	trials, err := r.step(ctx, "search", jobs, z)
	if err != nil {
		return err
	}
	switch err := trials[0].err; { // no candidate is of use
	case err == errNothing:
		return &rff.DegenerateDataError{What: "a search", Why: "no candidate predicts finite numbers: rescale the targets"}
	case err != nil:
		return err
	}
	r.take(trials[0])
	if trials, err = r.widen(ctx, trials, z); err != nil {
		return err
	}
	for full := r.full(r.target()); z != full; {
		next := size{min(2*z.rows, full.rows), 0, min(2*z.features, full.features), 1}
		if z.features == full.features {
			next.rows = min(onlyRows*z.rows, full.rows)
		}
		if leastAdded*(full.features-next.features) < next.features { // the last step would add little
			next.features = full.features
		}
		next.valid = min(full.valid, max(leastValid, next.rows/heldPart))
		last := next.rows == full.rows && next.features == full.features
		if next.rows == full.rows {
			next = size{full.rows, full.valid, next.features, full.splits}
		}
		jobs := r.survivors(trials, next, last)
		if len(jobs) == 0 || r.over(r.allWork(jobs, next)) {
			break
		}
		if trials, err = r.step(ctx, "search", jobs, next); err != nil {
			return err
		}
		z = next
		if trials[0].err == nil {
			r.take(trials[0]) // those of a larger size replace those of a smaller one
		}
	}
	return nil
}

// firstRung returns a size at which all jobs take rungShare of the budget or less. If there is
// none, it returns the smallest size and as many jobs as take firstMost.
func (r *Race) firstRung(jobs []job) (size, []job) {
	full := r.full(r.target())
	var z size
	for _, rows := range firstRungs {
		features := min(full.features, max(leastFirst, rows/(2*rowsPerFirst)*2)) // in pairs
		z = size{min(rows, full.rows), min(rows/heldPart, full.valid), min(mostFirst, features), 1}
		if z.rows == full.rows {
			z.splits, z.valid = full.splits, full.valid
		}
		if r.allWork(jobs, z) <= rungShare*r.left {
			return z, jobs
		}
	}
	most := int(firstMost * r.left * float64(len(jobs)) / r.allWork(jobs, z))
	// Begin with the likeliest bandwidths, for every scaling and kernel.
	slices.SortStableFunc(jobs, func(a, b job) int { return abs(a.exponent-gridLikely) - abs(b.exponent-gridLikely) })
	return z, jobs[:min(len(jobs), max(1, most))]
}

func abs(v int) int { return max(v, -v) }

// widen tries bandwidths beyond the grid where the best of a scaling and kernel lies at its
// end and is better than the next one by more than noise.
func (r *Race) widen(ctx context.Context, trials []*tried, z size) ([]*tried, error) {
	for low, high := gridLow, gridHigh; low > -gridMost && high < gridMost; low, high = low-gridMore, high+gridMore {
		var more []job
		for _, t := range bestOf(trials, scaledKernel) {
			if t.Mean > farBehind*trials[0].Mean || !evident(trials, t, low, high) { // those far behind stay behind
				continue
			}
			for step := 1; step <= gridMore; step++ {
				j := job{candidate: t.candidate, grid: r.grid}
				if t.exponent == low {
					j.exponent = low - step
				} else {
					j.exponent = high + step
				}
				more = append(more, j)
			}
		}
		if work := r.allWork(more, z); len(more) == 0 || work > rungShare*r.available() || r.over(work) {
			break
		}
		found, err := r.step(ctx, "bandwidth", more, z)
		if err != nil {
			return nil, err
		}
		if t := found[0]; t.err == nil {
			d := trial.Compare(r.best.Result, t.Result)
			r.last().Gain, r.last().StdErr = d.Mean, d.StdErr
			if compare(t, r.best) < 0 {
				r.take(t)
			}
		}
		if !r.last().Kept {
			r.last().Why = "the grid's own are better"
		}
		trials = append(trials, found...)
		slices.SortStableFunc(trials, compare)
	}
	return trials, nil
}

// evident reports whether t lies at an end of the grid and its neighbour within the grid is
// worse beyond noise.
func evident(trials []*tried, t *tried, low, high int) bool {
	inward := t.candidate
	switch t.exponent {
	case low:
		inward.exponent++
	case high:
		inward.exponent--
	default:
		return false
	}
	for _, o := range trials {
		if o.scaling == inward.scaling && o.kernel == inward.kernel && o.exponent == inward.exponent && o.err == nil {
			return trial.Compare(o.Result, t.Result).Better(noise)
		}
	}
	return true
}

// bestOf returns the best of the trials with each key. trials are sorted.
func bestOf[K comparable](trials []*tried, key func(*tried) K) (out []*tried) {
	seen := map[K]bool{}
	for _, t := range trials {
		if at := key(t); t.err == nil && !seen[at] {
			seen[at] = true
			out = append(out, t)
		}
	}
	return out
}

func kernelAlone(t *tried) int { return t.kernel }

func scaledKernel(t *tried) [2]int { return [2]int{t.scaling, t.kernel} }

// survivors returns the jobs that go on to a size: the best and, except for the last size, the
// best of every kernel. It adds the bandwidths just below those of the first two, since more
// features ask for narrower kernels. A share of the budget bounds their number.
func (r *Race) survivors(trials []*tried, z size, last bool) []job {
	work := r.workOf(job{candidate: trials[0].candidate, grid: make([]float64, ridge.FewLambdas)}, z)
	share := rungShare
	if z.rows > rungRows {
		share = lateShare
	}
	most := int(share * r.whole / work)
	if most < leastOn {
		most = int(min(leastOn, onShare*r.available()/work))
	}
	keep := min(max(leastKept, len(trials)/keptOf), most)
	if last {
		keep = min(keep, mostLast)
	}
	kernels, in := map[int]bool{}, map[string]bool{}
	var out []job
	add := func(t *tried, by int) {
		j := job{candidate: t.candidate, grid: r.around(t.Lambda, aroundFew)}
		j.exponent += by
		if at := j.key(z); len(out) < most && abs(j.exponent) <= gridMost && !in[at] {
			in[at] = true
			out = append(out, j)
		}
	}
	for i, t := range trials {
		first := !kernels[t.kernel] && !last
		if t.err != nil || !(len(out) < keep || first) {
			continue
		}
		kernels[t.kernel] = true
		add(t, 0)
		for by := -1; i < narrowed && by >= -narrowest; by-- {
			add(t, by)
		}
	}
	return out
}
