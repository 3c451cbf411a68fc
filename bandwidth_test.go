package rff

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Distances by hand: 0, 3, 4 and 12 on a line have the distances 1 3 4 8 9 12.
func TestMedianDistanceByHand(t *testing.T) {
	line := mat.NewDense(4, 1, []float64{0, 3, 4, 12})
	if m, err := MedianDistance(line, 100, nil); err != nil || m != 6 {
		t.Errorf("%v, %v, want 6", m, err)
	}
	plane := mat.NewDense(3, 2, []float64{0, 0, 3, 4, 0, 1}) // 5, 1, 3√2
	if m, err := MedianDistance(plane, 3, nil); err != nil || m != math.Sqrt(18) {
		t.Errorf("%v, %v, want 3√2", m, err)
	}
}

// The median is that of all distances in order, whether their number is odd or even.
func TestMedianDistanceInOrder(t *testing.T) {
	for n := 2; n < 40; n++ {
		x := randomDense(n, 3, uint64(n))
		var all []float64
		for i := range n {
			for j := range i {
				all = append(all, math.Sqrt(squareDistance(x.RawRowView(i), x.RawRowView(j))))
			}
		}
		slices.Sort(all)
		want := (all[(len(all)-1)/2] + all[len(all)/2]) / 2
		if got, err := MedianDistance(x, n, nil); err != nil || got != want {
			t.Errorf("%d rows: %v, %v, want %v", n, got, err, want)
		}
	}
}

// For standard normal points ‖x−y‖² is 2χ²(d); the median of χ²(16) is 15.338.
func TestMedianDistanceOfASample(t *testing.T) {
	x := randomDense(20000, 16, 1)
	want := math.Sqrt(2 * 15.338)
	a, err := MedianDistance(x, 1000, rand.NewPCG(1, 1))
	// The sample median over m points is off by about 1/√m of the spread √2·½.
	if err != nil || math.Abs(a-want) > 5*.7/math.Sqrt(1000) {
		t.Errorf("%v, %v, want %v", a, err, want)
	}
	b, _ := MedianDistance(x, 1000, rand.NewPCG(1, 1))
	c, _ := MedianDistance(opaque{x}, 1000, rand.NewPCG(1, 1))
	d, _ := MedianDistance(x, 1000, rand.NewPCG(2, 1))
	if a != b || a != c || a == d {
		t.Errorf("the seed does not decide: %v %v %v %v", a, b, c, d)
	}
}

func TestNeighbourDistance(t *testing.T) {
	x := randomDense(300, 4, 1)
	for _, k := range []int{1, 7, 50} {
		var want float64
		for i := range 300 {
			var all []float64
			for j := range 300 {
				if i != j {
					all = append(all, math.Sqrt(squareDistance(x.RawRowView(i), x.RawRowView(j))))
				}
			}
			slices.Sort(all)
			want += all[k-1] / 300
		}
		arg := k
		if k == 50 {
			arg = 0
		}
		got, err := NeighbourDistance(x, arg, 300, nil)
		if err != nil || math.Abs(got-want) > 1e-13*want {
			t.Errorf("k = %d: %v, %v, want %v", k, got, err, want)
		}
		// 200 of the 300 rows: their mean differs by a part of the spread only.
		part, err := NeighbourDistance(opaque{x}, k, 200, rand.NewPCG(4, 4))
		if err != nil || part == got || math.Abs(part-want) > .1*want {
			t.Errorf("k = %d on a sample: %v, %v, want about %v", k, part, err, want)
		}
	}
}

