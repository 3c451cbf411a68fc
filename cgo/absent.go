//go:build !cgo || !openblas

package openblas

// SetThreads returns an *asm.SelectError: no library is built in.
func SetThreads(n int) error {
	return threadsError(n, "the program is built without it: use -tags openblas and CGO_ENABLED=1")
}

// Threads returns 0: no library is built in.
func Threads() int { return 0 }

// Info returns "": no library is built in.
func Info() string { return "" }
