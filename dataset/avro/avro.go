// Package avro lets package dataset read Avro object container files. Import it for
// that effect:
//
//	import _ "github.com/rffgo/rff/dataset/avro"
//
// A file must hold records; their fields are its columns. Numbers, booleans (0 and 1)
// and decimals become float64; text, enums and bytes are labels, groups or categories, or
// numbers if their cells are, as in CSV. Labels, groups and categories have booleans as the words
// False and True, dates and times as words such as 2024-01-31, and integers and decimals
// with all digits.
// Dates and times are inputs as rff.Time has them. A union with null has missing values
// (rff.Missing). Durations, nested fields and unions of several types are refused by name
// when they are used. Blocks may be compressed with deflate, snappy or zstandard.
//
// Memory is that of one block, which may take at most 64 MiB compressed and as much
// unpacked, and of a batch of its rows.
package avro

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"strconv"

	"github.com/rffgo/rff/dataset/internal/codec"
	"github.com/rffgo/rff/dataset/internal/decimals"
	"github.com/rffgo/rff/internal/columnar"
)

func init() {
	columnar.Register(columnar.Format{Name: "avro", Magic: []byte("Obj\x01"), Open: open})
}

const (
	mostBlock  = 64 << 20 // bytes that a block may have, packed and unpacked
	mostHeader = 4 << 20  // bytes of the schema and of all else that stands before the rows
)

var errDamaged = errors.New("the file is damaged: it ends early, or its lengths do not fit")

// file reads the blocks of a file one after the other.
type file struct {
	at      io.ReaderAt
	size    int64
	next    int64 // the offset at which the next block begins
	sync    [16]byte
	codec   codec.Codec
	fields  []*field
	columns []columnar.Column
	ctx     context.Context
	want    []int

	block []byte // what is left of the block that is being read
	rows  int64  // how many rows are left in it
	room  []byte // memory that blocks are unpacked into
	batch columnar.Batch
}

func open(at io.ReaderAt, size int64) (columnar.File, error) {
	f := &file{at: at, size: size, next: 4}
	meta := map[string][]byte{}
	for {
		n, err := f.long()
		if err != nil {
			return nil, err
		}
		if n == 0 {
			break
		}
		if n < 0 { // a negative count says that the number of bytes follows
			if _, err := f.long(); err != nil {
				return nil, err
			}
			n = -n
		}
		for ; n > 0; n-- {
			key, err := f.bytes()
			if err != nil {
				return nil, err
			}
			if meta[string(key)], err = f.bytes(); err != nil {
				return nil, err
			}
			if f.next > mostHeader {
				return nil, fmt.Errorf("its header has more than %d bytes", mostHeader)
			}
		}
	}
	if err := f.read(f.sync[:]); err != nil {
		return nil, err
	}
	name := string(meta["avro.codec"])
	known := true
	if f.codec, known = codecs[name]; !known {
		return nil, fmt.Errorf("is compressed with %.20q: write it with deflate, snappy or zstandard", name)
	}
	var err error
	if f.fields, err = parse(meta["avro.schema"]); err != nil {
		return nil, err
	}
	for _, c := range f.fields {
		f.columns = append(f.columns, c.column)
	}
	return f, nil
}

var codecs = map[string]codec.Codec{"": codec.None, "null": codec.None, "deflate": codec.Deflate, "snappy": codec.Snappy, "zstandard": codec.Zstd}

// read fills b with the next bytes of the file.
func (f *file) read(b []byte) error {
	if int64(len(b)) > f.size-f.next {
		return errDamaged
	}
	if _, err := f.at.ReadAt(b, f.next); err != nil && err != io.EOF {
		return err
	}
	f.next += int64(len(b))
	return nil
}

// long reads a number in zigzag coding.
func (f *file) long() (int64, error) {
	var b [binary.MaxVarintLen64]byte
	part := b[:min(int64(len(b)), f.size-f.next)]
	if _, err := f.at.ReadAt(part, f.next); err != nil && err != io.EOF {
		return 0, err
	}
	v, n := binary.Varint(part)
	if n <= 0 {
		return 0, errDamaged
	}
	f.next += int64(n)
	return v, nil
}

// bytes reads a length, and then as many bytes.
func (f *file) bytes() ([]byte, error) {
	n, err := f.long()
	if err != nil {
		return nil, err
	}
	if n < 0 || n > min(f.size-f.next, mostBlock) {
		return nil, errDamaged
	}
	b := make([]byte, n)
	return b, f.read(b)
}

func (f *file) Columns() []columnar.Column { return f.columns }

func (f *file) Exact(column int) { f.fields[column].digits = f.fields[column].exact }

func (f *file) Rows(ctx context.Context, columns []int) { f.ctx, f.want = ctx, columns }

