package parquet

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"sync"

	"github.com/rffgo/rff/internal/columnar"
)

func init() {
	columnar.Register(columnar.Format{Name: "parquet", Magic: []byte("PAR1"), Open: openParquet})
}

const (
	atOnce = 4 // row groups read at a time
	ahead  = 2 // batches of each that wait to be taken

	// mostPages bounds the bytes of unpacked pages and dictionaries of all row groups under
	// way. If a single row group needs more, its pages are released after each batch. Its
	// batches then have so many rows that no page is unpacked much more than mostReopened
	// times.
	mostPages    = 96 << 20
	mostPage     = 160 << 20 // bytes of one column of such a row group
	mostWindow   = 1 << 22   // values of a batch of such a row group
	mostReopened = 32
)

// parquetFile reads the row groups of a file.
type parquetFile struct {
	*footer
	at   io.ReaderAt
	end  int64   // pages lie before it
	rows []int64 // of each row group
	from int     // row groups from … to−1 are read
	to   int

	groups chan chan result // of the row groups, in order
	group  chan result      // of the one under way
	taken  *columnar.Batch  // the batch that Next returned last
	free   chan *columnar.Batch
	stop   context.CancelFunc
	wait   sync.WaitGroup
}

// result is a batch or the error that ends the file.
type result struct {
	batch *columnar.Batch
	err   error
}

func openParquet(at io.ReaderAt, size int64) (columnar.File, error) {
	f, err := readFooter(at, size)
	if err != nil {
		return nil, err
	}
	p := &parquetFile{footer: f, at: at, end: size - 8, to: len(f.groups)}
	for _, g := range f.groups {
		p.rows = append(p.rows, g.rows)
	}
	return p, nil
}

func (p *parquetFile) Columns() []columnar.Column { return p.columns }
func (p *parquetFile) Groups() []int64            { return p.rows }
func (p *parquetFile) Exact(column int) {
	l := &p.leaves[column]
	l.digits = p.columns[column].Kind == columnar.Number && (l.physical == int64s || l.logical == decimal)
}
func (p *parquetFile) Only(from, to int) { p.from, p.to = from, to }

// Rows starts to read the row groups. Up to atOnce of them, and no more than fit into memory
// together, are read at a time, each by a goroutine that waits if its batches are not taken.
func (p *parquetFile) Rows(ctx context.Context, columns []int) {
	ctx, p.stop = context.WithCancel(ctx)
	leaves := make([]leaf, len(columns))
	for i, c := range columns {
		leaves[i] = p.leaves[c]
	}
	workers := min(atOnce, runtime.GOMAXPROCS(0))
	// A row group is under way until all its batches are taken. One more than the channel
	// holds is being taken, and one is waiting to enter it.
	p.groups = make(chan chan result, max(0, workers-2))
	p.free = make(chan *columnar.Batch, workers*(ahead+1))
	p.wait.Add(1)
	go func() {
		defer p.wait.Done()
		defer close(p.groups)
		var running []*groupReader // the oldest first
		total := 0
		for g := p.from; g < p.to; g++ {
			r, err := p.plan(g, leaves)
			if err != nil {
				r = &groupReader{err: err, out: make(chan result, ahead)}
			}
			r.done = make(chan struct{})
			for len(running) > 0 && total+r.need > mostPages {
				select {
				case <-running[0].done:
				case <-ctx.Done():
					return
				}
				total -= running[0].need
				running = slices.Delete(running, 0, 1) // running[1:] would keep its pages in memory
			}
			running, total = append(running, r), total+r.need
			p.wait.Add(1)
			go func() {
				defer p.wait.Done()
				defer close(r.done)
				defer close(r.out)
				if err := p.read(ctx, r); err != nil {
					send(ctx, r.out, result{err: fmt.Errorf("row group %d: %w", g+1, err)})
				}
			}()
			select {
			case p.groups <- r.out:
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

// groupReader reads the columns of a row group.
type groupReader struct {
	columns []*column
	rows    int64
	batch   int  // rows
	release bool // pages after each batch
	need    int  // bytes of the pages
	out     chan result
	done    chan struct{}
	err     error
}

// plan decides how to read a row group within the bounds on memory. It reads the headers of
// the pages.
func (p *parquetFile) plan(g int, leaves []leaf) (*groupReader, error) {
	chunks, err := p.footer.groups[g].chunks(leaves)
	if err != nil {
		return nil, err
	}
	r := &groupReader{rows: p.rows[g], batch: columnar.BatchRows(len(leaves)), out: make(chan result, ahead)}
	var scratch, buffer []byte
	packed, largest, longest, cells := 0, 0, 0, 0
	for i := range leaves {
		c := &column{leaf: &leaves[i], chunk: chunks[i], next: chunks[i].start, at: p.at, end: p.end, scratch: &scratch, buffer: new([]byte)}
		if c.values != r.rows {
			return nil, fmt.Errorf("column %q has %d values for %d rows", c.name, c.values, r.rows)
		}
		if c.survey, err = c.chunk.survey(p.at, p.end); err != nil {
			return nil, fmt.Errorf("column %q %w", c.name, err)
		}
		packed, longest = max(packed, c.packed), max(longest, c.survey.rows)
		largest = max(largest, c.unpacked+c.survey.dictionary)
		r.need += c.unpacked + c.survey.dictionary
		if cells++; c.isText() {
			cells++
		}
		r.columns = append(r.columns, c)
	}
	if r.need += packed; r.need <= mostPages {
		return r, nil
	}
	r.release, r.out = true, make(chan result)
	r.batch = max(1, min(int(min(r.rows, mostWindow)), mostWindow/max(cells, 1)))
	if largest+packed > mostPage || longest/r.batch > mostReopened {
		return nil, fmt.Errorf("its %d columns have pages of up to %d bytes and %d rows, too much to read within the bound on memory: name fewer inputs (Inputs), or write it with smaller pages (pyarrow: data_page_size) or row groups",
			len(leaves), largest, longest)
	}
	r.need = largest + packed
	for _, c := range r.columns {
		c.buffer = &buffer
	}
	return r, nil
}

func (l *leaf) isText() bool { return l.digits || l.physical == byteArrays && l.logical != decimal }

// read hands on the batches of a row group.
func (p *parquetFile) read(ctx context.Context, r *groupReader) error {
	if r.err != nil {
		return r.err
	}
	for left := r.rows; left > 0; {
		b := p.newBatch(len(r.columns))
		b.Rows = int(min(int64(r.batch), left))
		text := 0
		for i, c := range r.columns {
			v := &b.Columns[i]
			size, err := c.read(b.Rows, v)
			if text += size; err == nil && text > mostText {
				err = errText
			}
			if err != nil {
				return fmt.Errorf("column %q %w", c.name, err)
			}
			if r.release {
				c.release()
			}
		}
		left -= int64(b.Rows)
		if !send(ctx, r.out, result{batch: b}) {
			return nil
		}
	}
	return nil
}

// newBatch returns a batch. It reuses the memory of an earlier one if it can.
func (p *parquetFile) newBatch(columns int) *columnar.Batch {
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
