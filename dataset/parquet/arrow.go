package parquet

import (
	"context"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/rffgo/rff/internal/columnar"
)

func init() {
	columnar.Register(columnar.Format{Name: "arrow", Magic: []byte("ARROW1"), Open: openArrow})
	// The streaming format begins with the mark of its first message.
	columnar.Register(columnar.Format{Name: "arrow", Magic: []byte("\xff\xff\xff\xff"), Open: openArrow})
}

// arrowFile reads the record batches of a file one after the other.
type arrowFile struct {
	schema  *arrow.Schema
	read    func() (arrow.RecordBatch, error) // io.EOF after the last
	columns []columnar.Column
	ctx     context.Context
	want    []int
	record  arrow.RecordBatch // under way
	at      int64
}

func openArrow(r io.ReaderAt, size int64) (f columnar.File, err error) {
	defer recovered(&err)
	a := new(arrowFile)
	memory := bounded{memory.DefaultAllocator}
	var magic [6]byte
	if _, err := r.ReadAt(magic[:], 0); err != nil {
		return nil, err
	}
	file := string(magic[:]) == "ARROW1"
	if err := checkArrow(r, size, file); err != nil {
		return nil, plainly(err)
	}
	if section := io.NewSectionReader(r, 0, size); file {
		f, err := ipc.NewFileReader(section, ipc.WithAllocator(memory))
		if err != nil {
			return nil, plainly(err)
		}
		next := 0
		a.schema, a.read = f.Schema(), func() (arrow.RecordBatch, error) {
			if next == f.NumRecords() {
				return nil, io.EOF
			}
			next++
			return f.RecordBatchAt(next - 1)
		}
	} else {
		s, err := ipc.NewReader(section, ipc.WithAllocator(memory))
		if err != nil {
			return nil, plainly(err)
		}
		a.schema, a.read = s.Schema(), s.Read
	}
	for _, field := range a.schema.Fields() {
		a.columns = append(a.columns, columnOf(field))
	}
	return a, nil
}

func (a *arrowFile) Columns() []columnar.Column { return a.columns }

func (a *arrowFile) Rows(ctx context.Context, columns []int) { a.ctx, a.want = ctx, columns }

func (a *arrowFile) Next() (_ *columnar.Batch, err error) {
	defer recovered(&err)
	for a.record == nil || a.at == a.record.NumRows() {
		if err := a.ctx.Err(); err != nil {
			return nil, err
		}
		r, err := a.read()
		if err == io.EOF {
			return nil, io.EOF
		} else if err != nil {
			return nil, plainly(err)
		}
		r.Retain() // a stream releases it when the next one is read
		a.record, a.at = r, 0
	}
	to := min(a.at+int64(batchRows(len(a.columns))), a.record.NumRows())
	part := a.record.NewSlice(a.at, to)
	b := &columnar.Batch{Rows: int(to - a.at)}
	for _, c := range a.want {
		b.Columns = append(b.Columns, valuesOf(part.Column(c)))
	}
	a.at = to
	return b, nil
}

func (a *arrowFile) Close() error { return nil }
