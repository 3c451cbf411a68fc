package race

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/trial"
	"github.com/rffgo/rff/sampling"
)

// trainedMaps holds what refined has trained so far, a map for each split, by the number of features.
var trainedMaps = map[int][]*sampling.Learned{}

// refined returns a race whose best trial has trained frequencies of two draws on so many splits,
// with a budget that pays for everything. All such races have the same rows, so that what one has trained on a
// split is that of the others, and is trained once.
func refined(t *testing.T, s Settings, splits int) *Race {
	t.Helper()
	// No metric suits a sum over inputs, and frequencies along single inputs do.
	rng := rand.New(rand.NewPCG(1, 2))
	rows := &trial.Rows{X: blas.NewGeneral[float64](600, 5), Y: blas.NewGeneral[float64](600, 1), Low: slices.Repeat([]float64{-5}, 5), High: slices.Repeat([]float64{5}, 5)}
	for i := range rows.X.Rows {
		for j := range rows.X.Cols {
			x := rng.NormFloat64()
			rows.X.Row(i)[j] = x
			rows.Y.Row(i)[0] += math.Sin(2 * x)
		}
		rows.Index = append(rows.Index, int64(i))
	}
	s.Budget = time.Hour
	r := begun(t, rows, s)
	sampler := sampling.Refined{Metric: sampling.Metric{Fast: true, Rows: 400}, Epochs: 20}
	j := job{candidate: candidate{kind: learned, sampler: sampler, draws: 1}, grid: r.grid}
	known := trainedMaps[2*r.target()]
	j.maps = slices.Clip(known[:min(splits, len(known))])
	trials, err := r.step(context.Background(), "refined", []job{j}, size{r.splits[0].Train.X.Rows, r.splits[0].Valid.X.Rows, 2 * r.target(), splits})
	if err != nil || trials[0].err != nil {
		t.Fatal(err, trials[0].err)
	}
	if maps := trials[0].maps; len(maps) > len(known) {
		trainedMaps[2*r.target()] = maps
	}
	if r.take(trials[0]); r.best.maps[0].Untrained {
		t.Fatal("the test needs a training that is of use")
	}
	return r
}

