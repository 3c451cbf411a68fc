package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"testing"
)

// The polynomials that the generator evaluates have as many terms as those that
// define the result.
func TestTerms(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "../cos.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	ast.Inspect(f, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && len(spec.Values) == 1 {
			if list, ok := spec.Values[0].(*ast.CompositeLit); ok {
				count[spec.Names[0].Name] = len(list.Elts)
			}
		}
		return true
	})
	for size, bits := range map[int]string{8: "64", 4: "32"} {
		for name, have := range map[string]int{"cosP": terms[size].cos, "pairC": terms[size].pairC, "pairS": terms[size].pairS} {
			if want := count[name+bits]; have != want {
				t.Errorf("%s%s: %d terms, and asm/cos.go has %d", name, bits, have, want)
			}
		}
	}
}