func TestBandwidthsOfDegenerateData(t *testing.T) {
	equal := mat.NewDense(60, 2, nil)
	half := mat.NewDense(60, 2, nil)
	half.Set(0, 0, 1)
	one := mat.NewDense(1, 2, []float64{1, 2})
	nan := mat.NewDense(60, 2, nil)
	nan.Set(7, 1, math.NaN())
	for name, x := range map[string]*mat.Dense{"equal": equal, "mostly equal": half, "one row": one} {
		var e *DegenerateDataError
		if _, err := MedianDistance(x, 100, nil); !errors.As(err, &e) {
			t.Errorf("median, %s: %v", name, err)
		}
		if _, err := NeighbourDistance(x, 50, 20, rand.NewPCG(1, 5)); !errors.As(err, &e) && name != "mostly equal" {
			t.Errorf("neighbours, %s: %v", name, err)
		}
	}
	var e *DegenerateDataError
	if _, err := NeighbourDistance(randomDense(50, 2, 1), 50, 10, rand.NewPCG(1, 1)); !errors.As(err, &e) || !strings.Contains(err.Error(), "neighbour 50 of 50 rows") || !strings.Contains(err.Error(), "median") {
		t.Errorf("as many rows as neighbours: %v", err)
	}
	var nf *ValueError
	for name, f := range map[string]func() (float64, error){
		"median":     func() (float64, error) { return MedianDistance(nan, 100, nil) },
		"neighbours": func() (float64, error) { return NeighbourDistance(nan, 3, 100, nil) },
	} {
		if _, err := f(); !errors.As(err, &nf) || nf.Row != 7 || nf.Column != "input 2" {
			t.Errorf("%s of NaN: %v", name, err)
		}
	}
	var p *ParameterError
	if _, err := MedianDistance(half, 1, nil); !errors.As(err, &p) {
		t.Error(err)
	}
	if _, err := NeighbourDistance(half, -1, 10, nil); !errors.As(err, &p) {
		t.Error(err)
	}
	if _, err := NeighbourDistance(half, 1, 0, nil); !errors.As(err, &p) {
		t.Error(err)
	}
}

// Every row is equally likely to be sampled: in 3000 samples of 10 out of 40,
// each count is binomial with standard deviation √(3000·¼·¾) = 23.7.
func TestSampleIndices(t *testing.T) {
	src := rand.NewPCG(1, 1)
	counts := make([]int, 40)
	for range 3000 {
		s := sampleIndices(40, 10, src)
		if len(s) != 10 || !slices.IsSorted(s) {
			t.Fatal(s)
		}
		for i, v := range s {
			if i > 0 && s[i-1] == v {
				t.Fatal(s)
			}
			counts[v]++
		}
	}
	for i, c := range counts {
		if math.Abs(float64(c)-750) > 5*23.7 {
			t.Errorf("row %d in %d of 3000 samples", i, c)
		}
	}
}

// The neighbours of a row are sought among all rows, however many blocks they are
// read in, the row itself left out; k = 0 means 50.
func TestNeighbourDistanceOverBlocks(t *testing.T) {
	const n = copyBlock + 300
	x := mat.NewDense(n, 1, nil)
	for i := range n {
		x.Set(i, 0, float64(i)) // the k-th neighbour of row i on the line of integers
	}
	var want float64
	for i := range n {
		side := min(i, n-1-i) // rows on the nearer side
		distance := 25
		if side < 25 {
			distance = 50 - side
		}
		want += float64(distance) / n
	}
	for _, k := range []int{0, 50} {
		for _, in := range []mat.Matrix{x, opaque{x}} {
			got, err := NeighbourDistance(in, k, n, nil)
			if err != nil || math.Abs(got-want) > 1e-12*want {
				t.Errorf("k = %d: %.15g, want %.15g (%v)", k, got, want, err)
			}
		}
	}
}

// Rows of any size have distances in proportion, though squares of these underflow or overflow.
func TestDistancesOfAnySize(t *testing.T) {
	x := randomDense(60, 3, 1)
	far := map[string]func(x mat.Matrix) (float64, error){
		"median":     func(x mat.Matrix) (float64, error) { return MedianDistance(x, 60, nil) },
		"neighbours": func(x mat.Matrix) (float64, error) { return NeighbourDistance(x, 7, 60, nil) },
	}
	for name, of := range far {
		want, err := of(x)
		if err != nil {
			t.Fatal(err)
		}
		for _, power := range []int{-900, -700, -500, 500, 700, 900} {
			var scaled mat.Dense
			scaled.Scale(math.Ldexp(1, power), x) // exact
			got, err := of(&scaled)
			// Of three squares in another unit, each is off by 1.5 and the root of their sum by 3 roundings.
			if err != nil || math.Abs(math.Ldexp(got, -power)-want) > 4*0x1p-52*want {
				t.Errorf("%s times 2^%d: %v, %v, want %v", name, power, got, err, math.Ldexp(want, power))
			}
		}
		var wrong *DegenerateDataError
		if _, err := of(mat.NewDense(9, 1, []float64{-1e308, 1e308, 1.1e308, -1.1e308, 1.2e308, -1.2e308, 1.3e308, -1.3e308, 1.4e308})); !errors.As(err, &wrong) {
			t.Errorf("%s beyond float64: %v", name, err)
		}
	}
}
