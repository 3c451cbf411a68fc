package race

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/trial"
)

// scored is the scores of members for the same held-out rows.
type scored struct {
	y      [][]float64
	weight []float64
	of     []blas.General[float64] // of each member, a line for each row
	unit   []float64               // of the squared errors of each target
}

// means proposes a mean of the best trial and the best ones of other kinds. It comes last,
// since every trial may be a member, and has a reserve of the budget.
func means(r *Race) []proposal {
	if !r.Means || r.Features > 0 || r.mean != nil || r.fruitless["mean"] > 0 || !r.measured(r.best) {
		return nil
	}
	from, work, more := r.members()
	if len(from) < 2 {
		return nil
	}
	return []proposal{{name: "mean", gain: r.gainOf("mean"), work: work, more: more, need: work + more - r.reserve, run: func(ctx context.Context) error { return r.average(ctx, from, work) }}}
}

// members returns the best trial, then the best one of each other kind, as many as the budget
// pays for. work is that of those that were not tried on as many splits as the best. more is that of the fits
// of all rows that a mean of mostMean of them needs beside that of the best.
func (r *Race) members() (from []*tried, work, more float64) {
	kind := func(t *tried) string {
		return fmt.Sprint(t.scaling, t.kernel, t.kind, t.isExact(), fmt.Sprintf("%T", t.sampler), t.axes != nil, t.draws)
	}
	kinds := map[string]*tried{}
	for _, t := range r.all {
		if o := kinds[kind(t)]; o == nil || t.features > o.features || t.features == o.features && compare(t, o) < 0 {
			kinds[kind(t)] = t
		}
	}
	delete(kinds, kind(r.best))
	others := slices.Collect(maps.Values(kinds))
	slices.SortFunc(others, func(a, b *tried) int { return cmp.Or(compare(a, b), cmp.Compare(kind(a), kind(b))) })
	rows := 0
	for _, s := range r.splits[:r.heldSplits(r.best)] {
		rows += s.Valid.X.Rows
	}
	most := min(mostMembers, meanBytes/(8*rows*r.targets))
	var fits []float64
	for _, t := range append([]*tried{r.best}, others...) {
		z := t.size
		z.splits = r.heldSplits(r.best)
		once, fit := r.furtherWork(t.job, z, t.splits), r.fitWork(t, t.features)
		if t == r.best {
			fit = 0
		}
		if next := largest(append(slices.Clip(fits), fit), mostMean); len(from) < most && work+once+next <= r.available()+r.reserve {
			from, fits, work, more = append(from, t), append(fits, fit), work+once, next
		}
	}
	return from, work, more
}

// largest returns the sum of the n largest of v.
func largest(v []float64, n int) float64 {
	slices.SortFunc(v, func(a, b float64) int { return cmp.Compare(b, a) })
	return dense.Sum(v[:min(n, len(v))])
}

// average tries a mean of members, the best trial first.
func (r *Race) average(ctx context.Context, from []*tried, work float64) error {
	begin := time.Now()
	candidates := len(from)
	s, from, err := r.score(ctx, from)
	if err != nil {
		return err
	}
	r.left -= work
	r.advance(work / r.whole)
	weight := s.blend()
	m := &mean{scores: s.sum(weight)}
	order := make([]int, len(from))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(weight[b], weight[a]) })
	var text []string
	features := 0
	for _, i := range order {
		if weight[i] > 0 {
			m.of, m.weight = append(m.of, from[i]), append(m.weight, weight[i])
			text = append(text, fmt.Sprintf("%.2g of (%s)", weight[i], r.describe(from[i])))
			features += from[i].features
		}
	}
	before, after := s.result(r.loss, s.of[0]), s.result(r.loss, m.scores)
	d := trial.Compare(before, after)
	if m.told = after.Told; r.Classes == nil {
		m.told = math.Sqrt(after.Told)
	}
	z := from[0].size
	r.report.Steps = append(r.report.Steps, Step{Name: "mean", Candidates: candidates, Rows: z.rows, HeldOut: len(s.y), Features: features,
		Best: strings.Join(text, " + "), Error: m.told, Estimated: duration(work), Elapsed: time.Since(begin), Gain: d.Mean, StdErr: d.StdErr})
	switch worse := trial.Compare(after, before).Better(noise); {
	case len(m.of) == 1:
		r.last().Why = "one alone has smaller squared errors than every mean"
	case worse:
		r.last().Why = notKept(d, noise)
	default:
		r.mean, r.last().Kept = m, true
	}
	return nil
}

