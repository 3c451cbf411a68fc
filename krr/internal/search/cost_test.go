package search

import (
	"math"
	"testing"
	"time"

	"github.com/rffgo/rff"
)

func sized(rows, in int) *Search {
	s := &Search{Settings: Settings{Budget: 30 * time.Second, Kernels: []rff.Stationary{rff.Gaussian{}}}, in: in, targets: 1, n: int64(rows)}
	s.budget = newBudget(&s.Settings)
	return s
}

// The effort of refined features is chosen by what is left, and not by that of the
// metric that was kept before.
func TestEffort(t *testing.T) {
	s := sized(60000, 54)
	z := size{32000, 8000, 1024, 1}
	cost := map[effort]float64{}
	for _, e := range []effort{thorough, manyRows, fast} {
		cost[e] = s.learningCost(candidate{learned: "refined", effort: e}, z)
	}
	if !(cost[thorough] > cost[manyRows] && cost[manyRows] > cost[fast]) {
		t.Fatalf("costs %v", cost)
	}
	for _, before := range []effort{thorough, manyRows, fast} {
		c := candidate{learned: "refined", effort: before}
		for left, want := range map[float64]effort{2 * cost[thorough]: thorough, cost[thorough]: manyRows, cost[manyRows]: manyRows, 0.99 * cost[manyRows]: fast, 0: fast} {
			if got := s.effortFor(c, z, left); got != want {
				t.Errorf("%.3g s left, after %d: effort %d, want %d", left, before, got, want)
			}
		}
		c.learned = "metric"
		if got := s.effortFor(c, z, 1e9); got != fast {
			t.Errorf("metric: effort %d", got)
		}
	}
}

// With many rows the frequencies are trained on all of them that fit into memory, for
// as many epochs as the budget pays for, and the search for the metric sees few.
func TestWideEffort(t *testing.T) {
	s := sized(60000, 54)
	z := size{48000, 12000, 1024, 1}
	cost := map[effort]float64{}
	for _, e := range many {
		cost[e] = s.learningCost(candidate{learned: "refined", effort: e}, z)
	}
	for left, want := range map[float64]effort{2 * cost[wide]: wide, cost[wide]: wideHalf, cost[wideHalf]: wideHalf, 0.99 * cost[wideHalf]: wideQuarter, 0.99 * cost[wideQuarter]: fast} {
		if got := s.effortFor(candidate{learned: "refined"}, z, left); got != want {
			t.Errorf("%.3g s left: effort %d, want %d", left, got, want)
		}
	}
	if got := wide.rows(56); got < 60000 || wide.metricRows() > 8000 {
		t.Errorf("%d rows to train on and %d to search", got, wide.metricRows())
	}
	if bytes := 8 * 1200 * wide.rows(1200); bytes > 8*1200*manyLearned {
		t.Errorf("%d bytes of long rows", bytes)
	}
}

// What landmarks cost more than random features is counted: picking them from the rows
// and multiplying their kernel matrix, of the order of features³.
func TestLandmarkCost(t *testing.T) {
	s := sized(20000, 10)
	z := size{16000, 4000, 1024, 2}
	plain, landmarks := s.costOf(candidate{}, z, 3), s.costOf(candidate{landmarks: true}, z, 3)
	least := seconds(2 * 1024 * 1024 * 1024 * 3) // L⁻¹ and two products with it, of two splits
	if plain != s.cost(z, 3) || landmarks < plain+least {
		t.Errorf("%.3g s, landmarks %.3g, at least %.3g more", plain, landmarks, least)
	}
	single := s.landmarkCost(candidate{}, z)
	s.Float32 = true
	if s.landmarkCost(candidate{}, z) <= single {
		t.Error("rows are multiplied in float32")
	}
}

// A gain is the mean difference of the losses of the same rows, with the standard error
// of that mean, and counts beyond it.
func TestGain(t *testing.T) {
	before, after := trial{loss: []float64{3, 5, 7, 100}}, trial{loss: []float64{2, 3, 4}} // fewer splits: the first rows
	mean, stdErr := gain(before, after)
	if want := math.Sqrt(1.0 / 3); mean != 2 || math.Abs(stdErr-want) > 1e-15 { // of 1, 2, 3
		t.Errorf("%v ± %v, want 2 ± %v", mean, stdErr, want)
	}
	for _, c := range []struct {
		gain, stdErr float64
		want         bool
	}{{2, 1, true}, {0.5, 1, false}, {1, 1, false}, {0, 0, false}, {-0.5, 0.1, false}, {-2, 1, false}} {
		if beyond(c.gain, c.stdErr) != c.want {
			t.Errorf("a gain of %v ± %v counts: %v", c.gain, c.stdErr, !c.want)
		}
	}
}
