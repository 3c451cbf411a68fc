package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	rffbeam "github.com/rffgo/rff/beam"
	"github.com/rffgo/rff/cmd/rff/wording"
	"github.com/rffgo/rff/internal/message"
)

func init() {
	beam.RegisterType(reflect.TypeFor[reportFn]())
	beam.RegisterType(reflect.TypeFor[countFn]())
	beam.RegisterType(reflect.TypeFor[listFn]())
	beam.RegisterFunction(each)
	beam.RegisterFunction(add)
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

// count prints how many texts there are. It and list are in place of Beam's stats and textio,
// which with fileio take longer to compile than the library.
func count(s beam.Scope, one, rest string, texts beam.PCollection) {
	ones := beam.Flatten(s, beam.ParDo(s, each, texts), beam.Create(s, 0))
	beam.ParDo0(s, &countFn{One: one, Rest: rest}, beam.Combine(s, add, ones))
}

func each(string) int  { return 1 }
func add(a, b int) int { return a + b }

type countFn struct{ One, Rest string }

func (f *countFn) ProcessElement(n int) { fmt.Fprintln(os.Stderr, message.Count(n, f.One)+f.Rest) }

// list writes lines into a file, of which there is none without a line.
func list(s beam.Scope, file string, lines beam.PCollection) {
	filesystem.ValidateScheme(file)
	beam.ParDo0(s, &listFn{File: file}, beam.GroupByKey(s, beam.AddFixedKey(s, lines)))
}

type listFn struct{ File string }

func (f *listFn) ProcessElement(ctx context.Context, _ int, lines func(*string) bool) error {
	fs, err := filesystem.New(ctx, f.File)
	if err != nil {
		return err
	}
	defer fs.Close()
	out, err := fs.OpenWrite(ctx, f.File)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(out, 1<<20)
	for line := ""; err == nil && lines(&line); {
		_, err = w.WriteString(line + "\n")
	}
	return errors.Join(err, w.Flush(), out.Close())
}
