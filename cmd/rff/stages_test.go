package main

import (
	"testing"
	"time"

	"github.com/rffgo/rff/krr"
)

// A pass goes on at the rate that it had so far.
func TestTimeLeft(t *testing.T) {
	if left := timeLeft(krr.Progress{Rows: 250, Total: 1000, Elapsed: 10 * time.Second}); left != 30*time.Second {
		t.Errorf("%v to go", left)
	}
	if left := timeLeft(krr.Progress{Rows: 1, Total: -1}); left != -1 {
		t.Errorf("of an unknown number of rows: %v to go", left)
	}
}
