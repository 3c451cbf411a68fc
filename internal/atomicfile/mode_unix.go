//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package atomicfile

import (
	"io/fs"
	"os"
	"syscall"
)

// copyMode gives f the owner, group and mode of st. If the process may not set the group, the group
// of f gets only those rights that all others have too, so that nobody gains rights.
func copyMode(f *os.File, st fs.FileInfo) error {
	mode := st.Mode().Perm()
	if want, ok := st.Sys().(*syscall.Stat_t); ok {
		if f.Chown(int(want.Uid), int(want.Gid)) != nil && f.Chown(-1, int(want.Gid)) != nil {
			if own, err := f.Stat(); err != nil || own.Sys().(*syscall.Stat_t).Gid != want.Gid {
				mode &^= 0o070 &^ (mode << 3 & 0o070)
			}
		}
	}
	return f.Chmod(mode)
}
