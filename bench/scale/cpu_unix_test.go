//go:build unix

package scale

import (
	"syscall"
	"time"
)

// processorTime returns the user and system time of this process.
func processorTime() time.Duration {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
