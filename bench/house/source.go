package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// source is a file of Go that is no test.
type source struct {
	path   string // below the root, with slashes
	module string // the folder of its module; ".": the library
	text   string
	set    *token.FileSet
	tree   *ast.File
}

// sources reads the files below root, without generators.
func sources(root string) ([]*source, error) {
	var all []*source
	set := token.NewFileSet()
	modules := []string{"."} // whose files were walked, those below others after them
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && path != root && (name[0] == '_' || name[0] == '.' || name == "testdata" || name == "out" || name == "bin") {
			return filepath.SkipDir
		}
		if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil && path != root {
			below, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			modules = append(modules, filepath.ToSlash(below))
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		s, err := parse(set, root, path)
		if err != nil {
			return err
		}
		for _, m := range modules {
			if m == "." || strings.HasPrefix(s.path, m+"/") {
				s.module = m
			}
		}
		all = append(all, s)
		return nil
	})
	return all, err
}

func parse(set *token.FileSet, root, path string) (*source, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	below, err := filepath.Rel(root, path)
	if err != nil {
		return nil, err
	}
	s := &source{path: filepath.ToSlash(below), text: string(text), set: set}
	s.tree, err = parser.ParseFile(s.set, s.path, text, parser.SkipObjectResolution)
	return s, err
}

// longFunctions lists the functions of more lines than most, the longest first.
func longFunctions(files []*source, most int) []string {
	type function struct {
		text  string
		lines int
	}
	var long []function
	for _, f := range files {
		for _, d := range f.tree.Decls {
			if d, ok := d.(*ast.FuncDecl); ok {
				if n := f.set.Position(d.End()).Line - f.set.Position(d.Pos()).Line + 1; n > most {
					long = append(long, function{fmt.Sprintf("%d %s %s", n, f.path, d.Name.Name), n})
				}
			}
		}
	}
	slices.SortStableFunc(long, func(a, b function) int { return cmp.Compare(b.lines, a.lines) })
	out := make([]string, len(long))
	for i, f := range long {
		out[i] = f.text
	}
	return out
}

// folder is the package of a folder, as every build sees it.
type folder struct {
	root  string
	set   *token.FileSet
	files []*source
}

func read(root, name string) (*folder, error) {
	paths, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(name), "*.go"))
	if err != nil || len(paths) == 0 {
		return nil, fmt.Errorf("no files in %s: %v", name, err)
	}
	p := &folder{root: root, set: token.NewFileSet()}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		s, err := parse(p.set, root, path)
		if err != nil {
			return nil, err
		}
		p.files = append(p.files, s)
	}
	return p, nil
}
