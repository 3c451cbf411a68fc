// Package require decides what a test does where an optional part of the
// machine is absent: it is skipped, saying so, unless the environment variable
// RFF_TEST_REQUIRE names the part; then its absence is a failure. Continuous
// integration installs every part and names them all, so that nothing is
// skipped there unseen.
package require

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// Parts that RFF_TEST_REQUIRE may name, apart from instruction sets, of which
// the tests of package asm take care.
const (
	data   = "data"
	Python = "python" // with NumPy
	// OpenBLAS, as pkg-config knows it.
	OpenBLAS = "openblas"
)

// Absent ends the test: part is not there. why says what that means for the
// test and how to get the part.
func Absent(t testing.TB, part, why string) {
	t.Helper()
	names := strings.Split(os.Getenv("RFF_TEST_REQUIRE"), ",")
	if slices.Contains(names, part) {
		t.Fatalf("RFF_TEST_REQUIRE names %s: %s", part, why)
	}
	t.Skip(why)
}

// Data returns the folder of the real data sets, which RFF_DATA names, or ends
// the test.
func Data(t testing.TB) string {
	t.Helper()
	folder := os.Getenv("RFF_DATA")
	if folder == "" {
		Absent(t, data, "RFF_DATA does not name the folder of the real data sets")
	}
	return folder
}
