//go:build !unix

package main

import "time"

var begin = time.Now()

// cpuSeconds is the time since the start, where the system does not say what CPU time
// a process took.
func cpuSeconds() float64 { return time.Since(begin).Seconds() }
