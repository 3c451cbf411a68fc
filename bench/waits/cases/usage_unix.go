//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"syscall"
)

// usage is that of this process, or of those it waited for.
func usage(who int) syscall.Rusage {
	var r syscall.Rusage
	if err := syscall.Getrusage(who, &r); err != nil {
		panic(err)
	}
	return r
}

// cpuSeconds is the processor time of this process and of its commands so far.
func cpuSeconds() float64 {
	a, b := usage(syscall.RUSAGE_SELF), usage(syscall.RUSAGE_CHILDREN)
	return 1e-9 * float64(a.Utime.Nano()+a.Stime.Nano()+b.Utime.Nano()+b.Stime.Nano())
}

// childPeak is the most memory that a command had, in MiB (Linux counts in KiB).
func childPeak() float64 { return float64(usage(syscall.RUSAGE_CHILDREN).Maxrss) / 1024 }

// resetPeak returns the resident memory now, in MiB, and has peak count from there.
func resetPeak() float64 {
	os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // 5 resets the peak (Linux)
	return peak()
}

// peak is the most resident memory of this process, in MiB; 0 but on Linux.
func peak() float64 {
	b, _ := os.ReadFile("/proc/self/status")
	_, after, _ := bytes.Cut(b, []byte("VmHWM:"))
	var kib float64
	fmt.Sscan(string(after), &kib)
	return kib / 1024
}
