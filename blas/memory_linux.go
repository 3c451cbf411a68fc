package blas

import (
	"syscall"
	"unsafe"

	"github.com/rffgo/rff/asm"
)

// preferHugePages advises the kernel to back s, which is made of huge pages, with
// them where it leaves that to programs. No result depends on whether it does.
func preferHugePages[T asm.Float](s []T) {
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(*new(T))))
	_ = syscall.Madvise(bytes, syscall.MADV_HUGEPAGE) // advice: nothing depends on it
}
