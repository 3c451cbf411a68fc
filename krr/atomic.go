package krr

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// writeAtomic replaces the file at path by what write writes, or leaves it
// untouched: a temporary file in the same folder is written, synced and
// renamed. Of two writers at once one wins whole. The error is a *WriteError.
func writeAtomic(path string, write func(io.Writer) error) (err error) {
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, "."+filepath.Base(path)+".*.tmp")
	if err != nil {
		return &WriteError{path, err}
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
			err = &WriteError{path, err}
		}
	}()
	w := bufio.NewWriterSize(f, 1<<20)
	if err := write(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := f.Chmod(0o644); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	// The rename is durable once the folder is; not every system can sync one.
	if d, err := os.Open(dir); err == nil {
		d.Sync()
		d.Close()
	}
	return nil
}

// readWhole reads a file. Memory grows with the bytes that are there.
func readWhole(path, what string) ([]byte, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("krr: cannot read the %s: %w", what, err)
	}
	return b, nil
}
