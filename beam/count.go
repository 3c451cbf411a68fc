package rffbeam

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"reflect"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/fileio"

	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/internal/decompress"
)

func init() {
	beam.RegisterType(reflect.TypeFor[FileRows]())
	beam.RegisterType(reflect.TypeFor[countFn]())
}

// FileRows says how many rows a file has.
type FileRows struct {
	File   string
	Rows   int64
	Inputs int64
}

// span is where the rows of a file stand among those of all files, which are in the order
// of their names.
type span struct{ first, rows int64 }

// spansOf returns the spans of files by their names.
func spansOf(counts func(*FileRows) bool) map[string]span {
	files := byName(counts)
	spans, first := make(map[string]span, len(files)), int64(0)
	for _, f := range files {
		spans[f.File] = span{first, f.Rows}
		first += f.Rows
	}
	return spans
}

// byName returns the files in the order of their names.
func byName(counts func(*FileRows) bool) []FileRows {
	var files []FileRows
	for f := (FileRows{}); counts(&f); f = (FileRows{}) {
		files = append(files, f)
	}
	slices.SortFunc(files, func(a, b FileRows) int { return cmp.Compare(a.File, b.File) })
	return files
}

// countFn counts the rows of files. Without Exact it counts the lines of text, which are
// as many rows unless some are empty or within quotes: whoever asks looks at the rows
// later, and then knows.
type countFn struct {
	Reading Reading
	Exact   bool
}

func (f *countFn) ProcessElement(ctx context.Context, file fileio.ReadableFile, emit func(FileRows)) error {
	o := f.Reading.options(nil)
	files, closer, err := f.Reading.open(ctx, file, o)
	if err != nil {
		return err
	}
	defer func() { closer.Close() }()
	at := files.Layout()
	out := FileRows{File: file.Metadata.Path, Inputs: int64(at.Width)}
	text := at.Format == dataset.CSV || at.Format == dataset.LIBSVM
	if text && !f.Exact {
		if out.Rows, err = lines(ctx, file); err != nil {
			return err
		}
		if at.Columns != nil {
			out.Rows--
		}
		emit(out)
		return nil
	}
	if !text && !f.Exact && len(at.Inputs) > 0 { // one column is enough
		closer.Close()
		o.Inputs = at.Inputs[:1]
		if files, closer, err = f.Reading.open(ctx, file, o); err != nil {
			return err
		}
	}
	for _, err := range files.Rows(ctx) {
		if err != nil {
			return err
		}
		out.Rows++
	}
	emit(out)
	return nil
}

// lines counts the lines of a file of text, compressed or not.
func lines(ctx context.Context, file fileio.ReadableFile) (int64, error) {
	in, err := file.Open(ctx)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	buffered := bufio.NewReaderSize(in, 1<<16)
	var text io.Reader = buffered
	head, _ := buffered.Peek(16)
	if packed, ok := decompress.Of(head); ok && packed.Open != nil {
		z, err := packed.Open(buffered)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", file.Metadata.Path, err)
		}
		defer z.Close()
		text = z
	}
	n, b, last := int64(0), make([]byte, 1<<16), byte('\n')
	for {
		k, err := text.Read(b)
		n += int64(bytes.Count(b[:k], []byte{'\n'}))
		if k > 0 {
			last = b[k-1]
		}
		if err == io.EOF {
			break
		} else if err != nil {
			return 0, fmt.Errorf("%s: %w", file.Metadata.Path, err)
		}
		if err := ctx.Err(); err != nil {
			return 0, err
		}
	}
	if last != '\n' {
		n++
	}
	return n, nil
}
