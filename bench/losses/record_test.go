package main

import (
	"os"
	"testing"
)

// The committed page is that of the committed results.
func TestCommittedPage(t *testing.T) {
	done, err := read("results.json")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../RESULTS-losses.md")
	if err != nil {
		t.Fatal(err)
	}
	if len(done.Accuracy) == 0 || string(page) != done.table() {
		t.Error("bench/RESULTS-losses.md is not what go -C bench run ./losses writes of losses/results.json")
	}
}
