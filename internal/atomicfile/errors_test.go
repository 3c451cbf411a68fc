package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Errors wrap their cause and say what became of the old file, and of the new one.
func TestErrors(t *testing.T) {
	dir := t.TempDir()
	for _, old := range []bool{false, true} {
		path := filepath.Join(dir, "x")
		a, err := Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := a.Write([]byte("new")); err != nil {
			t.Fatal(err)
		}
		a.f.Close() // so that what is in the buffer cannot be written
		err = a.Commit()
		if !errors.Is(err, fs.ErrClosed) || strings.Contains(err.Error(), "untouched") != old || strings.Contains(err.Error(), dir) {
			t.Errorf("old file %v: %v", old, err)
		}
		if list := names(t, dir); old && len(list) != 1 || !old && len(list) != 0 {
			t.Errorf("left %q", list)
		}
		put(t, path, "old")
	}
	err := error(&NotDurableError{fs.ErrInvalid})
	if !errors.Is(err, fs.ErrInvalid) || !strings.Contains(err.Error(), "in place") {
		t.Error(err)
	}
}

// Removing needs neither the file nor its folder.
func TestNothingToRemove(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing", "x")
	removeStale(missing)
	if err := Remove(missing); err != nil {
		t.Error(err)
	}
	if err := Remove(""); err == nil {
		t.Error("removed nothing by no name")
	}
	full := t.TempDir()
	put(t, filepath.Join(full, "x"), "")
	if err := Remove(full); err == nil {
		t.Error("removed a folder with a file in it")
	}
	if _, err := os.Stat(filepath.Join(full, "x")); err != nil {
		t.Error(err)
	}
}
