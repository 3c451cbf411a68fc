package rff_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A function does one thing that a reader can hold in mind.
func TestFunctionsAreShort(t *testing.T) {
	const most = 80
	for _, dir := range []string{"blas", "krr"} {
		seen := 0
		err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() && strings.HasPrefix(d.Name(), "_") {
				return filepath.SkipDir
			}
			if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || path == "krr/auto.go" {
				return nil
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
		if err != nil || seen < 2 {
			t.Errorf("%s: %d functions, %v", dir, seen, err)
		}
	}
}
