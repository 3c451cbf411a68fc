//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
)

// renamesOpen: assume that an open file cannot be renamed.
const renamesOpen = false

// Without locks, files are created as they are, and none is known to be stale.
func createLocked(name string, mode fs.FileMode) (*os.File, error) {
	return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
}

func openLocked(string) (*os.File, error) { return nil, errors.ErrUnsupported }

func openOrCreateLocked(string) (*os.File, error) { return nil, errors.ErrUnsupported }
