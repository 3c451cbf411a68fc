package krr

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"time"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/atomicfile"
)

// Checkpoint makes a long fit resumable: its state is written to a file from
// time to time, and once more when all rows are read. A fit that finds the file
// goes on from there if it has the same map, data and settings that decide the
// sums (folds, seed, precision, scaling, classes, backend): otherwise it is a
// *FileError that says what differs. Every number of the data is compared. The
// result has the bits of an uninterrupted fit.
//
// Fit leaves the file where it is. Save the model first, then call Remove: so a
// process that is stopped at any moment leaves the checkpoint or the model. A
// fit that finds the checkpoint of all rows reads the data once, to compare
// them, and solves.
//
// A fit locks its checkpoint by a file beside it, .NAME.rff-lock; another fit
// with the same checkpoint meanwhile is an *InUseError. Where the system has no
// locks Warn is told.
type Checkpoint struct {
	// Path of the file; "" for no checkpoints.
	Path string
	// Every is the time between two checkpoints. 0: one minute.
	Every time.Duration
	// Warn, if set, is called with the reason why a checkpoint could not be
	// written, by the goroutine that reads the data. The fit goes on, the last
	// good checkpoint stays, and the next is tried after Every. The last such
	// error is in Report.CheckpointError too.
	Warn func(error)
}

// InUseError says that another fit uses a checkpoint.
type InUseError struct{ Path string }

func (e *InUseError) Error() string {
	return fmt.Sprintf("krr: another fit uses the checkpoint %s: wait for it, or give this fit a checkpoint of its own", e.Path)
}

// Remove removes the checkpoint, once its owner has put the model in a safe
// place, and what killed fits have left beside it. That there is none is no
// error. A file that is not a checkpoint stays: *FileError; so does one that a
// fit is using: *InUseError.
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
		return nil, &InUseError{c.Path}
	case err != nil && !errors.Is(err, errors.ErrUnsupported):
		return nil, &WriteError{c.Path, err}
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
		return &FileError{c.Path, "checkpoint", "it is not a regular file"}
	}
	if _, err := formatOf("checkpoint").ReadHeader(f, -1); err != nil {
		return inFile(c.Path, readError("checkpoint", err))
	}
	return nil
}

// openCheckpoint locks the checkpoint, if there shall be one, and restores the
// state of an earlier fit.
func (f *fit) openCheckpoint() error {
	c := f.Checkpoint
	if c.Path == "" {
		return nil
	}
	if st, err := os.Stat(c.Path); err == nil && !st.Mode().IsRegular() {
		return &FileError{c.Path, "checkpoint", "it is not a regular file"}
	}
	lock, err := c.acquire()
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		f.warn(fmt.Errorf("krr: the system cannot lock the checkpoint %s: let no other fit use it", c.Path))
	case err != nil:
		return err
	}
	f.lock = lock
	if err := f.resume(); err != nil {
		f.closeCheckpoint()
		return err
	}
	return nil
}

// closeCheckpoint lets others use the checkpoint.
func (f *fit) closeCheckpoint() {
	f.lock.Release()
	f.lock = nil
}

func (f *fit) warn(err error) {
	if f.Checkpoint.Warn != nil {
		f.Checkpoint.Warn(err)
	}
}

// identity describes what a checkpoint must agree on with the fit that resumes it.
func (f *fit) identity() [][2]string {
	return [][2]string{
		{"map", f.m.Fingerprint().String()},
		{"precision", f.Settings.Precision.String()},
		{"backend", f.m.Engine().String()},
		{"scaling", fmt.Sprintf("%x %x", f.Scaling.Shift, f.Scaling.Scale)},
		{"number of targets", strconv.Itoa(f.targets)},
		{"list of classes", fmt.Sprintf("%q", f.Classes)},
		{"number of folds", strconv.Itoa(len(f.grams))},
		{"number of rows that share a fold", strconv.Itoa(max(1, f.FoldRows))},
		{"seed", strconv.FormatUint(f.Seed, 10)},
	}
}

