package asm

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
)

// dotOf is the dot product by its definition, lane by lane.
func dotOf[T Float](x, y []T) T {
	var lane [32]T
	for l := range lane {
		var a, b []T
		for i := l; i < len(x); i += 32 {
			a, b = append(a, x[i]), append(b, y[i])
		}
		lane[l] = chainOf(a, b)
	}
	for h := 16; h >= 1; h /= 2 {
		for l := range h {
			lane[l] += lane[l+h]
		}
	}
	return lane[0]
}

func TestDot(t *testing.T) { eachKernel(t, testDot[float64], testDot[float32]) }

func testDot[T Float](t *testing.T, kern *Kernels[T]) {
	r := rand.New(rand.NewPCG(7, 8))
	for n := range 4*32*2 + 5 {
		frameX, x := framed[T](n, r.IntN(9))
		frameY, y := framed[T](n, r.IntN(9))
		for i := range n {
			x[i] = T(r.NormFloat64() * math.Exp2(float64(r.IntN(20)-10)))
			y[i] = T(r.NormFloat64())
		}
		keepX, keepY := slices.Clone(x), slices.Clone(y)
		if got, want := kern.Dot(x, y), dotOf(x, y); !sameNumber(got, want) {
			t.Fatalf("n=%d: %x, want %x", n, got, want)
		}
		if err := equalFrame(frameX, x, keepX); err != nil {
			t.Fatal(err)
		}
		if err := equalFrame(frameY, y, keepY); err != nil {
			t.Fatal(err)
		}
	}
	for range 200 { // signed zeros, infinities and NaNs
		special := []T{0, T(math.Copysign(0, -1)), T(math.Inf(1)), T(math.NaN()), T(-1e-40), 1, 1, 1, 1, 1}
		x, y := make([]T, r.IntN(70)), make([]T, 70)
		for i := range x {
			x[i], y[i] = special[r.IntN(len(special))], special[r.IntN(len(special))]
		}
		y = y[:len(x)]
		if got, want := kern.Dot(x, y), dotOf(x, y); !sameNumber(got, want) {
			t.Fatalf("%v·%v = %v, want %v", x, y, got, want)
		}
	}
	if got := panicOf(func() { kern.Dot(make([]T, 3), make([]T, 4)) }); got != errLength {
		t.Errorf("unequal lengths: panic %v", got)
	}
}

// TestDotNegativeZero keeps the −0 of a lane that underflowed through a tail.
func TestDotNegativeZero(t *testing.T) {
	eachKernel(t, testDotNegativeZero[float64], testDotNegativeZero[float32])
}

func testDotNegativeZero[T Float](t *testing.T, kern *Kernels[T]) {
	tiny := T(1e-160)
	if tiny == 0 {
		tiny = 1e-40
	}
	for n := 32; n < 64; n++ {
		x, y := make([]T, n), make([]T, n)
		for i := range x {
			x[i], y[i] = tiny*tiny, -tiny
			if i < 32 {
				x[i] = tiny
			}
			if float64(x[i])*float64(y[i]) > 0 {
				t.Fatal("the product should underflow or vanish")
			}
		}
		for i := 32; i < n; i++ {
			x[i], y[i] = T(math.Copysign(0, -1)), 1
		}
		if got, want := kern.Dot(x, y), dotOf(x, y); !sameNumber(got, want) || !math.Signbit(float64(want)) && tiny*tiny == 0 {
			t.Fatalf("n=%d: %v, want %v", n, got, want)
		}
	}
}

// TestDotSum compares with gonum within the rounding of two sums of n products:
// 2·n·ε·Σ|xᵢyᵢ|, Higham, Accuracy and Stability (2002), (3.5), halved by fusing.
func TestDotSum(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	const n = 1000
	x, y := make([]float64, n), make([]float64, n)
	var size float64
	for i := range x {
		x[i], y[i] = r.NormFloat64(), r.NormFloat64()
		size += math.Abs(x[i] * y[i])
	}
	for _, k := range All[float64]() {
		if d := math.Abs(k.Dot(x, y) - floats.Dot(x, y)); d > 2*n*0x1p-53*size {
			t.Errorf("%s differs from gonum by %g", k.ISA, d)
		}
	}
}

func FuzzDot(f *testing.F) {
	f.Add(uint16(100), uint16(100), uint64(1))
	f.Add(uint16(31), uint16(33), uint64(2))
	f.Fuzz(func(t *testing.T, n, m uint16, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 0))
		_, x := framed[float32](int(n%3000), int(seed%8))
		_, y := framed[float32](int(m%3000), int(seed/8%8))
		for i := range x {
			x[i] = float32(r.NormFloat64())
		}
		for i := range y {
			y[i] = float32(r.NormFloat64())
		}
		var want float32
		p := panicOf(func() { want = Reference[float32]().Dot(x, y) })
		for _, k := range All[float32]() {
			var got float32
			if q := panicOf(func() { got = k.Dot(x, y) }); p != q || !sameNumber(got, want) {
				t.Fatalf("%s: %v (panic %v), reference %v (panic %v)", k.ISA, got, q, want, p)
			}
		}
	})
}
