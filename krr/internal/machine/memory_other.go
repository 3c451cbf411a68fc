//go:build !linux

// Package machine says what the machine can give to this process.
package machine

import "math"

// Memory returns MaxInt64: this system does not say what is available.
func Memory() int64 { return math.MaxInt64 }
