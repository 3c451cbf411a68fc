package dataset

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
)

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
	f, err := Open(context.Background(), Options{NoLabel: true}, write(t, "t.csv", csv.Bytes()))
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
		rff.ApplyScaling(s, z, x)
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
