package parquet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"

	"github.com/rffgo/rff/internal/columnar"
)

func init() {
	columnar.Register(columnar.Format{Name: "parquet", Magic: []byte("PAR1"), Open: openParquet})
}

const (
	mostRows    = 8192    // of a batch
	mostValues  = 1 << 18 // of a batch, unless that makes less than fewestRows
	fewestRows  = 64
	mostGroups  = 4 // row groups read at a time
	ahead       = 2 // batches of each that wait to be taken
	pageBuffer  = 1 << 16
	mostAtOnce  = 1 << 30 // bytes of one allocation
	mostMessage = 200     // bytes of a message of the library
)

// batchRows returns the rows of a batch of that many columns.
func batchRows(columns int) int { return max(fewestRows, min(mostRows, mostValues/max(columns, 1))) }

// parquetFile reads the row groups of a file.
type parquetFile struct {
	at      io.ReaderAt
	size    int64
	meta    *metadata.FileMetaData
	columns []columnar.Column
	leaves  []int   // per column, or −1 for a nested one
	rows    []int64 // of each row group
	from    int     // row groups to read, up to to
	to      int

	groups chan chan result // of the row groups, in order
	group  chan result      // of the one under way
	taken  *columnar.Batch  // that Next returned last
	free   chan *columnar.Batch
	stop   context.CancelFunc
	wait   sync.WaitGroup
}

// result is a batch or the error that ends the file.
type result struct {
	batch *columnar.Batch
	err   error
}

func openParquet(at io.ReaderAt, size int64) (f columnar.File, err error) {
	defer recovered(&err)
	p := &parquetFile{at: at, size: size}
	r, err := p.reader()
	if err != nil {
		return nil, err
	}
	p.meta = r.MetaData()
	p.columns, p.leaves, err = columnsOf(p.meta)
	p.to = p.meta.NumRowGroups()
	for g := range p.to {
		p.rows = append(p.rows, max(0, p.meta.RowGroup(g).NumRows()))
	}
	return p, err
}

// reader returns a reader of its own: several may work at a time.
func (p *parquetFile) reader() (*file.Reader, error) {
	properties := parquet.NewReaderProperties(bounded{memory.DefaultAllocator})
	properties.BufferedStreamEnabled, properties.BufferSize = true, pageBuffer
	options := []file.ReadOption{file.WithReadProps(properties)}
	if p.meta != nil {
		options = append(options, file.WithMetadata(p.meta))
	}
	r, err := file.NewParquetReader(io.NewSectionReader(p.at, 0, p.size), options...)
	return r, plainly(err)
}

func (p *parquetFile) Columns() []columnar.Column { return p.columns }
func (p *parquetFile) Groups() []int64            { return p.rows }
func (p *parquetFile) Only(from, to int)          { p.from, p.to = from, to }

// Rows starts to read the row groups: up to mostGroups at a time, each by a
// goroutine that waits when its batches are not taken.
func (p *parquetFile) Rows(ctx context.Context, columns []int) {
	ctx, p.stop = context.WithCancel(ctx)
	leaves := make([]int, len(columns))
	for i, c := range columns {
		leaves[i] = p.leaves[c]
	}
	workers := min(mostGroups, runtime.GOMAXPROCS(0))
	// A row group is under way from its entry into groups until it is taken: the
	// one being taken counts, too.
	p.groups = make(chan chan result, max(0, workers-2))
	p.free = make(chan *columnar.Batch, workers*(ahead+1))
	p.wait.Add(1)
	go func() {
		defer p.wait.Done()
		defer close(p.groups)
		for g := p.from; g < p.to; g++ {
			out := make(chan result, ahead)
			p.wait.Add(1)
			go func() {
				defer p.wait.Done()
				defer close(out)
				if err := p.read(ctx, g, leaves, out); err != nil {
					send(ctx, out, result{err: err})
				}
			}()
			select {
			case p.groups <- out:
			case <-ctx.Done():
				return
			}
		}
	}()
}

