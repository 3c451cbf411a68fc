package asm

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

// hadamardOf applies the stages in their order, element by element: each
// output of a stage is the sum or the difference of the pair it belongs to.
func hadamardOf[T Float](x []T) []T {
	x = slices.Clone(x)
	for h := 1; h < len(x); h *= 2 {
		next := make([]T, len(x))
		for i := range x {
			if i&h == 0 {
				next[i] = x[i] + x[i|h]
			} else {
				next[i] = x[i&^h] - x[i]
			}
		}
		x = next
	}
	return x
}

func TestHadamard(t *testing.T) { eachKernel(t, testHadamard[float64], testHadamard[float32]) }

func testHadamard[T Float](t *testing.T, kern *Kernels[T]) {
	r := rand.New(rand.NewPCG(11, 12))
	top := 17
	if testing.Short() {
		top = 15
	}
	for log := 0; log <= top; log++ {
		n := 1 << log
		for off := range 3 {
			frame, x := framed[T](n, off)
			for i := range x {
				x[i] = T(r.NormFloat64() * math.Exp2(float64(r.IntN(20))))
			}
			want := hadamardOf(x)
			// The same transform with its stages in the reverse order.
			perm := func(i int) int { return int(bits.Reverse64(uint64(i)) >> (64 - log)) }
			other := make([]T, n)
			for i, v := range x {
				other[perm(i)] = v
			}
			kern.Hadamard(x, nil, len(x))
			if err := equalFrame(frame, x, want); err != nil {
				t.Fatalf("n=%d: %v", n, err)
			}
			differ := 0
			for i, v := range hadamardOf(other) {
				if v != want[perm(i)] {
					differ++
				}
			}
			if n >= 64 && differ < n/4 {
				t.Fatalf("n=%d: the test is blind: only %d elements depend on the order", n, differ)
			}
		}
	}
	for _, n := range []int{0, 3, 24, 1000} {
		if got := panicOf(func() { kern.Hadamard(make([]T, n), nil, n) }); got != errPowerOfTwo {
			t.Errorf("length %d: panic %v", n, got)
		}
	}
}

// TestHadamardMatrix checks the transform against the Hadamard matrix
// H[i][j] = (−1)^popcount(i AND j), exactly, on integers.
func TestHadamardMatrix(t *testing.T) {
	eachKernel(t, testHadamardMatrix[float64], testHadamardMatrix[float32])
}

func testHadamardMatrix[T Float](t *testing.T, kern *Kernels[T]) {
	for _, n := range []int{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024} {
		for j := 0; j < n; j += 1 + n/37 {
			x := make([]T, n)
			x[j] = 3
			kern.Hadamard(x, nil, len(x))
			for i, v := range x {
				want := T(3)
				if bits.OnesCount(uint(i&j))%2 == 1 {
					want = -3
				}
				if v != want {
					t.Fatalf("n=%d: H[%d][%d]·3 = %v", n, i, j, v)
				}
			}
		}
	}
}

// TestHadamardRuns checks several transforms side by side, with a diagonal and
// without: each equals the one transform of its own product.
func TestHadamardRuns(t *testing.T) {
	eachKernel(t, testHadamardRuns[float64], testHadamardRuns[float32])
}

func testHadamardRuns[T Float](t *testing.T, kern *Kernels[T]) {
	r := rand.New(rand.NewPCG(15, 16))
	random := func(x []T) {
		for i := range x {
			x[i] = T(r.NormFloat64())
		}
	}
	for log := range 15 {
		size := 1 << log
		for _, runs := range []int{0, 1, 2, 3, 7, 17} {
			if runs > 3 && log > 12 {
				continue
			}
			frame, x := framed[T](size*runs, log%3)
			dFrame, d := framed[T](size*runs, log%5)
			random(x)
			random(d)
			for _, by := range [][]T{nil, d} {
				var want []T
				for i := 0; i < len(x); i += size {
					part := slices.Clone(x[i : i+size])
					for j := range part {
						if by != nil {
							part[j] *= by[i+j]
						}
					}
					want = append(want, hadamardOf(part)...)
				}
				keep := slices.Clone(by)
				kern.Hadamard(x, by, size)
				if err := equalFrame(frame, x, want); err != nil {
					t.Fatalf("%d of size %d, diagonal %v: %v", runs, size, by != nil, err)
				}
				if err := equalFrame(dFrame, by, keep); by != nil && err != nil {
					t.Fatalf("%d of size %d: the diagonal changed: %v", runs, size, err)
				}
			}
		}
	}
	for _, c := range []struct {
		n, d, size int
		want       string
	}{{24, -1, 16, errPowerOfTwo}, {16, -1, 0, errPowerOfTwo}, {16, -1, -16, errPowerOfTwo}, {16, 15, 16, errLength}, {16, 0, 16, errLength}} {
		var d []T
		if c.d >= 0 {
			d = make([]T, c.d)
		}
		if got := panicOf(func() { kern.Hadamard(make([]T, c.n), d, c.size) }); got != c.want {
			t.Errorf("length %d, diagonal %d, size %d: panic %v, want %v", c.n, c.d, c.size, got, c.want)
		}
	}
}

func TestHadamardSpecial(t *testing.T) {
	eachKernel(t, testHadamardSpecial[float64], testHadamardSpecial[float32])
}

func testHadamardSpecial[T Float](t *testing.T, kern *Kernels[T]) {
	r := rand.New(rand.NewPCG(13, 14))
	special := []T{0, T(math.Copysign(0, -1)), 1, -1, 1, -1, T(-1e-40), T(1e-40), T(math.Inf(1)), T(math.NaN())}
	for log := range 12 {
		for _, kinds := range []int{2, 8, 10} { // zeros only, finite, all
			x := make([]T, 1<<log)
			for i := range x {
				x[i] = special[r.IntN(kinds)]
			}
			want := hadamardOf(x)
			kern.Hadamard(x, nil, len(x))
			if err := equalFrame(x, x, want); err != nil {
				t.Fatalf("n=%d: %v", len(x), err)
			}
		}
	}
}

func FuzzHadamard(f *testing.F) {
	f.Add(uint16(64), uint64(1))
	f.Add(uint16(63), uint64(2))
	f.Fuzz(func(t *testing.T, n uint16, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 0))
		for _, k := range All[float64]() {
			frame, x := framed[float64](int(n%5000), int(seed%8))
			for i := range x {
				x[i] = r.NormFloat64()
			}
			want := slices.Clone(x)
			p := panicOf(func() { Reference[float64]().Hadamard(want, nil, len(want)) })
			if q := panicOf(func() { k.Hadamard(x, nil, len(x)) }); p != q {
				t.Fatalf("%s panics with %v, the reference kernel with %v", k.ISA, q, p)
			}
			if err := equalFrame(frame, x, want); err != nil {
				t.Fatalf("%s: %v", k.ISA, err)
			}
		}
	})
}
