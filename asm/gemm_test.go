package asm

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// chainOf is the product of row a and column b by its definition, written
// apart from the reference kernel: in float32 the single rounding is that of a 24-bit
// big.Float, whose sum of an exact product and a float32 is exact before it. Where the sum
// in float64 has the same rounding, it takes its place, since it takes a hundredth of the time.
func chainOf[T Float](a, b []T) T {
	switch a := any(a).(type) {
	case []float64:
		var s float64
		for l, v := range any(b).([]float64) {
			s = math.FMA(a[l], v, s)
		}
		return T(s)
	case []float32:
		var s float32
		for l, v := range any(b).([]float32) {
			exact := float64(a[l]) * float64(v)
			sum64 := exact + float64(s)
			if math.IsNaN(sum64) {
				s += float32(exact)
				continue
			}
			// Both roundings are monotonic, so they agree on a side of every midpoint of two
			// float32: a float64 of which the 29 bits that float32 lacks are 1 and zeros, unless
			// float32 are subnormal.
			if math.Float64bits(sum64)&(1<<29-1) != 1<<28 && math.Abs(sum64) >= 0x1p-126 {
				s = float32(sum64)
				continue
			}
			p := big.NewFloat(float64(a[l])).SetPrec(48)
			p.Mul(p, big.NewFloat(float64(v)).SetPrec(48))
			sum := new(big.Float).SetPrec(24)
			s, _ = sum.Add(p, big.NewFloat(float64(s))).Float32()
		}
		return T(s)
	}
	panic("unreachable")
}

// sameNumber compares two numbers: to the bit, but any NaN is like another.
func sameNumber[T Float](x, y T) bool {
	return x == y && math.Signbit(float64(x)) == math.Signbit(float64(y)) || x != x && y != y
}

// A tileCase is one tile product with its operands amid NaNs.
type tileCase[T Float] struct {
	m, n, k, lda, bStride, ldc int
	alpha                      T
	a, b, c                    []T
	c64                        []float64
	panel                      int
}

const guardBand = 70 // elements: more than a cache line and a vector

// framed returns n NaNs inside a guard band of NaNs, off elements from its start.
func framed[T Float](n, off int) (all, inner []T) {
	all = make([]T, guardBand+off+n+guardBand)
	for i := range all {
		all[i] = T(math.NaN())
	}
	return all, all[guardBand+off : guardBand+off+n : guardBand+off+n]
}

func newTileCase[T Float](r *rand.Rand, panel, m, n, k int) *tileCase[T] {
	t := &tileCase[T]{m: m, n: n, k: k, panel: panel}
	t.lda = m + r.IntN(4)*r.IntN(panel)
	t.bStride = k*panel + r.IntN(2)*r.IntN(9)
	if r.IntN(4) == 0 {
		t.bStride = 0 // every panel the same
	}
	t.ldc = n + r.IntN(2)*r.IntN(9)
	t.alpha = []T{1, -1, 0.7, -3.3}[r.IntN(4)]
	if k > 0 {
		_, t.a = framed[T]((k-1)*t.lda+m, r.IntN(9))
	}
	_, t.b = framed[T]((n-1)/panel*t.bStride+k*panel, r.IntN(9))
	_, t.c = framed[T]((m-1)*t.ldc+n, r.IntN(9))
	_, t.c64 = framed[float64](len(t.c), r.IntN(9))
	// Padding stays NaN: rows of a past m, columns of b past n, c past its rows.
	for l := range k {
		for i := range m {
			t.a[l*t.lda+i] = T(r.NormFloat64())
		}
		for j := range n {
			t.b[t.at(l, j)] = T(r.NormFloat64() * math.Exp2(float64(r.IntN(20)-10)))
		}
	}
	for i := range m {
		for j := range n {
			t.c[i*t.ldc+j] = T(r.NormFloat64())
			t.c64[i*t.ldc+j] = r.NormFloat64()
		}
	}
	return t
}

func (t *tileCase[T]) at(l, j int) int { return j/t.panel*t.bStride + l*t.panel + j%t.panel }

// chains are the sums of all elements of C, row by row.
func (t *tileCase[T]) chains() []T {
	s := make([]T, 0, t.m*t.n)
	for i := range t.m {
		for j := range t.n {
			s = append(s, chainOf(t.column(i, j)))
		}
	}
	return s
}

// column returns what element (i, j) of C sums the products of.
func (t *tileCase[T]) column(i, j int) (a, b []T) {
	a, b = make([]T, t.k), make([]T, t.k)
	for l := range t.k {
		a[l], b[l] = t.a[l*t.lda+i], t.b[t.at(l, j)]
	}
	return a, b
}

