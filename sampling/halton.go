package sampling

import (
	"context"
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/rffgo/rff"
)

// Halton draws frequencies from a Halton sequence through the quantile functions
// of the kernel's spectral measure: H. Avron, V. Sindhwani, J. Yang and M. W.
// Mahoney, "Quasi-Monte Carlo feature maps for shift-invariant kernels", JMLR 17
// (2016). By default its digits are permuted at random (Owen 2017), so that each
// single frequency has the same distribution as in MonteCarlo. Halton suits low
// dimensions; from about 50 on prefer Sobol.
//
// Halton takes every stationary kernel. The phases of CosBias take one more coordinate.
type Halton struct {
	Form rff.Form // CosSin by default
	// Published takes the deterministic sequence that Avron et al. and Liu et al. use. It
	// has at most 125 coordinates.
	Published bool
}

// Sample implements rff.Sampler. It does not use data, nor Rand if Published is set.
func (s Halton) Sample(ctx context.Context, r rff.Request) (*rff.Map, error) {
	d, err := begin(ctx, "Halton", s.Form, r)
	if err != nil {
		return nil, err
	}
	if s.Published {
		p, err := newPublishedHalton(d.coordinates())
		if err != nil {
			return nil, err
		}
		return d.fromPoints(ctx, p)
	}
	if err := seeded(r.Rand); err != nil {
		return nil, err
	}
	return d.fromPoints(ctx, newHalton(d.coordinates(), d.Rand))
}

// newHalton returns the Halton sequence in dim coordinates with random digit
// permutations: coordinate j of point i is the radical inverse of i in the j-th
// prime base b, where every digit position, also of a leading zero, has a random
// permutation of its own. Each point is uniform. Of any bᵏ consecutive points, one lies in
// each interval [c/bᵏ, (c+1)/bᵏ), as without the permutations. A. B. Owen, "A randomized
// Halton algorithm in R", 2017. Two draws from src seed the permutations.
func newHalton(dim int, src rand.Source) points {
	h := haltonOf(dim)
	h.seed = [2]uint64{src.Uint64(), src.Uint64()}
	return h
}

// haltonOf returns a sequence of that many coordinates, whose digits are not yet permuted.
func haltonOf(dim int) *halton {
	h := &halton{bases: primes(dim), levels: make([][]level, dim)}
	for j, b := range h.bases {
		// Digits beyond 2⁻⁵³ do not count.
		h.levels[j] = make([]level, int(math.Ceil(53/math.Log2(float64(b))+1e-9)))
	}
	return h
}

// newPublishedHalton returns the deterministic sequence of MATLAB's
// haltonset(dim, 'Skip', 1000, 'Leap', 700) scrambled with 'RR2', which the code
// of Avron et al. and of Liu et al. uses: point i is number 1000+701·i of the
// Halton sequence with digits permuted in reverse-radix order (Kocis and Whiten,
// "Computational investigations of low-discrepancy sequences", ACM TOMS 23,
// 1997). From 126 coordinates on the sequence degenerates, because 701 is the 126th prime
// and the leap is a multiple of it. newPublishedHalton then returns a *rff.ParameterError.
func newPublishedHalton(dim int) (points, error) {
	if dim > 125 {
		return nil, &rff.ParameterError{Name: "dim", Value: dim,
			Need: "must be at most 125 for the published Halton sequence: its leap of 701 is the 126th prime, in which base all its points would share their last digit; use the default scrambling, or sobol"}
	}
	h := haltonOf(dim)
	h.start, h.leap = 1000, 701
	for j, b := range h.bases {
		permutation := reverseRadix(b)
		for l := range h.levels[j] {
			h.levels[j][l].images = permutation
		}
	}
	return h, nil
}

// halton is a Halton sequence; point i has number start + leap·i, with leap 1 for 0.
type halton struct {
	bases       []int
	levels      [][]level // per coordinate and digit position
	seed        [2]uint64
	start, leap uint64
	next        uint64
}

