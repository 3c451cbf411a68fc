package race

import (
	"context"
	"math/bits"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/learn"
	"github.com/rffgo/rff/internal/trial"
	"github.com/rffgo/rff/sampling"
)

// learners proposes a metric, and frequencies that are trained, in the place of the best
// features: each with as much work as what is left pays for.
func learners(r *Race) []proposal {
	if r.Sampler != nil || !r.measured(r.best) {
		return nil
	}
	if r.trainsFirst() {
		return r.training()
	}
	var out []proposal
	features := r.final()
	if r.fruitless["metric"] == 0 && r.best.kind != learned {
		var jobs []job
		if r.trained == nil && r.fruitless["refined"] == 0 { // training begins with a metric of more effort
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

// training proposes trained frequencies, if they were not tried: more than the best has
// features if rows and budget pay for some training of them.
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

// moreTrained returns how many features are to be trained where the best has so many: twice
// as many if rows are many; if they are few, up to one for each of them, since the
// penalty keeps these from fitting noise and each of them learns something of its own.
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

// trainsFirst reports whether training comes before sections and a metric: of many rows it
// gains from every one, and from every epoch and feature that the budget pays for, of which
// these would take some.
func (r *Race) trainsFirst() bool {
	if !r.many() {
		return false
	}
	t := r.training()
	return len(t) > 0 && t[0].need <= r.available()
}

// refined proposes trained frequencies by the most work that fits; nil if none does.
func (r *Race) refined(features int) []proposal {
	k := r.turning(r.drawn().kernel)
	diagonal := r.best.kind == learned && diagonalMetric(r.best.sampler)
	epochs := max(refineEpochs, refineSteps/learn.Steps(r.full(0).rows*(learn.Held-1)/learn.Held))
	var ways []sampling.Refined
	wide := learnBytes / (8 * (r.in + r.targets + 1))
	if r.many() {
		for _, share := range []int{1, 2, 4} { // training gains from every row, and the search before it does not
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
		way.Diagonal = diagonal
		share := 1.0
		if i == 0 { // the most work is to leave some for more features
			share = learnShare
		}
		if out = r.learn("refined", []job{r.learning(way, k)}, features, share); out[0].need <= r.available() {
			return out
		}
	}
	if features > r.final() {
		return nil
	}
	return out
}

// learning is the job of a sampler that learns, with a kernel and the bandwidth of the best.
// What is learned may ask for a λ far from the best of a plain map: it has every λ.
func (r *Race) learning(s rff.Sampler, kernel int) job {
	from := r.drawn()
	return job{candidate: candidate{scaling: from.scaling, kernel: kernel, exponent: from.exponent, sampler: s, kind: learned}, grid: r.grid}
}

// learn proposes to try jobs of one learner, on as many splits as a share of what is left
// pays for; the first ones if not for all.
func (r *Race) learn(name string, jobs []job, features int, share float64) []proposal {
	p := proposal{name: name, gain: r.gainOf(name), more: r.finalWork(features) - r.finalWork(r.final())}
	may := float64(share*r.available()) - p.more
	z := r.full(features)
	total := func(n, splits int) (work float64) {
		one := z
		one.splits = splits
		for _, j := range jobs[:n] {
			work += r.workOf(j, one)
		}
		return work
	}
	n := len(jobs)
	for n > 1 && total(n, 1) > may {
		n--
	}
	splits := r.folds
	for splits > 1 && total(n, splits) > may*learnShare {
		splits--
	}
	if splits < r.folds { // some splits tell little more than one
		splits = 1
	}
	z.splits = splits
	p.work = total(n, splits)
	p.need = (p.work + p.more) / share
	p.run = func(ctx context.Context) error { return r.challenge(ctx, name, jobs[:n], z) }
	return []proposal{p}
}

// diagonalMetric reports whether a sampler learns a scale per input and no directions.
func diagonalMetric(s rff.Sampler) bool {
	m, ok := s.(sampling.Metric)
	return ok && m.Diagonal
}

// turning returns the kernel to learn with: the first that is a function of the
// Euclidean distance if this one is not. A metric turns the axes, which a distance of
// another kind rests on.
func (r *Race) turning(kernel int) int { return r.like(kernel, kernel, false) }

// axial returns the kernel to learn a scale per input with: the first that is a function
// of another distance than the Euclidean if this one is not, −1 if there is none. With
// scales of its own for every input such a kernel is one of sums over inputs, as trees are.
func (r *Race) axial(kernel int) int { return r.like(kernel, -1, true) }

// like returns kernel, or the first other one, whichever has a distance of its own or not,
// and otherwise another.
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
