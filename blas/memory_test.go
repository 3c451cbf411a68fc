package blas

import (
	"testing"
	"unsafe"
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
