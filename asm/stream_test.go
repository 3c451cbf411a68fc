package asm

import (
	"math/rand/v2"
	"testing"
	"unsafe"
)

// TestStream: Stream changes no result and writes nothing else, where rows lie on
// cache lines and where they do not.
func TestStream(t *testing.T) {
	t.Run("float64", testStream[float64])
	t.Run("float32", testStream[float32])
}

func testStream[T Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	line := 64 / int(unsafe.Sizeof(*new(T)))
	for _, k := range All[T]() {
		for _, f := range funcs {
			for _, off := range [][2]int{{0, 0}, {1, 1}, {0, 1}, {1, 0}} { // of cosines and sines
				for i, cols := range []int{1, k.Width, 3*k.Width + 5, 1, k.Width, 3*k.Width + 5} {
					rows, d := 13+i%3, 9-2*(i%3) // the last of 14 and 15 are done as part of a whole tile
					sines := i >= 3
					c := newCase[T](rng, k.Width, rows, d, cols, 1, false)
					stride := 2 * ((cols + line) / line * line)
					matrix := func() []T {
						s := guarded[T](rows*stride + 2*line)
						for uintptr(unsafe.Pointer(&s[0]))%64 != 0 {
							s = s[1:]
						}
						return s[:rows*stride]
					}
					z, want := matrix(), matrix()
					at := func(z []T) (z1, z2 []T) { return z[off[0]:], z[stride/2+off[1]:] }
					z1, z2 := at(z)
					out := Output[T]{Z: z1, Z2: z2, RowStride: stride, PanelStride: k.Panel, Stream: !sines, StreamSines: sines}
					// A stack is aligned to words. The frame of deeper is no multiple of
					// a cache line: at one depth at least, scratch tiles are off one.
					for depth := range 2 {
						deeper(depth, func() { k.Features(f, &c.p, &out) })
					}
					w1, w2 := at(want)
					featuresGo(k.Width, k.Panel, f, &c.p, &Output[T]{Z: w1, Z2: w2, RowStride: stride, PanelStride: k.Panel})
					if err := sameBits(z, want); err != nil {
						t.Fatalf("%s, func %d, %v elements off a cache line, %d columns: %v", k.ISA, f, off, cols, err)
					}
				}
			}
		}
	}
}

// deeper calls f from that many frames further down.
//
//go:noinline
func deeper(n int, f func()) {
	if n == 0 {
		f()
		return
	}
	deeper(n-1, f)
}
