package rffbeam

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"path"
	"time"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/dataset"
	_ "github.com/rffgo/rff/dataset/avro"
	_ "github.com/rffgo/rff/dataset/brotli"
	_ "github.com/rffgo/rff/dataset/parquet"
	_ "github.com/rffgo/rff/dataset/zstd"
)

// Reading says how to read the files. Its zero value tells all from the files.
type Reading struct {
	Format  string
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

	// What a plan makes of cells, as dataset.Options has it; a fit has it from the plan.
	Missing    rff.Missing
	Unseen     string
	Categories []string
	DateOrder  string
	IDs        []string
}

// options are those of package dataset for a share of a file of the engine's file systems.
// bad, unless it is nil, hears of every row that is left out.
func (r Reading) options(ctx context.Context, f matched, of share, bad func(error)) (o dataset.Options, err error) {
	o = dataset.Options{Format: r.Format, Label: r.Label, Inputs: r.Inputs, Weights: r.Weights, Width: r.Width}
	if r.Aside {
		o.BadRow = func(e *dataset.ParseError) bool {
			if bad != nil {
				bad(e)
			}
			return true
		}
	}
	o.FS, err = r.storage(ctx, f, of)
	return o, err
}

// storage returns a file system with a share of a file.
func (r Reading) storage(ctx context.Context, f matched, of share) (fs.FS, error) {
	in, err := f.open(ctx)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	name := f.Path
	head := make([]byte, 6)
	n, err := io.ReadFull(in, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	head = head[:n]
	if _, ok := in.(anywhere); ok || !columns(head) {
		return inPlace{ctx, f, of}, nil
	}
	// The end of such a file says where its columns are.
	if of.To > 0 {
		return nil, fmt.Errorf("%s: could be read anywhere when its row groups were dealt out, and cannot now", name)
	}
	most := r.MostBytes
	if most == 0 {
		most = 1 << 30
	}
	if f.Size > most {
		return nil, fmt.Errorf("%s: has %d bytes, and is held in memory: the limit is %d", name, f.Size, most)
	}
	data, err := io.ReadAll(io.LimitReader(io.MultiReader(bytes.NewReader(head), in), most+1))
	if err != nil || int64(len(data)) > most {
		return nil, fmt.Errorf("%s: cannot be held in memory: %d bytes read, the limit is %d (%v)", name, len(data), most, err)
	}
	return oneFile{name, data}, nil
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
	of    matched
	share share
}

func (p inPlace) Open(name string) (fs.File, error) {
	if name != p.of.Path {
		return nil, fs.ErrNotExist
	}
	in, err := p.of.open(p.ctx)
	if err != nil {
		return nil, err
	}
	f, ok := in.(anywhere)
	switch {
	case !ok:
		return streamed{in}, nil
	case p.share.To > 0:
		return shared{f, p.share}, nil
	}
	return f, nil
}

// streamed is an open file that is read from its beginning on.
type streamed struct{ io.ReadCloser }

func (streamed) Stat() (fs.FileInfo, error) { return nil, fs.ErrInvalid }

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
