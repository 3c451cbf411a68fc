package trial

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/classes"
	"github.com/rffgo/rff/internal/require"
	"github.com/rffgo/rff/internal/reweight"
	"github.com/rffgo/rff/internal/stream"
)

// naive returns the coefficients and the intercept of weighted ridge regression on the
// features z, by the normal equations of an unpenalised constant.
func naive(z *mat.Dense, y, w []float64, lambda float64) (beta []float64, b float64) {
	n, s := z.Dims()
	a, r := mat.NewDense(s+1, s+1, nil), mat.NewDense(s+1, 1, nil)
	var sum float64
	for i := range n {
		row := append(append([]float64(nil), z.RawRowView(i)...), 1)
		sum += w[i]
		for j, v := range row {
			for k, u := range row {
				a.Set(j, k, a.At(j, k)+w[i]*v*u)
			}
			r.Set(j, 0, r.At(j, 0)+w[i]*v*y[i])
		}
	}
	for j := range s {
		a.Set(j, j, a.At(j, j)+sum*lambda)
	}
	var x mat.Dense
	if err := x.Solve(a, r); err != nil {
		panic(err)
	}
	for j := range s {
		beta = append(beta, x.At(j, 0))
	}
	return beta, x.At(s, 0)
}

// planted returns rows of two inputs, weights, and targets that are a wave or its sign.
func planted(n int, seed uint64, class bool) *Rows {
	rng := rand.New(rand.NewPCG(seed, 2))
	r := &Rows{X: blas.NewGeneral[float64](n, 2), Y: blas.NewGeneral[float64](n, 1)}
	for i := range n {
		x := r.X.Row(i)
		x[0], x[1] = rng.NormFloat64(), rng.NormFloat64()
		r.Y.Row(i)[0] = math.Sin(2*x[0]) + x[1] + 0.3*rng.NormFloat64()
		if class {
			r.Y.Row(i)[0] = math.Copysign(1, r.Y.Row(i)[0])
		}
		r.Weight = append(r.Weight, 0.5+rng.Float64())
	}
	if class {
		r.Labels = []string{"a", "b"}
	}
	return r
}

// fixed makes the same map of every split: of 20 features, or of 20 landmarks.
func fixed(t *testing.T, landmarks bool) func(context.Context, blas.Engine, int, *Rows) (*rff.Map, error) {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 3))
	m, err := rff.New(rff.NewGaussian(1), 2, 20, rng)
	if landmarks {
		c := mat.NewDense(20, 2, nil)
		for i := range 40 {
			c.RawMatrix().Data[i] = rng.NormFloat64()
		}
		m, err = rff.Nystrom(rff.NewGaussian(1), c)
	}
	if err != nil {
		t.Fatal(err)
	}
	return func(context.Context, blas.Engine, int, *Rows) (*rff.Map, error) { return m, nil }
}

