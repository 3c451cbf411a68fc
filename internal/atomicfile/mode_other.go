//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd)

package atomicfile

import (
	"io/fs"
	"os"
)

// copyMode gives f the mode of st. There are no owners to keep.
func copyMode(f *os.File, st fs.FileInfo) error { return os.Chmod(f.Name(), st.Mode().Perm()) }
