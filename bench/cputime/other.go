//go:build !unix

// Package cputime says how much CPU time the process took: what an experiment costs on a
// machine that has other work.
package cputime

import "time"

var begin = time.Now()

// Seconds is the time since the start, where the system does not say what CPU time a
// process took.
func Seconds() float64 { return time.Since(begin).Seconds() }
