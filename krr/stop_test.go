package krr_test

import (
	"context"
	"errors"
	"iter"
	"math"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/krr"
)

// stages counts the reports of every stage, and calls at in one of them.
type stages struct {
	seen   map[string]int
	last   map[string]krr.Progress
	active atomic.Int32
	at     map[string]func()
	t      *testing.T
}

func newStages(t *testing.T) *stages {
	return &stages{seen: map[string]int{}, last: map[string]krr.Progress{}, at: map[string]func(){}, t: t}
}

func (s *stages) progress(p krr.Progress) {
	if s.active.Add(1) != 1 {
		s.t.Error("two reports at once")
	}
	defer s.active.Add(-1)
	if p.Rows < 0 || (p.Total >= 0 && p.Rows > p.Total) || p.Elapsed < 0 {
		s.t.Errorf("%+v", p)
	}
	s.seen[p.Stage]++
	s.last[p.Stage] = p
	if f := s.at[p.Stage]; f != nil {
		f()
	}
}

// Every long stage reports, and ends at its total.
func TestProgress(t *testing.T) {
	ctx := context.Background()
	m := gaussianMap(t, 1, 3, 64, 2)
	r := classes(1, 900, 3, "a", "b", "c")
	for name, c := range map[string]struct {
		r    *rows
		s    krr.Settings
		want []string
	}{
		"folds":         {r, krr.Settings{}, []string{"rows", "select", "solve"}},
		"gcv":           {r, krr.Settings{Criterion: krr.GCV}, []string{"rows", "select", "solve"}},
		"dual":          {classes(1, 50, 3, "a", "b"), krr.Settings{}, []string{"rows", "select"}},
		"few λ":         {r, krr.Settings{Lambdas: []float64{1e-3, 1e-2}}, []string{"rows", "select", "solve"}},
		"cg":            {r, krr.Settings{Passes: &krr.Passes{}}, []string{"rows", "iterations"}},
		"probabilities": {r, krr.Settings{Probabilities: true}, []string{"rows", "select", "solve"}},
	} {
		s := newStages(t)
		c.s.Progress = s.progress
		if _, _, err := krr.Fit(ctx, m, c.r, c.s); err != nil {
			t.Fatal(name, err)
		}
		for _, stage := range c.want {
			if p, ok := s.last[stage]; !ok || (p.Total >= 0 && p.Rows != p.Total) {
				t.Errorf("%s: %s ends at %+v", name, stage, p)
			}
		}
	}
	s := newStages(t)
	if _, _, err := krr.Auto(ctx, synthetic(1, 2000, 3, 1, 0.1), krr.AutoSettings{Budget: time.Second / 4, Fit: krr.Settings{Progress: s.progress}}); err != nil {
		t.Fatal(err)
	}
	if p := s.last["search"]; p.Rows != 100 || p.Total != 100 || s.seen["search"] < 2 {
		t.Errorf("search ends at %+v after %d reports", p, s.seen["search"])
	}
}

// Choosing λ reports from within: about five times a second, whatever a fold takes.
func TestProgressWithin(t *testing.T) {
	if testing.Short() {
		t.Skip("solves for seconds")
	}
	m := gaussianMap(t, 1, 3, 1600, 2)
	s := newStages(t)
	begun := time.Now()
	_, report, err := krr.Fit(context.Background(), m, synthetic(1, 2000, 3, 1, 0.1), krr.Settings{Progress: s.progress, Folds: 2})
	if err != nil {
		t.Fatal(err)
	}
	if n, want := s.seen["select"], int(report.Took["select"].Seconds()*5/2); n < want {
		t.Errorf("%d reports in %v", n, time.Since(begun))
	}
}

