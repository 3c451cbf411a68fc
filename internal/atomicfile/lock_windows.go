package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// renamesOpen: a file that is open without being shared, as here, can neither be
// renamed nor removed.
const renamesOpen = false

// A file that is open and not shared is locked: nobody else can open it.
func createLocked(name string, _ fs.FileMode) (*os.File, error) {
	return open(name, syscall.CREATE_NEW)
}

func openLocked(name string) (*os.File, error) { return open(name, syscall.OPEN_EXISTING) }

func openOrCreateLocked(name string) (*os.File, error) { return open(name, syscall.OPEN_ALWAYS) }

const errorSharingViolation = syscall.Errno(32)

func open(name string, how uint32) (*os.File, error) {
	path, err := syscall.UTF16PtrFromString(name)
	if err != nil {
		return nil, err
	}
	h, err := syscall.CreateFile(path, syscall.GENERIC_READ|syscall.GENERIC_WRITE, 0, nil, how, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if errors.Is(err, errorSharingViolation) {
		return nil, ErrLocked
	}
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: name, Err: err}
	}
	return os.NewFile(uintptr(h), name), nil
}
