package asm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// awkward are the numbers at which roundings, zeros and infinities show.
func awkward[T Float](r *rand.Rand) T {
	switch r.IntN(12) {
	case 0:
		return 0
	case 1:
		return T(math.Copysign(0, -1))
	case 2:
		return T(math.Inf(1 - 2*r.IntN(2)))
	case 3:
		return T(math.NaN())
	case 4:
		return T(0x1p-149) * T(r.IntN(9)-4) // subnormal in float32
	case 5:
		return T(0x1p-126) * T(r.IntN(3)-1)
	case 6:
		return T(math.Ldexp(r.Float64()-0.5, r.IntN(240)-120))
	case 7:
		return T(math.MaxFloat32) * T(r.IntN(3)-1)
	}
	return T(1+float64(r.IntN(1<<12))*0x1p-12) * T(1-2*r.IntN(2)) // products on midpoints
}

// TestPortableChains: the blocked kernels have the chains of the reference bit for
// bit, for every block and inner length and any values. Blocks of four rows are
// used where there are registers for them, and tested everywhere.
func TestPortableChains(t *testing.T) {
	testPortableChains(t, map[string]multiplier[float64]{"chains64": chains64,
		"chains64x4": func(s chains[float64], rows, k int, a []float64, lda int, b []float64, panel int) chains[float64] {
			if rows == 4 {
				return chains64x4(s, k, a, lda, b, panel)
			}
			return chains64(s, rows, k, a, lda, b, panel)
		}})
	testPortableChains(t, map[string]multiplier[float32]{"chains32": chains32})
}

func testPortableChains[T Float](t *testing.T, multipliers map[string]multiplier[T]) {
	const panel, lda = 8, 5
	rounds := 200
	if testing.Short() {
		rounds = 40
	}
	r := rand.New(rand.NewPCG(31, 4))
	for name, multiply := range multipliers {
		for _, rows := range []int{1, 2, 4} {
			for k := 1; k <= 9; k++ {
				for range rounds {
					a, b := make([]T, (k-1)*lda+rows), make([]T, (k-1)*panel+blockCols)
					var s chains[T]
					for _, x := range [][]T{a, b, s[:]} {
						for i := range x {
							x[i] = awkward[T](r)
						}
					}
					got := multiply(s, rows, k, a, lda, b, panel)
					for i := range rows {
						for j := range blockCols {
							want := s[i*blockCols+j]
							for l := range k {
								want = fma(a[l*lda+i], b[l*panel+j], want)
							}
							if v := got[i*blockCols+j]; !sameFloat(v, want) {
								t.Fatalf("%s, %d rows, k=%d: element (%d, %d) is %x, want %x", name, rows, k, i, j, v, want)
							}
						}
					}
				}
			}
		}
	}
}

func sameFloat[T Float](a, b T) bool {
	return a == b && math.Signbit(float64(a)) == math.Signbit(float64(b)) || a != a && b != b
}

// TestPortableKernels: whole kernels against the reference, over every tail of
// rows, columns and inputs, and every function.
func TestPortableKernels(t *testing.T) {
	t.Run("float64", func(t *testing.T) { testPortableKernels(t, portable(chains64)) })
	t.Run("float32", func(t *testing.T) { testPortableKernels(t, portable(chains32)) })
}

