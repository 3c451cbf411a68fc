package sampling

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rffgo/rff"
)

func take(p points, n int) [][]float64 {
	out := make([][]float64, n)
	for i := range out {
		out[i] = make([]float64, dimOf(p))
		p.Next(out[i])
	}
	return out
}

// dimOf returns the number of coordinates of p.
func dimOf(p points) int {
	if h, ok := p.(*halton); ok {
		return len(h.bases)
	}
	return len(p.(*sobol).state)
}

// skip passes over n points of p, without computing them.
func skip(p points, n uint64) {
	if h, ok := p.(*halton); ok {
		h.next += n
		return
	}
	s := p.(*sobol)
	s.next += n
	gray := s.next ^ s.next>>1
	for j := range s.state {
		var x uint64
		for k, v := range s.direction(j) {
			x ^= v & -(gray >> k & 1)
		}
		s.state[j] = x
	}
}

func plainSobol(t *testing.T, dim int) points {
	t.Helper()
	p, err := newSobol(dim)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func scrambledSobol(t *testing.T, dim int, seed uint64) points {
	t.Helper()
	p, err := newScrambledSobol(dim, rand.NewPCG(seed, 1))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The first points of Joe and Kuo's own program for new-joe-kuo-6.21201 in five
// coordinates, in eighths.
func TestSobolFirstPoints(t *testing.T) {
	want := [][]float64{
		{0, 0, 0, 0, 0}, {4, 4, 4, 4, 4}, {6, 2, 2, 2, 6}, {2, 6, 6, 6, 2},
		{3, 3, 5, 7, 3}, {7, 7, 1, 3, 7}, {5, 1, 7, 5, 5}, {1, 5, 3, 1, 1},
	}
	for i, u := range take(plainSobol(t, 5), len(want)) {
		for j := range u {
			if u[j] != want[i][j]/8 {
				t.Errorf("point %d, coordinate %d is %g, want %g", i, j, u[j], want[i][j]/8)
			}
		}
	}
}

// Later points and the last coordinates, as SciPy 1.10's qmc.Sobol gives them.
func TestSobolFarPoints(t *testing.T) {
	coordinates := []int{0, 1, 2, 3, 4, 16, 99, 1110, 21200}
	want := map[int][]float64{
		7:    {0.125, 0.625, 0.375, 0.125, 0.125, 0.125, 0.625, 0.625, 0.875},
		100:  {0.4140625, 0.2578125, 0.7734375, 0.7265625, 0.8828125, 0.6796875, 0.8828125, 0.4609375, 0.5703125},
		1023: {0.0009765625, 0.7529296875, 0.6123046875, 0.1455078125, 0.1865234375, 0.3134765625, 0.5302734375, 0.5888671875, 0.2392578125},
		4999: {0.1341552734375, 0.6981201171875, 0.6531982421875, 0.2249755859375, 0.3748779296875, 0.6058349609375, 0.2530517578125, 0.3712158203125, 0.5809326171875},
	}
	p := plainSobol(t, maxSobol)
	u := make([]float64, maxSobol)
	at := 0
	for _, i := range []int{7, 100, 1023, 4999} {
		skip(p, uint64(i-at))
		p.Next(u)
		at = i + 1
		for c, j := range coordinates {
			if u[j] != want[i][c] {
				t.Errorf("point %d, coordinate %d is %v, want %v", i, j, u[j], want[i][c])
			}
		}
	}
}

func TestSkipIsNext(t *testing.T) {
	published, err := newPublishedHalton(9)
	if err != nil {
		t.Fatal(err)
	}
	again, _ := newPublishedHalton(9)
	for name, p := range map[string][2]points{
		"sobol":            {scrambledSobol(t, 9, 1), scrambledSobol(t, 9, 1)},
		"plain sobol":      {plainSobol(t, 9), plainSobol(t, 9)},
		"halton":           {newHalton(9, rand.NewPCG(1, 1)), newHalton(9, rand.NewPCG(1, 1))},
		"published halton": {published, again},
	} {
		all := take(p[0], 3000)
		u := make([]float64, 9)
		at := 0
		for _, to := range []int{0, 1, 2, 7, 8, 1000, 1001, 2047, 2999} {
			skip(p[1], uint64(to-at))
			p[1].Next(u)
			at = to + 1
			if !slices.Equal(u, all[to]) {
				t.Errorf("%s: point %d after a skip differs", name, to)
			}
		}
	}
}

// elementary counts points in the boxes Π [aⱼ/2^qⱼ, (aⱼ+1)/2^qⱼ) and returns the
// largest count.
func elementary(points [][]float64, q []int) int {
	counts := map[uint64]int{}
	most := 0
	for _, u := range points {
		box := uint64(0)
		for j, bits := range q {
			box = box<<bits | uint64(u[j]*float64(int(1)<<bits))
		}
		counts[box]++
		most = max(most, counts[box])
	}
	return most
}

// A (t, m, s)-net in base 2 has 2ᵗ points of its 2ᵐ in every elementary box of
// volume 2^{t−m}. The first two Sobol coordinates have t = 0; in general t ≤
// Σ(deg pⱼ − 1), with degrees 0, 1, 2, 3, 3 for the first five (Sobol 1967).
// Scrambling must keep that, for every block of 2ᵐ points.
func TestSobolIsANet(t *testing.T) {
	const m = 9
	for name, p := range map[string]points{"plain": plainSobol(t, 5), "scrambled": scrambledSobol(t, 5, 3), "another scramble": scrambledSobol(t, 5, 4)} {
		all := take(p, 3<<m)
		for block := range 3 {
			points := all[block<<m : (block+1)<<m]
			for q0 := 0; q0 <= m; q0++ {
				if n := elementary(points, []int{q0, m - q0}); n != 1 {
					t.Fatalf("%s: block %d: %d points in a box of volume 2^-%d of the first two coordinates", name, block, n, m)
				}
			}
			const quality = 0 + 0 + 1 + 2 + 2 // t of the five coordinates
			for a := 0; a <= m-quality; a++ {
				for b := 0; a+b <= m-quality; b++ {
					for c := 0; a+b+c <= m-quality; c++ {
						for d := 0; a+b+c+d <= m-quality; d++ {
							e := m - quality - a - b - c - d
							if n := elementary(points, []int{a, b, c, d, e}); n != 1<<quality {
								t.Fatalf("%s: block %d: %d points in a box %v, want %d", name, block, n, []int{a, b, c, d, e}, 1<<quality)
							}
						}
					}
				}
			}
		}
	}
	// Independent points are no net: the test can fail.
	src := rand.New(rand.NewPCG(1, 1))
	random := make([][]float64, 1<<m)
	for i := range random {
		random[i] = []float64{src.Float64(), src.Float64()}
	}
	if elementary(random, []int{4, 5}) == 1 {
		t.Error("random points pass the net test")
	}
}

// Every coordinate on its own is a (0, m, 1)-net, up to the last.
func TestSobolCoordinatesAreStratified(t *testing.T) {
	const m = 6
	for name, p := range map[string]points{"plain": plainSobol(t, maxSobol), "scrambled": scrambledSobol(t, maxSobol, 1)} {
		seen := make([]uint64, maxSobol)
		for _, u := range take(p, 1<<m) {
			for j, v := range u {
				seen[j] |= 1 << int(v*(1<<m))
			}
		}
		for j, s := range seen {
			if s != 1<<(1<<m)-1 {
				t.Fatalf("%s: coordinate %d leaves intervals of length 2^-%d empty", name, j, m)
			}
		}
	}
}

// Scrambles are uniform: over many seeds, the first point's coordinates pass a χ²
// test in 16 cells with all others' (1600 draws, 15 degrees of freedom: the
// 10⁻⁶ quantile is 55).
func TestScramblesAreUniform(t *testing.T) {
	for name, make1 := range map[string]func(seed uint64) points{
		"sobol":  func(s uint64) points { return scrambledSobol(t, 4, s) },
		"halton": func(s uint64) points { return newHalton(4, rand.NewPCG(s, 9)) },
	} {
		for _, index := range []uint64{0, 1, 5, 100} {
			var cells [4][16]int
			const seeds = 1600
			for s := range uint64(seeds) {
				p := make1(s)
				skip(p, index)
				for j, v := range take(p, 1)[0] {
					if v <= 0 && name == "sobol" || v < 0 || v >= 1 {
						t.Fatalf("%s: coordinate %g", name, v)
					}
					cells[j][int(v*16)]++
				}
			}
			for j := range cells {
				chi := 0.0
				for _, n := range cells[j] {
					d := float64(n) - seeds/16
					chi += d * d / (seeds / 16)
				}
				if chi > 55 {
					t.Errorf("%s: point %d, coordinate %d: χ² = %.0f", name, index, j, chi)
				}
			}
		}
	}
}

// starDiscrepancy is exact in two dimensions: the supremum is attained at boxes
// whose sides are coordinates of points or 1.
func starDiscrepancy(points [][]float64) float64 {
	xs, ys := []float64{1}, []float64{1}
	for _, u := range points {
		xs, ys = append(xs, u[0]), append(ys, u[1])
	}
	n, worst := float64(len(points)), 0.0
	for _, x := range xs {
		for _, y := range ys {
			open, closed := 0.0, 0.0
			for _, u := range points {
				if u[0] < x && u[1] < y {
					open++
				}
				if u[0] <= x && u[1] <= y {
					closed++
				}
			}
			worst = max(worst, closed/n-x*y, x*y-open/n)
		}
	}
	return worst
}

// Low discrepancy: the bound for a (0, m, 2)-net in base 2 is N·D* ≤ m/2 + 3/2
// (Niederreiter 1992, theorem 4.7), and Halton's bound in bases 2 and 3 is
// N·D* ≤ 2 + Πⱼ((bⱼ−1)/(2 ln bⱼ)·ln N + (bⱼ+1)/2) (theorem 3.6). Random points
// are several times worse.
func TestStarDiscrepancy(t *testing.T) {
	const m = 7
	n := float64(int(1) << m)
	for name, p := range map[string]points{"plain": plainSobol(t, 2), "scrambled": scrambledSobol(t, 2, 8)} {
		if d := starDiscrepancy(take(p, 1<<m)) * n; d > m/2.+1.5 {
			t.Errorf("%s sobol: N·D* = %.2f", name, d)
		}
	}
	bound := 2.0
	product := 1.0
	for _, b := range []float64{2, 3} {
		product *= (b-1)/(2*math.Log(b))*math.Log(n) + (b+1)/2
	}
	bound += product
	if d := starDiscrepancy(take(newHalton(2, rand.NewPCG(1, 2)), 1<<m)) * n; d > bound {
		t.Errorf("halton: N·D* = %.2f > %.2f", d, bound)
	}
	src := rand.New(rand.NewPCG(5, 5))
	random := make([][]float64, 1<<m)
	for i := range random {
		random[i] = []float64{src.Float64(), src.Float64()}
	}
	if d := starDiscrepancy(random) * n; d < m/2.+1.5 {
		t.Errorf("random points pass the bound for nets: N·D* = %.2f", d)
	}
}

// Digit permutations keep Halton's stratification: bᵏ points in a row have one
// in each interval of length b⁻ᵏ.
func TestHaltonIsStratified(t *testing.T) {
	p := newHalton(30, rand.NewPCG(3, 3))
	bases := primes(30)
	all := take(p, 2500)
	for j, b := range bases {
		for k := b; k <= 1000; k *= b {
			for first := 0; first+k <= len(all); first += k {
				seen := make([]bool, k)
				for _, u := range all[first : first+k] {
					// A point may lie on an interval's end up to rounding.
					c := int(u[j]*float64(k) + 1e-9)
					if seen[c] {
						t.Fatalf("base %d: two of points %d…%d in interval %d of %d", b, first, first+k-1, c, k)
					}
					seen[c] = true
				}
			}
		}
	}
}

func TestReverseRadix(t *testing.T) {
	for b, want := range map[int][]int{2: {0, 1}, 3: {0, 2, 1}, 5: {0, 4, 2, 1, 3}, 7: {0, 4, 2, 6, 1, 5, 3}, 8: {0, 4, 2, 6, 1, 5, 3, 7}} {
		if got := reverseRadix(b); !slices.Equal(got, want) {
			t.Errorf("base %d: %v, want %v", b, got, want)
		}
	}
	p := primes(126)
	if p[0] != 2 || p[1] != 3 || p[4] != 11 || p[5] != 13 || p[125] != 701 {
		t.Errorf("primes: %v", p)
	}
	if q := primes(21201); q[9999] != 104729 {
		t.Errorf("the 10000th prime is %d", q[9999])
	}
}

// The published sequence by hand: number 1000 is 1111101000 in base 2, so its
// radical inverse has the bits 0001011111 from the most significant on; in base
// 3 it is 1101001, whose digits are exchanged 1 ↔ 2.
func TestPublishedHalton(t *testing.T) {
	p, err := newPublishedHalton(2)
	if err != nil {
		t.Fatal(err)
	}
	u := take(p, 1)[0]
	want2 := float64(0b0001011111) / 1024
	want3 := 2./3 + 0./9 + 0./27 + 2./81 + 0./243 + 2./729 + 2./2187
	if u[0] != want2 || math.Abs(u[1]-want3) > 1e-15 {
		t.Errorf("first point %v, want %v, %v", u, want2, want3)
	}
	// Point 1 is number 1701 = 11010100101 in base 2.
	if v := take(p, 1)[0]; v[0] != float64(0b10100101011)/2048 {
		t.Errorf("second point %v", v)
	}
	if _, err := newPublishedHalton(125); err != nil {
		t.Error(err)
	}
	var e *rff.ParameterError
	if _, err := newPublishedHalton(126); !errors.As(err, &e) || e.Name != "dim" {
		t.Errorf("126 coordinates: %v", err)
	}
	if _, err := newScrambledSobol(maxSobol+1, rand.NewPCG(1, 1)); !errors.As(err, &e) || e.Name != "dim" {
		t.Errorf("too many Sobol coordinates: %v", err)
	}
}
