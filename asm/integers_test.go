package asm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"
)

// Every instruction set has the integers of the definition: features rounded to the nearest,
// ties to even, and sums of their products, at every shape, up to the largest values at which
// a block of 504 rows of 12 bits, or of 8, cannot overflow.
func TestIntegers(t *testing.T) {
	for _, kern := range All[float32]() {
		for name, of := range map[string]*Integers[float32]{"16": kern.Int16, "8": kern.Int8} {
			if of == nil {
				continue
			}
			t.Run(kern.ISA+"/"+name, func(t *testing.T) { testIntegers(t, kern, of) })
		}
	}
}

func testIntegers(t *testing.T, kern *Kernels[float32], of *Integers[float32]) {
	most := map[int]int{2: 2047, 4: 127}[of.Rows]
	r := rand.New(rand.NewPCG(1, uint64(of.Rows)))
	for _, n := range []int{1, 2, 3, 4, 5, 7, 8, 33, 503, 504} {
		columns := 9*kern.Panel + 3
		panels, rows := 10, (n+3)/4*4
		stride := rows * kern.Panel
		z, q := make([]float32, panels*stride), make([]int64, panels*kern.Panel*n)
		factor := slices.Repeat([]float32{float32(most) / 0.75}, kern.Panel)
		for p := range panels {
			panel := z[p*stride : (p+1)*stride]
			for i := range panel {
				panel[i] = float32(math.NaN()) // of rows that do not exist
			}
			for i := range n * kern.Panel {
				switch {
				case p == 0 || n == 504 && p == 1: // the bound
					panel[i] = 0.75
				case r.IntN(8) == 0: // a tie
					factor := factor[i%kern.Panel]
					panel[i] = (float32(r.IntN(2*most)-most) + 0.5) / factor
				default:
					panel[i] = 0.75 * (2*r.Float32() - 1)
				}
				q[(p*n+i/kern.Panel)*kern.Panel+i%kern.Panel] = int64(math.RoundToEven(float64(panel[i] * factor[i%kern.Panel])))
			}
			of.Round(panel, n, factor)
		}
		words, at := (n+of.Rows-1)/of.Rows, func(row, j int) int64 { return q[(j/kern.Panel*n+row)*kern.Panel+j%kern.Panel] }
		for m := 1; m <= kern.MR; m++ {
			for _, cols := range []int{1, kern.Panel - 1, kern.Panel, kern.Width + 1, columns} {
				ldc := cols + 3
				c := slices.Repeat([]float64{0x1p40}, m*ldc)
				of.Accumulate(m, cols, words, z[stride:], kern.Panel, z, stride, 0.25, c, ldc, nil)
				for i := range m {
					for j := range ldc {
						want := 0x1p40
						for row := 0; j < cols && row < n; row++ {
							want += 0.25 * float64(at(row, kern.Panel+i)*at(row, j))
						}
						if c[i*ldc+j] != want {
							t.Fatalf("%d rows, tile of %d×%d, element %d, %d: %v, want %v", n, m, cols, i, j, c[i*ldc+j]-0x1p40, want-0x1p40)
						}
					}
				}
			}
		}
	}
}

// The largest sum of a block is 504·2047² < 2³¹; with 516 rows of it the sum is 2³¹ or more.
func TestBoundOfIntegers(t *testing.T) {
	if 504*2047*2047 > math.MaxInt32 || 516*2047*2047 <= math.MaxInt32 {
		t.Error("the bound")
	}
}

func BenchmarkIntegers(b *testing.B) {
	kern := Native[float32]()
	const n, panels = 504, 32
	for name, of := range map[string]*Integers[float32]{"f32": nil, "int16": kern.Int16, "int8": kern.Int8} {
		if of == nil && name != "f32" {
			continue
		}
		stride := (n + 4) * kern.Panel
		z := make([]float32, panels*stride+64)
		z = z[(64-uintptr(unsafe.Pointer(&z[0]))%64)/4:]
		c := make([]float64, kern.MR*panels*kern.Panel)
		b.Run(fmt.Sprintf("type=%s", name), func(b *testing.B) {
			for range b.N {
				if of == nil {
					kern.Accumulate(kern.MR, panels*kern.Panel, n, z, kern.Panel, z, stride, c, panels*kern.Panel, nil)
				} else {
					of.Accumulate(kern.MR, panels*kern.Panel, n/of.Rows, z, kern.Panel, z, stride, 1, c, panels*kern.Panel, nil)
				}
			}
			b.ReportMetric(2*float64(b.N)*float64(kern.MR*panels*kern.Panel*n)/b.Elapsed().Seconds()/1e9, "GOP/s")
		})
	}
}