// load reads the next block. It returns io.EOF after the last one.
func (f *file) load() error {
	if f.next == f.size {
		return io.EOF
	}
	n, err := f.long()
	if err != nil {
		return err
	}
	packed, err := f.bytes()
	if err != nil {
		return err
	}
	var sync [16]byte
	if err := f.read(sync[:]); err != nil {
		return err
	}
	if sync != f.sync {
		return errDamaged
	}
	if f.block, err = f.unpack(packed); err != nil {
		return err
	}
	if n < 0 || n > int64(len(f.block)) && n > 1 {
		return fmt.Errorf("the file is damaged: a block of %d bytes cannot have %d rows", len(f.block), n)
	}
	f.rows = n
	return nil
}

// unpack returns the rows of a block. The next block overwrites their memory.
func (f *file) unpack(b []byte) ([]byte, error) {
	var sum uint32
	if f.codec == codec.Snappy {
		if len(b) < 4 {
			return nil, errDamaged
		}
		b, sum = b[:len(b)-4], binary.BigEndian.Uint32(b[len(b)-4:])
	}
	out, err := f.codec.Unpack(f.room, b)
	for room := max(4*len(b), 1<<16); errors.Is(err, codec.ErrMore) && cap(f.room) < mostBlock; room *= 4 {
		if room <= cap(f.room) {
			continue
		}
		f.room = make([]byte, 0, min(room, mostBlock))
		out, err = f.codec.Unpack(f.room, b)
	}
	switch {
	case errors.Is(err, codec.ErrMore):
		return nil, fmt.Errorf("a block unpacks to more than %d bytes: write it with smaller blocks", mostBlock)
	case err != nil:
		return nil, fmt.Errorf("the file is damaged: %w", err)
	case f.codec == codec.Snappy && crc32.ChecksumIEEE(out) != sum:
		return nil, errDamaged
	}
	return out, nil
}

func (f *file) Next() (*columnar.Batch, error) {
	for f.rows == 0 {
		if len(f.block) > 0 {
			return nil, errDamaged
		}
		if err := f.ctx.Err(); err != nil {
			return nil, err
		}
		if err := f.load(); err != nil {
			return nil, err
		}
	}
	n := int(min(f.rows, int64(columnar.BatchRows(len(f.want)))))
	if f.batch.Columns == nil {
		f.batch.Columns = make([]columnar.Values, len(f.want))
	}
	b := &f.batch
	b.Rows = n
	to := make([]*columnar.Values, len(f.fields))
	for k, c := range f.want {
		v := &b.Columns[k]
		if v.Null = nil; f.columns[c].Kind != columnar.Text && !f.fields[c].digits {
			v.Numbers = columnar.Sized(v.Numbers, n)
		} else {
			v.Text = columnar.Sized(v.Text, n)
		}
		to[c] = v
	}
	d := decoder{b: f.block}
	var v value // One variable serves all values, since it escapes to the heap.
	for i := range n {
		for c, field := range f.fields {
			v = value{}
			field.decode(&d, &v)
			if d.bad {
				return nil, errDamaged
			}
			if to[c] == nil {
				continue
			}
			switch {
			case v.null:
				if to[c].Null == nil {
					to[c].Null = make([]bool, n)
				}
				to[c].Null[i] = true
			case to[c].Numbers != nil:
				to[c].Numbers[i] = v.number
			case v.decimal != nil:
				to[c].Text[i] = v.decimal.Text(v.text)
			case v.text != nil:
				to[c].Text[i] = string(v.text)
			case field.digits:
				to[c].Text[i] = strconv.FormatInt(v.whole, 10)
			default:
				to[c].Text[i] = v.symbol
			}
		}
	}
	f.block = d.b
	f.rows -= int64(n)
	return b, nil
}

func (f *file) Close() error { return nil }

// value is a value of a field: a number or text.
type value struct {
	number  float64
	whole   int64 // of an integer
	text    []byte
	decimal *decimals.Decimal // that text is the bytes of
	symbol  string            // the text of an enum, which all rows share
	null    bool
}

// decoder takes values from the front of b.
type decoder struct {
	b   []byte
	bad bool
}

func (d *decoder) long() int64 {
	v, n := binary.Varint(d.b)
	if n <= 0 {
		d.bad = true
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *decoder) take(n int64) []byte {
	if n < 0 || n > int64(len(d.b)) {
		d.bad = true
		return nil
	}
	b := d.b[:n]
	d.b = d.b[n:]
	return b
}

func (d *decoder) float() float64 {
	if b := d.take(4); b != nil {
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	}
	return 0
}

func (d *decoder) double() float64 {
	if b := d.take(8); b != nil {
		return math.Float64frombits(binary.LittleEndian.Uint64(b))
	}
	return 0
}

// items skips the items of an array or a map. If items may have no bytes at all, their number
// does not matter.
func (d *decoder) items(item func(*decoder)) {
	for !d.bad {
		n := d.long()
		if n == 0 {
			return
		}
		if n < 0 {
			d.take(d.long())
			continue
		}
		for ; n > 0 && !d.bad; n-- {
			before := len(d.b)
			if item(d); len(d.b) == before {
				break
			}
		}
	}
}
