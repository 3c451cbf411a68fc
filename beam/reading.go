package rffbeam

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"path"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/fileio"

	"github.com/rffgo/rff/dataset"
	_ "github.com/rffgo/rff/dataset/avro"
	_ "github.com/rffgo/rff/dataset/brotli"
	_ "github.com/rffgo/rff/dataset/parquet"
	_ "github.com/rffgo/rff/dataset/zstd"
)

// Reading says how to read the files. Its zero value tells all from the files.
type Reading struct {
	Format  dataset.Format
	Label   string // column of the label; "": the last
	Inputs  []string
	Weights string
	Width   int // of LIBSVM files
	// MostBytes bounds a file that must be held in memory: Parquet, Arrow or Avro from a
	// file system whose files are streams, as those of object stores are. What it holds
	// of rows is not counted. 0: 1 GiB.
	MostBytes int64
	// Aside says that rows that cannot be read are left out. Fit lists and counts them.
	Aside bool
}

// options are those of package dataset. bad, unless it is nil, hears of every row that
// is left out.
func (r Reading) options(bad func(error)) dataset.Options {
	o := dataset.Options{Format: r.Format, Label: r.Label, Inputs: r.Inputs, Weights: r.Weights, Width: r.Width}
	if r.Aside {
		o.BadRow = func(e *dataset.ParseError) bool {
			if bad != nil {
				bad(e)
			}
			return true
		}
	}
	return o
}

// open opens a share of a file of the engine's file systems for one pass.
func (r Reading) open(ctx context.Context, f fileio.ReadableFile, of share, o dataset.Options) (*dataset.Files, io.Closer, error) {
	in, err := f.Open(ctx)
	if err != nil {
		return nil, nil, err
	}
	name := f.Metadata.Path
	head := make([]byte, 6)
	n, err := io.ReadFull(in, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		in.Close()
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	head = head[:n]
	whole := io.MultiReader(bytes.NewReader(head), in)
	if !columns(head) {
		files, err := dataset.OpenReader(ctx, o, name, whole)
		if err != nil {
			in.Close()
			return nil, nil, err
		}
		return files, in, nil
	}
	defer in.Close()
	// The end of such a file says where its columns are.
	if _, ok := in.(anywhere); ok {
		o.FS = inPlace{ctx, f, of}
		files, err := dataset.Open(ctx, o, name)
		return files, io.NopCloser(nil), err
	}
	if of.To > 0 {
		return nil, nil, fmt.Errorf("%s: could be read anywhere when its row groups were dealt out, and cannot now", name)
	}
	most := r.MostBytes
	if most == 0 {
		most = 1 << 30
	}
	if f.Metadata.Size > most {
		return nil, nil, fmt.Errorf("%s: has %d bytes, and is held in memory: the limit is %d", name, f.Metadata.Size, most)
	}
	data, err := io.ReadAll(io.LimitReader(whole, most+1))
	if err != nil || int64(len(data)) > most {
		return nil, nil, fmt.Errorf("%s: cannot be held in memory: %d bytes read, the limit is %d (%v)", name, len(data), most, err)
	}
	o.FS = oneFile{name, data}
	files, err := dataset.Open(ctx, o, name)
	return files, io.NopCloser(nil), err
}

// columns reports whether a file that begins like head stores columns.
func columns(head []byte) bool {
	return bytes.HasPrefix(head, []byte("PAR1")) || bytes.HasPrefix(head, []byte("Obj\x01")) || bytes.HasPrefix(head, []byte("ARROW1")) || bytes.HasPrefix(head, []byte("\xff\xff\xff\xff"))
}

// anywhere is an open file that can be read anywhere, as those of disks can.
type anywhere interface {
	fs.File
	io.ReaderAt
}

// inPlace is a file system with one share of a file, which is opened for each pass.
type inPlace struct {
	ctx   context.Context
	of    fileio.ReadableFile
	share share
}

func (p inPlace) Open(name string) (fs.File, error) {
	in, err := p.of.Open(p.ctx)
	if err != nil {
		return nil, err
	}
	f, ok := in.(anywhere)
	if !ok {
		in.Close()
		return nil, fs.ErrInvalid
	}
	if p.share.To > 0 {
		return shared{f, p.share}, nil
	}
	return f, nil
}

// oneFile is a file system with one file, in memory.
type oneFile struct {
	name string
	data []byte
}

func (o oneFile) Open(name string) (fs.File, error) {
	if name != o.name {
		return nil, fs.ErrNotExist
	}
	return &memory{bytes.NewReader(o.data), o}, nil
}

type memory struct {
	*bytes.Reader
	of oneFile
}

func (m *memory) Close() error               { return nil }
func (m *memory) Stat() (fs.FileInfo, error) { return m, nil }
func (m *memory) Name() string               { return path.Base(m.of.name) }
func (m *memory) Mode() fs.FileMode          { return 0o444 }
func (m *memory) ModTime() time.Time         { return time.Time{} }
func (m *memory) IsDir() bool                { return false }
func (m *memory) Sys() any                   { return nil }