// level is the digit permutation of one position. It is drawn only as far as it is needed:
// most positions only have the digit 0, and digits of a base larger than the number of
// points may never occur. Whole permutations of 10,000 coordinates would take 4 GB.
type level struct {
	images []int       // of the digits 0, 1, …
	moved  map[int]int // what the shuffle has moved, by its new place
	stream rand.PCG
}

func (h *halton) Next(u []float64) {
	index := h.start + h.next*max(h.leap, 1)
	h.next++
	for j, b := range h.bases {
		n := index
		// digit[0] is the most significant digit of the result. The sum below begins at
		// the other end, so that rounding is relative to the small parts.
		var digit [64]int
		levels := h.levels[j]
		for l := range levels {
			digit[l] = h.image(j, l, int(n%uint64(b)))
			n /= uint64(b)
		}
		x := 0.0
		for l := len(levels) - 1; l >= 0; l-- {
			x = (x + float64(digit[l])) / float64(b)
		}
		u[j] = x
	}
}

// image returns the permuted digit. Each permutation has a random stream of its own,
// seeded by (seed, coordinate, position), so its bits do not depend on the order in which
// permutations are needed.
func (h *halton) image(j, l, digit int) int {
	v, b := &h.levels[j][l], h.bases[j]
	if digit < len(v.images) {
		return v.images[digit]
	}
	stream := func() *rand.PCG { return rand.NewPCG(h.seed[0]+uint64(j), h.seed[1]+uint64(l)) }
	if digit > b/8 && b <= wholeBase {
		v.images = permutationFrom0(b, stream())
		return v.images[digit]
	}
	if v.images == nil {
		v.stream = *stream()
	}
	for len(v.images) <= digit {
		v.draw(b)
	}
	return v.images[digit]
}

// A permutation of at most wholeBase digits is drawn as a whole once an eighth of it was
// needed. That is faster, and takes at most 32 KiB.
const wholeBase = 4096

// permutationFrom0 draws a permutation by Fisher and Yates' shuffle from the front:
// its first images depend on the first draws only.
func permutationFrom0(n int, src rand.Source) []int {
	p := upTo(n)
	for i := range n - 1 {
		j := i + intN(src, n-i)
		p[i], p[j] = p[j], p[i]
	}
	return p
}

// draw draws the image of the next digit of base b: a step of permutationFrom0.
func (v *level) draw(b int) {
	i := len(v.images)
	if i == 1 { // only positions that see more than the digit 0 get a map
		v.moved = map[int]int{v.images[0]: 0}
	}
	at := i
	if i < b-1 {
		at += intN(&v.stream, b-i)
	}
	here, there := v.at(i), v.at(at)
	v.images = append(v.images, there)
	if i > 0 {
		v.moved[at] = here
		delete(v.moved, i)
	}
}

// at returns what the shuffle has in place i.
func (v *level) at(i int) int {
	if d, ok := v.moved[i]; ok {
		return d
	}
	return i
}

// reverseRadix returns Kocis and Whiten's RR2 permutation of 0…b−1: the numbers
// below 2^⌈log₂b⌉ in bit-reversed order, without those that are b or more.
func reverseRadix(b int) []int {
	width := bits.Len(uint(b - 1))
	p := make([]int, 0, b)
	for i := range 1 << width {
		if r := int(bits.Reverse64(uint64(i)) >> (64 - width)); r < b {
			p = append(p, r)
		}
	}
	return p
}

// primes returns the first n primes, by the sieve of Eratosthenes up to Rosser's
// bound n(ln n + ln ln n) for the n-th.
func primes(n int) []int {
	limit := 15
	if n > 5 {
		x := float64(n)
		limit = int(x*(math.Log(x)+math.Log(math.Log(x)))) + 10
	}
	composite := make([]bool, limit+1)
	p := make([]int, 0, n)
	for i := 2; len(p) < n; i++ {
		if composite[i] {
			continue
		}
		p = append(p, i)
		for j := i * i; j <= limit; j += i {
			composite[j] = true
		}
	}
	return p
}
