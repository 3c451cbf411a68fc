package race

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/boost"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/inside/hook"
	"github.com/rffgo/rff/internal/learn"
	"github.com/rffgo/rff/internal/reweight"
	"github.com/rffgo/rff/internal/trial"
	"github.com/rffgo/rff/sampling"
)

// candidate is one way to make features.
type candidate struct {
	scaling  int         // index in the race's scalings
	kernel   int         // index in the race's kernels
	exponent int         // the bandwidth is 2^{exponent/2} medians
	sampler  rff.Sampler // nil: the default of the kernel
	kind     kind        // of the sampler
	draws    int         // how many further draws are joined with the first, one after the other
	axes     *axes       // the bandwidths per input of sections; nil: the sampler learns them, if it does
}

// kind says how features come about.
type kind uint8

const (
	drawn     kind = iota // independent of the rows, or by a sampler that was given
	sectioned             // kernel sections on rows
	learned               // by a metric or trained frequencies
)

// size is the size of a trial.
type size struct {
	rows, valid, features int
	splits                int
}

// job is a trial to do.
type job struct {
	candidate
	grid  []float64       // of λ
	rules []reweight.Rule // nil: one solution
	// maps are those of each split, if a trial of the same features has made them; nil: they
	// are still to be made.
	maps []*sampling.Learned
	// beside are the maps of each split with one draw less; the maps that are made are joined
	// with these.
	beside []*sampling.Learned
}

// tried is the result of a candidate on held-out rows.
type tried struct {
	job
	size
	*trial.Result
	draw int   // the number of the random numbers that trees for all rows are grown with
	err  error // why it could not be fitted
}

var errNothing = errors.New("it predicts no finite number")

// key returns a text that is different for different trials. On how many splits they were tried does not matter.
func (j job) key(z size) string {
	return fmt.Sprintf("%d %d %d %d %d %T%+v %v %d %d", j.scaling, j.kernel, j.exponent, j.kind, j.draws, j.sampler, j.sampler, j.rules, z.rows, z.features)
}

// compare orders trials by their loss. Of equal ones the better proper score comes first,
// then the larger bandwidth, which is the smoother function.
func compare(a, b *tried) int {
	return cmp.Or(cmp.Compare(a.mean(), b.mean()), cmp.Compare(a.proper(), b.proper()), cmp.Compare(b.exponent, a.exponent))
}

// again is the job of a trial with its best way to solve alone.
func (t *tried) again() job {
	j := t.job
	j.grid = []float64{t.Lambda}
	if t.Rule != nil {
		j.rules = []reweight.Rule{t.Rule}
	}
	return j
}

// settle forgets all ways to solve but the best.
func (t *tried) settle() {
	t.Forget()
	t.job = t.again()
}

func (t *tried) mean() float64 {
	if t.err != nil {
		return math.Inf(1)
	}
	return t.Mean
}

func (t *tried) proper() float64 {
	if t.err != nil {
		return math.Inf(1)
	}
	return t.Proper
}

// told returns the error of a trial in the form that reports give it.
func (r *Race) told(t *tried) float64 {
	if t == nil || t.err != nil {
		return math.Inf(1)
	}
	if r.Classes == nil {
		return math.Sqrt(t.Told)
	}
	return t.Told
}

func (r *Race) bandwidth(c candidate) float64 {
	return r.medians[c.scaling][c.kernel] * multiple(c.exponent)
}

// multiple returns 2^{exponent/2}.
func multiple(exponent int) float64 {
	v := math.Ldexp(1, exponent>>1)
	if exponent&1 != 0 {
		v *= math.Sqrt2
	}
	return v
}

// source returns the random numbers for a draw of maps, which are the same for every candidate.
func (r *Race) source(draw int) rand.Source { return rand.NewPCG(r.Seed, 0x5bd1e995+uint64(draw)) }

