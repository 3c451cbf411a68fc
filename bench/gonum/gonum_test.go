package main

import (
	"strings"
	"testing"
)

// Every operation has a row for every order, with a rate of both libraries that are always there, and
// products have one of GoMLX, whose module the full test downloads.
func TestTable(t *testing.T) {
	gomlx := "gomlx"
	if testing.Short() {
		gomlx = ""
	}
	enough = .01
	text, err := table("8,40", gomlx)
	if err != nil {
		t.Fatal(err)
	}
	for _, op := range operations {
		_, rows, found := strings.Cut(string(text), "| "+op.name+", n |")
		if !found {
			t.Fatalf("no table of %s:\n%s", op.name, text)
		}
		lines := strings.SplitN(rows, "\n", 5)
		for i, n := range []string{"8", "40"} {
			cells := strings.Split(lines[2+i], "|")
			if strings.TrimSpace(cells[1]) != n || strings.TrimSpace(cells[2]) == "" || strings.TrimSpace(cells[3]) == "" {
				t.Errorf("%s at order %s: %q", op.name, n, lines[2+i])
			}
			last := strings.TrimSpace(cells[len(cells)-3]) // before gonumblas / gonum
			if products := strings.HasSuffix(op.name, "gemm"); gomlx != "" && (last != "") != products {
				t.Errorf("%s of GoMLX at order %s: %q", op.name, n, last)
			}
		}
	}
	if _, err := table("64,x", ""); err == nil {
		t.Error("x is an order")
	}
	if _, err := table("8", "none"); err == nil {
		t.Error("there is a program in no folder")
	}
}
