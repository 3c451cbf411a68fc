package atomicfile

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// randomLetters of a temporary name: 65 bits of base 32.
const randomLetters = 13

// longestName is the longest name that every file system takes, minus the length that temporary
// names add.
const longestName = 255 - 40

// prefix is how the names of all temporary files of a target begin.
func prefix(target string) string {
	name := filepath.Base(target)
	if len(name) > longestName {
		sum := sha256.Sum256([]byte(name))
		name = name[:longestName-17] + "-" + hex.EncodeToString(sum[:8])
	}
	return "." + name + ".rff-"
}

const suffix = ".tmp"

// isTemp reports whether a name is that of a temporary file of target.
func isTemp(target, name string) bool {
	random, ok := strings.CutPrefix(name, prefix(target))
	if !ok {
		return false
	}
	random, ok = strings.CutSuffix(random, suffix)
	return ok && len(random) == randomLetters && strings.Trim(random, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == ""
}

// createTemp creates and locks a temporary file for target.
func createTemp(target string, mode fs.FileMode) (*os.File, error) {
	const tries = 100
	for range tries {
		name := filepath.Join(filepath.Dir(target), prefix(target)+rand.Text()[:randomLetters]+suffix)
		f, err := createLocked(name, mode)
		if errors.Is(err, fs.ErrExist) || errors.Is(err, ErrLocked) {
			continue
		}
		if err != nil {
			return nil, err
		}
		step("create")
		// Between its creation and its lock another writer may have taken it for stale.
		if !sameFile(f, name) {
			f.Close()
			continue
		}
		return f, nil
	}
	return nil, errors.New("cannot create a temporary file beside it: names are taken")
}

// sameFile reports whether f is still the file at name.
func sameFile(f *os.File, name string) bool {
	a, err := f.Stat()
	if err != nil {
		return false
	}
	b, err := os.Lstat(name)
	return err == nil && os.SameFile(a, b)
}

// removeStale removes the temporary files that killed writers of target have left. Files that are
// being written stay, and so does everything that is not a temporary file of target.
func removeStale(target string) {
	dir := filepath.Dir(target)
	d, err := os.Open(dir)
	if err != nil {
		return // a folder that can be written to and not read
	}
	defer d.Close()
	for {
		names, err := d.Readdirnames(1024)
		for _, name := range names {
			if isTemp(target, name) {
				removeUnlocked(filepath.Join(dir, name))
			}
		}
		if err != nil {
			return
		}
	}
}

// removeUnlocked removes a regular file that no process holds a lock on.
func removeUnlocked(name string) {
	if st, err := os.Lstat(name); err != nil || !st.Mode().IsRegular() {
		return
	}
	f, err := openLocked(name)
	if err != nil {
		return // in use, or its lock cannot be asked for
	}
	if !renamesOpen {
		f.Close() // an open file cannot be removed
		os.Remove(name)
		return
	}
	defer f.Close()
	if sameFile(f, name) {
		os.Remove(name)
		step("remove stale")
	}
}
