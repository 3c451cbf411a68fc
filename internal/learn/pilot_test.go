package learn

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// Sines of projections: from frequencies an eighth of theirs a training does not reach
// them in so few epochs, and Start begins with larger ones. Those of the right size stay
// as they are.
func TestStart(t *testing.T) {
	ctx := context.Background()
	p := ridges(1200, 6, 1, false)
	drawn := normals(rand.New(rand.NewPCG(1, 1)), 128, 6)
	end := func(start *Fit) float64 {
		t.Helper()
		reached, err := (&Refine{Problem: p, Train: p.Train, Inputs: p.Train.X, Epochs: 16, Seed: 3}).Run(ctx, start)
		if err != nil {
			t.Fatal(err)
		}
		least := start.Error
		for _, c := range reached {
			least = min(least, c.Fit.Error)
		}
		return least
	}
	for _, c := range []struct {
		size  float64
		moves bool
	}{{0.125, true}, {1, false}, {4, false}} {
		start, err := p.Fit(ctx, times[float64](drawn, c.size))
		if err != nil {
			t.Fatal(err)
		}
		var errs []float64
		r := &Refine{Problem: p, Train: p.Train, Inputs: p.Train.X, Epochs: 16, Seed: 3}
		from, err := r.Start(ctx, start, func(by, e float64) {
			if want := math.Pow(2, float64(len(errs))/2); math.Abs(by-want) > 1e-15*want {
				t.Errorf("pilot %d is %g times as narrow", len(errs), by)
			}
			errs = append(errs, e)
		})
		if err != nil {
			t.Fatal(err)
		}
		if moved := from != start; moved != c.moves {
			t.Errorf("frequencies of %g times their size: another start %v; pilots' errors %.3g", c.size, moved, errs)
			continue
		}
		if !c.moves {
			continue
		}
		if by := from.w.Row(0)[0] / start.w.Row(0)[0]; by < 2 || by > 12 {
			t.Errorf("starts %g times as narrow, pilots' errors %.3g", by, errs)
		}
		if a, b := end(from), end(start); !(a < b/2) {
			t.Errorf("the error ends at %.4g, at %.4g from where it was", a, b)
		}
	}
}

// A pilot that is stopped returns the error of the context; one that comes to nothing
// leaves the start as it is.
func TestStartEnds(t *testing.T) {
	p := ridges(600, 4, 1, false)
	start, err := p.Fit(context.Background(), normals(rand.New(rand.NewPCG(1, 1)), 10, 4))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := (&Refine{Problem: p, Train: p.Train, Inputs: p.Train.X, Epochs: 8}).Start(ctx, start, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	for i := range p.Train.Y.Data {
		p.Train.Y.Data[i] *= 1e200 // beyond float32
	}
	if start, err = p.Fit(context.Background(), start.w); err != nil {
		t.Fatal(err)
	}
	pilots := 0
	from, err := (&Refine{Problem: p, Train: p.Train, Inputs: p.Train.X, Epochs: 8}).Start(context.Background(), start, func(_, e float64) {
		if pilots++; !math.IsInf(e, 1) {
			t.Errorf("an error of %g", e)
		}
	})
	if err != nil || from != start || pilots != 1 {
		t.Errorf("%v, another start %v, %d pilots", err, from != start, pilots)
	}
}
