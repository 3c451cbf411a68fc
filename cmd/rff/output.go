package main

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// output is a file that appears, complete, only when commit succeeds; until
// then an existing file of that name is untouched.
type output struct {
	name, target string
	f            *os.File
	*bufio.Writer
}

// createOutput opens a temporary file beside name, so that a place that cannot
// be written to is found before the work is done.
func createOutput(flag, name string) (*output, error) {
	fail := func(err error) (*output, error) {
		var p *fs.PathError
		if errors.As(err, &p) {
			err = p.Err
		}
		return nil, fmt.Errorf("--%s: cannot write %s: %w", flag, name, err)
	}
	target := name
	if r, err := filepath.EvalSymlinks(name); err == nil {
		target = r
	}
	st, err := os.Stat(target)
	switch {
	case err == nil && st.IsDir():
		return fail(errors.New("it is a folder"))
	case err == nil && !st.Mode().IsRegular(): // a device or a pipe: nothing to keep
		f, err := os.OpenFile(target, os.O_WRONLY, 0)
		if err != nil {
			return fail(err)
		}
		return &output{name, "", f, bufio.NewWriter(f)}, nil
	case err == nil:
		// Renaming over a file needs no right to write it; honour the right anyway.
		f, err := os.OpenFile(target, os.O_WRONLY, 0)
		if err != nil {
			return fail(err)
		}
		f.Close()
	}
	f, err := os.OpenFile(target+".tmp-"+rand.Text()[:8], os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return fail(err)
	}
	if st != nil {
		f.Chmod(st.Mode().Perm())
	}
	return &output{name, target, f, bufio.NewWriterSize(f, 1<<16)}, nil
}

// commit puts the file in its place.
func (o *output) commit() error {
	err := o.Flush()
	if err == nil && o.target != "" {
		err = o.f.Sync()
	}
	if e := o.f.Close(); err == nil {
		err = e
	}
	if err == nil && o.target != "" {
		err = os.Rename(o.f.Name(), o.target)
	}
	if err != nil {
		o.discard()
		return fmt.Errorf("writing %s: %w", o.name, err)
	}
	o.f = nil
	return nil
}

// discard removes the temporary file unless it was committed. It may be deferred.
func (o *output) discard() {
	if o == nil || o.f == nil {
		return
	}
	o.f.Close()
	if o.target != "" {
		os.Remove(o.f.Name())
	}
	o.f = nil
}