// score returns the scores of the rows that the best trial held out, by members of the mean, which go on to its
// splits where they were tried on fewer. It leaves out a member that finds nothing to learn on one of them.
func (r *Race) score(ctx context.Context, from []*tried) (*scored, []*tried, error) {
	s := &scored{unit: r.squareUnits()}
	splits := r.heldSplits(r.best)
	for _, split := range r.splits[:splits] {
		for i := range split.Valid.X.Rows {
			s.y, s.weight = append(s.y, split.Valid.Y.Row(i)), append(s.weight, split.Valid.WeightOf(i))
		}
	}
	all := make([]*tried, len(from))
	r.engine.Each(len(from), func(e blas.Engine, i int) { all[i] = r.on(ctx, e, from[i], splits) })
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	var able []*tried
	for _, t := range all {
		if t.err == nil {
			s.of, able = append(s.of, t.Scores(r.targets).RowRange(0, len(s.y))), append(able, t)
		}
	}
	return s, able, nil
}

// on returns a trial of all rows and that many splits or more, with the scores of what they hold out.
func (r *Race) on(ctx context.Context, e blas.Engine, t *tried, splits int) *tried {
	z := r.full(t.features)
	if z.splits = splits; t.rows != z.rows || t.valid < z.valid {
		return r.try(ctx, e, t.again(), z, nil)
	}
	if t.splits >= splits {
		return t
	}
	return r.try(ctx, e, t.job, z, t)
}

// squareUnits returns the variances of the targets of a regression as shares of the first, so that
// the unit of a target has no say in a mean. Codes of classes all have the unit 1.
func (r *Race) squareUnits() []float64 {
	out := slices.Repeat([]float64{1}, r.targets)
	if r.Classes == nil {
		ranges, _ := trial.RangesOf(r.rows.Y)
		for t, v := range ranges.Variance {
			out[t] = v / ranges.Variance[0]
		}
	}
	return out
}

// sum returns the scores of the members times their weights.
func (s *scored) sum(weight []float64) blas.General[float64] {
	out := blas.NewGeneral[float64](s.of[0].Rows, s.of[0].Cols)
	for m, w := range weight {
		for i := range out.Rows {
			dense.AddTimes(out.Row(i), w, s.of[m].Row(i))
		}
	}
	return out
}

// result returns the losses of scores.
func (s *scored) result(loss trial.Loss, scores blas.General[float64]) *trial.Result {
	return trial.ResultOf(scores.Rows, func(i int) (float64, float64, float64, float64) {
		l, proper, told := loss(scores.Row(i), s.y[i])
		return l, proper, told, s.weight[i]
	})
}

// blend returns the weights of the mean whose squared error, in the units of the targets, is the
// least among those that meanRounds steps lead to. Each step adds the member that is of the most use
// to the mean so far, and may add one again (Caruana, Niculescu-Mizil, Crew and Ksikes, "Ensemble
// selection from libraries of models", ICML 2004). Weights are multiples of one over the number of
// steps, so few held-out rows cannot tune them far.
func (s *scored) blend() []float64 {
	n := len(s.of)
	product := s.products()
	// The sum of the members so far has the squared error total, and its products with each
	// member are with.
	with, count := make([]float64, n), make([]int, n)
	var total float64
	least, best, members := math.Inf(1), make([]float64, n), 0
	for round := 1; round <= meanRounds; round++ {
		next, at := math.Inf(1), 0
		for i := range n {
			if v := total + float64(2*with[i]) + product[i][i]; v < next && (count[i] > 0 || members < mostMean) {
				next, at = v, i
			}
		}
		if count[at] == 0 {
			members++
		}
		count[at]++
		total = next
		for i := range n {
			with[i] += product[i][at]
		}
		if v := total / float64(round*round); v < least {
			least = v
			for i, c := range count {
				best[i] = float64(c) / float64(round)
			}
		}
	}
	return best
}

// products returns the sums over rows and targets of the products of the errors of two members.
func (s *scored) products() [][]float64 {
	out := make([][]float64, len(s.of))
	for a := range out {
		out[a] = make([]float64, len(s.of))
		for b := range a + 1 {
			var sum float64
			for i, y := range s.y {
				var row float64
				for t, v := range y {
					row += float64((s.of[a].Row(i)[t]-v)*(s.of[b].Row(i)[t]-v)) / s.unit[t]
				}
				sum += float64(s.weight[i] * row)
			}
			out[a][b], out[b][a] = sum, sum
		}
	}
	return out
}
