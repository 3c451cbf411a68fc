package rff_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rffgo/rff/internal/sets"
)

// The Go programs in the README are whole: each compiles as printed, is formatted,
// and prints what the README says it does.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	rest, programs := string(text), 0
	for {
		_, after, found := strings.Cut(rest, "```go\n")
		if !found {
			break
		}
		program, after, ok := strings.Cut(after, "```\n")
		if !ok {
			t.Fatal("a Go block without an end")
		}
		rest = after
		programs++
		if n := strings.Count(program, "\n"); n > 36 {
			t.Errorf("program %d has %d lines: keep it short", programs, n)
		}
		dir := t.TempDir()
		source, binary := filepath.Join(dir, "main.go"), filepath.Join(dir, "main")
		if err := os.WriteFile(source, []byte(program), 0o666); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command("go", "build", "-o", binary, source).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if out, err := exec.Command("gofmt", "-l", source).Output(); err != nil || len(out) > 0 {
			t.Errorf("gofmt would change program %d: %s %v", programs, out, err)
		}
		if testing.Short() {
			continue
		}
		out, err := exec.Command(binary).Output()
		if err != nil {
			t.Fatal(commandError(err))
		}
		if want := "It prints `" + strings.TrimSpace(string(out)) + "`"; !strings.HasPrefix(strings.TrimSpace(after), want) {
			t.Errorf("after program %d the README does not say %q", programs, want)
		}
	}
	if programs != 2 {
		t.Errorf("the README has %d Go programs, want 2", programs)
	}
}

// docs/data.md names every data set and the file that is looked for first.
func TestDataDocument(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("docs", "data.md"))
	if err != nil {
		t.Fatal(err)
	}
	empty := t.TempDir()
	for _, name := range sets.Names() {
		if !strings.Contains(string(text), "| "+name+" | ") {
			t.Errorf("%s is missing", name)
		}
		_, err := sets.Named(context.Background(), name, empty)
		var missing *sets.FolderError
		if err == nil {
			continue // built in
		} else if !errors.As(err, &missing) {
			t.Fatal(err)
		}
		file, err := filepath.Rel(empty, missing.File)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "`"+filepath.ToSlash(file)+"`") {
			t.Errorf("%s: the file %s is missing", name, file)
		}
	}
}