// A fit that is cancelled returns soon, with nothing left at work.
func TestCancelWork(t *testing.T) {
	r := synthetic(1, 2500, 3, 1, 0.1)
	few := synthetic(1, 1100, 3, 1, 0.1)
	m := gaussianMap(t, 1, 3, 1200, 2)
	g := gram(t, m, r, krr.Float64)
	grid := krr.DefaultLambdas()
	for name, f := range map[string]func(ctx context.Context) error{
		"folds": func(ctx context.Context) error { _, _, err := krr.Fit(ctx, m, r, krr.Settings{Folds: 30}); return err },
		"few λ": func(ctx context.Context) error {
			_, _, err := krr.Fit(ctx, m, r, krr.Settings{Folds: 30, Lambdas: grid[:4]})
			return err
		},
		"dual": func(ctx context.Context) error {
			_, _, err := krr.Fit(ctx, m, few, krr.Settings{Folds: 50})
			return err
		},
		"cg": func(ctx context.Context) error {
			_, _, err := krr.Fit(ctx, m, r, krr.Settings{Passes: &krr.Passes{Tolerance: 1e-14}})
			return err
		},
		"analyze": func(ctx context.Context) error {
			for {
				if _, err := g.Analyze(ctx, grid); err != nil {
					return err
				}
			}
		},
		"path": func(ctx context.Context) error {
			for {
				if _, err := g.Path(ctx, grid); err != nil {
					return err
				}
			}
		},
		"solve": func(ctx context.Context) error {
			for {
				if _, err := g.Solve(ctx, 1e-3); err != nil {
					return err
				}
			}
		},
		"auto": func(ctx context.Context) error { _, _, err := krr.Auto(ctx, r, krr.AutoSettings{}); return err },
	} {
		before := runtime.NumGoroutine()
		ctx, cancel := context.WithCancel(context.Background())
		var at atomic.Int64
		time.AfterFunc(60*time.Millisecond, func() { at.Store(time.Now().UnixNano()); cancel() })
		err := f(ctx)
		late := time.Since(time.Unix(0, at.Load()))
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		// One factor of a 1200×1200 matrix, or one panel, takes some 50 ms, and more on a
		// busy machine; the work as a whole takes minutes there.
		if late > 10*time.Second {
			t.Errorf("%s: ended %v after cancelling", name, late)
		}
		for wait := 0; runtime.NumGoroutine() > before+runtime.GOMAXPROCS(0) && wait < 100; wait++ {
			time.Sleep(10 * time.Millisecond)
		}
		if n := runtime.NumGoroutine(); n > before+runtime.GOMAXPROCS(0) { // parked workers
			t.Errorf("%s: %d goroutines, %d before", name, n, before)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := krr.SolveEach(g, ctx, []float64{1e-3}, true); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before: %v", err)
	}
}

// explosive is a source that panics.
type explosive struct{ *rows }

func (explosive) Batches(context.Context) iter.Seq2[rff.Batch, error] {
	return func(func(rff.Batch, error) bool) { panic("boom") }
}

// A panic of the source or of Progress comes to the caller, with every solver.
func TestPanicsReachTheCaller(t *testing.T) {
	r := synthetic(1, 900, 3, 1, 0.1)
	m := gaussianMap(t, 1, 3, 64, 1)
	caught := func(f func()) (p any) {
		defer func() { p = recover() }()
		f()
		return nil
	}
	for _, s := range []krr.Settings{{}, {Passes: &krr.Passes{}}, {Lambdas: []float64{1e-3}}} {
		if p := caught(func() { krr.Fit(context.Background(), m, explosive{r}, s) }); p != "boom" {
			t.Errorf("%+v: source: %v", s, p)
		}
		for _, stage := range []string{"rows", "select", "solve", "iterations"} {
			st := newStages(t)
			st.at[stage] = func() { st.active.Store(-1); panic("bang " + stage) }
			s.Progress = func(p krr.Progress) { st.active.Store(0); st.progress(p) }
			p := caught(func() { krr.Fit(context.Background(), m, r, s) })
			if st.seen[stage] > 0 && p != "bang "+stage {
				t.Errorf("%+v: %s: %v", s.Passes, stage, p)
			}
		}
	}
}

// λ whose ridge overflows is a setting that cannot be, with every way of solving.
func TestHugeLambda(t *testing.T) {
	ctx := context.Background()
	m := gaussianMap(t, 1, 3, 64, 1)
	many, few := synthetic(1, 300, 3, 1, 0.1), synthetic(1, 30, 3, 1, 0.1)
	var setting *rff.ParameterError
	for _, lambda := range []float64{1e308, 1e160, 1e150} {
		for _, r := range []*rows{many, few} {
			for _, s := range []krr.Settings{{Lambdas: []float64{lambda}}, {Lambdas: []float64{1e-3, lambda}}, {Criterion: krr.GCV, Lambdas: []float64{1e-3, lambda}}, {Passes: &krr.Passes{}, Lambdas: []float64{lambda}}} {
				if _, _, err := krr.Fit(ctx, m, r, s); !errors.As(err, &setting) || setting.Name != "lambda" || setting.Value != lambda {
					t.Errorf("%d rows, %+v: %v", r.x.Rows, s, err)
				}
			}
		}
		g := gram(t, m, many, krr.Float64)
		if _, err := g.Solve(ctx, lambda); !errors.As(err, &setting) {
			t.Errorf("Solve: %v", err)
		}
		if _, err := g.Analyze(ctx, []float64{lambda}); !errors.As(err, &setting) {
			t.Errorf("Analyze: %v", err)
		}
		if _, err := g.Path(ctx, []float64{lambda}); !errors.As(err, &setting) {
			t.Errorf("Path: %v", err)
		}
	}
	// A large one that can be computed with predicts the mean.
	_, report, err := krr.Fit(ctx, m, many, krr.Settings{Lambdas: []float64{1e140}})
	if err != nil || math.Abs(report.Train.R2[0]) > 1e-12 {
		t.Errorf("%v: R² %v", err, report)
	}
	_, report, err = krr.Fit(ctx, m, few, krr.Settings{Lambdas: []float64{1e140}})
	if err != nil || math.Abs(report.Train.R2[0]) > 1e-12 || krr.InfoOf(report).Solved.Condition-krr.InfoOf(report).Solved.Condition != 0 {
		t.Errorf("dual: %v: R² %v", err, report)
	}
	// One so small that the eigenvalues' ratio overflows.
	one := synthetic(2, 6, 3, 1, 0.1)
	if _, err := gram(t, m, one, krr.Float64).Solve(ctx, 1e-320); err != nil && !errors.As(err, &setting) {
		var singular *krr.SolveError
		if !errors.As(err, &singular) {
			t.Errorf("tiny λ: %v", err)
		}
	}
}

// What a Gram has not cannot be subtracted, and then it is as it was.
func TestSubtractTooMuch(t *testing.T) {
	ctx := context.Background()
	m := gaussianMap(t, 1, 3, 20, 1.5)
	weighted := func(n int, w float64) *krr.Gram {
		r := synthetic(2, n, 3, 2, 0.1)
		for range n {
			r.w = append(r.w, w)
		}
		return gram(t, m, r, krr.Float64)
	}
	var setting *rff.ParameterError
	for name, c := range map[string]struct {
		g, h *krr.Gram
		want string
	}{
		"rows":          {weighted(50, 1), weighted(51, 1), "rows to subtract"},
		"weight":        {weighted(50, 1), weighted(49, 2), "weight to subtract"},
		"all, lighter":  {weighted(50, 1), weighted(50, 0.5), "weight to subtract"},
		"from an empty": {krr.NewGram(m, 2, krr.GramSettings{}), weighted(1, 1), "rows to subtract"},
	} {
		before, _ := c.g.MarshalBinary()
		if err := c.g.Subtract(c.h); !errors.As(err, &setting) || setting.Name != c.want {
			t.Errorf("%s: %v", name, err)
		}
		if after, _ := c.g.MarshalBinary(); string(after) != string(before) {
			t.Errorf("%s: the Gram has changed", name)
		}
	}
	// All rows leave nothing, so that others can follow as the first.
	g := weighted(50, 0.1)
	if err := g.Subtract(weighted(50, 0.1)); err != nil || g.Rows() != 0 || g.Reference() != nil {
		t.Fatalf("%v: %d rows, reference %v", err, g.Rows(), g.Reference())
	}
	var empty *rff.DegenerateDataError
	if _, err := g.Solve(ctx, 1e-3); !errors.As(err, &empty) {
		t.Errorf("nothing left: %v", err)
	}
	other := synthetic(9, 70, 3, 2, 0.1)
	if err := g.AddSource(ctx, other); err != nil || !equalSums(g.Sums(), gram(t, m, other, krr.Float64).Sums()) {
		t.Errorf("%v: rows after all others left are not the first", err)
	}
	// Nothing from something, and a Gram from itself.
	if err := g.Subtract(krr.NewGram(m, 2, krr.GramSettings{})); err != nil || g.Rows() != 70 {
		t.Errorf("%v: %d rows", err, g.Rows())
	}
	if err := g.Subtract(g); err != nil || g.Rows() != 0 {
		t.Errorf("itself: %v: %d rows", err, g.Rows())
	}
	if err := g.Merge(krr.NewGram(m, 2, krr.GramSettings{})); err != nil || g.Rows() != 0 {
		t.Errorf("empty ones: %v: %d rows", err, g.Rows())
	}
	// Of another precision.
	var mismatch *rff.ParameterError
	half := krr.NewGram(m, 2, krr.GramSettings{Precision: krr.Float32})
	for _, f := range []func(*krr.Gram) error{weighted(9, 1).Merge, weighted(9, 1).Subtract} {
		if err := f(half); !errors.As(err, &mismatch) || mismatch.Name != "precision" {
			t.Errorf("float32 and float64: %v", err)
		}
	}
}

// A fit that is cancelled at its last row adds no more row blocks: with 3,000 features and five folds
// they took more than a second.
func TestCancelAtLastRow(t *testing.T) {
	before, after, err := krr.SummedAfterCancel(gaussianMap(t, 1, 3, 64, 1), synthetic(3, 100, 3, 1, 0.1), krr.Settings{Uncertainty: "variance"})
	if !errors.Is(err, context.Canceled) || before >= 100 || after != before {
		t.Errorf("%v; of 100 rows, %g were summed before and %g after", err, before, after)
	}
}
