package asm

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestPack(t *testing.T) { eachKernel(t, testPack[float64], testPack[float32]) }

// Every element is where the definition has it, and nothing else is written.
func testPack[T Float](t *testing.T, kern *Kernels[T]) {
	r := rand.New(rand.NewPCG(25, 26))
	for _, width := range []int{kern.Width, kern.Panel, kern.MR, 1, 3, 8, 10, 12} {
		for n := range 20 {
			for panels := range 4 {
				lds := n + r.IntN(5)
				frameS, src := framed[T](max(0, (panels*width-1)*lds+n), r.IntN(9))
				frameD, dst := framed[T](panels*width*n, r.IntN(9))
				for i := range src {
					src[i] = T(r.NormFloat64())
				}
				keep, want := slices.Clone(src), slices.Clone(dst)
				for i := range want {
					q, l, c := i/(n*width), i/width%n, i%width
					want[i] = src[(q*width+c)*lds+l]
				}
				kern.Pack(dst, width, src, lds, n, panels)
				if err := equalFrame(frameS, src, keep); err != nil {
					t.Fatalf("width=%d n=%d panels=%d: src: %v", width, n, panels, err)
				}
				if err := equalFrame(frameD, dst, want); err != nil {
					t.Fatalf("width=%d n=%d panels=%d: dst: %v", width, n, panels, err)
				}
			}
		}
	}
}

func TestZip(t *testing.T) { eachKernel(t, testZip[float64], testZip[float32]) }

// Pairs are in place, and what lies between them stays.
func testZip[T Float](t *testing.T, kern *Kernels[T]) {
	r := rand.New(rand.NewPCG(27, 28))
	for n := range 70 {
		for ldd := 2; ldd < 6; ldd++ {
			frameA, a := framed[T](n, r.IntN(9))
			frameB, b := framed[T](n, r.IntN(9))
			frameD, dst := framed[T](max(0, (n-1)*ldd+2), r.IntN(9))
			for i := range a {
				a[i], b[i] = T(r.NormFloat64()), T(r.NormFloat64())
			}
			for i := range dst {
				dst[i] = T(-i)
			}
			keepA, keepB, want := slices.Clone(a), slices.Clone(b), slices.Clone(dst)
			for i := range a {
				want[i*ldd], want[i*ldd+1] = a[i], b[i]
			}
			kern.Zip(dst, ldd, a, b)
			for _, f := range []struct {
				name              string
				frame, part, want []T
			}{{"a", frameA, a, keepA}, {"b", frameB, b, keepB}, {"dst", frameD, dst, want}} {
				if err := equalFrame(f.frame, f.part, f.want); err != nil {
					t.Fatalf("n=%d ldd=%d: %s: %v", n, ldd, f.name, err)
				}
			}
		}
	}
}
