package jsonl

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What was appended is read, in its order; without a file there is nothing, and a line that is
// damaged is named.
func TestLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.jsonl")
	for _, want := range [][]string{nil, {"a"}, {"a", "b"}} {
		if want != nil {
			if err := Append(path, want[len(want)-1]); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := Read[string](path); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	}
	if err := os.WriteFile(path, []byte("\"a\"\n\"b\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Read[string](path); err == nil || !strings.Contains(err.Error(), "results.jsonl:2: ") {
		t.Error(err)
	}
}
