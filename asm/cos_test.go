package asm

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// bigPi has 200 bits, far more than the references below need.
var bigPi, _, _ = big.ParseFloat("3.14159265358979323846264338327950288419716939937510582097494459", 10, 200, big.ToNearestEven)

// exact is a number as a sum of two.
type exact struct{ hi, lo float64 }

// exactCosSin returns cos(2πt) and sin(2πt) by Taylor series at 120 bits.
func exactCosSin(t float64) (c, s exact) {
	const prec = 120
	f := t - math.RoundToEven(t) // exact
	x := new(big.Float).SetPrec(prec).Mul(bigPi, big.NewFloat(2*f))
	x2 := new(big.Float).SetPrec(prec).Mul(x, x)
	series := func(first int, term *big.Float) exact {
		sum := new(big.Float).SetPrec(prec)
		for k := first; k < 44; k += 2 { // π⁴⁴/44! < 1e-32
			sum.Add(sum, term)
			term.Mul(term, x2)
			term.Quo(term, new(big.Float).SetPrec(prec).SetInt64(-int64(k+1)*int64(k+2)))
		}
		return exactOf(sum)
	}
	c = series(0, new(big.Float).SetPrec(prec).SetInt64(1))
	return c, series(1, x)
}

func exactOf(x *big.Float) exact {
	hi, _ := x.Float64()
	lo, _ := new(big.Float).Sub(x, big.NewFloat(hi)).Float64()
	return exact{hi, lo}
}

// plus returns a + b to about 2⁻¹⁰⁰ of the larger one.
func (a exact) plus(b exact) exact {
	s := a.hi + b.hi
	v := s - a.hi
	e := (a.hi - (s - v)) + (b.hi - v) + (a.lo + b.lo)
	hi := s + e
	return exact{hi, e - (hi - s)}
}

// times returns a·b to about 2⁻¹⁰⁰ of it.
func (a exact) times(b exact) exact {
	p := float64(a.hi * b.hi)
	e := math.FMA(a.hi, b.hi, -p) + math.FMA(a.hi, b.lo, float64(a.lo*b.hi))
	hi := p + e
	return exact{hi, e - (hi - p)}
}

// reciprocals has 2π in place 0 and 1/k! in place k.
var reciprocals = func() (r [30]exact) {
	r[0] = exactOf(new(big.Float).Mul(bigPi, big.NewFloat(2)))
	factorial := new(big.Float).SetPrec(200).SetInt64(1)
	for k := 1; k < len(r); k++ {
		factorial.Mul(factorial, new(big.Float).SetInt64(int64(k)))
		r[k] = exactOf(new(big.Float).SetPrec(200).Quo(big.NewFloat(1), factorial))
	}
	return r
}()

// cosSinOf returns cos(2πt) and sin(2πt) to 1e-29, in a small part of the time of exactCosSin:
// the series of sums of two numbers, at most an eighth of a turn from a quarter.
func cosSinOf(t float64) (c, s exact) {
	t -= math.RoundToEven(t)
	quarter := math.RoundToEven(4 * t)
	x := reciprocals[0].times(exact{hi: t - quarter/4}) // exact, as both are near
	x2 := x.times(x)
	x2 = exact{-x2.hi, -x2.lo}
	series := func(last int) exact {
		sum := reciprocals[last]
		for k := last - 2; k > 0; k -= 2 {
			sum = sum.times(x2).plus(reciprocals[k])
		}
		return sum
	}
	c = series(28).times(x2).plus(exact{hi: 1}) // (π/4)³⁰/30! < 1e-35
	s = series(29).times(x)
	for range int(quarter+4) % 4 {
		c, s = exact{-s.hi, -s.lo}, c
	}
	return c, s
}

// The quick cosines that all others are held against are those of the plain series.
func TestExactCosines(t *testing.T) {
	for _, v := range turns[float64](200) {
		c, s := cosSinOf(v)
		wantC, wantS := exactCosSin(v)
		for _, e := range [][2]exact{{c, wantC}, {s, wantS}} {
			if d := (e[0].hi - e[1].hi) + (e[0].lo - e[1].lo); !(math.Abs(d) <= 1e-29) {
				t.Fatalf("of %v turns: %v and %v, want %v and %v", v, c, s, wantC, wantS)
			}
		}
	}
}

// turns yields arguments that sweep a period densely, lie around its special
// points and spread at random over |t| ≤ 2²⁰.
func turns[T Float](n int) []T {
	rng := rand.New(rand.NewPCG(1, 2))
	var t []T
	for i := 0; i <= n; i++ {
		t = append(t, T(float64(i)/float64(n)*1.25-0.625))
	}
	for i := 0; i <= 16; i++ {
		p := T(i-8) / 8
		t = append(t, p)
		up, down := p, p
		for range 20 {
			up, down = next(up, 2), next(down, -2)
			t = append(t, up, down)
		}
	}
	for range n {
		t = append(t, T((rng.Float64()*2-1)*math.Ldexp(1, rng.IntN(21))))
	}
	return t
}

func next[T Float](x T, to float64) T {
	switch v := any(x).(type) {
	case float32:
		return T(math.Nextafter32(v, float32(to)))
	default:
		return T(math.Nextafter(float64(x), to))
	}
}

func TestCosAccuracy(t *testing.T) {
	n := 40000
	if testing.Short() {
		n = 4000
	}
	t.Run("f64", func(t *testing.T) { testCosAccuracy[float64](t, 4e-16, n) })
	t.Run("f32", func(t *testing.T) { testCosAccuracy[float32](t, 1.2e-7, n) })
}

