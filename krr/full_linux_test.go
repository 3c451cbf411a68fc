package krr_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/rffgo/rff/krr"
)

// writers are all that writes files here, with what the file then holds.
func writers(t *testing.T) map[string]func(path string) error {
	t.Helper()
	model, r := fitted(t, krr.Float64)
	m := gaussianMap(t, 9, 3, 64, 2)
	g := gram(t, m, r, krr.Float64)
	return map[string]func(path string) error{
		"model": model.Save,
		"gram":  g.Save,
		// A fit goes on without a checkpoint that cannot be written, and says so; where
		// nobody is told it ends.
		"checkpoint": func(path string) error {
			var warned []error
			s := krr.Settings{Checkpoint: krr.Checkpoint{Path: path, Every: 1, Warn: func(err error) { warned = append(warned, err) }}}
			model, _, err := krr.Fit(context.Background(), m, r, s)
			if err != nil || model == nil {
				t.Errorf("the fit does not go on: %v", err)
				return err
			}
			if n := r.x.Rows/r.batch + 1; len(warned) != n {
				t.Fatalf("%d warnings of %d checkpoints", len(warned), n)
			}
			s.Checkpoint.Warn = nil
			_, _, err = krr.Fit(context.Background(), m, r, s)
			if fmt.Sprint(err) != fmt.Sprint(warned[0]) {
				t.Errorf("with nobody to warn: %v, want %v", err, warned[0])
			}
			return err
		},
	}
}

// saveInFull checks that every writer fails with an error that says which file
// and why, and leaves what was there, or nothing.
func saveInFull(t *testing.T, dir string, why error) {
	t.Helper()
	for name, save := range writers(t) {
		path := filepath.Join(dir, name)
		old, _ := os.ReadFile(path)
		before, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		err = save(path)
		var we *krr.FileError
		if !errors.As(err, &we) || we.Path != path || !errors.Is(err, why) {
			t.Errorf("%s: %v, want a *FileError: %v", name, err, why)
		}
		if now, _ := os.ReadFile(path); !bytes.Equal(now, old) {
			t.Errorf("%s: %d bytes instead of the %d there were", name, len(now), len(old))
		}
		if after, _ := os.ReadDir(dir); len(after) != len(before) {
			t.Errorf("%s: left %v, before %v", name, after, before)
		}
	}
}

// On a full disk nothing changes but the error.
func TestDiskFull(t *testing.T) {
	if os.Getenv("KRR_TEST_CHILD") != "" { // with a limit on the size of files
		dir := os.Getenv("KRR_TEST_CHILD")
		signal.Ignore(syscall.SIGXFSZ)
		var old syscall.Rlimit
		if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
			t.Fatal(err)
		}
		// The test binary itself may have files to write in the end: its coverage.
		defer syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old)
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 1024, Max: old.Max}); err != nil {
			t.Fatal(err)
		}
		saveInFull(t, dir, syscall.EFBIG)
		return
	}
	fill := func(t *testing.T, dir string) {
		for name := range writers(t) {
			if name == "checkpoint" {
				continue // a fit would go on from an old one
			}
			if err := os.WriteFile(filepath.Join(dir, name), []byte("the old "+name), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Run("limit", func(t *testing.T) {
		dir := t.TempDir()
		fill(t, dir)
		cmd := exec.Command(os.Args[0], "-test.run=^TestDiskFull$", "-test.v")
		cmd.Env = append(os.Environ(), "KRR_TEST_CHILD="+dir)
		if out, err := cmd.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("--- PASS: TestDiskFull")) {
			t.Errorf("%v: %s", err, out)
		}
	})
	t.Run("tmpfs", func(t *testing.T) {
		dir := t.TempDir()
		if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
			t.Skipf("cannot mount a small file system here: %v", err)
		}
		defer syscall.Unmount(dir, 0)
		fill(t, dir)
		rest := make([]byte, 1<<16)
		rng := rand.NewChaCha8([32]byte{1})
		rng.Read(rest)
		if err := os.WriteFile(filepath.Join(dir, "other"), rest, 0o600); !errors.Is(err, syscall.ENOSPC) {
			t.Fatal(err)
		}
		saveInFull(t, dir, syscall.ENOSPC)
	})
}
