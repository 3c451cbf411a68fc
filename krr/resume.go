package krr

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/atomicfile"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/stream"
)

// resuming is the checkpoint of a fit: it holds the sums of the folds after some rows, or, of
// a fit by passes, how far it has chosen λ.
type resuming struct {
	Checkpoint
	identity [][2]string // name and value of what both fits must have in common
	schema   rff.Schema  // of the data, which must match
	grams    []*Gram
	choice   *choice       // nil for a fit from sums
	classes  *classCounter // nil for regression
	lock     *atomicfile.Lock
	seen     stream.Digest // of the rows read
	skip     int64         // rows that the checkpoint of an earlier fit had
	want     string        // digest of those rows
	at       []float64     // the reference of their targets, nil if there is none yet
	saved    int64         // rows that the checkpoint has now
}

func newResuming(p *problem, grams []*Gram) *resuming {
	if p.Checkpoint.Path == "" { // hashing the map of many sections takes a while
		return &resuming{grams: grams, classes: p.classes}
	}
	return &resuming{Checkpoint: p.Checkpoint, grams: grams, classes: p.classes, schema: p.schema, identity: [][2]string{
		{"map", p.m.Fingerprint()},
		{"precision", p.precision.Name},
		{"backend", inside.Engine(p.m).String()},
		{"scaling", scalingText(p.Scaling)},
		{"number of targets", strconv.Itoa(p.targets)},
		{"list of classes", fmt.Sprintf("%q", p.schema.Target.Classes)},
		{"number of folds", strconv.Itoa(len(grams))},
		{"number of rows that share a fold", strconv.Itoa(p.foldRows)},
		{"seed", strconv.FormatUint(p.Seed, 10)},
	}}
}

// open locks the checkpoint, if the settings name one, and restores the state that an
// earlier fit left in it.
func (r *resuming) open() error {
	if r.Path == "" {
		return nil
	}
	if st, err := os.Stat(r.Path); err == nil && !st.Mode().IsRegular() {
		return &FileError{Path: r.Path, What: "checkpoint", Err: unusable("it is not a regular file")}
	}
	lock, err := r.acquire()
	switch {
	case errors.Is(err, errors.ErrUnsupported) && r.Warn == nil:
	case errors.Is(err, errors.ErrUnsupported):
		r.Warn(fmt.Errorf("krr: the system cannot lock the checkpoint %s: let no other fit use it", r.Path))
	case err != nil:
		return err
	}
	r.lock = lock
	if err := r.resume(); err != nil {
		r.close()
		return err
	}
	return nil
}

// close lets others use the checkpoint.
func (r *resuming) close() {
	r.lock.Release()
	r.lock = nil
}

// write writes the state after that many rows, unless the file has it. If Warn is not set, an
// error ends the fit.
func (r *resuming) write(rows int64) error {
	if r.Path == "" || rows <= r.saved {
		return nil
	}
	if err := writeFile(r.Path, "checkpoint", r.tensors(rows)); err != nil {
		if r.Warn == nil {
			return err
		}
		r.Warn(err)
		return nil
	}
	r.saved = rows
	return nil
}

func (r *resuming) tensors(rows int64) *tensors {
	t := newTensors("checkpoint")
	for _, v := range r.identity {
		t.Meta["fit."+v[0]] = v[1]
	}
	t.SetJSON("fit.schema", r.schema)
	t.Meta["rows"] = strconv.FormatInt(rows, 10)
	var summed int64
	for _, g := range r.grams {
		summed += g.Rows()
	}
	t.Meta["summed"] = strconv.FormatInt(summed, 10)
	t.Meta["digest"] = r.seen.String()
	if r.classes != nil {
		t.SetJSON("counts", r.classes.count)
		t.Meta["shares"] = strconv.FormatBool(r.classes.shares)
	}
	for i, g := range r.grams {
		g.addSums(t, fmt.Sprintf("fold.%d.", i))
	}
	r.choice.store(t)
	return t
}