// check runs the three products of kern and compares all they touch, and all
// they must not, with the definition.
func (t *tileCase[T]) check(kern *Kernels[T]) error {
	s := t.chains()
	a, b := slices.Clone(t.a), slices.Clone(t.b)
	all := func(x []T) []T { return x[:len(x):len(x)] }
	for mode, name := range []string{"add", "overwrite"} {
		frame, c := framed[T](len(t.c), 3)
		copy(c, t.c)
		kern.Gemm(t.m, t.n, t.k, t.alpha, all(t.a), t.lda, all(t.b), t.bStride, c, t.ldc, mode == tileOverwriteTest, nil)
		want := slices.Clone(t.c)
		for i := range t.m {
			for j := range t.n {
				w := &want[i*t.ldc+j]
				if mode == tileOverwriteTest {
					*w = t.alpha * s[i*t.n+j]
				} else {
					*w = fma(t.alpha, s[i*t.n+j], *w)
				}
			}
		}
		if err := equalFrame(frame, c, want); err != nil {
			return fmt.Errorf("Gemm %s: %w", name, err)
		}
	}
	frame, c := framed[float64](len(t.c64), 1)
	copy(c, t.c64)
	kern.Accumulate(t.m, t.n, t.k, all(t.a), t.lda, all(t.b), t.bStride, c, t.ldc, t.b)
	want := slices.Clone(t.c64)
	for i := range t.m {
		for j := range t.n {
			want[i*t.ldc+j] += float64(s[i*t.n+j])
		}
	}
	if err := equalFrame(frame, c, want); err != nil {
		return fmt.Errorf("Accumulate: %w", err)
	}
	if kern.AccumulateWith != nil && t.m == kern.MR {
		if err := t.checkWith(kern, want); err != nil {
			return fmt.Errorf("AccumulateWith: %w", err)
		}
	}
	if err := equalFrame(t.a, t.a, a); err != nil {
		return fmt.Errorf("a changed: %w", err)
	}
	if err := equalFrame(t.b, t.b, b); err != nil {
		return fmt.Errorf("b changed: %w", err)
	}
	return nil
}

// checkWith runs the product of all rows of a and two more of y, which are two
// rows of a in the other order; want is what becomes of c.
func (t *tileCase[T]) checkWith(kern *Kernels[T], want []float64) error {
	ldy, ldSums := 2+t.lda%3, t.n+t.lda%2
	_, y := framed[T](max(0, (t.k-1)*ldy+2), t.ldc%9)
	rows := [2]int{t.m - 1, 0}
	for l := range t.k {
		for i, row := range rows {
			y[l*ldy+i] = t.a[l*t.lda+row]
		}
	}
	frame, c := framed[float64](len(t.c64), 1)
	copy(c, t.c64)
	frame2, sums := framed[float64](ldSums+t.n, 5)
	for i := range sums {
		sums[i] = float64(i%5) - 2
	}
	sumsWant := slices.Clone(sums)
	s := t.chains()
	for i, row := range rows {
		for j := range t.n {
			sumsWant[i*ldSums+j] += float64(s[row*t.n+j])
		}
	}
	kern.AccumulateWith(t.n, t.k, t.a, t.lda, y, ldy, t.b, t.bStride, c, t.ldc, sums, ldSums, t.b)
	if err := equalFrame(frame, c, want); err != nil {
		return err
	}
	return equalFrame(frame2, sums, sumsWant)
}

const tileOverwriteTest = 1

// equalFrame compares got with want and the guard band around it with NaNs.
func equalFrame[T Float](frame, got, want []T) error {
	for i, v := range want {
		if !sameNumber(got[i], v) {
			return fmt.Errorf("element %d is %v (%x), want %v (%x)", i, got[i], got[i], v, v)
		}
	}
	touched := 0
	for _, v := range frame {
		if v == v {
			touched++
		}
	}
	for _, v := range want {
		if v == v {
			touched--
		}
	}
	if touched != 0 {
		return fmt.Errorf("%d elements of the guard band overwritten", touched)
	}
	return nil
}

// eachKernel runs f for every set of kernels of both types.
func eachKernel(t *testing.T, f64 func(*testing.T, *Kernels[float64]), f32 func(*testing.T, *Kernels[float32])) {
	for _, k := range tested[float64]() {
		t.Run(k.ISA+"/float64", func(t *testing.T) { f64(t, k) })
	}
	for _, k := range tested[float32]() {
		t.Run(k.ISA+"/float32", func(t *testing.T) { f32(t, k) })
	}
}

