package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rffgo/rff/dataset"
)

// A set whose file is broken is refused, and those after it are measured all the same.
func TestRefusedSetsStopNoOthers(t *testing.T) {
	folder := t.TempDir()
	letters := dataset.Letter().Head(300)
	for _, set := range []string{"a", "b"} {
		if err := (parts{set, 1, letters.Head(200), letters.Tail(100)}).export(folder); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(folder, "a.1", trainFile), []byte("no gzip"), 0o644); err != nil {
		t.Fatal(err)
	}
	a := asked{tasks: folder, results: filepath.Join(folder, "r.jsonl"), methods: []string{"plain-16"}, seeds: []uint64{1}}
	if err := a.measureAll(t.Context()); err == nil || !strings.Contains(err.Error(), "1 of 2 tasks were refused") {
		t.Errorf("a broken file: %v", err)
	}
	known, err := readResults(a.results)
	if err != nil || len(known.all) != 1 || known.all[0].Set != "b" {
		t.Errorf("results %+v, %v: only those of b are wanted", known, err)
	}
}
