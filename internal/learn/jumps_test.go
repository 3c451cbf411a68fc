package learn

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/trial"
)

// mixed returns rows of eleven inputs: 0 a normal number, 1 a flag, 2 a constant, 3 one
// of four values, 4, 5 and 6 the columns of a category, 7 and 8 those of one whose
// first level has no column, 9 a number that is mostly zero, 10 a fine grid.
func mixed(rng *rand.Rand, n int) blas.General[float64] {
	x := normals(rng, n, 11)
	for i := range n {
		row := x.Row(i)
		row[1] = float64(rng.IntN(2))
		row[2] = 3
		row[3] = []float64{-2, -1, 1, 4}[rng.IntN(4)]
		clear(row[4:9])
		row[4+rng.IntN(3)] = 1
		if k := rng.IntN(3); k > 0 {
			row[6+k] = 2
		}
		row[9] = max(0, 4*rng.Float64()-2.5)
		row[10] = math.Round(10*row[10]) / 10
	}
	return x
}

// TestFindJumps: which inputs are of few values, and which exclude each other.
func TestFindJumps(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	j := FindJumps(&trial.Rows{X: mixed(rng, 900)})
	var columns []int
	for _, c := range j.columns {
		columns = append(columns, c.input)
	}
	if want := []int{2, 3}; !slices.Equal(columns, want) {
		t.Errorf("inputs %v jump, want %v", columns, want)
	}
	var groups [][]int
	var none []bool
	for _, f := range j.flags {
		groups, none = append(groups, f.inputs), append(none, f.none)
	}
	if want := "[[1] [4 5 6] [7 8]] [true false true]"; fmt.Sprint(groups, none) != want {
		t.Errorf("flags %v %v, want %s", groups, none, want)
	}
	if j.moves() != 8 {
		t.Errorf("%d moves, want 8", j.moves())
	}
	if j := FindJumps(&trial.Rows{X: normals(rng, 60, 4)}); j != nil {
		t.Errorf("normal numbers jump: %+v", j)
	}
}

// TestJumpSteps: a step leads to the next value that occurs, over a hundredth of the
// rows.
func TestJumpSteps(t *testing.T) {
	values, counts := []float64{0, 1, 2, 3, 4}, []int{500, 4, 5, 400, 3}
	c := newJumping(0, values, counts, 912)
	if want := []int{3, 3, 3, 4, -1}; !slices.Equal(c.up, want) {
		t.Errorf("up to %v, want %v", c.up, want)
	}
	if want := []int{-1, 0, 0, 0, 3}; !slices.Equal(c.down, want) {
		t.Errorf("down to %v, want %v", c.down, want)
	}
	for _, s := range []struct {
		from, to float64
		up       bool
	}{{0, 3, true}, {0, 3, false}, {2, 3, true}, {2, 0, false}, {4, 3, true}} {
		if to, ok := c.target(s.from, s.up); !ok || to != s.to {
			t.Errorf("from %g, up %v: to %g, want %g", s.from, s.up, to, s.to)
		}
	}
	if !c.far(counts, 912) {
		t.Error("steps of a whole unit are near")
	}
	for i := range c.values {
		c.values[i] /= 20
	}
	if c.far(counts, 912) {
		t.Error("steps of 0.05 and 0.15 are far")
	}
}