// sampled makes the features of a candidate from rows. It also returns what was learned, or
// nil. beside is what fewer draws learned from these rows, or nil. There are at most as many
// sections as rows. Their bandwidths per input are those of the split; if these are not known,
// they are learned from rows.
func (r *Race) sampled(ctx context.Context, e blas.Engine, c candidate, features, split int, rows *trial.Rows, beside *sampling.Learned) (*rff.Map, *sampling.Learned, error) {
	if c.sampler == nil {
		m, err := r.drawnMap(ctx, e, c, features)
		return m, nil, err
	}
	k, err := inside.Widened(r.Kernels[c.kernel], r.bandwidth(c))
	if err != nil {
		return nil, nil, err
	}
	sampler := c.sampler
	q := rff.Request{Kernel: k, Dim: r.in, Features: features, Data: rows.Scaled(r.scalings[c.scaling].Scaling), Rand: r.source(0), Engine: r.share(e)}
	if c.kind == learned {
		first := 0
		if beside != nil {
			first = c.draws
		}
		l, err := r.learned(ctx, c, q, beside, beside, first, c.draws)
		if err != nil {
			return nil, nil, err
		}
		return inside.On(l.Map, e), l, nil
	}
	if c.kind == sectioned {
		q.Features = min(features, rows.X.Rows)
	}
	if c.axes != nil {
		sampler = c.own()
		if q.Kernel, err = c.axes.kernel(ctx, q, c.exponent, split); err != nil {
			return nil, nil, err
		}
	}
	var m *rff.Map
	if s, ok := sampler.(sampling.Nystrom); ok && !s.Metric && features >= rows.X.Rows {
		m, err = sectionsOnAll(ctx, q)
	} else {
		m, err = sampler.Sample(ctx, q)
	}
	if err != nil {
		return nil, nil, err
	}
	return inside.On(m, e), nil, nil
}

// makerOf returns what makes the features of a candidate for a split, as sampled does. Draws that do
// not depend on the rows are the same for every split, so they are made once.
func (r *Race) makerOf(c candidate, features int) func(ctx context.Context, e blas.Engine, split int, rows *trial.Rows, beside *sampling.Learned) (*rff.Map, *sampling.Learned, error) {
	if c.sampler != nil {
		return func(ctx context.Context, e blas.Engine, split int, rows *trial.Rows, beside *sampling.Learned) (*rff.Map, *sampling.Learned, error) {
			return r.sampled(ctx, e, c, features, split, rows, beside)
		}
	}
	var once sync.Once
	var m *rff.Map
	var err error
	return func(ctx context.Context, e blas.Engine, _ int, _ *trial.Rows, _ *sampling.Learned) (*rff.Map, *sampling.Learned, error) {
		once.Do(func() { m, _, err = r.sampled(ctx, e, c, features, 0, r.rows, nil) })
		if err != nil {
			return nil, nil, err
		}
		return inside.On(m, e), nil, nil
	}
}

// drawnMap returns the features of a candidate that do not depend on rows.
func (r *Race) drawnMap(ctx context.Context, e blas.Engine, c candidate, features int) (*rff.Map, error) {
	d := r.draws.at(drawOf{c.kernel, features}, 8*r.in*features)
	d.Do(func() {
		var k rff.Stationary
		if k, d.err = inside.Widened(r.Kernels[c.kernel], 1); d.err == nil {
			d.m, d.err = sampling.Default(k, r.in).Sample(ctx, rff.Request{Kernel: k, Dim: r.in, Features: features, Rand: r.source(0), Engine: r.share(e)})
		}
	})
	if d.err != nil {
		return nil, d.err
	}
	return d.m.Rescale(r.bandwidth(c))
}

// share returns the engine that samplers are asked to use a share of the workers with.
func (r *Race) share(e blas.Engine) rff.Engine {
	return rff.Engine{Backend: r.Settings.Engine.Backend, Workers: e.Workers}
}

// train learns the features of a candidate from rows, with the metric of from, with random numbers from draw first on.
func (r *Race) train(ctx context.Context, e blas.Engine, c candidate, features int, rows *trial.Rows, from *sampling.Learned, first int) (*sampling.Learned, error) {
	k, err := inside.Widened(r.Kernels[c.kernel], r.bandwidth(c))
	if err != nil {
		return nil, err
	}
	q := rff.Request{Kernel: k, Dim: r.in, Features: features, Data: rows.Scaled(r.scalings[c.scaling].Scaling), Engine: r.share(e)}
	return r.learned(ctx, c, q, from, nil, first, first+c.draws)
}