// checkpoint writes the state after the rows read so far, or says why it cannot.
func (f *fit) checkpoint() {
	if f.Checkpoint.Path == "" || f.rows <= f.saved {
		return
	}
	err := f.save()
	if f.report.CheckpointError = err; err != nil {
		f.warn(err)
		return
	}
	f.saved = f.rows
}

func (f *fit) save() error {
	t := newTensors("checkpoint")
	for _, v := range f.identity() {
		t.Meta["fit."+v[0]] = v[1]
	}
	t.Meta["rows"] = strconv.FormatInt(f.rows, 10)
	t.Meta["digest"] = f.seen.String()
	if f.classes != nil {
		t.SetJSON("counts", f.classes.count)
	}
	for i, g := range f.grams {
		g.addSums(t, fmt.Sprintf("fold.%d.", i))
	}
	return writeFile(f.Checkpoint.Path, t)
}

// resume restores the state of an earlier fit, if there is one.
func (f *fit) resume() error {
	err := readFile(f.Checkpoint.Path, "checkpoint", func(r io.Reader, size int64) error {
		p, err := readTensors("checkpoint", r, size)
		if err != nil {
			return err
		}
		return f.restore(p)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (f *fit) restore(p *parsed) error {
	for _, v := range f.identity() {
		if got := p.Meta["fit."+v[0]]; got != v[1] {
			return p.Bad("it belongs to a fit with another %s (%.60q, this one has %.60q): use the settings it was made with, or remove it to start anew", v[0], got, v[1])
		}
	}
	rows, err := strconv.ParseInt(p.Meta["rows"], 10, 64)
	if err != nil || rows < 0 || p.Meta["digest"] == "" {
		return p.Bad("it does not say which rows it holds")
	}
	if f.classes != nil {
		count := []int64{}
		if err := p.JSON("counts", &count); err != nil {
			return err
		}
		var sum int64
		for _, n := range count {
			if n < 0 || n > rows {
				return p.Bad("it counts %d rows of a class", n)
			}
			sum += n
		}
		if len(count) != len(f.classes.count) || sum != rows {
			return p.Bad("it counts %d rows in %d classes; it has %d rows and this fit %d classes", sum, len(count), rows, len(f.classes.count))
		}
		f.classes.count = count
	}
	var sum int64
	for i, g := range f.grams {
		if err := g.readSums(p, fmt.Sprintf("fold.%d.", i)); err != nil {
			return err
		}
		sum += g.Rows()
	}
	// Rows of weight 0 are read, and are in no sum.
	if sum > rows {
		return p.Bad("its folds have %d rows of %d", sum, rows)
	}
	if err := f.shareReference(p); err != nil {
		return err
	}
	f.skip, f.saved, f.want = rows, rows, p.Meta["digest"]
	return nil
}

// unseen returns the rows of b that are not in the checkpoint, and an error if
// those that are differ from what they were.
func (f *fit) unseen(b rff.Batch) (rff.Batch, error) {
	n := int(min(f.skip-f.rows, int64(b.X.Rows)))
	if n <= 0 {
		return b, nil
	}
	old, rest := b, b
	old.X, rest.X = b.X.RowRange(0, n), b.X.RowRange(n, b.X.Rows)
	old.Y, rest.Y = b.Y.RowRange(0, n), b.Y.RowRange(n, b.Y.Rows)
	if b.Weight != nil {
		old.Weight, rest.Weight = b.Weight[:n], b.Weight[n:]
	}
	if b.Group != nil {
		old.Group, rest.Group = b.Group[:n], b.Group[n:]
	}
	rest.First += int64(n)
	f.seen.add(old)
	f.rows += int64(n)
	if f.rows == f.skip && f.seen.String() != f.want {
		return b, f.otherData("the rows it holds are not the first rows of the data now")
	}
	return rest, nil
}

func (f *fit) otherData(why string) error {
	return &FileError{f.Checkpoint.Path, "checkpoint", why + ": give it the data it was made of, or remove it to start anew"}
}
