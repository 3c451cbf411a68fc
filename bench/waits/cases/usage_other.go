//go:build !unix

package main

import "time"

var begin = time.Now()

// Where the system does not say what a process took, this is the time since the start
// and no memory.
func cpuSeconds() float64 { return time.Since(begin).Seconds() }

func childPeak() float64 { return 0 }
func resetPeak() float64 { return 0 }
func peak() float64      { return 0 }
