package main

import "os"

// named is a file that a flag names.
type named struct{ flag, name string }

// distinct refuses outputs that are an input or another output, under whatever
// name: they would be destroyed.
func distinct(outputs []named, inputs []string, more ...string) error {
	same := func(a, b string) bool {
		if a == "" || b == "" || a == "-" || b == "-" {
			return false
		}
		if a == b {
			return true
		}
		x, err := os.Stat(a)
		if err != nil || !x.Mode().IsRegular() {
			return false
		}
		y, err := os.Stat(b)
		return err == nil && os.SameFile(x, y)
	}
	for i, o := range outputs {
		for _, in := range append(append([]string(nil), inputs...), more...) {
			if same(o.name, in) {
				return usagef("--%s: %s is the data: they would be overwritten", o.flag, o.name)
			}
		}
		for _, other := range outputs[:i] {
			if same(o.name, other.name) {
				return usagef("--%s and --%s are one file: %s", other.flag, o.flag, o.name)
			}
		}
	}
	return nil
}
