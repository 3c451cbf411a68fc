package krr_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	columns "github.com/rffgo/rff/internal/scaling"
	"github.com/rffgo/rff/krr"
)

// The second pass scales rows as the first did, and refuses other columns; the
// degrees of freedom are those of the analysis.
func TestLeaveOneOutOfScaledRows(t *testing.T) {
	ctx := context.Background()
	m := gaussianMap(t, 1, 3, 40, 2)
	scaling := rff.Scaling{Shift: []float64{1, -2, .5}, Scale: []float64{2, .5, 4}}
	raw := synthetic(1, 700, 3, 2, .1)
	plain := *raw
	plain.x = blas.NewGeneral[float64](raw.x.Rows, 3)
	columns.Rows(scaling.Shift, scaling.Scale, plain.x, raw.x)
	g := krr.NewGram(m, 2, krr.GramSettings{Scaling: scaling})
	if err := g.AddSource(ctx, raw); err != nil {
		t.Fatal(err)
	}
	grid := []float64{1e-5, 1e-3, 1e-1}
	got, err := g.LeaveOneOut(ctx, raw, grid)
	if err != nil {
		t.Fatal(err)
	}
	want, err := gram(t, m, &plain, krr.Float64).LeaveOneOut(ctx, &plain, grid)
	if err != nil {
		t.Fatal(err)
	}
	analysis, err := g.Analyze(t.Context(), grid)
	if err != nil {
		t.Fatal(err)
	}
	for l := range grid {
		if !slices.Equal(got[l].MSE, want[l].MSE) || got[l].Lambda != grid[l] {
			t.Errorf("λ=%g: %v, of scaled rows %v", grid[l], got[l].MSE, want[l].MSE)
		}
		if d := math.Abs(got[l].Freedom - analysis[l].Freedom); d > 1e-9*analysis[l].Freedom || got[l].Solved.Solver != "band" {
			t.Errorf("λ=%g: %v degrees of freedom, the analysis has %v (%v)", grid[l], got[l].Freedom, analysis[l].Freedom, got[l].Solved)
		}
	}
	var e *rff.ParameterError
	for name, other := range map[string]*rows{"targets": synthetic(1, 50, 3, 1, 0), "inputs": synthetic(1, 50, 2, 2, 0)} {
		if _, err := g.LeaveOneOut(ctx, other, grid); !errors.As(err, &e) {
			t.Errorf("other %s: %v", name, err)
		}
	}
	if none, err := g.LeaveOneOut(ctx, raw, nil); err != nil || len(none) != 0 {
		t.Errorf("no λ: %v, %v", none, err)
	}
}
