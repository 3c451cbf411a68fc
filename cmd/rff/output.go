package main

import (
	"fmt"
	"io"

	"github.com/rffgo/rff/internal/atomicfile"
	"github.com/rffgo/rff/krr"
)

// output is a file that appears, complete, only when commit succeeds. Until then an existing
// file of that name is untouched.
type output struct {
	flag, name string
	*atomicfile.File
}

// createOutput opens a temporary file in the folder of name. So a folder that cannot be written
// to is noticed before the work is done.
func createOutput(flag, name string) (*output, error) {
	f, err := atomicfile.Create(name)
	if err != nil {
		return nil, fmt.Errorf("--%s: cannot write %s: %w", flag, name, err)
	}
	return &output{flag, name, f}, nil
}

// Write writes to the file. Its error names flag and file.
func (o *output) Write(b []byte) (int, error) {
	n, err := o.File.Write(b)
	if err != nil {
		err = fmt.Errorf("--%s: writing %s: %w", o.flag, o.name, err)
	}
	return n, err
}

// commit puts the file in its place.
func (o *output) commit() error {
	if err := o.Commit(); err != nil {
		return fmt.Errorf("--%s: writing %s: %w", o.flag, o.name, err)
	}
	return nil
}

// save writes a model or sums and puts the file in its place. The error is a
// *krr.FileError.
func (o *output) save(what io.WriterTo) error {
	_, err := what.WriteTo(o.File)
	if err == nil {
		err = o.Commit()
	}
	if err != nil {
		return fmt.Errorf("--%s: %w", o.flag, &krr.FileError{Path: o.name, What: o.flag, Err: err})
	}
	return nil
}

// discard removes the temporary file unless it was committed. It may be deferred.
func (o *output) discard() {
	if o != nil {
		o.Discard()
	}
}