func testPortableKernels[T Float](t *testing.T, k *Kernels[T]) {
	ref := Reference[T]()
	r := rand.New(rand.NewPCG(32, 4))
	fill := func(n int) []T {
		x := make([]T, n)
		for i := range x {
			x[i] = awkward[T](r)
			if r.IntN(4) > 0 {
				x[i] = T(r.NormFloat64())
			}
		}
		return x
	}
	same := func(got, want []T, format string, args ...any) {
		t.Helper()
		for i := range want {
			if !sameFloat(got[i], want[i]) {
				t.Fatalf("%s: element %d is %x, want %x", fmt.Sprintf(format, args...), i, got[i], want[i])
			}
		}
	}
	for m := 1; m <= k.MR; m++ {
		for n := 1; n <= 2*k.Panel+3; n++ {
			for _, kk := range []int{0, 1, 2, 3, 7} {
				lda, ldc, stride := m+1, n+2, kk*k.Panel+3
				a, b, c := fill(kk*lda), fill(stride*((n-1)/k.Panel+1)+k.Panel), fill(m*ldc)
				for _, overwrite := range []bool{false, true} {
					got, want := append([]T(nil), c...), append([]T(nil), c...)
					k.Gemm(m, n, kk, 0.75, a, lda, b, stride, got, ldc, overwrite, nil)
					ref.Gemm(m, n, kk, 0.75, a, lda, b, stride, want, ldc, overwrite, nil)
					same(got, want, "Gemm m=%d n=%d k=%d overwrite=%v", m, n, kk, overwrite)
				}
				got, want := make([]float64, m*ldc), make([]float64, m*ldc)
				k.Accumulate(m, n, kk, a, lda, b, stride, got, ldc, nil)
				ref.Accumulate(m, n, kk, a, lda, b, stride, want, ldc, nil)
				for i := range want {
					if !sameFloat(got[i], want[i]) {
						t.Fatalf("Accumulate m=%d n=%d k=%d: element %d is %x, want %x", m, n, kk, i, got[i], want[i])
					}
				}
			}
		}
	}
	for f := Cos; f <= SectionCauchy; f++ {
		for rows := range 3 {
			for cols := range 2*k.Width + 3 {
				for d := range 4 {
					padded := (cols + k.Width - 1) / k.Width * k.Width
					p := &Projection[T]{X: fill(rows * (d + 1)), LDX: d + 1, Rows: rows, D: d, W: fill(padded * d), Cols: cols,
						Phase: fill(padded), Weight: fill(padded), Weight2: fill(padded)}
					if f > CosSin {
						p.Terms = Terms(cols % 3)
					}
					out := func() *Output[T] {
						return &Output[T]{Z: make([]T, 3*(padded+1)), Z2: make([]T, 3*(padded+1)), RowStride: padded, PanelStride: k.Panel}
					}
					got, want := out(), out()
					k.Features(f, p, got)
					ref.Features(f, p, want)
					same(got.Z, want.Z, "Features %d rows=%d cols=%d d=%d", f, rows, cols, d)
					same(got.Z2, want.Z2, "Features %d rows=%d cols=%d d=%d, sines", f, rows, cols, d)
					y, acc := fill(2*rows), make([]T, 4*(cols+1))
					acc2 := append([]T(nil), acc...)
					k.Scores(f, p, y, 2, 2, acc[:2*cols], acc[2*cols:], cols)
					ref.Scores(f, p, y, 2, 2, acc2[:2*cols], acc2[2*cols:], cols)
					same(acc, acc2, "Scores %d rows=%d cols=%d d=%d", f, rows, cols, d)
				}
			}
		}
	}
}

// Scores takes no memory anew at every call.
func TestScoresReuseMemory(t *testing.T) {
	const rows, cols = 3, 40
	for _, k := range []*Kernels[float64]{Reference[float64](), portable(chains64)} {
		width := (cols + k.Width - 1) / k.Width * k.Width
		p := &Projection[float64]{X: make([]float64, rows), LDX: 1, Rows: rows, D: 1, W: make([]float64, width), Cols: cols, Phase: make([]float64, width), Scale: 1}
		y, acc, acc2 := make([]float64, 2*rows), make([]float64, 2*cols), make([]float64, 2*cols)
		if n := testing.AllocsPerRun(100, func() { k.Scores(CosSin, p, y, 2, 2, acc, acc2, cols) }); n > 0 {
			t.Errorf("%s: %v allocations", k.ISA, n)
		}
	}
}
