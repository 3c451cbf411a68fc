//go:build !race

package krr_test

const raceEnabled = false
