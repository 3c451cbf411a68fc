package main

import (
	"fmt"

	"github.com/rffgo/rff/internal/atomicfile"
)

// output is a file that appears, complete, only when commit succeeds; until
// then an existing file of that name is untouched.
type output struct {
	flag, name string
	*atomicfile.File
}

// createOutput opens a temporary file beside name, so that a place that cannot
// be written to is found before the work is done.
func createOutput(flag, name string) (*output, error) {
	f, err := atomicfile.Create(name)
	if err != nil {
		return nil, fmt.Errorf("--%s: cannot write %s: %w", flag, name, err)
	}
	return &output{flag, name, f}, nil
}

// commit puts the file in its place.
func (o *output) commit() error {
	if err := o.Commit(); err != nil {
		return fmt.Errorf("--%s: writing %s: %w", o.flag, o.name, err)
	}
	return nil
}

// discard removes the temporary file unless it was committed. It may be deferred.
func (o *output) discard() {
	if o != nil {
		o.Discard()
	}
}
