package main

import (
	"bytes"
	"context"
	"io/fs"
	"time"
	"unsafe"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/dataset"
	_ "github.com/rffgo/rff/dataset/parquet" // the format arrow
)

// memory is the file system of one file, which is in memory.
type memory []byte

// bytes returns the file that an array of the role 't' is.
func (a array) bytes() memory { return unsafe.Slice((*byte)(a.data), a.rows) }

const fileName = "the table"

func (m memory) Open(name string) (fs.File, error) {
	if name != fileName {
		return nil, fs.ErrNotExist
	}
	return &file{bytes.NewReader(m)}, nil
}

type file struct{ *bytes.Reader }

func (f *file) Close() error               { return nil }
func (f *file) Stat() (fs.FileInfo, error) { return f, nil }
func (f *file) Name() string               { return fileName }
func (f *file) Mode() fs.FileMode          { return 0o444 }
func (f *file) ModTime() time.Time         { return time.Time{} }
func (f *file) IsDir() bool                { return false }
func (f *file) Sys() any                   { return nil }

// table opens the rows of an array of the role 't'. With a schema they are rows for a model, and
// otherwise rows to learn from.
func (r *request) table(ctx context.Context, schema *rff.Schema) (*dataset.Files, error) {
	o := dataset.Options{FS: r.with('t')[0].bytes(), Format: r.Format, Task: dataset.Unlabelled, Schema: schema, Inputs: r.Names}
	if schema == nil {
		if o.Unseen, o.Categories = r.Unseen, r.Categories; r.Missing == string(rff.MissingMean) {
			o.Missing = rff.MissingNaN // the means are still to be found
		}
	}
	return dataset.Open(ctx, o, fileName)
}

// raw returns the rows to learn from, with NaN for missing values that means are to stand for.
func (r *request) raw(ctx context.Context) (rff.Source, error) {
	if r.with('t') != nil {
		files, err := r.table(ctx, nil)
		if err != nil {
			return nil, err
		}
		return files.Source(dataset.Coding{Task: dataset.Unlabelled}, 0), nil
	}
	rows, err := rowsOf(r.with('x'))
	if err != nil {
		return nil, err
	}
	for i, name := range r.Names {
		rows.schema.Inputs[i].Name = name
	}
	return rows, nil
}

// inputs returns the rows for a model, or for sums, by their schema.
func (r *request) inputs(ctx context.Context, schema rff.Schema) (rff.Source, error) {
	if r.with('t') != nil {
		files, err := r.table(ctx, &schema)
		if err != nil {
			return nil, err
		}
		return files.Source(dataset.Coding{Task: dataset.Unlabelled}, 0), nil
	}
	return rowsOf(r.with('x'))
}