func testCosAccuracy[T Float](t *testing.T, bound float64, n int) {
	arg := turns[T](n)
	one := make([]T, len(arg))
	for i := range one {
		one[i] = 1
	}
	exactC, exactS := make([]exact, len(arg)), make([]exact, len(arg))
	for i, v := range arg {
		exactC[i], exactS[i] = cosSinOf(float64(v))
	}
	z, c, s, none := make([]T, len(arg)), make([]T, len(arg)), make([]T, len(arg)), make([]T, len(arg))
	for _, k := range All[T]() {
		k.Apply(Cos, z, nil, arg, none, one, nil)
		k.Apply(CosSin, c, s, arg, none, one, one)
		worst := func(what string, got []T, want []exact) {
			most, at := 0.0, T(0)
			for i := range got {
				if e := math.Abs(float64(got[i]) - want[i].hi - want[i].lo); !(e <= most) {
					most, at = e, arg[i]
				}
			}
			t.Logf("%s %s: maximum error %.3g at %v", k.ISA, what, most, at)
			if !(most <= bound) {
				t.Errorf("%s %s: error %.3g at %v turns exceeds %g", k.ISA, what, most, at, bound)
			}
		}
		worst("cos", z, exactC)
		worst("cos of pair", c, exactC)
		worst("sin of pair", s, exactS)
	}
}

// TestScaleAccuracy holds the same bounds for a weight that all columns share:
// round ones, those of maps of common sizes, and a sweep of a binade.
func TestScaleAccuracy(t *testing.T) {
	t.Run("f64", func(t *testing.T) { testScaleAccuracy[float64](t, 4e-16) })
	t.Run("f32", func(t *testing.T) { testScaleAccuracy[float32](t, 1.2e-7) })
}

func testScaleAccuracy[T Float](t *testing.T, bound float64) {
	n, steps := 20000, 60
	if testing.Short() {
		n, steps = 2000, 20
	}
	arg := turns[T](n)
	exactC, exactS := make([]exact, len(arg)), make([]exact, len(arg))
	for i, v := range arg {
		exactC[i], exactS[i] = cosSinOf(float64(v))
	}
	weights := []T{MinScale, MaxScale, 1, 5}
	for _, s := range []float64{10, 256, 1000, 1024, 1792, 2000, 3456, 4096} {
		weights = append(weights, T(math.Sqrt(2/s)), T(math.Sqrt(1/s)))
	}
	for i := range steps {
		weights = append(weights, T(1+(float64(i)+0.3)/float64(steps)))
	}
	k := All[T]()[0] // which all others equal
	phase := make([]T, (len(arg)+k.Width-1)/k.Width*k.Width)
	copy(phase, arg)
	z, z2 := make([]T, len(arg)), make([]T, len(arg))
	out := Output[T]{Z: z, Z2: z2, PanelStride: k.Panel}
	for _, f := range []Func{Cos, CosSin} {
		most, at := 0.0, T(0)
		for _, w := range weights {
			k.Features(f, &Projection[T]{Rows: 1, Cols: len(arg), Phase: phase, Scale: w}, &out)
			check := func(got T, want exact) {
				// got and w·hi are nearer to each other than a factor of two where it matters.
				e := math.Abs(math.FMA(-float64(w), want.hi, float64(got))-float64(w)*want.lo) / float64(w)
				if !(e <= most) {
					most, at = e, w
				}
			}
			for i := range arg {
				check(z[i], exactC[i])
				if f == CosSin {
					check(z2[i], exactS[i])
				}
			}
		}
		t.Logf("%s, func %d: maximum error %.3g at weight %v", k.ISA, f, most, at)
		if !(most <= bound) {
			t.Errorf("%s, func %d: error %.3g at weight %v exceeds %g", k.ISA, f, most, at, bound)
		}
	}
}

func TestCosSpecial(t *testing.T) {
	t.Run("f64", func(t *testing.T) { testCosSpecial[float64](t) })
	t.Run("f32", func(t *testing.T) { testCosSpecial[float32](t) })
}

func testCosSpecial[T Float](t *testing.T) {
	inf := T(math.Inf(1))
	arg := []T{inf, -inf, T(math.NaN()), 0, T(math.Copysign(0, -1)), 1, -1, 0.25, -0.25, 0.5, -0.5, 0.75, 1 << 20, 1<<20 + 0.25, 1e30, -1e30}
	n := T(math.NaN())
	cos := []T{n, n, n, 1, 1, 1, 1, 0, 0, -1, -1, 0, 1, 0, 1, 1}
	sin := []T{n, n, n, 0, 0, 0, 0, 1, -1, 0, 0, -1, 0, 1, 0, 0}
	one, none := make([]T, len(arg)), make([]T, len(arg))
	for i := range one {
		one[i] = 1
	}
	same := func(a, b T, ulp T) bool {
		return a == b || (a != a && b != b) || math.Abs(float64(a-b)) <= float64(ulp)
	}
	for _, k := range All[T]() {
		z, c, s := make([]T, len(arg)), make([]T, len(arg)), make([]T, len(arg))
		k.Apply(Cos, z, nil, arg, none, one, nil)
		k.Apply(CosSin, c, s, arg, none, one, one)
		ulp := next(T(1), 2) - 1
		for i, v := range arg {
			if !same(z[i], cos[i], ulp) || !same(c[i], cos[i], 0) || !same(s[i], sin[i], 0) {
				t.Errorf("%s at %v turns: cos %v, pair %v %v; want %v %v", k.ISA, v, z[i], c[i], s[i], cos[i], sin[i])
			}
		}
	}
}
