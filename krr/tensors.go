package krr

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/rffgo/rff/internal/atomicfile"
	"github.com/rffgo/rff/internal/safetensors"
)

// Files of this package are safetensors, see that package. Our metadata hold
//
//	format, version   what the file is, "rff model", "rff gram" or "rff checkpoint", and formats
//	sha256            the checksum

// formats are the versions that are written. If the meaning of the bytes changes, the number
// must change. Version 1 of models and Grams, which has no least probability of a calibration
// and no reference of the targets, is read too.
var formats = map[string]string{"model": "2", "gram": "2", "checkpoint": "2"}

// schemaVersion is that of a file whose schema has words or a rule for missing values,
// which versions 2 and 3 do not know. Its scaling may bend columns.
const schemaVersion = "4"

// timesVersion is that of a file whose schema has times, which version 4 does not know.
const timesVersion = "5"

// linkVersions are the versions, by link, of models whose predictions are not their scores.
// Version 5 does not know the exponentials of counts, and version 6 does not know the sorted
// quantiles of a target. Schemas of these versions may have times.
var linkVersions = map[string]string{"log": "6", "sorted": "7"}

// meanVersion is that of a model with others beside it, which version 7 does not know.
const meanVersion = "8"

// treesVersion is that of a file with a map of trees, which version 8 does not know. A link and models
// beside the first go with it.
const treesVersion = "9"

// ownVersion is that of a file with trees whose nodes have thresholds of their own, which version 9 does not know.
const ownVersion = "10"

// tanhVersion is that of a file with trees of classes, of whose sums features are hyperbolic tangents, which version 10
// does not know.
const tanhVersion = "11"

// older reports whether version a comes before version b.
func older(a, b string) bool { return len(a) < len(b) || len(a) == len(b) && a < b }

// newest are the latest versions that are read.
var newest = map[string]string{"model": tanhVersion, "gram": tanhVersion, "checkpoint": "2"}

// bentVersion is that of a file whose scaling bends columns, which version 2 does not know.
const bentVersion = "3"

// FileError says why a model, a Gram or a checkpoint cannot be read or written.
type FileError struct {
	Path string // "" if the bytes did not come from a file
	What string // "model", "gram", "checkpoint"
	// Err is what is wrong with a file that was read, or why one could not be written, for
	// instance because the disk is full (errors.Is with syscall.ENOSPC) or another fit uses
	// the checkpoint; it then says whether a file that was there is untouched.
	Err error
}

func (e *FileError) Error() string {
	name := e.Path
	if name == "" {
		name = "data"
	}
	if e.Err == atomicfile.ErrLocked {
		return fmt.Sprintf("krr: another fit uses the %s %s: wait for it, or give this fit a %s of its own", e.What, name, e.What)
	}
	if _, ok := e.Err.(unusable); ok {
		return fmt.Sprintf("krr: %s is not a usable %s: %v", name, e.What, e.Err)
	}
	return fmt.Sprintf("krr: cannot write %s: %v", name, e.Err)
}

// unusable says what is wrong with a file that was read.
type unusable string

func (u unusable) Error() string { return string(u) }

func (e *FileError) Unwrap() error { return e.Err }

// tensors is the content of a file that is written.
type tensors struct{ safetensors.Writer }

func newTensors(what string) *tensors {
	return &tensors{safetensors.Writer{Meta: map[string]string{"format": "rff " + what, "version": formats[what]}}}
}

// writeFile replaces the file at path, or leaves it untouched. The error is a *FileError.
func writeFile(path, what string, t *tensors) error {
	if err := atomicfile.Write(path, t.Write); err != nil {
		return &FileError{Path: path, What: what, Err: err}
	}
	return nil
}

// parsed is the content of a file that was read.
type parsed struct{ *safetensors.File }

// isFirst reports whether the file is of format version 1.
func (p *parsed) isFirst() bool { return p.Meta["version"] == "1" }

// readFile opens a file for read, with its size or −1, and names it in errors.
func readFile(path, what string, read func(r io.Reader, size int64) error) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("krr: cannot read the %s: %w", what, err)
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return fmt.Errorf("krr: cannot read the %s: %w", what, err)
	}
	size := int64(-1)
	if st.Mode().IsRegular() {
		size = st.Size()
	}
	return inFile(path, read(f, size))
}

// inFile names the file in a *FileError.
func inFile(path string, err error) error {
	var f *FileError
	if errors.As(err, &f) {
		f.Path = path
	}
	return err
}

// readTensors reads a file to its end. size is the number of its bytes, or −1 if
// that is not known. The error is a *FileError, or that of r.
func readTensors(what string, r io.Reader, size int64) (*parsed, error) {
	f, err := formatOf(what).Read(r, size)
	if err != nil {
		return nil, readError(what, err)
	}
	return &parsed{f}, nil
}

// readError says what could not be read, unless err does.
func readError(what string, err error) error {
	if f := (*FileError)(nil); errors.As(err, &f) {
		return err
	}
	return fmt.Errorf("krr: cannot read the %s: %w", what, err)
}

// formatOf returns how files of that kind are told from others.
func formatOf(what string) safetensors.Format {
	refuse := func(why string) error { return &FileError{What: what, Err: unusable(why)} }
	return safetensors.Format{Refuse: refuse, Accept: func(meta map[string]string) error {
		switch f, v := meta["format"], meta["version"]; {
		case f == "":
			return refuse("it has no rff metadata: it was not written by rff")
		case f != "rff "+what:
			return refuse(fmt.Sprintf("it is an %q", f))
		case v == "1" && what == "checkpoint":
			return refuse("an earlier version of rff wrote it, which did not look at all numbers of the data: finish the fit with that version, or remove it to start anew")
		case v < "1" || strings.Trim(v, "0123456789") != "" || older(newest[what], v):
			return refuse(fmt.Sprintf("it has format version %q and this program reads versions up to %s: use a newer program", v, newest[what]))
		}
		return nil
	}}
}
