package dataset

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/scaling"
)

// TestConstantColumnIsHeld: what a column holds that had one value when a scaling was
// fitted does not move a row, however the scaling was fitted.
func TestConstantColumnIsHeld(t *testing.T) {
	x := blas.General[float64]{Rows: 4, Cols: 3, Stride: 3, Data: []float64{1, 7, 100, 2, 7, -3, 4, 7, 50, 9, 7, 0}}
	var csv bytes.Buffer
	for i := range x.Rows {
		fmt.Fprintf(&csv, "%v,%v,%v\n", x.Row(i)[0], x.Row(i)[1], x.Row(i)[2])
	}
	f, err := Open(context.Background(), Options{Task: Unlabelled}, write(t, "t.csv", csv.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	summary, err := f.Scan(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	apply := func(s rff.Scaling, row []float64) []float64 {
		out := make([]float64, len(row))
		scaling.Bent(s.From, s.To, s.Shift, s.Scale, out, row)
		return out
	}
	for _, way := range []Scale{Robust, Standard, MinMax} {
		for _, s := range []rff.Scaling{FitScaling(way, x), summary.Scaling(way)} {
			if held := inside.Held(s); !slices.Equal(held, []int{1}) {
				t.Errorf("%v holds columns %v", way, held)
			}
			as := apply(s, []float64{2, 7, -3})
			for _, v := range []float64{-105, 0, 1e300, math.Inf(1)} {
				if now := apply(s, []float64{2, v, -3}); !slices.Equal(now, as) || now[1] != 0 {
					t.Errorf("%v: a constant column at %g gives %v, want %v", way, v, now, as)
				}
			}
			if free := apply(s, []float64{3, 7, -3}); free[0] == as[0] {
				t.Errorf("%v holds a column that varies", way)
			}
		}
	}
	if s := FitScaling(Unscaled, x); len(inside.Held(s)) > 0 {
		t.Error("none holds a column")
	}
}

func TestScaling(t *testing.T) {
	const n = 2001
	rng := rand.New(rand.NewPCG(3, 4))
	x := blas.NewGeneral[float64](n, 4) // normal, with spikes, rare indicator, constant
	var csv bytes.Buffer
	for i := range n {
		row := x.Row(i)
		row[0] = 5 + 3*rng.NormFloat64()
		row[1] = 5 + 3*rng.NormFloat64()
		if i < 4 {
			row[1] = 1e6
		}
		if i%700 == 0 {
			row[2] = 1
		}
		row[3] = 0.1
		fmt.Fprintf(&csv, "%v,%v,%v,%v\n", row[0], row[1], row[2], row[3])
	}
	f, err := Open(context.Background(), Options{Task: Unlabelled}, write(t, "t.csv", csv.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	summary, err := f.Scan(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, way := range []Scale{Robust, Standard, MinMax} {
		s := FitScaling(way, x)
		for j, v := range summary.Scaling(way).Scale {
			// Two ways to the same sums of n terms.
			if w := s.Scale[j]; math.Abs(v-w) > n*0x1p-52*w {
				t.Errorf("%v, column %d: scale %v from the stream, %v in memory", way, j, v, w)
			}
		}
		z := blas.NewGeneral[float64](n, 4)
		scaling.BentRows(nil, nil, s.Shift, s.Scale, z, x)
		column := func(j int) []float64 {
			c := make([]float64, n)
			for i := range c {
				c[i] = z.Row(i)[j]
			}
			return c
		}
		for _, v := range column(3) {
			if v != 0 {
				t.Fatalf("%v: a constant column becomes %v", way, v)
			}
		}
		switch way {
		case MinMax:
			for j := range 3 {
				lo, hi := 1.0, 0.0
				for _, v := range column(j) {
					lo, hi = min(lo, v), max(hi, v)
				}
				if lo != 0 || hi != 1 {
					t.Errorf("column %d in [%v, %v]", j, lo, hi)
				}
			}
		case Standard:
			for j := range 3 {
				mean, std := stat.PopMeanStdDev(column(j), nil)
				if math.Abs(mean) > 1e-12 || math.Abs(std-1) > 1e-12 {
					t.Errorf("column %d: mean %v, standard deviation %v", j, mean, std)
				}
			}
		case Robust:
			// Extreme quantiles of 2000 normals have a standard error of about
			// √(.005·.995/n)/φ(2.576) = 0.11 of 5.15.
			for j := range 2 {
				_, std := stat.PopMeanStdDev(column(j)[4:], nil)
				if math.Abs(std-1) > 0.1 {
					t.Errorf("column %d: standard deviation %v without the spikes", j, std)
				}
			}
			// A rare indicator: 0 and 2·Φ⁻¹(.995).
			if c := column(2); c[1] != 0 || math.Abs(c[0]-5.151658607097801) > 1e-12 {
				t.Errorf("rare indicator: %v and %v", c[1], c[0])
			}
		}
	}
}

// Values whose squares are beyond float64 have a mean and a standard deviation
// all the same, in memory and as a stream: those of the values times 2⁻⁶⁰⁰, to
// the rounding of n sums.
func TestStandardOfHugeValues(t *testing.T) {
	const n, small = 600, 0x1p-600
	rng := rand.New(rand.NewPCG(5, 6))
	for name, v := range map[string]func(i int) float64{
		"one":  func(i int) float64 { return map[bool]float64{true: 1e300, false: rng.NormFloat64()}[i == 400] },
		"last": func(i int) float64 { return map[bool]float64{true: 1e300, false: rng.NormFloat64()}[i == n-1] },
		"both ends": func(i int) float64 {
			switch i {
			case 400:
				return 1.7e308
			case 401:
				return -1.7e308
			}
			return rng.NormFloat64()
		},
		"all": func(i int) float64 { return 1e200 * rng.NormFloat64() },
	} {
		x, less := blas.NewGeneral[float64](n, 1), make([]float64, n)
		var csv bytes.Buffer
		for i := range n {
			x.Data[i] = v(i)
			less[i] = x.Data[i] * small
			fmt.Fprintf(&csv, "%v\n", x.Data[i])
		}
		mean, std := stat.PopMeanStdDev(less, nil)
		f, err := Open(t.Context(), Options{Task: Unlabelled}, write(t, "t.csv", csv.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		s, err := f.Scan(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for way, got := range map[string]rff.Scaling{"stream": s.Scaling(Standard), "table": FitScaling(Standard, x)} {
			if e := math.Abs(got.Shift[0]*small - mean); e > n*0x1p-52*std {
				t.Errorf("%s, %s: mean %v, want %v", name, way, got.Shift[0], mean/small)
			}
			if e := math.Abs(got.Scale[0]*small - std); e > n*0x1p-52*std {
				t.Errorf("%s, %s: standard deviation %v, want %v", name, way, got.Scale[0], std/small)
			}
		}
	}
}
