//go:build !race

package require

// Race says that the race detector is off.
const Race = false
