package learn

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// walk is a climb that fits one bandwidth after the other.
func walk(t *testing.T, m *Metric, b Transform, from int) (best float64, at, fits int) {
	t.Helper()
	fit := func(octave int) float64 {
		fits++
		f, _, err := m.At(context.Background(), b, octave)
		if err != nil {
			t.Fatal(err)
		}
		return f.Error
	}
	worst := 2
	if m.Quick {
		worst = 1
	}
	best, at = fit(from), from
	for _, step := range []int{1, -1} {
		for k, worse := from+step, 0; worse < worst && k >= -16 && k <= 8; k += step {
			if e := fit(k); e < best {
				best, at, worse = e, k, 0
			} else {
				worse++
			}
		}
		if at != from {
			break
		}
	}
	return best, at, fits
}

// Climbs and searches that fit several bandwidths side by side end where one fit after the other
// does, with as many fits, on any number of workers.
func TestClimbInBatches(t *testing.T) {
	const d = 4
	p := ridges(300, d, 1, false)
	m := &Metric{Problem: p, W0: normals(rand.New(rand.NewPCG(3, 4)), 16, d), Unit: math.Sqrt(2 * d)}
	b := Transform{Scale: slices.Repeat([]float64{1}, d)}
	for _, m.Quick = range []bool{false, true} {
		for from := -16; from <= 8; from += 3 {
			m.Done = nil
			best, at, want := walk(t, m, b, from)
			for workers := 1; workers <= 3; workers++ {
				fits := 0
				m.Problem.Engine.Workers, m.Done = workers, func() { fits++ }
				f, octave, err := m.Climb(context.Background(), b, from)
				if err != nil || f.Error != best || octave != at || fits != want {
					t.Errorf("quick %v from %d, %d workers: %v at %d, %d fits, %v; want %v at %d, %d fits", m.Quick, from, workers, f.Error, octave, fits, err, best, at, want)
				}
			}
		}
	}
	var all []string
	for workers := 1; workers <= 5; workers++ {
		fits := 0
		m.Problem.Engine.Workers, m.Done = workers, func() { fits++ }
		f, octave, err := m.Search(context.Background(), b)
		if err != nil || fits != 13 {
			t.Errorf("%d fits, %v", fits, err)
		}
		all = append(all, fmt.Sprint(f.Error, octave))
	}
	least := math.Inf(1)
	for octave := 4; octave >= -8; octave-- {
		if f, _, err := m.At(context.Background(), b, octave); err == nil && f.Error < least {
			least = f.Error
			all = append(all[:5], fmt.Sprint(least, octave))
		}
	}
	if slices.Sort(all); all[0] != all[5] {
		t.Errorf("searches end at %q", all)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, _, err := m.Search(ctx, b); !errors.Is(err, context.Canceled) {
		t.Errorf("a stopped search: %v", err)
	}
	if _, _, err := m.Climb(ctx, b, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("a stopped climb: %v", err)
	}
}

// Pilots in pairs decide as one after the other do: the frequencies of the last one that was
// better than all before it are the start, and no pilot after the first that was not is told of.
func TestPilotsInPairs(t *testing.T) {
	ctx := context.Background()
	p := ridges(600, 6, 1, false)
	for _, size := range []float64{0.03, 0.06, 0.125, 0.25, 0.5, 1} {
		start, err := p.Fit(ctx, times[float64](normals(rand.New(rand.NewPCG(1, 1)), 64, 6), size))
		if err != nil {
			t.Fatal(err)
		}
		r := &Refine{Problem: p, Train: p.Train, Inputs: p.Train.X, Epochs: 16, Seed: 3}
		var want []float64
		factor, least := 1.0, math.Inf(1)
		for i := range mostPilots {
			e, err := r.pilot(ctx, p.Engine, start, Bandwidth(1, i))
			if err != nil {
				t.Fatal(err)
			}
			if want = append(want, e); !(e < least) {
				break
			}
			least, factor = e, Bandwidth(1, i)
		}
		for workers := 1; workers <= 3; workers++ {
			var errs []float64
			r.Problem.Engine.Workers = workers
			from, err := r.Start(ctx, start, func(_, e float64) { errs = append(errs, e) })
			if err != nil || !slices.Equal(errs, want) || from.w.Row(1)[2] != start.w.Row(1)[2]*factor {
				t.Errorf("size %g, %d workers: pilots' errors %v, want %v; %g times as narrow, want %g; %v", size, workers, errs, want, from.w.Row(1)[2]/start.w.Row(1)[2], factor, err)
			}
		}
	}
}
