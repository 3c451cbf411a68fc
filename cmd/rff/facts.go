package main

import (
	"fmt"
	"io"

	"github.com/rffgo/rff/internal/report"
)

// facts are what a command says of its result, each with a name; a line of a list has none.
type facts []report.Fact

func (f *facts) add(name, format string, a ...any) {
	*f = append(*f, report.Fact{Name: name, Text: fmt.Sprintf(format, a...)})
}

func (f facts) print(w io.Writer) {
	for _, v := range f {
		if v.Name == "" {
			fmt.Fprintf(w, "  %s\n", v.Text)
			continue
		}
		fmt.Fprintf(w, "%-9s %s\n", v.Name, v.Text)
	}
}
