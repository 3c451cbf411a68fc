package rffbeam

import (
	"context"
	"fmt"
	"io"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
)

func init() {
	beam.RegisterType(reflect.TypeFor[matched]())
	beam.RegisterCoder(reflect.TypeFor[matched](), encodeMatched, decodeMatched)
	beam.RegisterType(reflect.TypeFor[matchFn]())
}

// matched is a file of a glob. That of Beam's fileio takes longer to compile than the library.
type matched struct {
	Path string
	Size int64
}

func encodeMatched(f matched) ([]byte, error) { return encodeGob(f) }
func decodeMatched(b []byte) (matched, error) { return decodeGob[matched](b) }

// open opens the file as it is, compressed or not.
func (f matched) open(ctx context.Context) (io.ReadCloser, error) {
	fs, err := filesystem.New(ctx, f.Path)
	if err != nil {
		return nil, err
	}
	defer fs.Close()
	return fs.OpenRead(ctx, f.Path)
}

// match returns the files of a glob.
func match(s beam.Scope, glob string) beam.PCollection {
	filesystem.ValidateScheme(glob)
	// Files are read where their names are dealt out: without a reshuffle one worker
	// would read all that one match has found.
	return beam.Reshuffle(s, beam.ParDo(s, &matchFn{}, beam.Create(s, glob)))
}

// matchFn lists the files of globs, of which none may be without a file.
type matchFn struct{}

func (*matchFn) ProcessElement(ctx context.Context, glob string, emit func(matched)) error {
	fs, err := filesystem.New(ctx, glob)
	if err != nil {
		return err
	}
	defer fs.Close()
	names, err := fs.List(ctx, glob)
	if err == nil && len(names) == 0 {
		err = fmt.Errorf("no files matching pattern %q", glob)
	}
	for _, name := range names {
		size, err := fs.Size(ctx, name)
		if err != nil {
			return err
		}
		emit(matched{name, size})
	}
	return err
}
