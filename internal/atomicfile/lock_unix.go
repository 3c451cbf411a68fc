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
func openLocked(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_WRONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	return f, closeUnlocked(f, flock(f))
}

// openOrCreateLocked is openLocked for a file that need not exist.
func openOrCreateLocked(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o666)
	if err != nil {
		return nil, err
	}
	return f, closeUnlocked(f, flock(f))
}

func closeUnlocked(f *os.File, err error) error {
	if err != nil {
		f.Close()
	}
	return err
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
