package main

import (
	"flag"
	"go/ast"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the lists of exported names again, after a change that is meant")

var root = filepath.Join("..", "..")

// A function does one thing that a reader can hold in mind.
func TestFunctionsAreShort(t *testing.T) {
	const most = 80
	files, err := sources(root)
	if err != nil || len(files) < 100 {
		t.Fatal(len(files), err)
	}
	for _, line := range longFunctions(files, most) {
		t.Errorf("a function is longer than %d lines: %s", most, line)
	}
}

// Who calls the library holds its fields, and no flags: the programs put these in their place
// (cmd/rff/wording).
func TestLibraryNamesNoFlags(t *testing.T) {
	files, err := sources(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if top, _, _ := strings.Cut(f.module, "/"); top == "cmd" || top == "bench" || strings.HasPrefix(f.path, "beam/cmd/") {
			continue
		}
		for _, text := range flagged(f) {
			t.Errorf("%s names a flag: %s", f.path, text)
		}
	}
}

// Files of a package stand in an order in which each uses those below it, but for so many
// arrows: the numbers may only fall.
func TestArrowsBack(t *testing.T) {
	const most = 3
	more := map[string]int{"blas": 6, "cmd/rff": 7, "dataset": 7, "asm": 6, "sampling": 4, ".": 8,
		"cmd/rff/compare": 5, "cmd/rff/report": 5, "internal/learn": 5, "internal/ridge": 4, "krr/internal/race": 7,
		"bench/site": 6, "bench/reproduce/liu": 4, "bench/waits/cases": 4}
	files, err := sources(root)
	if err != nil {
		t.Fatal(err)
	}
	folders := map[string]bool{}
	for _, f := range files {
		folders[path.Dir(f.path)] = true
	}
	for name := range folders {
		p, err := read(root, name)
		if err != nil {
			t.Fatal(err)
		}
		if n := p.arrowsBack(); n > max(most, more[name]) {
			t.Errorf("%s: %d arrows back up, more than %d", name, n, max(most, more[name]))
		}
	}
	for name := range more {
		if !folders[name] {
			t.Errorf("there is no package %s", name)
		}
	}
}

// Exported names are promised: a change of theirs is one that is meant, and stands in the
// changelog.
func TestExportedNames(t *testing.T) {
	var unstable []string
	for _, name := range append([]string{"dataset/avro", "dataset/brotli", "dataset/parquet", "dataset/zstd", "onnx"}, Stable...) {
		p, err := read(root, name)
		if err != nil {
			t.Fatal(err)
		}
		api := p.api()
		for _, line := range api.unstable {
			unstable = append(unstable, name+": "+line)
		}
		file := filepath.Join("testdata", strings.NewReplacer(".", "rff", "/", "-").Replace(name)+".txt")
		if *update {
			if err := os.WriteFile(file, []byte(strings.Join(api.lines, "\n")+"\n"), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := lines(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range without(api.lines, want) {
			t.Errorf("%s exports what %s lacks (go -C bench test ./house -update): %s", name, file, line)
		}
		for _, line := range without(want, api.lines) {
			t.Errorf("%s exports no longer (go -C bench test ./house -update): %s", name, line)
		}
	}
	held(t, "unstable.txt", unstable)
}

// held compares a list of faults with those of the file, which may only go.
func held(t *testing.T, name string, have []string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	old, err := lines(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range without(have, old) {
		t.Errorf("new: %s", line)
	}
	if gone := without(old, have); len(gone) > 0 {
		if !*update {
			t.Errorf("%s: %d are mended (go -C bench test ./house -update): %s", file, len(gone), gone[0])
		} else if err := os.WriteFile(file, []byte(strings.Join(without(old, gone), "\n")+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func lines(file string) ([]string, error) {
	text, err := os.ReadFile(file)
	return strings.Split(strings.TrimSpace(string(text)), "\n"), err
}

// without returns the lines of a that are not in b.
func without(a, b []string) (out []string) {
	for _, line := range a {
		if line != "" && !slices.Contains(b, line) {
			out = append(out, line)
		}
	}
	return out
}

// The measures see what they count.
func TestMeasures(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("package p\n"+text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("a.go", "import \"github.com/rffgo/rff/blas\"\ntype A struct { B; X int; y int }\nfunc (a *A) M(e blas.Engine) { g() }\nfunc f() {}\n")
	write("b.go", "type B struct{}\nfunc g() { f(); h() }\n")
	write("c.go", "const C = \"say (--x)\" + \"a--b, -- c, --\"\nfunc h() {\n\n\n}\n")
	write("c_test.go", "func TestX() { h() }\n")
	p, err := read(dir, ".")
	if err != nil {
		t.Fatal(err)
	}
	api := p.api()
	if got, want := api.lines, []string{"const C", "func (*A) M(e blas.Engine)", "type A struct", "type A struct: X int", "type A struct: embedded B", "type B struct"}; !slices.Equal(got, want) || api.names != 4 || api.fields != 2 || len(api.unstable) != 1 {
		t.Errorf("%q, %d names, %d fields, unstable %q", got, api.names, api.fields, api.unstable)
	}
	if n := p.arrowsBack(); n != 1 { // a uses b, b uses a and c
		t.Errorf("%d arrows back, want 1", n)
	}
	if texts := flagged(p.files[2]); !slices.Equal(texts, []string{`"say (--x)"`}) {
		t.Errorf("flags in %q", texts)
	}
	if long := longFunctions(p.files, 3); !slices.Equal(long, []string{"4 c.go h"}) {
		t.Errorf("%q", long)
	}
}

// A file belongs to the innermost module above it, also after the files of one below.
func TestModules(t *testing.T) {
	all, err := sources("../..")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"rff.go": ".", "bench/gonum/main.go": "bench", "bench/gonum/gomlx/main.go": "bench/gonum/gomlx", "bench/house/source.go": "bench", "blas/spec.go": "."}
	for _, s := range all {
		if m, ok := want[s.path]; ok && m != s.module {
			t.Errorf("%s is in the module %s, want %s", s.path, s.module, m)
		}
		delete(want, s.path)
	}
	if len(want) > 0 {
		t.Errorf("no files %v", want)
	}
}

// flagName matches what looks like a flag of a command line within a sentence.
var flagName = regexp.MustCompile(`[ (]--[a-z]`)

// flagged lists the string literals of a file that name flags.
func flagged(f *source) (texts []string) {
	ast.Inspect(f.tree, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING && flagName.MatchString(l.Value) {
			texts = append(texts, l.Value)
		}
		return true
	})
	return texts
}
