package main

import (
	"os"
	"path/filepath"
)

// A place is a file that a flag names.
type place struct{ flag, path string }

// places returns a place for each path.
func places(flag string, paths ...string) []place {
	var out []place
	for _, p := range paths {
		out = append(out, place{flag, p})
	}
	return out
}

// apart refuses a command line that would write to a file that it reads, or write twice to one
// file. It sees through links and different spellings.
func apart(writes []place, reads ...place) error {
	for i, w := range writes {
		for k, o := range append(writes[:i:i], reads...) {
			if !sameFile(w.path, o.path) {
				continue
			}
			if k < i {
				return usagef("--%s and --%s are one file: %s", o.flag, w.flag, w.path)
			}
			return usagef("--%s: %s is the file of --%s, which it would replace: give it another name", w.flag, w.path, o.flag)
		}
	}
	return nil
}

// sameFile reports whether two names stand for one regular file, which need not exist.
func sameFile(a, b string) bool {
	if a == "" || b == "" || a == "-" || b == "-" {
		return false
	}
	sa, ea := os.Stat(a)
	sb, eb := os.Stat(b)
	if ea == nil && eb == nil {
		return sa.Mode().IsRegular() && os.SameFile(sa, sb)
	}
	if (ea == nil) != (eb == nil) {
		return false
	}
	return realPath(a) == realPath(b)
}

// realPath returns a name for a file that does not exist yet. The name is the same for every
// spelling of p.
func realPath(p string) string {
	abs, err := filepath.Abs(p)
	if err != nil {
		return p
	}
	if link, err := os.Readlink(abs); err == nil { // a link to a file that does not exist
		if !filepath.IsAbs(link) {
			link = filepath.Join(filepath.Dir(abs), link)
		}
		abs = filepath.Clean(link)
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(abs)); err == nil {
		abs = filepath.Join(dir, filepath.Base(abs))
	}
	return abs
}
