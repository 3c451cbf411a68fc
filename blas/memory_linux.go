package blas

import (
	"syscall"
	"unsafe"

	"github.com/rffgo/rff/asm"
)

// preferHugePages advises the kernel of the system to back s by huge pages, if that kernel
// leaves the choice to programs. s begins and ends at borders of huge pages. No result depends
// on whether the kernel follows the advice.
func preferHugePages[T asm.Float](s []T) {
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(*new(T))))
	_ = syscall.Madvise(bytes, syscall.MADV_HUGEPAGE) // advice: nothing depends on it
}
