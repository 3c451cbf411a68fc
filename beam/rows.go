package rffbeam

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"math"
	"path"
	"reflect"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/fileio"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/dataset"
	_ "github.com/rffgo/rff/dataset/avro"
	_ "github.com/rffgo/rff/dataset/parquet"
	_ "github.com/rffgo/rff/dataset/zstd"
)

func init() {
	beam.RegisterType(reflect.TypeFor[Rows]())
	beam.RegisterCoder(reflect.TypeFor[Rows](), encodeRows, decodeRows)
	beam.RegisterType(reflect.TypeFor[readFn]())
}

// Reading says how to read the files. Its zero value tells all from the files.
type Reading struct {
	Format  dataset.Format
	Label   string // column of the label; "": the last
	Inputs  []string
	Weights string
	Width   int // of LIBSVM files
	// MostBytes bounds a file that must be held in memory, Parquet or Arrow, and
	// what it holds of rows is not counted. 0: 1 GiB.
	MostBytes int64
}

func (r Reading) options() dataset.Options {
	return dataset.Options{Format: r.Format, Label: r.Label, Inputs: r.Inputs, Weights: r.Weights, Width: r.Width}
}

// open opens a file of the engine's file systems for one pass.
func (r Reading) open(ctx context.Context, f fileio.ReadableFile, o dataset.Options) (*dataset.Files, io.Closer, error) {
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
	// The end of such a file says where its columns are: it is held in memory.
	defer in.Close()
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

// Rows are some rows of a file, of which First is the number of the first, from 1.
type Rows struct {
	File        string
	First       int64
	In, Targets int
	X, Y        []float64
	Weight      []float64 // or nil
}

// Batch returns the rows as package rff has them.
func (r Rows) Batch() rff.Batch {
	n := len(r.X) / max(r.In, 1)
	return rff.Batch{First: r.First - 1, Weight: r.Weight,
		X: blas.General[float64]{Rows: n, Cols: r.In, Stride: r.In, Data: r.X},
		Y: blas.General[float64]{Rows: n, Cols: r.Targets, Stride: r.Targets, Data: r.Y}}
}

// encodeRows writes the lengths, the name and the numbers, little-endian.
func encodeRows(r Rows) []byte {
	b := make([]byte, 0, 64+len(r.File)+8*(len(r.X)+len(r.Y)+len(r.Weight)))
	for _, n := range []int{len(r.File), int(r.First), r.In, r.Targets, len(r.X), len(r.Y), len(r.Weight)} {
		b = binary.AppendUvarint(b, uint64(n))
	}
	b = append(b, r.File...)
	for _, v := range [][]float64{r.X, r.Y, r.Weight} {
		for _, x := range v {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
		}
	}
	return b
}

func decodeRows(b []byte) (Rows, error) {
	var n [7]int
	for i := range n {
		v, k := binary.Uvarint(b)
		if k <= 0 || v > 1<<40 {
			return Rows{}, errRows
		}
		n[i], b = int(v), b[k:]
	}
	if len(b) != n[0]+8*(n[4]+n[5]+n[6]) {
		return Rows{}, errRows
	}
	r := Rows{File: string(b[:n[0]]), First: int64(n[1]), In: n[2], Targets: n[3]}
	b = b[n[0]:]
	numbers := func(k int) []float64 {
		if k == 0 {
			return nil
		}
		v := make([]float64, k)
		for i := range v {
			v[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
		}
		b = b[8*k:]
		return v
	}
	r.X, r.Y, r.Weight = numbers(n[4]), numbers(n[5]), numbers(n[6])
	return r, nil
}

var errRows = fmt.Errorf("rffbeam: rows that cannot be decoded")

// keyOf returns the stable key of a row: a hash of its file's name without folders,
// and of its number there.
func keyOf(file uint64, row int64) uint64 {
	h := file + uint64(row)*0x9e3779b97f4a7c15
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}

func fileKey(name string) uint64 {
	f := fnv.New64a()
	f.Write([]byte(path.Base(name)))
	return f.Sum64()
}

// readFn reads files into batches of rows of one fold, keyed by fold and shard.
type readFn struct {
	Reading Reading
	Plan    []byte
	Folds   int
	Fanout  int
	Aside   bool // bad rows go to the second output

	shard     int // of this bundle
	rows, bad beam.Counter
}

// batchRows returns the rows of an element: whole row blocks, eight where rows are
// short. Sums stay in cache from one row block to the next.
func batchRows(columns int) int {
	const most = 4 << 20 // bytes
	return blas.RowBlock * min(8, max(1, most/(8*blas.RowBlock*columns)))
}

func (f *readFn) Setup() {
	f.rows, f.bad = beam.NewCounter("rff", "rows"), beam.NewCounter("rff", "bad rows")
}

// StartBundle forgets the shard of the bundle before. All files of a bundle go to one
// shard, so that a bundle holds and hands on one sum for each fold, no more.
func (f *readFn) StartBundle(context.Context, func(int, Rows), func(string)) { f.shard = -1 }

func (f *readFn) ProcessElement(ctx context.Context, file fileio.ReadableFile, emit func(int, Rows), aside func(string)) error {
	plan, err := planOf(f.Plan)
	if err != nil {
		return err
	}
	o := f.Reading.options()
	in, _ := plan.Map().Dims()
	if o.Width == 0 {
		o.Width = in
	}
	if names := plan.Settings().Inputs; len(o.Inputs) == 0 && names != nil {
		o.Inputs = names
	}
	if o.Label == "" {
		o.Label = plan.Settings().Target
	}
	if f.Aside {
		o.BadRow = func(e *dataset.ParseError) bool {
			f.bad.Inc(ctx, 1)
			aside(e.Error())
			return true
		}
	}
	files, closer, err := f.Reading.open(ctx, file, o)
	if err != nil {
		return err
	}
	defer closer.Close()
	if w := files.Layout().Width; w != in {
		return fmt.Errorf("%s: has %d inputs, the plan %d", file.Metadata.Path, w, in)
	}
	name := file.Metadata.Path
	key := fileKey(name)
	if f.shard < 0 {
		f.shard = int(key % uint64(f.Fanout))
	}
	coding := dataset.NewCoding(plan.Settings().Classes)
	targets := plan.Targets()
	held := make([]Rows, f.Folds)
	batch := batchRows(in + targets)
	hand := func(k int) {
		emit(k*f.Fanout+f.shard, held[k])
		f.rows.Inc(ctx, int64(len(held[k].X)/in))
		held[k] = Rows{}
	}
	for row, err := range files.Rows(ctx) {
		if err != nil {
			return err
		}
		v, err := coding.Value(row)
		if err != nil {
			if !f.Aside {
				return err
			}
			f.bad.Inc(ctx, 1)
			aside(err.Error())
			continue
		}
		k := int(keyOf(key, row.Place.Row) % uint64(f.Folds))
		h := &held[k]
		if h.X == nil {
			*h = Rows{File: name, First: row.Place.Row, In: in, Targets: targets, X: make([]float64, 0, batch*in), Y: make([]float64, 0, batch*targets)}
		}
		h.X = append(h.X, row.X...)
		h.Y = appendTargets(h.Y, coding, v, targets)
		if o.Weights != "" {
			h.Weight = append(h.Weight, row.Weight)
		}
		if len(h.X) == batch*in {
			hand(k)
		}
	}
	for k := range held {
		if held[k].X != nil {
			hand(k)
		}
	}
	return nil
}

// appendTargets appends the target columns of a value, coded as package dataset
// codes them.
func appendTargets(y []float64, c dataset.Coding, v float64, targets int) []float64 {
	switch {
	case len(c.Classes) == 0:
		return append(y, v)
	case targets == 1:
		return append(y, 2*v-1)
	}
	for k := range targets {
		if k == int(v) {
			y = append(y, 1)
		} else {
			y = append(y, -1)
		}
	}
	return y
}

// match returns the files of a glob, as they are.
func match(s beam.Scope, glob string) beam.PCollection {
	// Files are read where their names are dealt out: without a reshuffle one worker
	// would read all that one match has found.
	return beam.Reshuffle(s, fileio.ReadMatches(s, fileio.MatchFiles(s, glob, fileio.MatchEmptyDisallow()), fileio.ReadUncompressed()))
}