// tested is the kernels to test: all, but of an emulated processor, which takes short
// tests, its own. Those in Go give the bits that they give on every host.
func tested[T Float]() []*Kernels[T] {
	if testing.Short() {
		return All[T]()[:1]
	}
	return All[T]()
}

func TestTile(t *testing.T) { eachKernel(t, testTile[float64], testTile[float32]) }

// testTile covers every m, every n to past one panel and the multiples at
// which a kernel takes several panels at once, and k past two unrolled steps.
func testTile[T Float](t *testing.T, kern *Kernels[T]) {
	r := rand.New(rand.NewPCG(1, 2))
	ks := []int{0, 1, 2, 3, 4, 5, 7, 8, 13, 38, 45}
	for m := 1; m <= kern.MR; m++ {
		for n := 1; n <= 2*kern.Width+1; n++ {
			for range 2 {
				c := newTileCase[T](r, kern.Panel, m, n, ks[r.IntN(len(ks))])
				if err := c.check(kern); err != nil {
					t.Fatalf("m=%d n=%d k=%d lda=%d bStride=%d ldc=%d alpha=%v: %v", m, n, c.k, c.lda, c.bStride, c.ldc, c.alpha, err)
				}
			}
		}
		for _, n := range []int{4 * kern.Width, 4*kern.Width + 1, 5*kern.Width + kern.Panel/2, 9*kern.Width - 1} {
			for _, k := range ks {
				if testing.Short() && k > 13 {
					continue
				}
				c := newTileCase[T](r, kern.Panel, m, n, k)
				if err := c.check(kern); err != nil {
					t.Fatalf("m=%d n=%d k=%d lda=%d bStride=%d ldc=%d alpha=%v: %v", m, n, k, c.lda, c.bStride, c.ldc, c.alpha, err)
				}
			}
		}
	}
}

// TestTileOrder feeds rows and columns whose sum differs in the other orders
// that a kernel might use: reversed, in 2, 4 or 8 partial sums, or unfused.
func TestTileOrder(t *testing.T) { eachKernel(t, testTileOrder[float64], testTileOrder[float32]) }

func testTileOrder[T Float](t *testing.T, kern *Kernels[T]) {
	const k = 67
	r := rand.New(rand.NewPCG(3, 4))
	for m := 1; m <= kern.MR; m++ {
		c := newTileCase[T](r, kern.Panel, m, 5*kern.Width-1, k)
		telling := make([]int, 5)
		s := c.chains()
		for i := range c.m {
			for j := range c.n {
				for o, v := range otherOrders(c.column(i, j)) {
					if v != s[i*c.n+j] {
						telling[o]++
					}
				}
			}
		}
		for o, n := range telling {
			if 4*n < c.m*c.n {
				t.Fatalf("order %d differs in %d of %d elements only: the test is blind", o, n, c.m*c.n)
			}
		}
		if err := c.check(kern); err != nil {
			t.Fatal(err)
		}
	}
}

// otherOrders are sums of a and b in orders that are not the definition's.
func otherOrders[T Float](a, b []T) []T {
	ra, rb := slices.Clone(a), slices.Clone(b)
	slices.Reverse(ra)
	slices.Reverse(rb)
	var unfused T
	for l := range a {
		unfused += T(a[l] * b[l])
	}
	sums := []T{unfused, chainOf(ra, rb)}
	for _, parts := range []int{2, 4, 8} {
		var sum T
		for p := range parts {
			var pa, pb []T
			for l := p; l < len(a); l += parts {
				pa, pb = append(pa, a[l]), append(pb, b[l])
			}
			sum += chainOf(pa, pb)
		}
		sums = append(sums, sum)
	}
	return sums
}

// TestTileSpecial takes infinities, NaNs, denormals and signed zeros through.
func TestTileSpecial(t *testing.T) { eachKernel(t, testTileSpecial[float64], testTileSpecial[float32]) }

func testTileSpecial[T Float](t *testing.T, kern *Kernels[T]) {
	r := rand.New(rand.NewPCG(5, 6))
	tiny := T(math.SmallestNonzeroFloat64)
	if tiny == 0 {
		tiny = T(math.SmallestNonzeroFloat32)
	}
	special := []T{0, T(math.Copysign(0, -1)), T(math.Inf(1)), T(math.Inf(-1)), T(math.NaN()), tiny, -tiny, 1}
	for range 50 {
		c := newTileCase[T](r, kern.Panel, 1+r.IntN(kern.MR), 1+r.IntN(3*kern.Width), 1+r.IntN(3))
		for l := range c.k {
			for i := range c.m {
				c.a[l*c.lda+i] = special[r.IntN(len(special))]
			}
			for j := range c.n {
				c.b[c.at(l, j)] = special[r.IntN(len(special))]
			}
		}
		if err := c.check(kern); err != nil {
			t.Fatal(err)
		}
	}
}