// learned learns the draws first to last of a candidate, and joins them with l. They have the metric
// of from; if that is nil, the first draw searches for one. What from or the first draw says about
// training holds for all.
func (r *Race) learned(ctx context.Context, c candidate, q rff.Request, from, l *sampling.Learned, first, last int) (*sampling.Learned, error) {
	if s, ok := c.sampler.(boost.Sampler); ok {
		q.Rand = r.source(first)
		m, importance, err := s.Learn(ctx, q)
		return &sampling.Learned{Map: m, Importance: importance, Outcome: "learned"}, err
	}
	q.Features /= c.draws + 1
	for draw := first; draw <= last; draw++ {
		q.Rand = r.source(draw)
		another, err := hook.Another(ctx, from, c.drawing(draw), q)
		if err != nil {
			return nil, err
		}
		fresh := another.(*sampling.Learned)
		if fresh.Outcome != "learned" {
			return nil, errors.New(fresh.Outcome)
		}
		if from == nil {
			from = fresh
		}
		fresh.Untrained = from.Untrained
		if l != nil {
			if fresh.Map, err = learn.Join(l.Map, fresh.Map); err != nil {
				return nil, err
			}
		}
		l = fresh
	}
	return l, nil
}

// sectionsOnAll returns the sections on all rows of q, whichever way they would be picked. Their fit
// by the kernel matrix needs no factor of it.
func sectionsOnAll(ctx context.Context, q rff.Request) (*rff.Map, error) {
	for b, err := range q.Data.Batches(ctx) {
		if err != nil {
			return nil, err
		}
		return inside.Sections(q.Kernel, b.X) // rows in memory come in one batch
	}
	return nil, errNothing
}

// describe names a trial.
func (r *Race) describe(t *tried) string {
	if t.err != nil {
		return t.err.Error()
	}
	if s, ok := t.sampler.(boost.Sampler); ok { // which have no kernel, and compare inputs on any scale
		if s.Own {
			return fmt.Sprintf("trees of depth %d, thresholds of each node, λ %.0e", s.Depth, t.Lambda)
		}
		return fmt.Sprintf("trees of depth %d, λ %.0e", s.Depth, t.Lambda)
	}
	k, err := inside.Widened(r.Kernels[t.kernel], r.bandwidth(t.candidate))
	if err != nil {
		return err.Error()
	}
	text := fmt.Sprintf("%s inputs, %v (%.3g medians), λ %.0e", r.scalings[t.scaling].name, k, multiple(t.exponent), t.Lambda)
	if name := samplerText(t.sampler); name != "" {
		text = name + ", " + text
	}
	if t.Rule != nil {
		text += fmt.Sprintf(", rule %v", t.Rule)
	}
	return text
}

func duration(work float64) time.Duration {
	return time.Duration(work / rate * float64(time.Second))
}

// isExact reports whether the features of a trial are kernel sections on all of its rows.
func (t *tried) isExact() bool { return t.kind == sectioned && t.features >= t.rows }

// base returns the best trial without learned features, or the best if there is none.
func (r *Race) base() *tried {
	if r.plain != nil {
		return r.plain
	}
	return r.best
}

// drawn returns the best trial, or base if the best is the exact regression, which has no
// features of its own.
func (r *Race) drawn() *tried {
	if r.best.isExact() {
		return r.base()
	}
	return r.smooth()
}

// smooth returns the best trial, or base if the best has trees.
func (r *Race) smooth() *tried {
	if r.best.isBoosted() {
		return r.base()
	}
	return r.best
}

func (c candidate) isBoosted() bool {
	_, ok := c.sampler.(boost.Sampler)
	return ok
}

func (t *tried) isTrained() bool {
	_, ok := t.sampler.(sampling.Refined)
	return ok
}

// drawing returns the sampler of a draw of learned features.
func (c candidate) drawing(draw int) rff.Sampler {
	s, ok := c.sampler.(sampling.Refined)
	if ok && draw > 0 {
		s.Epochs *= furtherEpochs
		return s
	}
	return c.sampler
}

// further returns the sampler of the draw that is joined with those beside it on a split. If the
// training of the first of these was of no use, all are frequencies of its metric, and so is the draw.
func (j job) further(split int) rff.Sampler {
	if s, ok := j.sampler.(sampling.Refined); ok && split < len(j.beside) && j.beside[split] != nil && j.beside[split].Untrained {
		return s.Metric
	}
	return j.drawing(1)
}

// own returns the sampler that picks the features of a candidate. If the candidate has axes,
// these learn bandwidths per input and the sampler does not.
func (c candidate) own() rff.Sampler {
	if c.axes != nil {
		return c.axes.sampler
	}
	return c.sampler
}
