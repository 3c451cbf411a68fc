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
)

// Checkpoint makes a long fit resumable: its state is written to a file from
// time to time, and a fit with the same map, settings and data that finds the
// file goes on from there. The result has the bits of an uninterrupted fit.
type Checkpoint struct {
	// Path of the file; "" for no checkpoints. It is removed when the fit is done.
	Path string
	// Every is the time between two checkpoints. 0: one minute.
	Every time.Duration
}

// Remove removes the checkpoint, once its owner has put the model in a safe place.
// That there is none is no error.
func (c Checkpoint) Remove() error {
	if c.Path == "" {
		return nil
	}
	if err := os.Remove(c.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("krr: cannot remove the checkpoint: %w", err)
	}
	return nil
}

// identity describes what a checkpoint must agree on with the fit that resumes it.
func (f *fit) identity() map[string]string {
	return map[string]string{
		"map.fingerprint": f.m.Fingerprint().String(),
		"precision":       f.Settings.Precision.String(),
		"folds":           strconv.Itoa(len(f.grams)),
		"seed":            strconv.FormatUint(f.Seed, 10),
		"fold rows":       strconv.FormatInt(f.foldRows(), 10),
		"targets":         strconv.Itoa(f.targets),
		"classes":         fmt.Sprintf("%q", f.Classes),
		"scaling":         fmt.Sprintf("%x %x", f.Scaling.Shift, f.Scaling.Scale),
	}
}

// save writes the state after the first f.rows rows.
func (f *fit) save() error {
	t := newTensors("checkpoint")
	for k, v := range f.identity() {
		t.meta["fit."+k] = v
	}
	t.meta["rows"] = strconv.FormatInt(f.rows, 10)
	t.meta["sample"] = strconv.FormatUint(uint64(f.sample), 10)
	if f.classes != nil {
		t.setJSON("counts", f.classes.count)
	}
	for i, g := range f.grams {
		g.addSums(t, fmt.Sprintf("fold.%d.", i))
	}
	return writeAtomic(f.Checkpoint.Path, func(w io.Writer) error { return t.write(w) })
}

// resume restores the state of an earlier fit, if there is one.
func (f *fit) resume() error {
	b, err := os.ReadFile(f.Checkpoint.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("krr: cannot read the checkpoint: %w", err)
	}
	p, err := parseTensors("checkpoint", b)
	if err == nil {
		err = f.restore(p)
	}
	return inFile(f.Checkpoint.Path, err)
}

func (f *fit) restore(p *parsed) error {
	for k, v := range f.identity() {
		if got := p.meta["fit."+k]; got != v {
			return p.bad("it belongs to a fit with another %s (%.60s, not %.60s): remove it to start anew", k, got, v)
		}
	}
	rows, err := strconv.ParseInt(p.meta["rows"], 10, 64)
	digest, err2 := strconv.ParseUint(p.meta["sample"], 10, 64)
	if err != nil || err2 != nil || rows < 0 {
		return p.bad("it does not say how many rows it holds")
	}
	if f.classes != nil {
		var count []int64
		if err := p.json("counts", &count); err != nil {
			return err
		}
		if len(count) != len(f.classes.count) {
			return p.bad("it counts %d classes", len(count))
		}
		f.classes.count = count
	}
	for i, g := range f.grams {
		if err := g.readSums(p, fmt.Sprintf("fold.%d.", i)); err != nil {
			return err
		}
	}
	if err := f.shareReference(p); err != nil {
		return err
	}
	f.skip, f.want = rows, sample(digest)
	return nil
}

// unseen returns the rows of b that are not in the checkpoint, and an error if
// those that are differ from what they were.
func (f *fit) unseen(b rff.Batch) (rff.Batch, error) {
	n := int(min(f.skip-f.rows, int64(b.X.Rows)))
	if n > 0 {
		seen := rff.Batch{X: b.X.RowRange(0, n), Y: b.Y.RowRange(0, n)}
		f.sample.add(seen)
		f.rows += int64(n)
		if f.rows == f.skip && f.sample != f.want {
			return b, f.otherData()
		}
		b.First += int64(n)
		b.X, b.Y = b.X.RowRange(n, b.X.Rows), b.Y.RowRange(n, b.Y.Rows)
		if b.Weight != nil {
			b.Weight = b.Weight[n:]
		}
		if b.Group != nil {
			b.Group = b.Group[n:]
		}
	}
	return b, nil
}

func (f *fit) otherData() error {
	return &FileError{Path: f.Checkpoint.Path, What: "checkpoint", Why: "its rows are not those of the data now: remove it to start anew"}
}