// resume restores the state of an earlier fit, if there is one.
func (r *resuming) resume() error {
	err := readFile(r.Path, "checkpoint", func(from io.Reader, size int64) error {
		p, err := readTensors("checkpoint", from, size)
		if err != nil {
			return err
		}
		return r.restore(p)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (r *resuming) restore(p *parsed) error {
	for _, v := range r.identity {
		if got := p.Meta["fit."+v[0]]; got != v[1] {
			return p.Bad("it belongs to a fit with another %s (%.60q, this one has %.60q): use the settings and the data it was made with, or remove it to start anew", v[0], got, v[1])
		}
	}
	var s rff.Schema
	p.JSON("fit.schema", &s)
	if err := s.Match(r.schema); err != nil {
		return p.Bad("it belongs to a fit of another schema: %v: use the settings and the data it was made with, or remove it to start anew", err)
	}
	rows, err := strconv.ParseInt(p.Meta["rows"], 10, 64)
	// Rows of weight 0 count as rows read, but they are in no sum.
	summed, err2 := strconv.ParseInt(p.Meta["summed"], 10, 64)
	if err != nil || err2 != nil || rows < 0 || summed > rows || p.Meta["digest"] == "" {
		return p.Bad("it does not say which rows it holds")
	}
	if err := r.restoreCounts(p, summed); err != nil {
		return err
	}
	var sum int64
	for i, g := range r.grams {
		if err := g.readSums(p, fmt.Sprintf("fold.%d.", i)); err != nil {
			return err
		}
		sum += g.Rows()
	}
	if sum != summed {
		return p.Bad("its folds have %d rows of %d", sum, summed)
	}
	if err := r.shareReference(p); err != nil {
		return err
	}
	if err := r.choice.restore(p); err != nil {
		return err
	}
	r.skip, r.saved, r.want = rows, rows, p.Meta["digest"]
	return nil
}

// restoreCounts restores the number of rows of each class. Together they must be rows, those of
// positive weight.
func (r *resuming) restoreCounts(p *parsed, rows int64) error {
	if r.classes == nil {
		return nil
	}
	count := []int64{}
	p.JSON("counts", &count)
	var sum int64
	for _, n := range count {
		if n < 0 || n > rows {
			return p.Bad("it counts %d rows of a class", n)
		}
		sum += n
	}
	if len(count) != len(r.classes.count) || sum != rows {
		return p.Bad("it counts %d rows in %d classes; it has %d rows and this fit %d classes", sum, len(count), rows, len(r.classes.count))
	}
	r.classes.count, r.classes.shares = count, p.Meta["shares"] == "true"
	return nil
}

// shareReference gives all folds the reference of those with rows. The error is a *FileError if
// their references differ.
func (r *resuming) shareReference(p *parsed) error {
	var at []float64
	for i, g := range r.grams {
		switch {
		case g.Rows() == 0:
		case at == nil:
			at = g.shift.at
		case !slices.Equal(at, g.shift.at):
			return p.Bad("folds 1 and %d differ in the reference of their targets: %g and %g", i+1, at, g.shift.at)
		}
	}
	if at == nil {
		return nil
	}
	if r.classes != nil {
		var s shift
		if s.coded(len(at)); !slices.Equal(at, s.at) {
			return p.Bad("the reference of coded classes is %g, not %g", at, s.at)
		}
	}
	r.at = at
	for _, g := range r.grams {
		g.shift.at = at
	}
	return nil
}

// unseen returns the rows of b that are not in the checkpoint, and the number of those
// that are. rows is how many the fit has read before b. The error is a *FileError if
// the rows in the checkpoint are not those of the data.
func (r *resuming) unseen(b rff.Batch, rows int64) (rest rff.Batch, n int64, err error) {
	k := int(min(r.skip-rows, int64(b.X.Rows)))
	if k <= 0 {
		return b, 0, nil
	}
	r.seen.Add(stream.Part(b, 0, k))
	if rows+int64(k) == r.skip && r.seen.String() != r.want {
		return b, 0, r.otherData("the rows it holds are not the first rows of the data now")
	}
	return stream.Part(b, k, b.X.Rows), int64(k), nil
}

func (r *resuming) otherData(why string) error {
	return &FileError{Path: r.Path, What: "checkpoint", Err: unusable(why + ": give it the data it was made of, or remove it to start anew")}
}

// watch adds rows that are read to the digest of the data.
func (r *resuming) watch(b rff.Batch) {
	if r.Path != "" {
		r.seen.Add(b)
	}
}

// same returns an error if the checkpoint is of other rows than those that were read.
func (r *resuming) same() error {
	if r.want != "" && r.seen.String() != r.want {
		return r.otherData("it is of other rows")
	}
	return nil
}

// keep writes the choice, made from that many rows, if it is time to write or if it is the
// last.
func (r *resuming) keep(rows int64, last bool) error {
	if !last && time.Since(r.choice.written) < r.every() {
		return nil
	}
	r.choice.written, r.saved = time.Now(), 0
	return r.write(rows)
}
