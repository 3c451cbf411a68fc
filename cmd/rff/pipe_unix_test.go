//go:build unix

package main

import (
	"syscall"
	"testing"
)

// mkfifo makes a named pipe.
func mkfifo(t *testing.T, name string) {
	t.Helper()
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
}
