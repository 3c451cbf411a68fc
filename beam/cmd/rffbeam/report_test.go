package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Bad rows are listed by file and line, and counted also where there are none; so are files of
// predictions.
func TestBadRowsAreListed(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	dir := t.TempDir()
	list, model := filepath.Join(dir, "list"), filepath.Join(dir, "m")
	var files []string
	write := func(end string) {
		files = nil
		for k := range 3 {
			text := "a,b,y\n"
			for i := range 100 {
				text += fmt.Sprintf("%d,%d,%d\n", i, i*i%17, k+i%5)
			}
			if k < 2 {
				text += end
			}
			files = append(files, filepath.Join(dir, fmt.Sprint(k, ".csv")))
			if err := os.WriteFile(files[k], []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	fit := func(want string) {
		t.Helper()
		said, err := alone("fit", "--data", filepath.Join(dir, "*.csv"), "--label", "y", "--features", "16", "--lambda", "1e-3", "--task", "regression", "--model", model, "--bad-rows", list)
		if err != nil || !strings.Contains(said, "\n"+want+" bad rows, listed in "+list) {
			t.Errorf("%v: %s", err, said)
		}
	}
	write("")
	fit("0")
	if _, err := os.Stat(list); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a list of no row: %v", err)
	}
	write("1,2\n")
	fit("2")
	got := lines(t, list)
	slices.Sort(got)
	if len(got) != 2 || !strings.Contains(got[0], files[0]) || !strings.Contains(got[1], files[1]) || !strings.Contains(got[1], "102") {
		t.Errorf("listed as %q", got)
	}
	write("")
	said, err := alone("predict", "--data", filepath.Join(dir, "*.csv"), "--label", "y", "--model", model, "--output", filepath.Join(dir, "out"))
	if err != nil || !strings.Contains(said, "\n3 files of predictions in ") {
		t.Errorf("%v: %s", err, said)
	}
	if said, err = alone("predict", "--data", files[0], "--label", "y", "--model", model, "--output", filepath.Join(dir, "one")); err != nil || !strings.Contains(said, "\n1 file of predictions in ") {
		t.Errorf("%v: %s", err, said)
	}
	if _, err := alone("predict", "--data", filepath.Join(dir, "*.none"), "--model", model, "--output", filepath.Join(dir, "out")); err == nil {
		t.Error("no file is predicted")
	}
}
