//go:build race

package dataset

// The race detector takes a multiple of the memory.
const raceEnabled = true
