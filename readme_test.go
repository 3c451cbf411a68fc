package rff_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// frame makes the README's lines the body of a function in a program.
const frame = `package main

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/krr"
)

func example(ctx context.Context) error {
BODY	return nil
}

func main() {
	if err := example(context.Background()); err != nil {
		log.Fatal(err)
	}
}
`

// The example in the README compiles and prints what the README says it does.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "```go\n")
	lines, rest, ok := strings.Cut(rest, "```\n")
	if !ok {
		t.Fatal("the README has no Go example")
	}
	if n := strings.Count(lines, "\n"); n > 16 {
		t.Errorf("the README's example has %d lines: keep it short", n)
	}
	var body strings.Builder
	for line := range strings.Lines(lines) {
		body.WriteString("\t" + line)
	}
	program := strings.Replace(frame, "BODY", body.String(), 1)
	dir := t.TempDir()
	source, binary := filepath.Join(dir, "main.go"), filepath.Join(dir, "main")
	if err := os.WriteFile(source, []byte(program), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", "build", "-o", binary, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err := exec.Command("gofmt", "-l", source).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("gofmt would change it: %s %v", out, err)
	}
	if testing.Short() {
		return
	}
	out, err := exec.Command(binary).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if want := "It prints `" + strings.TrimSpace(string(out)) + "`"; !strings.Contains(rest, want) {
		t.Errorf("the README does not say %q", want)
	}
}
