package blas

import (
	"syscall"
	"unsafe"
)

// preferHugePages advises the kernel to back s with huge pages where it leaves
// that to programs. No result depends on whether it does.
func preferHugePages[T Float](s []T) {
	size := len(s) * int(unsafe.Sizeof(*new(T)))
	if size < hugeBytes {
		return
	}
	const page = 2 << 20
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), size)
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(s))) % page)
	_ = syscall.Madvise(bytes[skip:], syscall.MADV_HUGEPAGE) // advice: nothing depends on it
}
