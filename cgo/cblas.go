//go:build cgo && openblas && cblas

package openblas

func singleThreaded() {}

// SetThreads returns an *asm.SelectError: the CBLAS interface has no such function.
func SetThreads(n int) error {
	return threadsError(n, "the CBLAS interface has no function for it; use the library's environment variable")
}

// Threads returns 0: unknown.
func Threads() int { return 0 }

// Info says what is known of the library.
func Info() string { return "CBLAS given by CGO_LDFLAGS" }
