package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrLocked says that another process, or another part of this one, holds the lock.
var ErrLocked = errors.New("it is in use")

// Lock keeps others who ask for it from using a file. It ends when the process ends, if not
// before.
type Lock struct {
	f *os.File
}

// Acquire locks the file at path, which need not exist. The lock is on a file of its own beside it,
// .NAME.rff-lock. The error is ErrLocked if another holds the lock, and errors.ErrUnsupported if the
// system has no locks.
func Acquire(path string) (*Lock, error) {
	target, err := resolve(path)
	if err != nil {
		return nil, cause(err)
	}
	name := filepath.Join(filepath.Dir(target), prefix(target)+"lock")
	const tries = 100
	for range tries {
		f, err := openOrCreateLocked(name)
		if err != nil {
			return nil, cause(err)
		}
		step("lock")
		// Who held it before may have removed the file after it was opened here.
		if !renamesOpen || sameFile(f, name) {
			return &Lock{f}, nil
		}
		f.Close()
	}
	return nil, ErrLocked
}

// Release ends the lock and removes its file. It may be called twice, and on nil.
func (l *Lock) Release() {
	if l == nil || l.f == nil {
		return
	}
	if renamesOpen {
		os.Remove(l.f.Name()) // removed while the lock is held, so that the file is ours
		l.f.Close()
	} else {
		l.f.Close()
		os.Remove(l.f.Name()) // refused if another has it open by now
	}
	step("unlock")
	l.f = nil
}

// Remove removes the file at path, or the file that a symbolic link points to, and the temporary
// files that killed writers of it have left. It is no error if the file does not exist.
func Remove(path string) error {
	target, err := resolve(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return cause(err)
	}
	removeStale(target)
	if err := os.Remove(target); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return cause(err)
	}
	step("remove target")
	return nil
}
