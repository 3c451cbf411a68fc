package krr

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/atomicfile"
)

// resuming is what a fit knows of its checkpoint.
type resuming struct {
	lock  *atomicfile.Lock
	seen  digest // of the rows read
	skip  int64  // rows that the checkpoint of an earlier fit had
	want  string // digest of those rows
	saved int64  // rows that the checkpoint has now
}

// openCheckpoint locks the checkpoint, if there shall be one, and restores the
// state of an earlier fit.
func (f *direct) openCheckpoint() error {
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
	f.resuming.lock = lock
	if err := f.resume(); err != nil {
		f.closeCheckpoint()
		return err
	}
	return nil
}

// closeCheckpoint lets others use the checkpoint.
func (f *direct) closeCheckpoint() {
	f.resuming.lock.Release()
	f.resuming.lock = nil
}

func (f *direct) warn(err error) {
	if f.Checkpoint.Warn != nil {
		f.Checkpoint.Warn(err)
	}
}

// identity describes what a checkpoint must agree on with the fit that resumes it.
func (f *direct) identity() [][2]string {
	return [][2]string{
		{"map", f.m.Fingerprint()},
		{"precision", f.Settings.Precision.String()},
		{"backend", f.m.Engine().String()},
		{"scaling", scalingText(f.Scaling)},
		{"number of targets", strconv.Itoa(f.targets)},
		{"list of classes", fmt.Sprintf("%q", f.Classes)},
		{"number of folds", strconv.Itoa(len(f.grams))},
		{"number of rows that share a fold", strconv.Itoa(max(1, f.FoldRows))},
		{"seed", strconv.FormatUint(f.Seed, 10)},
	}
}

// checkpoint writes the state after the rows read so far, or says why it cannot.
func (f *direct) checkpoint() {
	if f.Checkpoint.Path == "" || f.rows <= f.resuming.saved {
		return
	}
	err := f.save()
	if f.report.CheckpointError = err; err != nil {
		f.warn(err)
		return
	}
	f.resuming.saved = f.rows
}

func (f *direct) save() error {
	t := newTensors("checkpoint")
	for _, v := range f.identity() {
		t.Meta["fit."+v[0]] = v[1]
	}
	t.Meta["rows"] = strconv.FormatInt(f.rows, 10)
	var summed int64
	for _, g := range f.grams {
		summed += g.Rows()
	}
	t.Meta["summed"] = strconv.FormatInt(summed, 10)
	t.Meta["digest"] = f.resuming.seen.String()
	if f.classes != nil {
		t.SetJSON("counts", f.classes.count)
	}
	for i, g := range f.grams {
		g.addSums(t, fmt.Sprintf("fold.%d.", i))
	}
	return writeFile(f.Checkpoint.Path, t)
}

// resume restores the state of an earlier fit, if there is one.
func (f *direct) resume() error {
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

func (f *direct) restore(p *parsed) error {
	for _, v := range f.identity() {
		if got := p.Meta["fit."+v[0]]; got != v[1] {
			return p.Bad("it belongs to a fit with another %s (%.60q, this one has %.60q): use the settings it was made with, or remove it to start anew", v[0], got, v[1])
		}
	}
	rows, err := strconv.ParseInt(p.Meta["rows"], 10, 64)
	// Rows of weight 0 are read, and are in no sum.
	summed, err2 := strconv.ParseInt(p.Meta["summed"], 10, 64)
	if err != nil || err2 != nil || rows < 0 || summed > rows || p.Meta["digest"] == "" {
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
	if sum != summed {
		return p.Bad("its folds have %d rows of %d", sum, summed)
	}
	if err := f.shareReference(p); err != nil {
		return err
	}
	f.resuming.skip, f.resuming.saved, f.resuming.want = rows, rows, p.Meta["digest"]
	return nil
}

// unseen returns the rows of b that are not in the checkpoint, and an error if
// those that are differ from what they were.
func (f *direct) unseen(b rff.Batch) (rff.Batch, error) {
	n := int(min(f.resuming.skip-f.rows, int64(b.X.Rows)))
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
	f.resuming.seen.add(old)
	f.rows += int64(n)
	if f.rows == f.resuming.skip && f.resuming.seen.String() != f.resuming.want {
		return b, f.otherData("the rows it holds are not the first rows of the data now")
	}
	return rest, nil
}

func (f *direct) otherData(why string) error {
	return &FileError{f.Checkpoint.Path, "checkpoint", why + ": give it the data it was made of, or remove it to start anew"}
}
