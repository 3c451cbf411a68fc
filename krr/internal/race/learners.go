package race

import (
	"context"
	"math/bits"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/learn"
	"github.com/rffgo/rff/internal/trial"
	"github.com/rffgo/rff/sampling"
)

// learners proposes a metric and trained frequencies in place of the best features, each with
// as much work as the rest of the budget pays for.
func learners(r *Race) []proposal {
	if r.Sampler != nil || !r.measured(r.best) {
		return nil
	}
	if r.trainsFirst() {
		return r.training()
	}
	var out []proposal
	features := r.final()
	if r.fruitless["metric"] == 0 && r.smooth().kind != learned {
		var jobs []job
		if r.trained == nil && r.fruitless["refined"] == 0 { // training begins with a metric that is learned more thoroughly
			jobs = append(jobs, r.learning(sampling.Metric{Fast: true, Rows: fewLearned}, r.turning(r.drawn().kernel)))
		}
		if k := r.axial(r.base().kernel); k >= 0 {
			jobs = append(jobs, r.learning(sampling.Metric{Fast: true, Rows: fewLearned, Diagonal: true}, k))
		}
		if len(jobs) > 0 {
			out = append(out, r.learn("metric", jobs, features, 1)...)
		}
	}
	return append(out, r.training()...)
}

// training proposes trained frequencies, if they were not tried. It proposes more of them than
// the best has features, if there are rows enough and the budget pays for some training.
func (r *Race) training() []proposal {
	if r.Sampler != nil || r.fruitless["refined"] > 0 || r.trained != nil {
		return nil
	}
	features := r.final()
	if more := r.moreTrained(features); more > features && r.Check(more, r.n) == nil {
		if out := r.refined(more); out != nil {
			return out
		}
	}
	return r.refined(features)
}

// moreTrained returns how many features to train if the best has features of them. If there are
// many rows, it is twice as many. If there are few, it is up to one feature for each row, since
// the penalty keeps features from fitting noise and each of them learns something of its own.
func (r *Race) moreTrained(features int) int {
	switch {
	case r.Features > 0:
		return features
	case !r.many():
		return min(mostFeatures, 1<<(bits.Len(uint(r.full(0).rows))-1))
	case r.n >= int64(enoughRows*features):
		return 2 * features
	}
	return features
}

// many reports whether there are more rows than a thorough search learns on.
func (r *Race) many() bool { return r.full(0).rows > manyLearned }

// trainsFirst reports whether training comes before sections, a metric and more features. With
// many rows, training gains from every row, epoch and feature that the budget pays for, and
// these would take some of that budget.
func (r *Race) trainsFirst() bool {
	if !r.many() {
		return false
	}
	t := r.training()
	return len(t) > 0 && t[0].room <= r.available()
}

// refined proposes to train frequencies with the most work that fits into the budget. It
// returns nil if none fits and there are more features than the best has.
func (r *Race) refined(features int) []proposal {
	k := r.turning(r.drawn().kernel)
	metric, _ := r.smooth().sampler.(sampling.Metric)
	epochs := max(refineEpochs, refineSteps/learn.Steps(r.full(0).rows*(learn.Held-1)/learn.Held))
	var ways []sampling.Refined
	wide := learnBytes / (8 * (r.in + r.targets + 1))
	if r.many() {
		for _, share := range epochShares { // training gains from every row, and the search before it does not
			ways = append(ways, sampling.Refined{Metric: sampling.Metric{Fast: true, Rows: max(manyLearned, wide)}, MetricRows: fewLearned, Epochs: epochs / share})
		}
	} else {
		ways = append(ways, sampling.Refined{Metric: sampling.Metric{Rows: manyLearned}, Epochs: epochs},
			sampling.Refined{Metric: sampling.Metric{Fast: true, Rows: manyLearned}, Epochs: epochs})
	}
	if features == r.final() {
		ways = append(ways, sampling.Refined{Metric: sampling.Metric{Fast: true, Rows: fewLearned}, Epochs: epochs})
	}
	var out []proposal
	for i, way := range ways {
		way.Diagonal = metric.Diagonal
		share := 1.0
		if i == 0 { // the most work must leave some budget for more features
			share = learnShare
		}
		if out = r.learn("refined", []job{r.learning(way, k)}, features, share); out[0].room <= r.available() {
			return out
		}
	}
	if features > r.final() {
		return nil
	}
	return out
}

// learning returns the job of a sampler that learns, with a kernel and the bandwidth of the
// best. Learned features may need a λ far from that of a plain map, so the job has every λ.
func (r *Race) learning(s rff.Sampler, kernel int) job {
	from := r.drawn()
	return job{candidate: candidate{scaling: from.scaling, kernel: kernel, exponent: from.exponent, sampler: s, kind: learned}, grid: r.grid}
}

// learn proposes to try jobs of one learner, on all splits if a share of the rest of the budget
// pays for them, otherwise on one. If it does not pay for all jobs, learn proposes the first
// ones.
func (r *Race) learn(name string, jobs []job, features int, share float64) []proposal {
	p := proposal{name: name, gain: r.gainOf(name), more: r.finalWork(features) - r.finalWork(r.final())}
	may := float64(share*r.available()) - p.more
	z := r.full(features)
	total := func(n, splits int) float64 {
		one := z
		one.splits = splits
		return r.allWork(jobs[:n], one)
	}
	n := len(jobs)
	for n > 1 && total(n, 1) > may {
		n--
	}
	splits := r.folds
	for splits > 1 && total(n, splits) > may*learnShare {
		splits--
	}
	if splits < r.folds { // a few splits say little more than one
		splits = 1
	}
	z.splits = splits
	p.work = total(n, splits)
	p.room = (p.work + p.more) / share
	p.run = func(ctx context.Context) error { return r.challenge(ctx, name, jobs[:n], z) }
	return []proposal{p}
}

// turning returns the kernel to learn a metric with: this one if it is a function of the
// Euclidean distance, otherwise the first that is. A metric turns the axes, and distances of
// another kind depend on the axes.
func (r *Race) turning(kernel int) int { return r.like(kernel, kernel, false) }

// axial returns the kernel to learn a scale per input with: this one if it is a function of a
// distance other than the Euclidean, otherwise the first that is, or −1 if none is. With a
// scale for every input, the functions of such a kernel are sums over inputs, as those of trees
// are.
func (r *Race) axial(kernel int) int { return r.like(kernel, -1, true) }

// like returns kernel if it has a distance of its own (own) or has none (not own). If not, it
// returns the first kernel of which this is true, or otherwise.
func (r *Race) like(kernel, otherwise int, own bool) int {
	if (trial.OwnDistance(r.Kernels[kernel]) != nil) == own {
		return kernel
	}
	for i, k := range r.Kernels {
		if (trial.OwnDistance(k) != nil) == own {
			return i
		}
	}
	return otherwise
}