// A trial has the losses of ridge regression by the book: with weights in the fit and in
// the mean, predictions confined to the range of the targets, a scaling, and
// rules; on landmarks and in float32, too.
func TestRunByTheBook(t *testing.T) {
	ctx := context.Background()
	scaling := rff.Scaling{Shift: []float64{0.5, -1}, Scale: []float64{1.5, 0.7}}
	few, many := []float64{1e-4, 1e-2}, []float64{}
	for i := range manyScores {
		many = append(many, 1e-4*float64(i+1))
	}
	for _, c := range []struct {
		name                        string
		class, landmarks, float32ed bool
		rules                       []reweight.Rule
		tolerance                   float64
		lambdas                     []float64
	}{{"regression", false, false, false, nil, 1e-9, few}, {"landmarks", false, true, false, nil, 1e-7, few}, {"float32", false, false, true, nil, 1e-4, few},
		{"classes", true, false, false, nil, 1e-9, few}, {"a rule", true, false, false, []reweight.Rule{reweight.Hard(2), reweight.Hard(10)}, 1e-9, few},
		{"many λ", false, false, false, nil, 1e-9, many}, {"many λ in float32", false, false, true, nil, 1e-4, many}} {
		all := planted(300, 5, c.class)
		ranges, _ := RangesOf(all.Y)
		ranges.High[0] = 1.2 // so that some predictions are clipped
		task := Task{Map: fixed(t, c.landmarks), Scaling: scaling, Precision: map[bool]*stream.Precision{true: stream.Float32}[c.float32ed], Lambdas: c.lambdas, Rules: c.rules, Loss: ranges.SquaredError(true)}
		if c.class {
			task.Loss = WrongLabels
		}
		splits := Folds{Seed: 2, Of: 3, Count: 2, Most: 300}.Splits(all)
		got, err := task.Run(ctx, splits, nil)
		if err != nil {
			t.Fatal(c.name, err)
		}
		m, _ := task.Map(ctx, blas.Engine{}, 0, nil)
		features := func(r *Rows) *mat.Dense {
			x := mat.NewDense(r.X.Rows, 2, nil)
			for i := range r.X.Rows {
				for j, v := range r.X.Row(i) {
					x.Set(i, j, (v-scaling.Shift[j])/scaling.Scale[j])
				}
			}
			var z mat.Dense
			if err := m.Transform(&z, x); err != nil {
				t.Fatal(err)
			}
			return &z
		}
		score := func(beta []float64, b float64, z []float64) float64 {
			for j, v := range z {
				b += v * beta[j]
			}
			return b
		}
		best, bestLambda, bestTold := math.Inf(1), 0.0, 0.0
		var bestRule reweight.Rule
		for _, lambda := range task.Lambdas {
			for _, rule := range append([]reweight.Rule{nil}, c.rules...) {
				if (rule == nil) != (c.rules == nil) {
					continue
				}
				var loss, told, sum float64
				for _, s := range splits {
					z, y, w := features(s.Train), s.Train.Y.Data, append([]float64(nil), s.Train.Weight...)
					beta, b := naive(z, y, w, lambda)
					if hard, ok := rule.(reweight.Hard); ok {
						var before float64
						for i := range w {
							before += w[i]
							if classes.Margin([]float64{score(beta, b, z.RawRowView(i))}, y[i:i+1]) < 0.5 {
								w[i] *= float64(hard)
							}
						}
						beta, b = naive(z, y, w, lambda)
					}
					held := features(s.Valid)
					for i := range s.Valid.X.Rows {
						l, _, e := task.Loss([]float64{score(beta, b, held.RawRowView(i))}, s.Valid.Y.Row(i))
						loss, told, sum = loss+s.Valid.Weight[i]*l, told+s.Valid.Weight[i]*e, sum+s.Valid.Weight[i]
					}
				}
				if loss/sum < best {
					best, bestLambda, bestRule, bestTold = loss/sum, lambda, rule, told/sum
				}
			}
		}
		if math.Abs(got.Mean-best) > c.tolerance || got.Lambda != bestLambda || got.Rule != bestRule || math.Abs(got.Told-bestTold) > max(c.tolerance, 1e-12) {
			t.Errorf("%s: loss %.10g at λ %g, rule %v, told %g; by the book %.10g at %g, %v, %g", c.name, got.Mean, got.Lambda, got.Rule, got.Told, best, bestLambda, bestRule, bestTold)
		}
	}
}

