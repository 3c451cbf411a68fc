package blas

import (
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"github.com/rffgo/rff/asm"
)

// TestAllocate: buffers are zeros of the length asked for, and those of a huge page
// and more begin at one.
func TestAllocate(t *testing.T) {
	const page = hugePage / 8
	for _, n := range []int{0, 1, page - 1, page, page + 1, 3*page - 1, 3 * page} {
		for range 3 {
			s := allocate[float64](n)
			if len(s) != n || cap(s) != n && n >= page {
				t.Fatalf("length %d, capacity %d, want %d", len(s), cap(s), n)
			}
			if at := uintptr(unsafe.Pointer(unsafe.SliceData(s))); n >= page && at%hugePage != 0 {
				t.Fatalf("%d elements begin %d bytes after a huge page", n, at%hugePage)
			}
			for i, v := range s {
				if v != 0 {
					t.Fatalf("element %d of %d is %g", i, n, v)
				}
			}
		}
	}
}

// Blocks of trees take no memory for the inputs that they do not compare, so that a small file, however many
// blocks it has, makes no large map.
func TestBlocksOfTreesTakeLittle(t *testing.T) {
	const blocks = 32
	s := &Spec{Dim: mostTreeInputs, Func: asm.Linear, Weight: slices.Repeat([]float64{1}, blocks)}
	for range blocks {
		s.Blocks = append(s.Blocks, Block{Size: mostTreeInputs, Keep: 1, Scale: []float64{1}, Trees: &Trees{Depth: 1, Input: []int{0}, Threshold: []float64{0},
			Value: General[float64]{Rows: 2, Cols: 1, Stride: 1, Data: []float64{1, 2}}}})
	}
	if field, value, need := s.Check(); need != "" {
		t.Fatal(field, value, need)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	newHadamardStacks[float64](s.Blocks, 1)
	if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > mostTreeInputs {
		t.Errorf("%d blocks take %d bytes", blocks, after.TotalAlloc-before.TotalAlloc)
	}
}
