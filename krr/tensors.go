package krr

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/rffgo/rff/internal/atomicfile"
	"github.com/rffgo/rff/internal/safetensors"
)

// Files of this package are safetensors, see that package. Our metadata hold
//
//	format, version   what the file is, "rff model", "rff gram" or "rff checkpoint", and formatVersion
//	sha256            the checksum

// formatVersion is that of all files. It must change if what is in a file means something else, or
// comes to mean something that a reader of today would pass over.
const formatVersion = "1"

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
	return &tensors{safetensors.Writer{Meta: map[string]string{"format": "rff " + what, "version": formatVersion}}}
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
		case v != formatVersion:
			return refuse(fmt.Sprintf("it has format version %q and this program reads version %s: use the version of rff that wrote it, or remove it and make it anew", v, formatVersion))
		}
		return nil
	}}
}