func TestTilePanics(t *testing.T) { eachKernel(t, testTilePanics[float64], testTilePanics[float32]) }

func testTilePanics[T Float](t *testing.T, kern *Kernels[T]) {
	const k, big = 5, math.MaxInt / 2
	m, n := kern.MR, 2*kern.Panel+1
	a, b, c, c64 := make([]T, k*m), make([]T, 3*k*kern.Panel), make([]T, m*n), make([]float64, m*n)
	for _, x := range []struct {
		want                       string
		m, n, k, lda, bStride, ldc int
	}{
		{errBadTile, 0, n, k, m, k * kern.Panel, n},
		{errBadTile, kern.MR + 1, n, k, m, k * kern.Panel, n},
		{errBadTile, m, 0, k, m, k * kern.Panel, n},
		{errBadTile, m, n, -1, m, k * kern.Panel, n},
		{errBadStride, m, n, k, m - 1, k * kern.Panel, n},
		{errBadStride, m, n, k, m, -1, n},
		{errBadStride, m, n, k, m, k * kern.Panel, n - 1},
		{errShortA, m, n, k, m + 1, k * kern.Panel, n},
		{errShortA, m, n, k, big, k * kern.Panel, n},
		{errShortB, m, n, k, m, k*kern.Panel + 1, n},
		{errShortB, m, n, k, m, big, n},
		{errShortC, m, n, k, m, k * kern.Panel, n + 1},
		{errShortC, m, n, k, m, k * kern.Panel, big},
		{errShortC, m, big, k, m, k * kern.Panel, big},
		{errShortA, 1, n, big, 1, k * kern.Panel, n},
	} {
		for _, f := range []func(){
			func() { kern.Gemm(x.m, x.n, x.k, 1, a, x.lda, b, x.bStride, c, x.ldc, false, nil) },
			func() { kern.Accumulate(x.m, x.n, x.k, a, x.lda, b, x.bStride, c64, x.ldc, nil) },
		} {
			if got := panicOf(f); got != x.want {
				t.Errorf("%+v: panic %v", x, got)
			}
		}
	}
}

func panicOf(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

// FuzzTile: whatever the sizes, a tile product panics with a constant of
// errors.go or does what the reference kernel does and touches nothing else.
func FuzzTile(f *testing.F) {
	f.Add(8, 33, 7, 9, 120, 40, 70, 500, 400, uint64(1))
	f.Add(1, 1, 0, 1, 0, 1, 0, 0, 1, uint64(2))
	f.Add(3, math.MaxInt, 2, 5, math.MaxInt/3, math.MaxInt, 100, 100, 100, uint64(3))
	f.Fuzz(func(t *testing.T, m, n, k, lda, bStride, ldc, lenA, lenB, lenC int, seed uint64) {
		for _, kern := range All[float64]() {
			fuzzTile(t, kern, m, n, k, lda, bStride, ldc, lenA, lenB, lenC, seed)
		}
		for _, kern := range All[float32]() {
			fuzzTile(t, kern, m, n, k, lda, bStride, ldc, lenA, lenB, lenC, seed)
		}
	})
}

func fuzzTile[T Float](t *testing.T, kern *Kernels[T], m, n, k, lda, bStride, ldc, lenA, lenB, lenC int, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 0))
	fill := func(n int) (all, x []T) {
		all, x = framed[T](int(uint(n)%5000), r.IntN(9))
		for i := range x {
			x[i] = T(r.NormFloat64())
		}
		return
	}
	_, a := fill(lenA)
	_, b := fill(lenB)
	frame, c := fill(lenC)
	plain := reference[T]("reference", kern.Tuning)
	want := slices.Clone(c)
	overwrite := seed%2 == 0
	got := panicOf(func() { kern.Gemm(m, n, k, 0.3, a, lda, b, bStride, c, ldc, overwrite, b) })
	if p := panicOf(func() { plain.Gemm(m, n, k, 0.3, a, lda, b, bStride, want, ldc, overwrite, nil) }); p != got {
		t.Fatalf("%s panics with %v, the reference kernel with %v", kern.ISA, got, p)
	}
	if _, named := got.(string); got != nil && !named {
		t.Fatalf("%s panics with %v", kern.ISA, got)
	}
	if err := equalFrame(frame, c, want); err != nil {
		t.Fatalf("%s: %v", kern.ISA, err)
	}
}
