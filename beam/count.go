package rffbeam

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/gob"
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
	beam.RegisterType(reflect.TypeFor[part]())
	beam.RegisterCoder(reflect.TypeFor[part](), encodePart, decodePart)
	beam.RegisterType(reflect.TypeFor[located]())
	beam.RegisterCoder(reflect.TypeFor[located](), encodeLocated, decodeLocated)
	for _, fn := range []any{spansFn{}, nameFn{}, joinFn{}} {
		beam.RegisterType(reflect.TypeOf(fn))
	}
}

// FileRows says how many rows a file has, or some row groups of a Parquet file.
type FileRows struct {
	File   string
	Rows   int64
	Inputs int64
	// From and To say which row groups, from 0: From, From+1, …, To−1. To = 0: all of the
	// file.
	From, To int
}

// key names the rows.
func (f FileRows) key() string { return fmt.Sprint(f.File, " ", f.From) }

// compareFiles puts rows in the order of their files' names, and within a file as they are.
func compareFiles(a, b FileRows) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.From, b.From))
}

// part is a share of what is to be read: where its rows stand among those of all files,
// in the order of their names, and which of them to keep.
type part struct {
	Share       share
	First, Rows int64
	Drawn       []int64 // numbers among all rows, from 0, rising
	Slots       []int   // their places in the sample
}

// located is a part with its file.
type located struct {
	File fileio.ReadableFile
	Part part
}

func encodePart(p part) ([]byte, error)       { return encodeGob(p) }
func encodeLocated(l located) ([]byte, error) { return encodeGob(l) }

func decodePart(b []byte) (p part, err error) {
	err = gob.NewDecoder(bytes.NewReader(b)).Decode(&p)
	return p, err
}

func decodeLocated(b []byte) (l located, err error) {
	err = gob.NewDecoder(bytes.NewReader(b)).Decode(&l)
	return l, err
}

// emitParts emits the parts of each file, without rows to keep.
func emitParts(files []FileRows, emit func(string, part)) {
	first := int64(0)
	for _, f := range files {
		emit(f.File, part{Share: share{f.From, f.To}, First: first, Rows: f.Rows})
		first += f.Rows
	}
}

// spansFn finds where the rows of files stand.
type spansFn struct{}

func (spansFn) ProcessElement(_ []byte, counts func(*FileRows) bool, emit func(string, part)) {
	emitParts(byName(counts), emit)
}

// locate joins files with their parts, by name. What is long at work gets its part with
// the file, and not as a side input: Prism spins while a stage with side inputs works.
// Files without a part are left out, or an error.
func locate(s beam.Scope, files, parts beam.PCollection, all bool) beam.PCollection {
	joined := beam.CoGroupByKey(s, beam.ParDo(s, &nameFn{}, files), parts)
	return beam.Reshuffle(s, beam.ParDo(s, &joinFn{All: all}, joined))
}

type nameFn struct{}

func (nameFn) ProcessElement(f fileio.ReadableFile) (string, fileio.ReadableFile) {
	return f.Metadata.Path, f
}

type joinFn struct{ All bool }

func (j *joinFn) ProcessElement(name string, files func(*fileio.ReadableFile) bool, parts func(*part) bool, emit func(located)) error {
	var l located
	there, counted := files(&l.File), false
	for l.Part = (part{}); parts(&l.Part); l.Part = (part{}) {
		if counted = true; !there {
			return fmt.Errorf("%s: was there when its rows were counted, and is gone", name)
		}
		emit(l)
	}
	if j.All && !counted {
		return fmt.Errorf("%s: was not there when rows were counted", name)
	}
	return nil
}

// byName returns the files in the order of their names.
func byName(counts func(*FileRows) bool) []FileRows {
	var files []FileRows
	for f := (FileRows{}); counts(&f); f = (FileRows{}) {
		files = append(files, f)
	}
	slices.SortFunc(files, compareFiles)
	return files
}

// countFn counts the rows of files, and of Parquet files those of each share. Without
// Exact it counts the lines of text, which are as many rows unless some are empty or
// within quotes: whoever asks looks at the rows later, and then knows.
type countFn struct {
	Reading Reading
	Exact   bool
	Plan    []byte // whose columns are read; nil: those that the files have
	Least   int64  // rows of a share
}

func (f *countFn) ProcessElement(ctx context.Context, file fileio.ReadableFile, emit func(FileRows)) error {
	shares, rows, err := sharesOf(ctx, file, f.Least)
	if err != nil {
		return err
	}
	for k, s := range shares {
		out := FileRows{File: file.Metadata.Path, From: s.From, To: s.To}
		said := int64(-1)
		if rows != nil && !(f.Exact && f.Reading.Aside) { // rows that are bad do not count
			said = rows[k]
		}
		if err := f.count(ctx, file, s, said, &out); err != nil {
			return err
		}
		emit(out)
	}
	return nil
}

// count counts the inputs and the rows of a share, unless the file has said these.
func (f *countFn) count(ctx context.Context, file fileio.ReadableFile, s share, said int64, out *FileRows) error {
	o := f.Reading.options(nil)
	if f.Plan != nil {
		plan, err := planOf(f.Plan)
		if err != nil {
			return err
		}
		schema := plan.Settings().Schema
		o.Schema = &schema
	}
	files, closer, err := f.Reading.open(ctx, file, s, o)
	if err != nil {
		return err
	}
	defer func() { closer.Close() }()
	in, _ := files.Schema().Dims()
	names := files.Schema().Names()
	out.Inputs = int64(in)
	text := files.Format() == dataset.CSV || files.Format() == dataset.LIBSVM
	switch {
	case said >= 0:
		out.Rows = said
		return nil
	case text && !f.Exact:
		if out.Rows, err = lines(ctx, file); err == nil && names != nil {
			out.Rows--
		}
		if err == nil {
			return nil
		}
		for _, e := range files.Rows(ctx) { // which knows where it is, and why
			if e != nil {
				return e
			}
		}
		return err
	case !text && !f.Exact && names != nil && f.Plan == nil: // one column is enough
		closer.Close()
		o.Inputs = names[:1]
		if files, closer, err = f.Reading.open(ctx, file, s, o); err != nil {
			return err
		}
	}
	for _, err := range files.Rows(ctx) {
		if err != nil {
			return err
		}
		out.Rows++
	}
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