// A trial that goes on over a repeat of the folds has each row once, with the mean of its
// losses, and the result that it went on from stays as it was.
func TestRunGoesOn(t *testing.T) {
	ctx := context.Background()
	all := planted(90, 6, false)
	all.Weight = nil
	task := Task{Map: fixed(t, false), Lambdas: []float64{1e-3}, Loss: Squares}
	splits := Folds{Seed: 1, Of: 3, Count: 3, Repeats: 2, Most: 90}.Splits(all)
	first, err := task.Run(ctx, splits[:3], nil)
	if err != nil {
		t.Fatal(err)
	}
	before := first.Mean
	whole, err := task.Run(ctx, splits, first)
	if err != nil || len(whole.Loss) != 90 || whole.Splits != 6 || first.Mean != before {
		t.Fatal(len(whole.Loss), whole.Splits, err)
	}
	second, err := task.Run(ctx, splits[3:], nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, slot := range splits[3].Slot {
		if want := (first.Loss[slot] + second.Loss[slot]) / 2; math.Abs(whole.Loss[slot]-want) > 1e-12 {
			t.Fatalf("slot %d has the loss %g, want %g", slot, whole.Loss[slot], want)
		}
	}
	again, _ := task.Run(ctx, splits, first)
	if again.Mean != whole.Mean {
		t.Errorf("going on twice gives %g and %g", whole.Mean, again.Mean)
	}
}

// Scores are those of the rows that are held out for the first time, in the order of the splits, whether a trial goes on
// or not, and by the best way to solve when others are forgotten.
func TestScores(t *testing.T) {
	r := planted(200, 8, false)
	r.Weight = nil
	splits := Folds{Seed: 1, Of: 5, Count: 5, Repeats: 2, Most: 200}.Splits(r)
	task := Task{Map: fixed(t, false), Lambdas: []float64{1e-6, 1e-3, 1e-1}, Loss: Squares, Precision: stream.Float64, Held: true}
	two, err := task.Run(t.Context(), splits[:2], nil)
	if err != nil {
		t.Fatal(err)
	}
	all, err := task.Run(t.Context(), splits, two)
	if err != nil {
		t.Fatal(err)
	}
	scores := all.Scores(1)
	if scores.Rows != 200 || two.Scores(1).Rows != 80 {
		t.Fatalf("%d and %d rows have scores", scores.Rows, two.Scores(1).Rows)
	}
	once, err := task.Run(t.Context(), splits[:5], nil)
	if err != nil || once.Lambda != all.Lambda {
		t.Fatal(err)
	}
	at := 0
	for _, s := range splits[:5] {
		for i := range s.Valid.Y.Rows {
			if loss, _, _ := Squares(scores.Row(at), s.Valid.Y.Row(i)); loss != once.Loss[at] {
				t.Fatalf("row %d has the loss %v, and its score %v", at, once.Loss[at], loss)
			}
			at++
		}
	}
	all.Forget()
	if !slices.Equal(all.Scores(1).Data, scores.Data) {
		t.Error("the best way to solve is forgotten")
	}
	alone := task
	alone.Lambdas = []float64{once.Lambda}
	once.Forget()
	further, err := alone.Run(t.Context(), splits, once)
	if err != nil || further.Splits != 10 || math.Abs(further.Mean-all.Mean) > 1e-9 {
		t.Errorf("the best way alone ends at %+v: %v", further, err)
	}
}

// Splits are fitted side by side, with the bits and the error of one after the other, and no more
// workers are used than were asked for.
func TestRunSideBySide(t *testing.T) {
	ctx := context.Background()
	all := planted(90, 6, false)
	splits := Folds{Seed: 1, Of: 5, Count: 5, Most: 90}.Splits(all)
	plain := fixed(t, false)
	run := func(workers, fails int) ([]float64, error) {
		var used, most atomic.Int32
		task := Task{Engine: blas.Engine{Workers: workers}, Lambdas: []float64{1e-3}, Loss: Squares, Map: func(ctx context.Context, e blas.Engine, split int, train *Rows) (*rff.Map, error) {
			now := used.Add(int32(e.Workers))
			for old := most.Load(); now > old && !most.CompareAndSwap(old, now); {
				old = most.Load()
			}
			defer used.Add(-int32(e.Workers))
			time.Sleep(time.Millisecond)
			if train != splits[split].Train {
				t.Errorf("split %d gets the rows of another", split)
			}
			if split >= fails {
				return nil, fmt.Errorf("split %d", split)
			}
			return plain(ctx, e, split, train)
		}}
		r, err := task.Run(ctx, splits, nil)
		if int(most.Load()) > workers {
			t.Errorf("%d workers of %d", most.Load(), workers)
		}
		if err != nil {
			return nil, err
		}
		return r.Loss, nil
	}
	want, err := run(1, 5)
	if err != nil {
		t.Fatal(err)
	}
	for workers := 2; workers <= 7; workers++ {
		if got, err := run(workers, 5); err != nil || !slices.Equal(got, want) {
			t.Errorf("%d workers: %v, %v, want %v", workers, got, err, want)
		}
		if _, err := run(workers, 3); err == nil || err.Error() != "split 3" {
			t.Errorf("%d workers: the error is %v", workers, err)
		}
	}
}

// Rows that a map does not resolve are an error, on either side.
func TestRunUnresolved(t *testing.T) {
	task := Task{Map: fixed(t, false), Lambdas: []float64{1e-3}, Loss: Squares}
	for _, side := range []int{0, 1} {
		parts := []*Rows{planted(50, 1, false), planted(50, 2, false)}
		parts[side].X.Row(7)[1] = 1e300
		var row *rff.ValueError
		if _, err := task.Run(context.Background(), []Split{{Train: parts[0], Valid: parts[1]}}, nil); !errors.As(err, &row) || row.Row != 7 {
			t.Errorf("side %d: %v", side, err)
		}
		for _, far := range []float64{-1e300, 1e300} { // rows that know the ranges of their columns
			r := parts[side]
			r.X.Row(7)[1] = far
			if r.Low, r.High = slices.Clone(r.X.Row(0)), slices.Clone(r.X.Row(0)); far < 0 {
				r.Low[1] = far
			} else {
				r.High[1] = far
			}
			if _, err := task.Run(context.Background(), []Split{{Train: parts[0], Valid: parts[1]}}, nil); !errors.As(err, &row) || row.Row != 7 {
				t.Errorf("side %d, %g within the ranges: %v", side, far, err)
			}
		}
	}
}

// A gain is the weighted mean difference of the losses of the same rows, with the standard
// error of that mean, and counts beyond it; or where it is a gain and most rows have one.
func TestCompare(t *testing.T) {
	before, after := &Result{Loss: []float64{3, 5, 7, 100}}, &Result{Loss: []float64{2, 3, 4}} // fewer splits: the first rows
	d := Compare(before, after)
	if want := math.Sqrt(1.0 / 3); d.Mean != 2 || math.Abs(d.StdErr-want) > 1e-15 { // of 1, 2, 3
		t.Errorf("%+v, want 2 ± %v", d, want)
	}
	before.weights = []float64{2, 1, 1, 1}
	if d := Compare(before, after); d.Mean != (2*1+2+3)/4. { // a row of weight 2 counts twice
		t.Errorf("weighted: %+v", d)
	}
	for _, c := range []struct {
		d      Difference
		errors float64
		want   bool
	}{{Difference{2, 1, 0}, 1, true}, {Difference{2, 1, 0}, 2, false}, {Difference{0.5, 1, 0}, 1, false}, {Difference{0, 0, 0}, 1, false},
		{Difference{-2, 1, 9}, 1, false}, {Difference{0.5, 1, 3.1}, 1, true}} {
		if c.d.Better(c.errors) != c.want {
			t.Errorf("%+v is better by %g errors: %v", c.d, c.errors, !c.want)
		}
	}
	if one := Compare(&Result{Loss: []float64{2}}, &Result{Loss: []float64{1}}); one.Better(1) {
		t.Error("one row decides")
	}
}

// Of equal losses the better proper score decides, and of equal ones the larger λ.
func TestTies(t *testing.T) {
	all := planted(60, 1, true)
	splits := Folds{Seed: 1, Of: 3, Count: 3, Most: 60}.Splits(all)
	same := func(scores, y []float64) (float64, float64, float64) { return 0, 0, 0 }
	task := Task{Map: fixed(t, false), Lambdas: []float64{1e-6, 1e-3, 1}, Loss: same}
	r, err := task.Run(context.Background(), splits, nil)
	if err != nil || r.Lambda != 1 {
		t.Errorf("λ %g, %v", r.Lambda, err)
	}
	task.Loss = func(scores, y []float64) (float64, float64, float64) {
		_, proper, _ := Squares(scores, y)
		return 0, proper, 0
	}
	if r, err = task.Run(context.Background(), splits, nil); err != nil || r.Lambda == 1 {
		t.Errorf("by squared errors λ %g, %v", r.Lambda, err)
	}
	if grid := Lambdas(stream.Float32); grid[0] != 1e-8 || Lambdas(stream.Float64)[0] != 1e-12 {
		t.Errorf("λ of float32 begin at %g", grid[0])
	}
}

// Rows that cost nothing are not counted.
func TestLossShare(t *testing.T) {
	if got := (&Result{Loss: []float64{0, 0.5, 0, 1, 0}}).LossShare(); got != 0.4 {
		t.Errorf("%v of the rows have a loss, want 0.4", got)
	}
}

// The loss of a regression confines predictions to the range of each target, where it is
// asked to, and is a mean over targets in units of their variances.
func TestSquaredError(t *testing.T) {
	r := Ranges{Low: []float64{-1, 0}, High: []float64{1, 8}, Variance: []float64{4, 16}}
	for _, c := range []struct {
		clipped bool
		want    float64
	}{{true, (0 + 4./16) / 2}, {false, (4./4 + 16./16) / 2}} {
		if loss, proper, told := r.SquaredError(c.clipped)([]float64{3, -2}, []float64{1, 2}); loss != c.want || proper != loss || told != loss {
			t.Errorf("clipped %v: %v, %v, %v, want %v", c.clipped, loss, proper, told, c.want)
		}
	}
}

// The standard error of a weighted gain is that of a weighted mean, by hand: of gains 1, 2
// and 6 with weights 2, 1 and 1 the mean is 2.5, and the deviations −1.5, −.5 and 3.5.
func TestCompareWeighsErrors(t *testing.T) {
	before, after := &Result{Loss: []float64{3, 5, 10}, weights: []float64{2, 1, 1}}, &Result{Loss: []float64{2, 3, 4}}
	want := math.Sqrt((4*2.25 + 0.25 + 12.25) / 16 * 3 / 2)
	if d := Compare(before, after); d.Mean != 2.5 || math.Abs(d.StdErr-want) > 1e-15 {
		t.Errorf("%+v, want 2.5 ± %v", d, want)
	}
}

// The smoothed count of wrong labels is 0 to 1, whatever the margin, and ½ at none.
func TestWrongLabelsAreConfined(t *testing.T) {
	for score, want := range map[float64]float64{-9: 1, -0.5: 1, -0.25: 0.75, 0: 0.5, 0.25: 0.25, 0.5: 0, 9: 0} {
		if loss, _, told := WrongLabels([]float64{score}, []float64{1}); loss != want || (told == 1) != (score < 0) {
			t.Errorf("score %v of a positive row: loss %v, want %v, told %v", score, loss, want, told)
		}
	}
}

// The features of held-out rows take the memory of a block of them, not that of all: 20,000 rows of
// 512 features have 80 MB.
func TestScoresTakeBlocks(t *testing.T) {
	const rows, features = 20000, 512
	m, err := rff.New(rff.NewGaussian(1), 2, features, rand.NewPCG(1, 2))
	if err != nil {
		t.Fatal(err)
	}
	held := planted(rows, 3, false)
	// Every worker has a workspace of its own, and how many are made is up to the scheduler.
	f := newFitted(blas.Engine{Workers: 1}, m, rff.Scaling{}, stream.Float64, held)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	seen := 0
	if err := f.predict(t.Context(), newModel(features, manyScores), held, func(int, []float64) { seen++ }); err != nil || seen != rows {
		t.Fatal(seen, err)
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 40<<20 && !require.Race {
		t.Errorf("scores of %d rows take %d MB", rows, took>>20)
	}
}
