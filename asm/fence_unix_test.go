//go:build linux || darwin

package asm

import (
	"syscall"
	"testing"
	"unsafe"
)

// A fence is memory between two pages that nobody may touch: an access beyond
// a slice cut from its ends faults, reads as well as writes.
type fence struct{ mem []byte }

func newFence(t testing.TB, size int) *fence {
	page := syscall.Getpagesize()
	size = (size + page - 1) / page * page
	mem, err := syscall.Mmap(-1, 0, size+2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Skip("no fenced memory: ", err)
	}
	t.Cleanup(func() { syscall.Munmap(mem) })
	for _, p := range [][]byte{mem[:page], mem[page+size:]} {
		if err := syscall.Mprotect(p, syscall.PROT_NONE); err != nil {
			t.Skip("no fenced memory: ", err)
		}
	}
	return &fence{mem[page : page+size]}
}

// fenced returns n elements that end at the fence's end, or begin at its
// beginning, or nil if they do not fit.
func fenced[T any](f *fence, n int, atEnd bool) []T {
	size := int(unsafe.Sizeof(*new(T)))
	if n < 0 || n > len(f.mem)/size {
		return nil
	}
	first := 0
	if atEnd {
		first = len(f.mem)/size - n
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&f.mem[0])), len(f.mem)/size)[first : first+n : first+n]
}
