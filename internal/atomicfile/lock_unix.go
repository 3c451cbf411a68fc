//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// renamesOpen: an open file can be renamed and removed, and keeps its lock.
const renamesOpen = true

// createLocked creates a file and locks it. A file system without locks is no
// error: what a killed process leaves there stays.
func createLocked(name string, mode fs.FileMode) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return nil, err
	}
	if err := flock(f); errors.Is(err, ErrLocked) {
		f.Close() // a cleaner has it, and removes it
		return nil, err
	}
	return f, nil
}

// openLocked opens a file and locks it.
func openLocked(name string) (*os.File, error) { return open(name, 0) }

// openOrCreateLocked is openLocked for a file that need not exist.
func openOrCreateLocked(name string) (*os.File, error) { return open(name, os.O_CREATE) }

func open(name string, how int) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_WRONLY|how|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o666)
	if err != nil {
		return nil, err
	}
	if err = flock(f); err != nil {
		f.Close()
	}
	return f, err
}

func flock(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch err {
		case syscall.EINTR:
			continue
		case syscall.EWOULDBLOCK:
			return ErrLocked
		case syscall.ENOLCK, syscall.ENOSYS, syscall.ENOTSUP, syscall.EINVAL:
			return errors.ErrUnsupported
		}
		return err
	}
}
