//go:build !cgo || !openblas

package openblas

// SetThreads returns a *ThreadsError: no library is built in.
func SetThreads(n int) error {
	return &ThreadsError{n, "built without OpenBLAS: use -tags openblas and CGO_ENABLED=1"}
}

// Threads returns 0: no library is built in.
func Threads() int { return 0 }

// Info returns "": no library is built in.
func Info() string { return "" }
