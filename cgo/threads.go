package openblas

import "fmt"

// ThreadsError is returned by SetThreads when the number of threads cannot be set.
type ThreadsError struct {
	Threads int
	Why     string
}

func (e *ThreadsError) Error() string {
	return fmt.Sprintf("openblas: cannot use %d threads: %s", e.Threads, e.Why)
}
