// Package atomicfile writes files that appear whole or not at all.
//
// A [File] is written under a temporary name in the folder of its target. Commit
// makes it durable and puts it in the target's place: write, fsync, rename,
// fsync of the folder. Whatever happens before the rename, an existing target is
// untouched.
//
// The temporary file of /a/name is /a/.name.rff-XXXXXXXXXXXXX.tmp, with 13
// random letters. Its writer holds an advisory lock on it, which ends with the
// process. So the next writer of the same target can tell which files a killed
// process has left, and removes only these. Systems without such locks keep them.
//
// A new file has the mode 0666 minus the umask. A target that exists keeps its mode
// and, if the process may set it, its owner. Access lists and further attributes are
// not kept. If the path is a symbolic link, the file that it points to is replaced,
// not the link. A device or a pipe is written to directly.
//
// Errors do not name the file. Callers name it in the way that their users know.
package atomicfile

import (
	"bufio"
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

var (
	errFolder = errors.New("it is a folder")
	errName   = errors.New("it has no file name")
	errLinks  = errors.New("too many symbolic links, or a circle of them")
)

// Step, if set, is called after every system call that changes something, with
// its name. Tests set it to stop a process there.
var Step func(call string)

func step(call string) {
	if Step != nil {
		Step(call)
	}
}

// File is a file that is being written. One goroutine at a time may use it.
type File struct {
	w      *bufio.Writer
	f      *os.File
	target string // "" for a device or a pipe, which is written to directly
	kept   bool   // there is a file at target
}

// bufferBytes is the size of writes.
const bufferBytes = 1 << 18

// Create opens a temporary file for path, so that a place that cannot be written to is noticed
// before the work is done. It removes the temporary files that killed writers of the same path have
// left.
func Create(path string) (*File, error) {
	st, err := os.Stat(path)
	switch {
	case err == nil && st.IsDir():
		return nil, errFolder
	case err == nil && !st.Mode().IsRegular():
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return nil, cause(err)
		}
		return &File{w: bufio.NewWriterSize(f, bufferBytes), f: f}, nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, cause(err)
	case err == nil:
		// A rename needs no right to write the file; honour that right anyway.
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return nil, cause(err)
		}
		f.Close()
	}
	target, err := resolve(path)
	if err != nil {
		return nil, cause(err)
	}
	removeStale(target)
	mode := fs.FileMode(0o666)
	if st != nil {
		mode = 0o600 // no more than it may get
	}
	f, err := createTemp(target, mode)
	if err != nil {
		return nil, cause(err)
	}
	a := &File{w: bufio.NewWriterSize(writer{f}, bufferBytes), f: f, target: target, kept: st != nil}
	if st != nil {
		if err := copyMode(f, st); err != nil {
			a.Discard()
			return nil, cause(err)
		}
		step("chmod")
	}
	return a, nil
}

// writer counts system calls.
type writer struct{ f *os.File }

func (w writer) Write(p []byte) (int, error) {
	n, err := w.f.Write(p)
	step("write")
	return n, err
}

// Write writes to the temporary file, through a buffer.
func (a *File) Write(p []byte) (int, error) {
	n, err := a.w.Write(p)
	return n, a.explain(err)
}

// Commit puts the file in its place. On an error the temporary file is gone.
func (a *File) Commit() error {
	err := a.w.Flush()
	if a.target == "" {
		if e := a.f.Close(); err == nil {
			err = e
		}
		a.f = nil
		return cause(err)
	}
	if err == nil {
		err = a.f.Sync()
		step("fsync")
	}
	if err == nil && !renamesOpen {
		err = a.f.Close()
	}
	if err == nil {
		// Still locked: another writer of the same target leaves it alone.
		err = os.Rename(a.f.Name(), a.target)
		step("rename")
	}
	if err != nil {
		a.Discard()
		return a.explain(err)
	}
	a.f.Close()
	a.f = nil
	err = syncFolder(filepath.Dir(a.target))
	step("fsync folder")
	if err != nil {
		return &NotDurableError{cause(err)}
	}
	return nil
}

// Discard removes the temporary file unless it was committed. It may be deferred.
func (a *File) Discard() {
	if a == nil || a.f == nil {
		return
	}
	if a.target != "" {
		if !renamesOpen {
			a.f.Close()
		}
		os.Remove(a.f.Name())
		step("remove")
	}
	a.f.Close()
	a.f = nil
}

// explain says what became of the target.
func (a *File) explain(err error) error {
	if err == nil {
		return nil
	}
	if err = cause(err); a.kept {
		return &untouchedError{err}
	}
	return err
}

// untouchedError says that the old file is still there.
type untouchedError struct{ error }

func (e *untouchedError) Error() string { return e.error.Error() + "; what was there is untouched" }
func (e *untouchedError) Unwrap() error { return e.error }

// NotDurableError says that the file is complete and in its place, but may be lost if the machine
// fails.
type NotDurableError struct{ Err error }

func (e *NotDurableError) Error() string {
	return "it is in place, but may be lost if the machine stops: its folder: " + e.Err.Error()
}

func (e *NotDurableError) Unwrap() error { return e.Err }

// Write replaces the file at path by what write writes.
func Write(path string, write func(io.Writer) error) error {
	a, err := Create(path)
	if err != nil {
		return err
	}
	defer a.Discard()
	if err := write(a); err != nil {
		return err
	}
	return a.Commit()
}

// cause removes the name of the temporary file from an error of package os.
func cause(err error) error {
	var p *fs.PathError
	var l *os.LinkError
	switch {
	case errors.As(err, &p):
		return p.Err
	case errors.As(err, &l):
		return l.Err
	}
	return err
}

// Same reports whether two paths are one file, or would be one file once written.
func Same(a, b string) bool {
	x, err := os.Stat(a)
	if y, e := os.Stat(b); err == nil && e == nil {
		return os.SameFile(x, y)
	}
	place := func(path string) (string, error) {
		p, err := resolve(path)
		if err != nil {
			return "", err
		}
		return filepath.Abs(p)
	}
	p, err := place(a)
	q, e := place(b)
	return err == nil && e == nil && p == q
}

// resolve follows symbolic links and returns the place to write to. The target of a link need not
// exist.
func resolve(path string) (string, error) {
	const most = 40 // as Linux
	for range most {
		// filepath.Dir and Join would be wrong here, because they drop "link/..".
		dir, name := filepath.Split(path)
		if name == "" || name == "." || name == ".." {
			return "", errName
		}
		dir = cmp.Or(dir, ".")
		dir, err := filepath.EvalSymlinks(dir)
		if err != nil {
			return "", err
		}
		path = filepath.Join(dir, name)
		st, err := os.Lstat(path)
		if err != nil || st.Mode()&fs.ModeSymlink == 0 {
			return path, nil
		}
		link, err := os.Readlink(path)
		if err != nil {
			return "", err
		}
		if path = link; !filepath.IsAbs(link) {
			path = dir + string(filepath.Separator) + link
		}
	}
	return "", errLinks
}

// syncFolder makes a rename durable. Not every system can sync a folder, and not
// every folder that can be written to can be opened.
func syncFolder(dir string) error {
	if runtime.GOOS == "windows" || runtime.GOOS == "js" || runtime.GOOS == "wasip1" || runtime.GOOS == "plan9" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer d.Close()
	err = d.Sync()
	for _, cannot := range []error{syscall.EINVAL, errors.ErrUnsupported, fs.ErrPermission} {
		if errors.Is(err, cannot) {
			return nil
		}
	}
	return err
}
