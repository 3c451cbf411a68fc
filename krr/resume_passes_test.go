package krr_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rffgo/rff/krr"
)

// A fit by passes that is stopped again and again, at another iteration each time, ends with
// the model of one that is not.
func TestPassesResume(t *testing.T) {
	two, numbers := classes(3, 700, 3, "a", "b"), synthetic(4, 700, 3, 2, 0.3)
	noise := synthetic(6, 700, 3, 1, 3)
	m := gaussianMap(t, 1, 3, 60, 1.5)
	grid := []float64{1e-7, 1e-5, 1e-3, 1e-1}
	for name, c := range map[string]struct {
		data *rows
		s    krr.Settings
		stop int // after so many iterations
	}{
		"chosen":        {numbers, krr.Settings{Lambdas: grid, HeldOut: true}, 3},
		"float32":       {numbers, krr.Settings{Lambdas: []float64{1e-8, 1e-7, 1e-3, 1e-1}, Precision: krr.Float32}, 2},
		"rising":        {noise, krr.Settings{Lambdas: append([]float64{1e-11, 1e-10, 1e-9, 1e-8}, grid...)}, 5},
		"per target":    {numbers, krr.Settings{Lambdas: grid, PerTarget: true}, 9},
		"one":           {numbers, krr.Settings{Lambdas: grid[:1]}, 2},
		"intervals":     {numbers, krr.Settings{Lambdas: grid, Uncertainty: "intervals"}, 4},
		"probabilities": {two, krr.Settings{Lambdas: grid, Probabilities: true}, 4},
	} {
		c.s.Passes, c.s.Seed = &krr.Passes{Tolerance: 1e-6}, 5
		if name == "float32" {
			// Rounding leaves changes of some 1e-6 at λ = 1e-3, and a hundred times that at 1e-7, which
			// does not converge on any backend.
			c.s.Passes.Tolerance = 4e-6
		}
		whole, want := mustFit(t, m, c.data, c.s)
		if short := len(want.Path) < len(c.s.Lambdas) && want.Path != nil; short != (name == "rising" || name == "float32") {
			t.Errorf("%s: %d of %d λ were tried", name, len(want.Path), len(c.s.Lambdas))
		}
		wanted, _ := whole.MarshalBinary()
		path := filepath.Join(t.TempDir(), "checkpoint")
		c.s.Checkpoint = krr.Checkpoint{Path: path, Every: time.Nanosecond}
		var got *krr.Model
		var report *krr.Report
		stops := 0
		for ; got == nil && stops < 200; stops++ {
			ctx, cancel := context.WithCancel(t.Context())
			iterations := 0
			c.s.Progress = func(p krr.Progress) {
				if p.Stage == "iterations" {
					if iterations++; iterations == c.stop+stops/7 {
						cancel()
					}
				}
			}
			var err error
			if got, report, err = krr.Fit(ctx, m, c.data, c.s); err != nil && !errors.Is(err, context.Canceled) {
				t.Fatalf("%s, after %d stops: %v", name, stops, err)
			}
			cancel()
		}
		if got == nil || stops < 2 {
			t.Fatalf("%s: %d stops, model %v", name, stops, got)
		}
		if now, _ := got.MarshalBinary(); !bytes.Equal(now, wanted) {
			t.Errorf("%s: another model after %d stops", name, stops)
		}
		if report.Resumed != 700 || len(report.Path) != len(want.Path) || report.AtEdge != want.AtEdge {
			t.Errorf("%s: %+v, want %+v", name, report, want)
		}
		for i, p := range report.Path {
			if i > 0 && math.IsInf(p.Error[0], 1) {
				t.Errorf("%s: λ = %g was tried after %g, which did not converge", name, report.Path[i-1].Lambda, p.Lambda)
			}
			if q := want.Path[i]; p.Lambda != q.Lambda || p.Error[0] != q.Error[0] || p.Solved != q.Solved {
				t.Errorf("%s: %+v, want %+v", name, p, q)
			}
		}
	}
}

// A checkpoint of passes is refused by other settings, other rows and fits from sums, and
// where it is damaged.
func TestPassesResumeRefused(t *testing.T) {
	data, m := synthetic(4, 300, 3, 1, 0.3), gaussianMap(t, 1, 3, 40, 1.5)
	path := filepath.Join(t.TempDir(), "checkpoint")
	s := krr.Settings{Passes: &krr.Passes{Tolerance: 1e-6}, Checkpoint: krr.Checkpoint{Path: path, Every: time.Nanosecond}}
	ctx, cancel := context.WithCancel(t.Context())
	s.Progress = func(p krr.Progress) {
		if p.Stage == "iterations" && p.Rows == 3 {
			cancel()
		}
	}
	if _, _, err := krr.Fit(ctx, m, data, s); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	s.Progress = nil
	kept, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	other := *data
	other.y = synthetic(5, 300, 3, 1, 0.3).y
	for want, change := range map[string]func(s *krr.Settings, data **rows){
		"tolerance":      func(s *krr.Settings, _ **rows) { s.Passes = &krr.Passes{Tolerance: 1e-5} },
		"grid":           func(s *krr.Settings, _ **rows) { s.Lambdas = []float64{1e-3, 1e-2} },
		"fold left out":  func(s *krr.Settings, _ **rows) { s.Folds = 3 },
		"seed":           func(s *krr.Settings, _ **rows) { s.Seed = 3 },
		"other rows":     func(_ *krr.Settings, data **rows) { *data = &other },
		"number of fold": func(s *krr.Settings, _ **rows) { s.Passes = nil },
	} {
		changed, rows := s, data
		change(&changed, &rows)
		var file *krr.FileError
		if _, _, err := krr.Fit(t.Context(), m, rows, changed); !errors.As(err, &file) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
		if now, _ := os.ReadFile(path); !bytes.Equal(now, kept) {
			t.Fatalf("%s: the checkpoint is not what it was", want)
		}
	}
	for name, v := range map[string]float64{"path.lambda": -1, "lambda": 2, "least": math.NaN(), "rises": -1, "solving.numbers": 1e15, "now": math.Inf(1), "solving.solution": math.NaN()} {
		if err := os.WriteFile(path, withNumber(t, kept, name, 0, v), 0o600); err != nil {
			t.Fatal(err)
		}
		var file *krr.FileError
		if _, _, err := krr.Fit(t.Context(), m, data, s); !errors.As(err, &file) || file.Path != path {
			t.Errorf("%s %g: %v", name, v, err)
		}
	}
}
