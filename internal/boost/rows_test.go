package boost

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/trial"
)

// Every two neighbouring values have a threshold between them, if there are not too many: in the middle,
// or where the middle is no other number, on the smaller of them.
func TestCutsBetweenAllValues(t *testing.T) {
	const tiny, most = math.SmallestNonzeroFloat64, math.MaxFloat64
	for _, pair := range [][2]float64{{1, math.Nextafter(1, 2)}, {math.Nextafter(1, 0), 1}, {1e300, math.Nextafter(1e300, most)}, {1e300, math.Nextafter(1e300, 0)},
		{-most, most}, {-most, -most / 2}, {most / 2, most}, {math.Nextafter(most, 0), most}, {0, tiny}, {-tiny, 0}, {tiny, 2 * tiny}, {3 * tiny, 4 * tiny}, {-4 * tiny, -3 * tiny}, {-1, 3}} {
		a, b := min(pair[0], pair[1]), max(pair[0], pair[1])
		for _, other := range [][]float64{nil, {-most, most}} {
			column := slices.Concat([]float64{b, a, a, b}, other)
			found := slices.IndexFunc(cuts(column, 63), func(c float64) bool { return a <= c && c < b })
			if found < 0 {
				t.Errorf("no threshold is between %v and %v", a, b)
			}
		}
	}
	if got := cuts([]float64{3, 1, 3, 2, 8, 1}, 3); !slices.Equal(got, []float64{1.5, 2.5, 5.5}) {
		t.Errorf("thresholds %v", got)
	}
	if got := cuts([]float64{1, 2, 3, 4, 5}, 3); !slices.Equal(got, []float64{2.5, 3.5, 4.5}) {
		t.Errorf("five values have the thresholds %v, though three are the most and should be there", got)
	}
	if got := cuts([]float64{0, math.Copysign(0, -1), 0}, 9); got != nil {
		t.Errorf("0 and −0 have the thresholds %v", got)
	}
}

// Between thresholds of many values there are as many rows as one over their number asks for, and no
// more values than it takes for them.
func TestCutsOfManyValues(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for name, draw := range map[string]func(i int) float64{
		"different": func(int) float64 { return rng.NormFloat64() },
		"ties":      func(int) float64 { return math.Round(90 * rng.NormFloat64()) },
		"half zero": func(i int) float64 { return float64(i%2) * rng.ExpFloat64() },
		"nearly all": func(i int) float64 {
			return max(0, float64(i-1500))
		},
	} {
		const n, most = 2000, 63
		column := make([]float64, n)
		for i := range column {
			column[i] = draw(i)
		}
		got := cuts(column, most)
		if len(got) > most || len(got) < 10 || !slices.IsSorted(got) {
			t.Errorf("%s: %d thresholds", name, len(got))
		}
		from := 0
		for k := range len(got) + 1 {
			to := n
			if k < len(got) {
				to, _ = slices.BinarySearch(column, math.Nextafter(got[k], math.Inf(1)))
			}
			last, _ := slices.BinarySearch(column, column[to-1]) // the first row of the largest value
			if enough := float64(n) / (most + 1); k < len(got) && float64(to-from) <= enough-1 || float64(last-from) >= enough {
				t.Errorf("%s: %d rows are between two thresholds, %d of them of one value", name, to-from, to-last)
			}
			from = to
		}
	}
}

// Few rows have a threshold between every two, so that steps of the target are met exactly. A number of rows
// that is a little more than that of thresholds does not halve them.
func TestCutsOfFewRows(t *testing.T) {
	for rows, want := range map[int]int{60: 59, 255: 254, 256: 254, 400: 254, 3000: 250} {
		if g := newGrower(settings(3, 1), random(1, rows, 2, 1, 1<<40, false)); len(g.cuts[0]) < want || len(g.cuts[1]) > mostCuts {
			t.Errorf("%d rows have %d thresholds, want %d", rows, len(g.cuts[0]), want)
		}
	}
}

// Where sums of many inputs and targets take much memory there are half as many thresholds, or half of that.
func TestSumsAreBounded(t *testing.T) {
	const n, inputs, depth = 700, 60, 6
	for targets, most := range map[int]int{200: 127, 400: 63, 800: 31} {
		g := newGrower(settings(depth, 1), random(1, n, inputs, targets, 1000, false))
		bins := 0
		for j, c := range g.cuts {
			if bins += len(c) + 1; len(c) > most || len(c) < most*9/10 || slices.Max(g.bins[j]) != uint8(len(c)) {
				t.Fatalf("%d targets: %d thresholds, want %d", targets, len(c), most)
			}
		}
		if bytes := bins * (targets/2 + 1) * 32 * 8; bytes > 256<<20 || len(g.inputs) != inputs {
			t.Errorf("%d targets: sums of %d inputs take %d bytes", targets, len(g.inputs), bytes)
		}
	}
	if g := newGrower(settings(depth, 1), random(1, 3, 1000, 1200, 1000, false)); g == nil || len(g.cuts[0]) != 1 {
		t.Error("an input has no threshold at all")
	}
}

// A tree separates two values next to each other, however large, where nothing else differs.
func TestSeparatesNeighbours(t *testing.T) {
	for _, pair := range [][2]float64{{1, math.Nextafter(1, 2)}, {1e300, math.Nextafter(1e300, 0)}, {-math.MaxFloat64, math.MaxFloat64}, {0, math.SmallestNonzeroFloat64}} {
		rows := &trial.Rows{X: blas.NewGeneral[float64](40, 1), Y: blas.NewGeneral[float64](40, 1)}
		for i := range 40 {
			rows.X.Data[i], rows.Y.Data[i] = pair[i%2], float64(i%2)
		}
		g, err := Grow(t.Context(), settings(1, 60), rows, rows)
		if err != nil {
			t.Fatal(err)
		}
		a, b := predict(g.Trees, g.Count(), pair[:1])[0], predict(g.Trees, g.Count(), pair[1:])[0]
		if math.Abs(b-a-1) > 0.01 {
			t.Errorf("%v and %v have the values %v and %v", pair[0], pair[1], a, b)
		}
	}
}

// The number of a row's bin is that of thresholds below its value, up to all of them.
func TestBins(t *testing.T) {
	const n = 20 * 255
	x := blas.NewGeneral[float64](n, 2)
	column := make([]float64, n)
	for i := range n {
		x.Row(i)[1] = float64(i * 7 % n)
		column[i] = x.Row(i)[1]
	}
	c := cuts(column, mostCuts)
	for i, b := range binned(x, 1, c) {
		want := 0
		for _, v := range c {
			if x.Row(i)[1] > v {
				want++
			}
		}
		if int(b) != want {
			t.Fatalf("%v is in bin %d, want %d", x.Row(i)[1], b, want)
		}
	}
	if len(c) != mostCuts {
		t.Errorf("%d thresholds of %d values", len(c), n)
	}
}
