package machine

import (
	"math"
	"os"
	"path/filepath"
	"testing"
)

// The limits of control groups are the least of all levels, less what is in use and
// cannot be given up.
func TestControlGroups(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("memory.max", "max\n")
	write("a/memory.max", "5000\n")
	write("a/memory.current", "4000\n")
	write("a/memory.stat", "anon 1\ninactive_file 1500\nactive_file 7\n")
	write("a/b/memory.max", "9000\n")
	write("a/b/memory.current", "1000\n")
	write("memory/x/memory.limit_in_bytes", "700\n")
	write("memory/x/memory.usage_in_bytes", "300\n")
	write("memory/x/memory.stat", "total_inactive_file 50\n")
	for groups, want := range map[string]int64{
		"0::/a/b\n":                      2500,
		"0::/a\n":                        2500,
		"0::/a/c/d\n":                    2500,
		"0::/\n":                         math.MaxInt64,
		"0::/missing\n":                  math.MaxInt64,
		"7:cpu,memory:/x\n3:pids:/a/b\n": 450,
		"7:cpu:/x\n":                     math.MaxInt64,
		"4:memory:/x\n0::/a\n":           450,
		"":                               math.MaxInt64,
	} {
		if got := groupMemory(root, groups); got != want {
			t.Errorf("%q: %d, want %d", groups, got, want)
		}
	}
	if have := Memory(); have < 1<<20 || have == math.MaxInt64 {
		t.Errorf("this machine has %d bytes", have)
	}
}
