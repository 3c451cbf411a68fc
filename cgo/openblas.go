//go:build cgo && openblas && !cblas

package openblas

// #cgo pkg-config: openblas
// extern void  openblas_set_num_threads(int);
// extern int   openblas_get_num_threads(void);
// extern char *openblas_get_config(void);
import "C"

import "sync/atomic"

var chosen atomic.Bool

// singleThreaded sets one thread per product unless the user chose a number.
func singleThreaded() {
	if !chosen.Load() {
		C.openblas_set_num_threads(1)
	}
}

// SetThreads sets the number of threads of each product, for the whole process:
// also for other users of the library in it. rff runs fastest at 1, its default.
func SetThreads(n int) error {
	if n < 1 {
		return threadsError(n, "there must be at least 1")
	}
	chosen.Store(true)
	C.openblas_set_num_threads(C.int(n))
	return nil
}

// Threads returns the number of threads of each product in this process.
func Threads() int { return int(C.openblas_get_num_threads()) }

// Info returns the library's version, build options and the kernels it chose
// for this processor (OPENBLAS_CORETYPE overrides that), or "" if no library
// is built in.
func Info() string { return C.GoString(C.openblas_get_config()) }