// TestDifferenceProduct compares M with the mean over rows of outer products of slopes
// by their definition, each from values of the fit at moved rows.
func TestDifferenceProduct(t *testing.T) {
	for _, weighted := range []bool{false, true} {
		for _, n := range []int{90, 1200} {
			t.Run(fmt.Sprint(n, weighted), func(t *testing.T) {
				const targets, f = 2, 23
				rng := rand.New(rand.NewPCG(5, uint64(n)))
				rows := &trial.Rows{X: mixed(rng, n), Y: normals(rng, n, targets)}
				if weighted {
					for range n {
						rows.Weight = append(rows.Weight, 0.1+rng.Float64())
					}
				}
				p := &Problem{Train: rows, Valid: rows, Lambdas: []float64{1e-3}, Jumps: FindJumps(rows)}
				w := normals(rng, f, rows.X.Cols)
				fit, err := p.Fit(context.Background(), w)
				if err != nil {
					t.Fatal(err)
				}
				m := fit.jumpRows()
				if n > 500 && (m <= jumpBlock || m == n) {
					t.Fatalf("%d rows of %d: the test needs some of them, in two blocks", m, n)
				}
				want, most := slopeProduct(fit, rows, m, targets)
				got := product(t, fit, p.Engine, false)
				only := product(t, fit, p.Engine, true)
				for j := range want.Rows {
					for k, v := range want.Row(j) {
						if !(math.Abs(got.Full.Row(j)[k]-v) <= 1e-10*most) {
							t.Errorf("M[%d,%d] = %g, differences give %g", j, k, got.Full.Row(j)[k], v)
						}
					}
					if v := want.Row(j)[j]; !(math.Abs(only.Diagonal[j]-v) <= 1e-10*most) {
						t.Errorf("diagonal %d = %g, differences give %g", j, only.Diagonal[j], v)
					}
				}
			})
		}
	}
}

// slopeProduct is M of rows of mixed, from the first m of them.
func slopeProduct(fit *Fit, rows *trial.Rows, m, targets int) (want blas.General[float64], most float64) {
	d := rows.X.Cols
	want = blas.NewGeneral[float64](d, d)
	var share [3]float64 // of the category's levels
	for i := range rows.X.Rows {
		for k := range share {
			share[k] += rows.WeightOf(i) * rows.X.Row(i)[4+k]
		}
	}
	var sum float64
	for i := range m {
		x := rows.X.Row(i)
		sum += rows.WeightOf(i)
		for t := range targets {
			at := func(change func(x []float64)) float64 {
				moved := slices.Clone(x)
				change(moved)
				return valueAt(fit, moved, t)
			}
			level := func(from, n, on int) float64 { // −1: none
				return at(func(x []float64) {
					clear(x[from : from+n])
					if on >= 0 {
						x[from+on] = map[int]float64{4: 1, 7: 2}[from]
					}
				})
			}
			g := gradientAt(fit, x, t)
			g[1] = at(func(x []float64) { x[1] = 1 }) - at(func(x []float64) { x[1] = 0 })
			g[2] = 0
			steps := []float64{-2, -1, 1, 4}
			k := slices.Index(steps, x[3])
			next := k + 1 - 2*(i%2) // even rows go up, odd rows down
			if next < 0 || next > 3 {
				next = 2*k - next
			}
			g[3] = (at(func(x []float64) { x[3] = steps[next] }) - at(func([]float64) {})) / (steps[next] - steps[k])
			mean := (share[0]*level(4, 3, 0) + share[1]*level(4, 3, 1) + share[2]*level(4, 3, 2)) / (share[0] + share[1] + share[2])
			for k := range 3 {
				g[4+k] = level(4, 3, k) - mean
			}
			for k := range 2 {
				g[7+k] = (level(7, 2, k) - level(7, 2, -1)) / 2
			}
			for j := range g {
				for k := range g {
					want.Row(j)[k] += rows.WeightOf(i) * g[j] * g[k]
				}
			}
		}
	}
	for i := range want.Data {
		want.Data[i] /= sum
		most = math.Max(most, math.Abs(want.Data[i]))
	}
	return want, most
}

// valueAt returns the fit of one target by its definition.
func valueAt(f *Fit, x []float64, target int) float64 {
	n := f.w.Rows
	var s float64
	for j := range n {
		var angle float64
		for k, v := range x {
			angle += f.w.Row(j)[k] * v
		}
		s += f.Coef.Row(j)[target]*math.Cos(angle) + f.Coef.Row(n + j)[target]*math.Sin(angle)
	}
	return f.Shift[target] + s/math.Sqrt(float64(n))
}
