package asm

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// word packs two integers.
func word(high, low int32) int64 { return int64(high)<<32 + int64(low) }

func TestUnpack(t *testing.T) {
	ends := []int32{0, 1, -1, 1000, -1000, math.MaxInt32, math.MinInt32 + 1, math.MinInt32}
	for _, high := range ends {
		for _, low := range ends {
			if h, l := Unpack(word(high, low)); h != float64(high) || l != float64(low) {
				t.Errorf("%d and %d come back as %v and %v", high, low, h, l)
			}
		}
	}
}

func TestGains(t *testing.T) { eachKernel(t, testGains[float64], testGains[float32]) }

// Every gain is that of the definition in rational numbers but for rounding, of the reference to the bit, and
// nothing beside the gains changes. Sums are as large as 31 bits hold, and of either sign.
func testGains[T Float](t *testing.T, kern *Kernels[T]) {
	r := rand.New(rand.NewPCG(21, 22))
	for n := range 20 {
		for words := 1; words <= 5; words++ {
			stride := n + r.IntN(4)
			frame, gain := framed[float64](n, r.IntN(9))
			before := make([]float64, n)
			sums := make([]int64, max(0, (words-1)*stride+n))[:max(0, (words-1)*stride+n):max(0, (words-1)*stride+n)]
			all := make([]float64, 2*words)
			size := int32(1) << (1 + r.IntN(30))
			for i := range all {
				all[i] = float64(r.Int32N(size) - size/2)
			}
			all[0] = float64(size) // no weight is negative, none of a part larger
			for i := range sums {
				low := r.Int32N(size) - size/2
				if i < stride {
					low = r.Int32N(size + 1)
				}
				sums[i] = word(r.Int32N(size)-size/2, low)
			}
			for i := range gain {
				gain[i] = r.Float64()
				before[i] = gain[i]
			}
			by := 0.5 + r.Float64()
			kern.Gains(gain, sums, stride, all, by)
			want := append([]float64(nil), before...)
			Reference[T]().Gains(want, sums, stride, all, by)
			if err := equalFrame(frame, gain, want); err != nil {
				t.Fatalf("n=%d words=%d: %v", n, words, err)
			}
			for b := range gain {
				// Every sum and product of positive numbers is rounded once: ten in a chain, and two for each further word.
				exact := gainOf(sums[b:], stride, all, by) + before[b]
				if tolerance := float64(10+4*words) * 0x1p-53 * exact; math.Abs(gain[b]-exact) > tolerance {
					t.Fatalf("n=%d words=%d: gain %d is %v, want %v", n, words, b, gain[b], exact)
				}
			}
		}
	}
	for name, f := range map[string]func(){
		errBadStride: func() { kern.Gains(make([]float64, 3), make([]int64, 9), 2, make([]float64, 2), 1) },
		errShortSums: func() { kern.Gains(make([]float64, 3), make([]int64, 5), 3, make([]float64, 4), 1) },
		errLength:    func() { kern.Gains(make([]float64, 3), make([]int64, 9), 3, make([]float64, 3), 1) },
	} {
		if got := panicOf(f); got != name {
			t.Errorf("panic %v, want %v", got, name)
		}
	}
	if got := panicOf(func() { kern.Gains(nil, nil, 0, nil, 1) }); got != errLength {
		t.Errorf("no words: panic %v", got)
	}
}

// gainOf is what a threshold explains, in rational numbers: the squares of sums over their weights.
func gainOf(sums []int64, stride int, all []float64, by float64) float64 {
	rational := func(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }
	_, w := Unpack(sums[0])
	weights := [2]*big.Rat{new(big.Rat).Add(rational(w), rational(by)), new(big.Rat).Add(rational(all[0]-w), rational(by))}
	total := new(big.Rat)
	for i := 1; i < len(all); i++ {
		high, low := Unpack(sums[i/2*stride])
		s := [2]float64{low, high}[i%2]
		for side, v := range [2]float64{s, all[i] - s} {
			square := new(big.Rat).Mul(rational(v), rational(v))
			total.Add(total, square.Quo(square, weights[side]))
		}
	}
	v, _ := total.Float64()
	return v
}

func BenchmarkGains(b *testing.B) {
	for _, words := range []int{1, 4} {
		sums, gain, all := make([]int64, 255*words), make([]float64, 254), make([]float64, 2*words)
		all[0] = 10
		for _, k := range All[float64]() {
			b.Run(fmt.Sprintf("%s/words=%d", k.ISA, words), func(b *testing.B) {
				for b.Loop() {
					k.Gains(gain, sums, 255, all, 1)
				}
			})
		}
	}
}
