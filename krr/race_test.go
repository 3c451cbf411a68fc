//go:build race

package krr_test

// sync.Pool drops items at random under the race detector.
const raceEnabled = true