// send reports whether a result was taken before the end of ctx.
func send(ctx context.Context, out chan<- result, r result) bool {
	select {
	case out <- r:
		return true
	case <-ctx.Done():
		return false
	}
}

// read hands on the batches of a row group.
func (p *parquetFile) read(ctx context.Context, group int, leaves []int, out chan<- result) (err error) {
	defer recovered(&err)
	f, err := p.reader()
	if err != nil {
		return err
	}
	g := f.RowGroup(group)
	columns, chunks := make([]file.ColumnChunkReader, len(leaves)), make([]chunk, len(leaves))
	for i, leaf := range leaves {
		if columns[i], err = g.Column(leaf); err != nil {
			return plainly(err)
		}
		meta, err := g.MetaData().ColumnChunk(leaf)
		if err == nil {
			err = checkPages(p.at, p.size, meta, p.meta.WriterVersion().LessThan(metadata.Parquet816FixedVersion))
		}
		if err != nil {
			return fmt.Errorf("row group %d, column %q: %w", group+1, columns[i].Descriptor().Name(), plainly(err))
		}
		if chunks[i], err = chunkOf(columns[i]); err != nil {
			return err
		}
	}
	most := int64(batchRows(len(p.columns)))
	for left := g.NumRows(); left > 0; {
		b := p.batch(len(chunks))
		b.Rows = int(min(most, left))
		for i, read := range chunks {
			if err := read(b.Rows, &b.Columns[i]); err != nil {
				return fmt.Errorf("row group %d: %w", group+1, err)
			}
		}
		left -= int64(b.Rows)
		if !send(ctx, out, result{batch: b}) {
			return nil
		}
	}
	for _, c := range columns {
		if c.HasNext() {
			return fmt.Errorf("row group %d: %w", group+1, damaged(fmt.Sprintf("column %q has more rows than the group", c.Descriptor().Name())))
		}
	}
	return nil
}

// batch returns a batch whose memory may be that of one that was taken before.
func (p *parquetFile) batch(columns int) *columnar.Batch {
	select {
	case b := <-p.free:
		return b
	default:
		return &columnar.Batch{Columns: make([]columnar.Values, columns)}
	}
}

func (p *parquetFile) Next() (*columnar.Batch, error) {
	if p.taken != nil {
		select {
		case p.free <- p.taken:
		default:
		}
		p.taken = nil
	}
	for {
		if p.group == nil {
			group, more := <-p.groups
			if !more {
				return nil, io.EOF
			}
			p.group = group
		}
		if r, more := <-p.group; more {
			p.taken = r.batch
			return r.batch, r.err
		}
		p.group = nil
	}
}

// Close ends the goroutines, which read the file.
func (p *parquetFile) Close() error {
	if p.stop != nil {
		p.stop()
	}
	p.wait.Wait()
	return nil
}

// bounded refuses what no sane file asks for.
type bounded struct{ memory.Allocator }

type tooLarge int

func (b bounded) Allocate(size int) []byte {
	if size > mostAtOnce {
		panic(tooLarge(size))
	}
	return b.Allocator.Allocate(size)
}

func (b bounded) Reallocate(size int, old []byte) []byte {
	if size > mostAtOnce {
		panic(tooLarge(size))
	}
	return b.Allocator.Reallocate(size, old)
}

// recovered turns a panic of the library over a damaged file into an error.
func recovered(err *error) {
	switch r := recover().(type) {
	case nil:
	case tooLarge:
		*err = fmt.Errorf("asks for %d bytes at once, the limit is %d: write it with smaller pages and row groups", int(r), mostAtOnce)
	default:
		*err = damaged(fmt.Sprint(r))
	}
}

// plainly shortens an error of the library, whose text may hold parts of the file.
func plainly(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return damaged(err.Error())
}

func damaged(text string) error {
	if len(text) > mostMessage {
		text = text[:mostMessage] + "…"
	}
	return fmt.Errorf("the file is damaged, or not of its format: %q", text)
}
