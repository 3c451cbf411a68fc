package main

import (
	"fmt"
	"os"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	rffbeam "github.com/rffgo/rff/beam"
	"github.com/rffgo/rff/cmd/rff/wording"
)

func init() {
	beam.RegisterType(reflect.TypeFor[reportFn]())
	beam.RegisterType(reflect.TypeFor[countFn]())
	beam.RegisterFunction(wording.Flags)
}

// report prints what a fit found, where the worker runs that has it.
func report(s beam.Scope, name string, fitted beam.PCollection) {
	beam.ParDo0(s, &reportFn{Name: name}, fitted)
}

type reportFn struct{ Name string }

func (f *reportFn) ProcessElement(m rffbeam.Fitted) {
	text := fmt.Sprintf("%d rows, lambda %.3g", m.Rows, m.Lambda)
	for i, l := range m.Lambdas {
		if l == m.Lambda {
			text += fmt.Sprintf(", held-out squared error %.6g", m.Errors[i])
		}
	}
	if f.Name != "" {
		text = f.Name + ": " + text
	}
	fmt.Fprintln(os.Stderr, text)
}

type countFn struct{ What string }

func (f *countFn) ProcessElement(n int) { fmt.Fprintln(os.Stderr, n, f.What) }
