package atomicfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
}

func put(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func want(t *testing.T, path, content string) {
	t.Helper()
	if b, err := os.ReadFile(path); err != nil || string(b) != content {
		t.Errorf("%s holds %.40q (%v), want %.40q", path, b, err, content)
	}
}

// names returns what is in a folder.
func names(t *testing.T, dir string) (list []string) {
	t.Helper()
	all, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		list = append(list, e.Name())
	}
	return list
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x")
	big := strings.Repeat("0123456789abcdef", 1<<16) // beyond the buffer
	for _, content := range []string{"one", "", big, "two"} {
		if err := Write(path, text(content)); err != nil {
			t.Fatal(err)
		}
		want(t, path, content)
	}
	if got := names(t, dir); !slices.Equal(got, []string{"x"}) {
		t.Errorf("left %q", got)
	}
}

// Until Commit, and after an error, the old file is there and nothing else.
func TestOldFileStays(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x")
	put(t, path, "old")
	a, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Write(bytes.Repeat([]byte("new"), 1<<20)); err != nil {
		t.Fatal(err)
	}
	want(t, path, "old")
	a.Discard()
	a.Discard()
	broken := errors.New("broken")
	if err := Write(path, func(w io.Writer) error { w.Write([]byte("half")); return broken }); err != broken {
		t.Errorf("%v", err)
	}
	want(t, path, "old")
	if got := names(t, dir); !slices.Equal(got, []string{"x"}) {
		t.Errorf("left %q", got)
	}
	if _, err := Create(filepath.Join(dir, "missing", "x")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing folder: %v", err)
	}
	for _, bad := range []string{dir, dir + "/", dir + "/.", "", dir + "/none/", "."} {
		a, err := Create(bad)
		if err == nil {
			t.Errorf("%q: no error", bad)
			a.Discard()
		} else if strings.Contains(err.Error(), dir) {
			t.Errorf("%q: the error names a file: %v", bad, err)
		}
	}
	if _, err := Create(dir); err != errFolder {
		t.Error(err)
	}
	// What cannot be renamed: a folder took the place.
	gone := filepath.Join(dir, "gone")
	if a, err = Create(gone); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(gone, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := a.Commit(); err == nil {
		t.Error("committed over a folder")
	}
	if got := names(t, dir); !slices.Equal(got, []string{"gone", "x"}) {
		t.Errorf("left %q", got)
	}
}

// Of what lies beside a target, only what a killed writer of this target has
// left is removed.
func TestStale(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "m.rff")
	const random = "ABCDEFGHIJ234"
	stale := []string{".m.rff.rff-" + random + ".tmp", ".m.rff.rff-ZZZZZZZZZZZZ7.tmp"}
	foreign := []string{
		"m.rff.tmp", ".m.rff.tmp", ".m.rff.rff-.tmp", ".m.rff.rff-" + random, ".m.rff.rff-" + random + "A.tmp",
		".m.rff.rff-abcdefghij234.tmp", ".m.rff.rff-ABCDEFGHIJ.34.tmp", ".m.rff.rff-" + random + ".tmp~",
		".m.rff2.rff-" + random + ".tmp", ".n.rff.rff-" + random + ".tmp", "m.rff.rff-" + random + ".tmp", "m.rff.tmp-" + random[:8],
		"..m.rff.rff-" + random + ".tmp", ".m.rff.rff-lock",
	}
	for _, name := range append(stale, foreign...) {
		put(t, filepath.Join(dir, name), name)
	}
	// Not regular files, whatever their name.
	folder, link := ".m.rff.rff-FOLDERFOLDER2.tmp", ".m.rff.rff-LINKLINKLINK2.tmp"
	if err := os.Mkdir(filepath.Join(dir, folder), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("m.rff.tmp", filepath.Join(dir, link)); err != nil {
		t.Fatal(err)
	}
	alive, err := Create(path) // removes the stale ones
	if err != nil {
		t.Fatal(err)
	}
	temp := filepath.Base(alive.f.Name())
	keep := append(foreign, folder, link)
	check := func(when string, wanted ...string) {
		t.Helper()
		wanted = append(slices.Clone(keep), wanted...)
		slices.Sort(wanted)
		if got := names(t, dir); !slices.Equal(got, wanted) {
			t.Errorf("%s:\n%q, want\n%q", when, got, wanted)
		}
	}
	check("created", temp)
	if !isTemp(path, temp) {
		t.Errorf("%s is not known as temporary", temp)
	}
	if err := Write(path, text("other")); err != nil { // while the first is at work
		t.Fatal(err)
	}
	removeStale(path)
	check("a writer at work", temp, "m.rff")
	if err := alive.Commit(); err != nil {
		t.Fatal(err)
	}
	check("committed", "m.rff")
	put(t, filepath.Join(dir, stale[0]), "")
	if err := Remove(path); err != nil {
		t.Fatal(err)
	}
	check("removed")
	if err := Remove(path); err != nil {
		t.Errorf("removing what is not there: %v", err)
	}
}

func TestLongNames(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, strings.Repeat("n", 255)), filepath.Join(dir, strings.Repeat("n", 254)+"m")
	for _, path := range []string{a, b} {
		if err := Write(path, text("content")); err != nil {
			t.Fatal(err)
		}
		want(t, path, "content")
		l, err := Acquire(path)
		if err != nil {
			t.Fatal(err)
		}
		l.Release()
	}
	if prefix(a) == prefix(b) {
		t.Error("two targets share their temporary files")
	}
	if len(names(t, dir)) != 2 {
		t.Errorf("left %q", names(t, dir))
	}
}

func TestLock(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "c")
	l, err := Acquire(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Acquire(path); !errors.Is(err, ErrLocked) {
		t.Errorf("locked twice: %v", err)
	}
	other, err := Acquire(path + "2")
	if err != nil {
		t.Fatal(err)
	}
	other.Release()
	l.Release()
	l.Release()
	(*Lock)(nil).Release()
	// A file left by a killed process is no lock.
	put(t, filepath.Join(dir, ".c.rff-lock"), "")
	if l, err = Acquire(path); err != nil {
		t.Fatal(err)
	}
	l.Release()
	if got := names(t, dir); len(got) != 0 {
		t.Errorf("left %q", got)
	}
	if _, err := Acquire(filepath.Join(dir, "missing", "c")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// Only one of many holds a lock at a time, though each removes its file.
func TestLockExcludes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c")
	var held sync.Mutex
	var wg sync.WaitGroup
	var got [8]int
	for i := range got {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for got[i] < 50 {
				l, err := Acquire(path)
				if errors.Is(err, ErrLocked) {
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				if !held.TryLock() {
					t.Error("two hold the lock")
					return
				}
				got[i]++
				held.Unlock()
				l.Release()
			}
		}()
	}
	wg.Wait()
}

// Many writers of one target at once: one of them wins whole, and they do not
// take each other's files for stale.
func TestManyWriters(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x")
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 25 {
				if err := Write(path, text(strings.Repeat(fmt.Sprint(i), 1000))); err != nil {
					t.Error(err)
					return
				}
			}
		}()
	}
	wg.Wait()
	b, err := os.ReadFile(path)
	if err != nil || len(b) != 1000 || strings.Trim(string(b), string(b[:1])) != "" {
		t.Errorf("%d bytes, %v", len(b), err)
	}
	if got := names(t, dir); !slices.Equal(got, []string{"x"}) {
		t.Errorf("left %q", got)
	}
}
