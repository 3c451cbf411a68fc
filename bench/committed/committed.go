// Package committed holds documents to the results that are committed beside them.
package committed

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// Document holds the marked parts of the document at path, of which there are least at
// least, to what part writes in their place. With rewrite it writes the document instead,
// which command does.
func Document(t *testing.T, path string, marked *regexp.Regexp, least int, rewrite bool, command string, part func(marked string) string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	want := marked.ReplaceAllStringFunc(string(text), func(all string) string {
		n++
		return part(all)
	})
	if n < least {
		t.Errorf("%s has %d parts", path, n)
	}
	if want == string(text) {
		return
	}
	if rewrite {
		if err := os.WriteFile(path, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	got := strings.Split(string(text), "\n")
	for i, should := range strings.Split(want, "\n") {
		if i >= len(got) || got[i] != should {
			t.Errorf("%s:%d does not have what the results give (%s): %s", path, i+1, command, should)
			return
		}
	}
}