// A fit of trained frequencies is the mean of as many trainings as may be, each with other
// frequencies of the same metric, and with what the budget pays for fewer. The measured one stays
// the first. Nothing is proposed where one model, or a number of features, is asked for.
func TestTrainings(t *testing.T) {
	ctx := context.Background()
	r := refined(t, Settings{Means: true}, 1)
	p := trainings(r)
	if len(p) != 1 || p[0].gain < leastGain || p[0].need > r.available() {
		t.Fatalf("proposals %+v", p)
	}
	training, fit := r.trainingWork(r.best, 1), r.fitWork(r.best, r.best.features)
	if want := float64(mostModels-1) * training; math.Abs(p[0].work/want-1) > 1e-12 || math.Abs(p[0].more/(float64(mostModels-1)*fit)-1) > 1e-12 {
		t.Errorf("work of %v and %v for fits, want %v and %v", p[0].work, p[0].more, want, float64(mostModels-1)*fit)
	}
	// A draw that is joined is trained as each of the two is.
	j, z := job{candidate: r.best.candidate, grid: r.grid, beside: r.best.maps}, r.best.size
	known := j
	known.maps = r.best.maps
	if one := r.workOf(j, z) - r.workOf(known, z); !(one > 0) || math.Abs(training/(2*one)-1) > 1e-9 {
		t.Errorf("two draws are trained with a work of %v, one with %v", training, one)
	}
	left := r.left
	r.left = r.fitWork(r.best, r.final()) + 2.5*(training+fit)
	if times, _, _ := r.timesOf(&mean{of: []*tried{r.best}, weight: []float64{1}}); times[0] != 2 {
		t.Errorf("the budget pays for 2 trainings, not %d", times[0])
	}
	if r.left = r.fitWork(r.best, r.final()) + 0.9*(training+fit); trainings(r) != nil {
		t.Error("the budget pays for no training, and one is proposed")
	}
	r.left = left
	width := r.in
	r.in = meanBytes / (8 * r.best.features) / 3
	if times, _, _ := r.timesOf(&mean{of: []*tried{r.best}, weight: []float64{1}}); times[0] != 3 {
		t.Errorf("there is memory for 3 trainings, not %d", times[0])
	}
	r.in = width
	if err := p[0].run(ctx); err != nil || !r.last().Kept || r.last().Candidates != mostModels-1 || trainings(r) != nil {
		t.Fatalf("%+v: %v, and then %+v", *r.last(), err, trainings(r))
	}
	if want := left - p[0].work; math.Abs(r.left-want) > 1e-9*left {
		t.Errorf("%v of the budget is left, want %v", r.left, want)
	}
	c := r.Choices()[0]
	if err := c.Make(ctx); err != nil || c.of != r.best || len(c.Beside) != mostModels-1 {
		t.Fatalf("%d beside: %v", len(c.Beside), err)
	}
	seen := [][]float64{}
	for _, one := range append([]*Choice{c}, c.Beside...) {
		if _, features := one.Map.Dims(); features != r.best.features {
			t.Errorf("a model of %d features, want %d", features, r.best.features)
		}
		w := inside.Spec(one.Map).W.Data
		half := len(w) / 2 // of each draw
		for _, draw := range [][]float64{w[:half], w[half:]} {
			if slices.ContainsFunc(seen, func(o []float64) bool { return slices.Equal(o, draw) }) {
				t.Error("two draws have the same frequencies")
			}
			seen = append(seen, draw)
		}
		if one.Weight != 1.0/mostModels || one.Lambda != r.best.Lambda || one.Scaling.Scale[0] != c.Scaling.Scale[0] {
			t.Errorf("weight %v, λ %v", one.Weight, one.Lambda)
		}
	}
	again := scoresOf(t, r, r.best, 1)
	for n, scores := range again {
		if math.Abs(r.mean.scores.Row(n)[0]-scores[0]) > oneOfGrid {
			t.Fatalf("held-out row %d has the score %v, want %v", n, r.mean.scores.Row(n)[0], scores[0])
		}
	}
	if len(again) != r.mean.scores.Rows || r.mean.told != r.told(r.best) {
		t.Errorf("%d rows, error %v", len(again), r.mean.told)
	}
	stopped, stop := context.WithCancel(ctx)
	stop()
	if err := r.trainAgain(stopped, []int{1}, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
	for name, s := range map[string]Settings{"one model": {}, "features": {Means: true, Features: 64}} {
		if trainings(refined(t, s, 1)) != nil {
			t.Errorf("%s asked for, and more trainings are proposed", name)
		}
	}
}

// Once trained frequencies are the best, reservedModels further trainings and their fits are kept for
// the end, or a share of the budget. Otherwise the reserve is that for a mean.
func TestReserveForTrainings(t *testing.T) {
	r := refined(t, Settings{Means: true}, 2)
	forMean := meanShare * r.whole
	if r.reserve != forMean {
		t.Errorf("an hour keeps %v, want %v", r.reserve, forMean)
	}
	again := r.trainingWork(r.best, 2) + r.fitWork(r.best, r.best.features)
	for whole, want := range map[float64]float64{15 * again: 5 * again, 10 * again: 4 * again, 100 * again: 8 * again} {
		r.whole, r.left = whole, whole
		r.take(r.best)
		if math.Abs(r.reserve/want-1) > 1e-12 {
			t.Errorf("of a budget of %v trainings those of %v are kept, want %v", whole/again, r.reserve/again, want/again)
		}
		if got := r.left - r.fitWork(r.best, r.final()) - want; math.Abs(r.available()/got-1) > 1e-9 {
			t.Errorf("%v are available, want %v", r.available(), got)
		}
	}
	r.whole = 15 * again
	plain := scripted([]float64{1, 1}, r.best.size)
	plain.features = 1 << 20 // whose fits take more than the budget
	if r.take(plain); math.Abs(r.reserve/(meanShare*r.whole)-1) > 1e-12 {
		t.Errorf("other features keep %v, want %v", r.reserve, meanShare*r.whole)
	}
	if r := refined(t, Settings{}, 1); r.reserve != 0 {
		t.Errorf("where one model is asked for, %v are kept", r.reserve)
	}
}

// Members of a mean are trained again so that the weights of single models become alike, and those
// without trained frequencies are not. A member's weight is shared by its trainings.
func TestTrainingsOfMean(t *testing.T) {
	r := refined(t, Settings{Means: true}, 1)
	plain, other := scripted([]float64{1, 1}, r.best.size), *r.best
	plain.features = 64
	result := *other.Result
	result.Lambda, other.Result = 7, &result
	r.mean = &mean{of: []*tried{r.best, plain, &other}, weight: []float64{0.4, 0.5, 0.1}, told: 3}
	times, work, fits := r.timesOf(r.mean)
	if !slices.Equal(times, []int{4, 0, 1}) || !(work > 0) {
		t.Fatalf("%v trainings with a work of %v", times, work)
	}
	if want := 6*r.fitWork(r.best, r.best.features) + r.fitWork(plain, 64); math.Abs(fits/want-1) > 1e-12 {
		t.Errorf("the fits beside the best have a work of %v, want %v", fits, want)
	}
	if err := r.trainAgain(context.Background(), []int{1, 0, 2}, work); err != nil {
		t.Fatal(err)
	}
	third := 0.1 / 3
	if want := []float64{0.2, 0.5, third, 0.2, third, third}; !slices.Equal(r.mean.weight, want) || len(r.mean.of) != len(want) || r.last().Error != 3 || r.last().Features != 3*r.best.features {
		t.Errorf("weights %v, want %v; %+v", r.mean.weight, want, *r.last())
	}
	for i, of := range r.mean.of {
		if (of.Lambda == 7) != (i == 2 || i > 3) {
			t.Errorf("model %d has λ %g", i, of.Lambda)
		}
	}
	// A training that cannot be done leaves the weights as they are, and the report says why. That
	// of another split is at hand.
	for splits, want := range map[int][]float64{1: {1}, 2: {0.5, 0.5}} {
		r = refined(t, Settings{Means: true}, splits)
		r.best.sampler = learnsNothing{}
		p := trainings(r)
		if err := p[0].run(context.Background()); err != nil || r.last().Why == "" || r.last().Kept != (splits == 2) || !slices.Equal(r.mean.weight, want) || len(r.mean.of) != splits {
			t.Errorf("%d splits: weights %v, %+v, %v", splits, r.mean.weight, *r.last(), err)
		}
		if trainings(r) != nil {
			t.Error("what failed is proposed again")
		}
	}
}

// What was learned on other splits comes first, and costs nothing but fits. Further trainings have
// other frequencies.
func TestTrainingsOfSplits(t *testing.T) {
	r := refined(t, Settings{Means: true}, 3)
	times, work, _ := r.timesOf(&mean{of: []*tried{r.best}, weight: []float64{1}})
	if want := float64(mostModels-3) * r.trainingWork(r.best, 3); !slices.Equal(times, []int{mostModels - 1}) || math.Abs(work/want-1) > 1e-12 {
		t.Fatalf("%v trainings with a work of %v, want %v", times, work, want)
	}
	if err := r.trainAgain(context.Background(), []int{3}, work); err != nil || len(r.mean.of) != 4 {
		t.Fatalf("%d models: %v", len(r.mean.of), err)
	}
	for i, of := range r.mean.of {
		if at := slices.Index(r.best.maps, of.maps[0]); at != i && (i < 3 || at >= 0) {
			t.Errorf("model %d has the map of split %d", i, at)
		}
	}
	r.best.kind, r.mean = drawn, nil
	if trainings(r) != nil {
		t.Error("features that are not learned are to be learned again")
	}
}

// What a draw gained, as a share of the loss before, decides whether another one joins.
func TestGained(t *testing.T) {
	r := refined(t, Settings{}, 1)
	before := r.trained
	r.gained = 1
	if err := joined(r)[0].run(context.Background()); err != nil || r.trained.draws != before.draws+1 {
		t.Fatalf("the test needs a draw that is of use: %+v, %v", *r.last(), err)
	}
	if _, features := r.trained.maps[0].Map.Dims(); features != before.features/2*3 {
		t.Errorf("%d features, want half as many again as %d", features, before.features)
	}
	if want := 1 - r.trained.Mean/before.Mean; !(want > 0) || math.Abs(r.gained-want) > 1e-9 {
		t.Errorf("it gained %v, want %v", r.gained, want)
	}
}
