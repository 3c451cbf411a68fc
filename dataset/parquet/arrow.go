package parquet

import (
	"context"
	"encoding/binary"
	"errors"
	"io"

	"github.com/rffgo/rff/internal/columnar"
)

func init() {
	columnar.Register(columnar.Format{Name: "arrow", Magic: []byte("ARROW1"), Open: openArrow})
	// The streaming format begins with the mark of its first message.
	columnar.Register(columnar.Format{Name: "arrow", Magic: []byte("\xff\xff\xff\xff"), Open: openArrow})
}

const mostMetadata = 64 << 20 // bytes of the metadata of a message, and of a file's footer

// arrowFile reads the record batches of a file or a stream one after the other.
type arrowFile struct {
	*arrowSchema
	at     io.ReaderAt
	size   int64
	next   int64  // where the next message of a stream begins
	blocks []byte // where the messages of a file are, dictionaries first; nil for a stream
	words  map[int64]*columnar.Values
	ctx    context.Context
	want   []int
	record *recordBatch // under way
}

func openArrow(at io.ReaderAt, size int64) (columnar.File, error) {
	a := &arrowFile{at: at, size: size, words: map[int64]*columnar.Values{}}
	var magic [6]byte
	if err := readAt(at, magic[:], 0); err != nil {
		return nil, err
	}
	if string(magic[:]) == "ARROW1" {
		return a, a.footer()
	}
	m, err := a.message(0)
	if err != nil {
		return nil, err
	}
	if m.pos == 0 || m.byte(1) != 1 {
		return nil, errors.New("the file is damaged: it does not begin with a schema")
	}
	a.arrowSchema, err = newSchema(m.table.table(2), m.int16(0))
	a.next = m.end
	return a, err
}

// footer reads the schema at the end of a file, and where its messages are.
func (a *arrowFile) footer() error {
	// The end: footer, its length in 4 bytes, ARROW1.
	var end [10]byte
	if a.size < 18 {
		return errors.New("the file is damaged: it ends early")
	}
	if err := readAt(a.at, end[:], a.size-10); err != nil {
		return err
	}
	length := int64(binary.LittleEndian.Uint32(end[:]))
	if string(end[4:]) != "ARROW1" {
		return errors.New("the file is damaged: it does not end as an Arrow file does, but early or with other bytes")
	}
	if length > a.size-18 || length > mostMetadata {
		return errArrow
	}
	b := make([]byte, length)
	if err := readAt(a.at, b, a.size-10-length); err != nil {
		return err
	}
	f := rootOf(b)
	var err error
	if a.arrowSchema, err = newSchema(f.table(1), f.int16(0)); err != nil {
		return err
	}
	dictionaries, records := f.vector(2, blockSize), f.vector(3, blockSize)
	if *f.bad {
		return errArrow
	}
	a.blocks = append(append(make([]byte, 0, len(dictionaries)+len(records)), dictionaries...), records...)
	return nil
}

const blockSize = 24 // its first 8 bytes are the offset of the message

// message is the metadata of a message.
type message struct {
	table
	body, end int64 // where its body begins, and where the next message does
}

// message reads the message at a place. At the end of a stream it has no table.
func (a *arrowFile) message(at int64) (m message, err error) {
	if at == a.size {
		return m, nil
	}
	var head [8]byte
	if at < 0 || at > a.size-4 {
		return m, errArrow
	}
	if err := readAt(a.at, head[:min(8, a.size-at)], at); err != nil {
		return m, err
	}
	start, length := at+8, int64(int32(binary.LittleEndian.Uint32(head[4:])))
	if binary.LittleEndian.Uint32(head[:]) != 0xffffffff { // before version 0.15 there was no mark
		start, length = at+4, int64(int32(binary.LittleEndian.Uint32(head[:])))
	}
	if length == 0 {
		return m, nil
	}
	if length < 0 || length > a.size-start || length > mostMetadata {
		return m, errArrow
	}
	b := make([]byte, length)
	if err := readAt(a.at, b, start); err != nil {
		return m, err
	}
	m = message{table: rootOf(b), body: start + length}
	length = m.int64(3)
	if *m.bad || length < 0 || length > a.size-m.body {
		return m, errArrow
	}
	m.end = m.body + length
	return m, nil
}

// parseMessage reads a message without a body.
func parseMessage(b []byte) (message, error) {
	a := &arrowFile{at: bytesAt(b), size: int64(len(b))}
	m, err := a.message(0)
	if err == nil && m.pos == 0 {
		err = errArrow
	}
	return m, err
}

// bytesAt are bytes that can be read at any place.
type bytesAt []byte

func (b bytesAt) ReadAt(p []byte, at int64) (int, error) {
	n := copy(p, b[min(at, int64(len(b))):])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (a *arrowFile) Columns() []columnar.Column {
	columns := make([]columnar.Column, len(a.fields))
	for i, f := range a.fields {
		columns[i] = f.column
	}
	return columns
}

func (a *arrowFile) Exact(column int) {
	f := a.fields[column]
	if f.dictionary != nil {
		f = f.dictionary
	}
	f.digits = f.kind == arrowInt && f.bits == 64 || f.kind == arrowDecimal
}

func (a *arrowFile) Rows(ctx context.Context, columns []int) { a.ctx, a.want = ctx, columns }

func (a *arrowFile) Next() (*columnar.Batch, error) {
	for a.record == nil || a.record.left == 0 {
		if err := a.ctx.Err(); err != nil {
			return nil, err
		}
		if err := a.load(); err != nil {
			return nil, err
		}
	}
	return a.record.read(a.words)
}

// load reads the dictionaries before the next record batch and begins that batch. After the
// last one the error is io.EOF.
func (a *arrowFile) load() error {
	for {
		if a.record != nil {
			a.record.close()
			a.record = nil
		}
		at := a.next
		if a.blocks != nil {
			if len(a.blocks) == 0 {
				return io.EOF
			}
			at, a.blocks = int64(binary.LittleEndian.Uint64(a.blocks)), a.blocks[blockSize:]
		}
		m, err := a.message(at)
		if err != nil {
			return err
		}
		if m.pos == 0 {
			if a.blocks != nil {
				return errArrow
			}
			return io.EOF
		}
		a.next = m.end
		switch m.byte(1) {
		case arrowDictionaryBatch:
			if err := a.dictionary(m); err != nil {
				return err
			}
		case arrowRecordBatch:
			a.record, err = newRecordBatch(a.at, m, m.table.table(2), a.fields, a.want)
			return err
		default:
			return errArrow
		}
	}
}

// dictionary keeps the words of a dictionary that a column uses.
func (a *arrowFile) dictionary(m message) error {
	t := m.table.table(2)
	id := t.int64(0)
	for _, c := range a.want {
		f := a.fields[c]
		if f.dictionary == nil || f.id != id {
			continue
		}
		r, err := newRecordBatch(a.at, m, t.table(1), []*arrowField{f.dictionary}, []int{0})
		if err != nil {
			return err
		}
		defer r.close()
		words, err := r.all()
		if err != nil {
			return err
		}
		if known := a.words[id]; t.byte(2) != 0 && known != nil { // it has more words of a known dictionary
			words = known.Append(words)
			if len(words.Numbers)+len(words.Text) > mostWords {
				return errWords
			}
		}
		a.words[id] = words
		return nil
	}
	return nil
}

func (a *arrowFile) Close() error {
	if a.record != nil {
		a.record.close()
	}
	return nil
}
