//go:build race

package require

// Race says that the race detector is on, which takes a multiple of the memory, and under which
// sync.Pool drops items at random.
const Race = true
