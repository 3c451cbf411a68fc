package krr

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/rffgo/rff/internal/atomicfile"
)

// Checkpoint makes a long fit resumable: its state is written to a file from
// time to time, and once more when all rows are read. A fit that finds the file goes on from
// there, if its map, its data and the settings that decide the sums (folds, seed, precision,
// scaling, backend) are the same. Otherwise it returns a *FileError that says what differs. The
// schema and every number of the data are compared. The result has the bits of an uninterrupted
// fit.
//
// A fit by conjugate gradients (Settings.Passes) reads the data again, compares them, and goes
// on from the λ and the iteration that it was at.
//
// Fit leaves the file where it is. Save the model first, then call Remove: then a
// process that is stopped at any moment leaves the checkpoint or the model. A fit that
// finds the checkpoint of all rows reads the data once to compare them, and solves.
//
// A fit locks its checkpoint by a file beside it, .NAME.rff-lock; another fit
// with the same checkpoint meanwhile gets a *FileError
// that says so. Where the system has no locks, the fit calls Warn, if it is set.
type Checkpoint struct {
	// Path of the file; "" for no checkpoints.
	Path string
	// Every is the time between two checkpoints. 0: one minute.
	Every time.Duration
	// Warn is called with the reason why a checkpoint could not be written, by the
	// goroutine that reads the data. The fit goes on, the last good checkpoint stays, and
	// the next is tried after Every. nil: the fit ends with that error, a *FileError.
	Warn func(error)
}

// Remove removes the checkpoint and the files that killed fits have left beside it. Call it
// once the model is in a safe place. A missing checkpoint is no error. If the file is not a
// checkpoint, or if a fit is using it, Remove leaves it and returns a *FileError.
func (c Checkpoint) Remove() error {
	if c.Path == "" {
		return nil
	}
	lock, err := c.acquire()
	if err != nil && !errors.Is(err, errors.ErrUnsupported) {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // no folder
		}
		return err
	}
	defer lock.Release()
	switch err := c.check(); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	}
	if err := atomicfile.Remove(c.Path); err != nil {
		return fmt.Errorf("krr: cannot remove the checkpoint %s: %w", c.Path, err)
	}
	return nil
}

// acquire locks the checkpoint. The error is errors.ErrUnsupported where the
// system has no locks.
func (c Checkpoint) acquire() (*atomicfile.Lock, error) {
	lock, err := atomicfile.Acquire(c.Path)
	switch {
	case errors.Is(err, atomicfile.ErrLocked):
		return nil, &FileError{Path: c.Path, What: "checkpoint", Err: atomicfile.ErrLocked}
	case err != nil && !errors.Is(err, errors.ErrUnsupported):
		return nil, &FileError{Path: c.Path, What: "checkpoint", Err: err}
	}
	return lock, err
}

// check returns an error if there is no file, or one that is no checkpoint.
func (c Checkpoint) check() error {
	f, err := os.Open(c.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
		return &FileError{Path: c.Path, What: "checkpoint", Err: unusable("it is not a regular file")}
	}
	if _, err := formatOf("checkpoint").ReadHeader(f, -1); err != nil {
		return inFile(c.Path, readError("checkpoint", err))
	}
	return nil
}

// every returns the time between two checkpoints.
func (c Checkpoint) every() time.Duration {
	if c.Every > 0 {
		return c.Every
	}
	return time.Minute
}
