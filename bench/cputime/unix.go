//go:build unix

// Package cputime says how much CPU time the process took: what an experiment costs on a
// machine that has other work.
package cputime

import "syscall"

// Seconds is the CPU time of this process so far.
func Seconds() float64 {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		panic(err)
	}
	return 1e-9 * float64(r.Utime.Nano()+r.Stime.Nano())
}
