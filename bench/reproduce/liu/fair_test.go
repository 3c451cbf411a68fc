package liu

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/rffgo/rff/bench/reproduce"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/sampling"
)

// curve is n rows of a regression, or of three classes, that a small bandwidth suits.
func curve(task dataset.Task, n int) *dataset.Table {
	rng := rand.New(rand.NewPCG(5, 6))
	t := &dataset.Table{X: blas.NewGeneral[float64](n, 2), Coding: dataset.Coding{Task: task}}
	if task == dataset.Classification {
		t.Coding.Classes = []string{"a", "b", "c"}
	}
	for i := range t.X.Rows {
		x := t.X.Row(i)
		x[0], x[1] = rng.Float64(), 5*rng.Float64()
		v := math.Sin(9*x[0]) + 0.1*rng.NormFloat64()
		if task == dataset.Classification {
			v = math.Floor(1.5 * (min(max(v, -0.99), 0.99) + 1))
		}
		t.Y = append(t.Y, v)
	}
	return t
}

func fairCell(t *testing.T, p *fair, sampler string, size int) reproduce.Cell {
	t.Helper()
	c := reproduce.Cell{Key: reproduce.Key{Experiment: name, Data: "made", Sampler: sampler, Size: size, Seed: 3}, Values: map[string]float64{}, Seconds: map[string]float64{}}
	if err := p.Measure(context.Background(), &c); err != nil {
		t.Fatal(sampler, err)
	}
	return c
}

// Every sampler learns, and a cell is what it is after others or alone.
func TestFairCells(t *testing.T) {
	for _, task := range []dataset.Task{dataset.Regression, dataset.Classification} {
		table := curve(task, 600)
		together := &fair{name: "made", table: table}
		for _, s := range fairSamplers {
			if testing.Short() && (s == "metric" || s == "refined") {
				continue // seconds each
			}
			c := fairCell(t, together, s, 64)
			// Without a fit: all of ‖y‖, and two thirds of the labels. The noise is 0.1 of
			// 0.7, and near two borders some labels are of chance.
			if e := c.Values["error"]; !(e > 0 && e < 35) {
				t.Errorf("%s, %s: %v", task, s, c.Values)
			}
			if s == "rff" || s == "nystrom" {
				if alone := fairCell(t, &fair{name: "made", table: table}, s, 64); alone.Values["error"] != c.Values["error"] || alone.Values["bandwidth"] != c.Values["bandwidth"] {
					t.Errorf("%s: %v after others, %v alone", s, c.Values, alone.Values)
				}
			}
		}
	}
}

// A sampler's bandwidth is better on held-out rows than half and twice of it; these rows
// are training rows that nothing is fitted to.
func TestFairBandwidth(t *testing.T) {
	p := &fair{name: "made", table: curve(dataset.Regression, 1200)}
	for _, s := range []string{"rff", "eerf", "nystrom"} {
		c := fairCell(t, p, s, 64)
		sampler, err := sampling.ByName(s)
		if err != nil {
			t.Fatal(err)
		}
		at := func(factor float64) float64 {
			e, err := p.heldOut(context.Background(), c.Key, sampler, factor)
			if err != nil {
				t.Fatal(err)
			}
			return e
		}
		best := c.Values["bandwidth"]
		if e := at(best); e > at(2*best) || best <= 1 && e > at(best/2) {
			t.Errorf("%s: bandwidth %v: %v, %v and %v", s, best, at(best/2), e, at(2*best))
		}
	}
	seen := map[float64]int{}
	for _, part := range []*dataset.Table{p.held, p.fitted, p.test} {
		for _, y := range part.Y {
			seen[y]++
		}
	}
	if p.held.Len() != 120 || p.fitted.Len() != 480 || len(seen) != 1200 {
		t.Errorf("%d, %d and %d rows, %d of them different", p.held.Len(), p.fitted.Len(), p.test.Len(), len(seen))
	}
}

// Codes are ±1: of two classes in one column, of three in one each.
func TestSquared(t *testing.T) {
	two := &dataset.Table{Y: []float64{0, 1}, Coding: dataset.Coding{Task: dataset.Classification, Classes: []string{"a", "b"}}}
	if got := squared(two, blas.General[float64]{Rows: 2, Cols: 1, Stride: 1, Data: []float64{-1, 0.5}}); got != 0.25 {
		t.Errorf("two classes: %v", got)
	}
	three := &dataset.Table{Y: []float64{2}, Coding: dataset.Coding{Task: dataset.Classification, Classes: []string{"a", "b", "c"}}}
	if got := squared(three, blas.General[float64]{Rows: 1, Cols: 3, Stride: 3, Data: []float64{-1, 0, 1}}); got != 1 {
		t.Errorf("three classes: %v", got)
	}
	numbers := &dataset.Table{Y: []float64{2, 5}, Coding: dataset.Coding{Task: dataset.Regression}}
	if got := squared(numbers, blas.General[float64]{Rows: 2, Cols: 1, Stride: 1, Data: []float64{3, 3}}); got != 5 {
		t.Errorf("a regression: %v", got)
	}
}
