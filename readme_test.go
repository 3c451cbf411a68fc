package rff_test

import (
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The Go parts of the README compile in a function with the imports that they name, are
// formatted, and print what the README says they do. The build of the site (bench/site)
// runs its commands.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(string(text), "```go\n")[1:]
	if len(parts) != 2 {
		t.Errorf("the README has %d Go parts, want 2", len(parts))
	}
	// Each part is a file of one program, which compiles and links what they need once. It runs the
	// part that its argument names. Without symbols it links in half the time.
	dir, afters := t.TempDir(), make([]string, len(parts))
	binary, mainFile := filepath.Join(dir, "main"), filepath.Join(dir, "main.go")
	build := []string{"build", "-ldflags=-s -w", "-o", binary, mainFile}
	calls := ""
	for i, rest := range parts {
		part, after, ok := strings.Cut(rest, "```\n")
		if !ok {
			t.Fatal("a Go block without an end")
		}
		if n := strings.Count(part, "\n"); n > 9 {
			t.Errorf("part %d has %d lines: keep it short", i+1, n)
		}
		if formatted, err := format.Source([]byte(part)); err != nil || string(formatted) != part {
			t.Errorf("gofmt would change part %d: %v", i+1, err)
		}
		afters[i] = after
		source := filepath.Join(dir, fmt.Sprintf("part%d.go", i))
		if err := os.WriteFile(source, []byte(program(part, i)), 0o666); err != nil {
			t.Fatal(err)
		}
		build = append(build, source)
		calls += fmt.Sprintf("\tcase \"%d\":\n\t\tpart%d()\n", i, i)
	}
	main := "package main\n\nimport \"os\"\n\nfunc main() {\n\tswitch os.Args[1] {\n" + calls + "\t}\n}\n"
	if err := os.WriteFile(mainFile, []byte(main), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", build...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for i, after := range afters {
		if testing.Short() {
			break
		}
		out, err := exec.Command(binary, fmt.Sprint(i)).Output()
		if err != nil {
			t.Fatal(commandError(err))
		}
		if want := "It prints `" + strings.TrimSpace(string(out)) + "`"; !strings.HasPrefix(strings.TrimSpace(after), want) {
			t.Errorf("after part %d the README does not say %q", i+1, want)
		}
	}
}

// program is a file of package main with part i in a function.
func program(part string, i int) string {
	var b strings.Builder
	b.WriteString("package main\n\n")
	for _, path := range []string{"context", "fmt", "log", "math/rand/v2", "time", "gonum.org/v1/gonum/mat",
		"github.com/rffgo/rff", "github.com/rffgo/rff/dataset", "github.com/rffgo/rff/krr"} {
		if name := filepath.Base(strings.TrimSuffix(path, "/v2")); regexp.MustCompile(`\b` + name + `\.`).MatchString(part) {
			fmt.Fprintf(&b, "import %q\n", path)
		}
	}
	fmt.Fprintf(&b, "\nfunc part%d() {\n%s}\n", i, part)
	return b.String()
}
