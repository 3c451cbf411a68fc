//go:build unix

package main

import "syscall"

// cpuSeconds is the CPU time of this process so far.
func cpuSeconds() float64 {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		panic(err)
	}
	return 1e-9 * float64(r.Utime.Nano()+r.Stime.Nano())
}
