package rff_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Imports run downward only, in the modules beside the library too, and what is heavy stays
// where library users never compile it.
func TestImportsRunDownward(t *testing.T) {
	const module = "github.com/rffgo/rff"
	heavy := []string{"golang/snappy", "klauspost/compress"}
	library := []string{"/asm", "/blas", "/internal", "", "/sampling", "/quality", "/dataset", "/krr", "gonum.org/v1/gonum", "klauspost/cpuid", "golang.org/x/sys"}
	allowed := map[string][]string{ // package → what it may depend on within the tree, and outside
		"/asm":      {"/internal", "klauspost/cpuid", "golang.org/x/sys"},
		"/blas":     {"/asm", "/internal", "/blas", "gonum.org/v1/gonum", "klauspost/cpuid", "golang.org/x/sys"},
		"":          {"/asm", "/blas", "/internal", "gonum.org/v1/gonum", "klauspost/cpuid", "golang.org/x/sys"},
		"/quality":  {"/asm", "/blas", "/internal", "", "gonum.org/v1/gonum", "klauspost/cpuid", "golang.org/x/sys"},
		"/sampling": {"/asm", "/blas", "/internal", "", "gonum.org/v1/gonum", "klauspost/cpuid", "golang.org/x/sys"},
		"/dataset":  {"/asm", "/blas", "/internal", "", "gonum.org/v1/gonum", "klauspost/cpuid", "golang.org/x/sys"},
		"/krr":      {"/asm", "/blas", "/internal", "", "/sampling", "/krr", "gonum.org/v1/gonum", "klauspost/cpuid", "golang.org/x/sys"},

		"/dataset/internal/codec":    heavy,
		"/dataset/internal/decimals": nil,
		"/dataset/avro":              slices.Concat(heavy, []string{"/dataset/internal", "/internal"}),
		"/dataset/brotli":            slices.Concat(heavy, []string{"/dataset/internal", "/internal", "andybalholm/brotli"}),
		"/dataset/parquet":           slices.Concat(heavy, []string{"/dataset/internal", "/internal"}),
		"/dataset/zstd":              slices.Concat(heavy, []string{"/internal"}),
		"/onnx":                      library,
		"/cmd/rff/sets":              library,
		"/cmd/rff/files":             library,
		"/cmd/rff/fits":              library,
		"/cmd/rff/looks":             library,
		"/cmd/rff/wording":           {"/internal/message"},
		"/cmd/rff/compare":           slices.Concat(library, []string{"/cmd/rff/files", "/cmd/rff/fits", "/cmd/rff/wording"}),
		"/cmd/rff/report":            slices.Concat(library, []string{"/cmd/rff/compare", "/cmd/rff/files", "/cmd/rff/fits", "/cmd/rff/wording"}),
		"/cmd/rff":                   slices.Concat(library, heavy, []string{"/cmd/rff", "/onnx", "andybalholm/brotli", "spf13"}),
	}
	for pkg, may := range allowed {
		if _, err := os.Stat("." + pkg); err != nil {
			continue // of a module that is not here: this one was downloaded without the others
		}
		out, err := exec.Command("go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", module+pkg).Output()
		if err != nil {
			t.Fatal(commandError(err))
		}
		for _, dep := range strings.Fields(string(out)) {
			inside, isInside := strings.CutPrefix(dep, module)
			if inside == pkg && isInside {
				continue
			}
			if !slices.ContainsFunc(may, func(m string) bool {
				if isInside {
					return inside == m || (m != "" && strings.HasPrefix(inside, m+"/"))
				}
				return m != "" && m[0] != '/' && strings.Contains(dep, m)
			}) {
				t.Errorf("%s depends on %s", module+pkg, dep)
			}
		}
	}
}

// Who imports the library requires three modules with it.
func TestRequirements(t *testing.T) {
	text, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	var have []string
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); strings.HasPrefix(line, "\t") && !strings.Contains(line, "// indirect") {
			have = append(have, f[0])
		}
	}
	if want := []string{"github.com/klauspost/cpuid/v2", "gonum.org/v1/gonum", "gonum.org/v1/netlib"}; !slices.Equal(have, want) {
		t.Errorf("go.mod requires %q, want %q", have, want)
	}
}

// krr knows nothing of how features are made: no block, no specification of a map.
func TestLearnersTakeMapsAsTheyAre(t *testing.T) {
	folders, err := filepath.Glob(filepath.Join("krr", "internal", "*"))
	if err != nil || len(folders) == 0 {
		t.Fatal(len(folders), err)
	}
	files := map[string]*ast.File{}
	for _, folder := range append(folders, "krr") {
		packages, err := parser.ParseDir(token.NewFileSet(), folder, func(f os.FileInfo) bool { return !strings.HasSuffix(f.Name(), "_test.go") }, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range packages {
			maps.Copy(files, p.Files)
		}
	}
	for name, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			at, _ := s.X.(*ast.Ident)
			if at != nil && at.Name == "blas" && (s.Sel.Name == "Block" || s.Sel.Name == "Spec" || s.Sel.Name == "Func") ||
				at != nil && at.Name == "inside" && s.Sel.Name == "New" || at != nil && at.Name == "rff" && slices.Contains([]string{"NewGaussian", "NewLaplacian", "NewCauchy", "NewMatern"}, s.Sel.Name) && !strings.HasPrefix(name, filepath.Join("krr", "auto")) { // its default kernels
				t.Errorf("%s uses %s.%s", name, at.Name, s.Sel.Name)
			}
			return true
		})
	}
}

// commandError adds to the error of a command what it wrote to standard error.
// Tests read standard output alone: the go command says on standard error what it
// downloads.
func commandError(err error) error {
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return fmt.Errorf("%w\n%s", err, exit.Stderr)
	}
	return err
}

// Packages that import blas compile what its generic functions mention once more, and
// that is not its backends: a cold build of the command would take twice as long.
func TestImportersCompileNoBackend(t *testing.T) {
	out, err := exec.Command("go", "list", "-export", "-f", "{{.Export}}", "./quality").Output()
	if err != nil {
		t.Fatal(commandError(err))
	}
	symbols, err := exec.Command("go", "tool", "nm", strings.TrimSpace(string(out))).Output()
	if err != nil {
		t.Fatal(commandError(err))
	}
	const features = "blas.(*Features["
	if !strings.Contains(string(symbols), features) {
		t.Errorf("no symbol has %s", features)
	}
	for _, behind := range []string{"blas.nativeOperations[", "blas.genericOperations[", "blas.(*forms["} {
		if strings.Contains(string(symbols), behind) {
			t.Errorf("package quality compiles %s…", behind)
		}
	}
}
