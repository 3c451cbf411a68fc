package asm

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTagsGoTogether: purego and noasm leave out the same files, so a build with one of
// them is the build with the other.
func TestTagsGoTogether(t *testing.T) {
	files, err := filepath.Glob("*")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, file := range files {
		if ext := filepath.Ext(file); ext != ".go" && ext != ".s" {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(string(text), "\n") {
			if !strings.HasPrefix(line, "//go:build") || !strings.Contains(line, "purego") && !strings.Contains(line, "noasm") {
				continue
			}
			found++
			if !strings.Contains(line, "!purego && !noasm") && !strings.Contains(line, "purego || noasm") {
				t.Errorf("%s: %s: treats purego and noasm differently", file, line)
			}
		}
	}
	if found == 0 {
		t.Error("no file with assembly found")
	}
}
