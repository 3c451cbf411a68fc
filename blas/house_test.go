package blas

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFunctionsAreShort: no function of this folder and those below it, tests
// aside, is longer than 80 lines, so that each can be read at a glance.
func TestFunctionsAreShort(t *testing.T) {
	const most = 80
	seen := 0
	err := filepath.WalkDir(".", func(path string, _ os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				seen++
				if n := set.Position(f.End()).Line - set.Position(f.Pos()).Line + 1; n > most {
					t.Errorf("%s: %s has %d lines, more than %d", set.Position(f.Pos()), f.Name.Name, n, most)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 100 {
		t.Fatalf("only %d functions found", seen)
	}
}
