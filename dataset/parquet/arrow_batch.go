package parquet

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/klauspost/compress/zstd"

	"github.com/rffgo/rff/dataset/internal/codec"
	"github.com/rffgo/rff/internal/columnar"
)

const (
	mostWords    = 1 << 21  // of a dictionary
	mostWordText = 32 << 20 // bytes of the words of a dictionary
	zstdWindow   = 8 << 20
)

var errWords = fmt.Errorf("a dictionary has more than %d words or %d bytes: its column is no category: name other inputs (Inputs)", mostWords, mostWordText)

// recordBatch reads some columns of a record batch, a few rows at a time. Its buffers are
// read as streams, so that its size does not matter.
type recordBatch struct {
	at       io.ReaderAt
	m        message
	codec    int // −1: none
	columns  []*arrowColumn
	left     int64 // rows
	batch    int
	memory   int64 // of its buffers
	mostText int64
}

// newRecordBatch begins a record batch. t has its metadata.
func newRecordBatch(at io.ReaderAt, m message, t table, fields []*arrowField, want []int) (*recordBatch, error) {
	r := &recordBatch{at: at, m: m, codec: -1, left: t.int64(0), batch: columnar.BatchRows(len(want)) &^ 7, mostText: mostText}
	if c := t.table(3); c.pos != 0 {
		if r.codec = int(c.byte(0)); r.codec > 1 || c.byte(1) != 0 {
			return nil, fmt.Errorf("is compressed with codec %d: write it with lz4 or zstd", r.codec)
		}
	}
	nodes, buffers, views := t.vector(1, 16), t.vector(2, 16), t.vector(4, 8)
	if t.pos == 0 || *t.bad || r.left < 0 {
		return nil, errArrow
	}
	for i, f := range fields {
		more := 0 // buffers of text in views
		for k := range f.views {
			if len(views) < 8*(k+1) {
				return nil, errArrow
			}
			n := binary.LittleEndian.Uint64(views[8*k:])
			if n > uint64(len(buffers)/16) {
				return nil, errArrow
			}
			more += int(n)
		}
		count := f.buffers + more
		if 16*f.nodes > len(nodes) || 16*count > len(buffers) {
			return nil, errArrow
		}
		if len(want) > 0 && want[0] == i {
			want = want[1:]
			if int64(binary.LittleEndian.Uint64(nodes)) != r.left {
				return nil, errArrow
			}
			c, err := r.column(f, buffers[:16*count])
			if c != nil {
				r.columns = append(r.columns, c)
			}
			if err != nil {
				r.close()
				return nil, fmt.Errorf("column %q: %w", f.column.Name, err)
			}
		}
		nodes, buffers, views = nodes[16*f.nodes:], buffers[16*count:], views[8*f.views:]
	}
	return r, nil
}

// arrowColumn reads a column of a record batch.
type arrowColumn struct {
	*arrowField
	valid *buffer
	data  *buffer
	text  *buffer // of text that has offsets
	views []*io.SectionReader
	last  int64 // the offset that was read last
	long  []byte
}

func (r *recordBatch) column(f *arrowField, buffers []byte) (*arrowColumn, error) {
	c := &arrowColumn{arrowField: f}
	if f.kind == arrowNull {
		return c, nil
	}
	bits, rows := int64(f.bits), r.left
	wide := f.kind == arrowLargeBinary || f.kind == arrowLargeUtf8
	offsets := wide || f.kind == arrowBinary || f.kind == arrowUtf8
	switch {
	case f.kind == arrowBinaryView || f.kind == arrowUtf8View:
		bits = 128
	case wide:
		bits, rows = 64, rows+1
	case offsets:
		bits, rows = 32, rows+1
	}
	var err error
	open := func(i int) (b *buffer) {
		if err == nil {
			b, err = r.buffer(buffers[16*i:])
		}
		return b
	}
	if c.valid, c.data = open(0), open(1); err != nil {
		return c, err
	}
	if c.valid.size == 0 {
		c.valid = nil // nothing is missing
	} else if c.valid.size < (r.left+7)/8 {
		return c, errArrow
	}
	if rows > math.MaxInt64/256 || c.data.size < (rows*bits+7)/8 && r.left > 0 {
		return c, errArrow
	}
	if offsets && r.left > 0 {
		if c.text = open(2); err != nil {
			return c, err
		}
		c.last, err = c.offset()
		if err == nil && (c.last < 0 || c.last > c.text.size) {
			err = errArrow
		}
		if err == nil {
			_, err = io.CopyN(io.Discard, c.text, c.last)
		}
		return c, err
	}
	for i := 2; bits == 128 && i < len(buffers)/16; i++ {
		b := open(i)
		if err != nil {
			return c, err
		}
		section, whole := b.Reader.(*io.SectionReader)
		if !whole || r.codec >= 0 { // views may lead to any place of a buffer
			if r.memory += b.size; r.memory > mostPages {
				return c, errBuffers
			}
			all, e := b.read(int(b.size))
			if e != nil {
				return c, e
			}
			section = io.NewSectionReader(bytesAt(all), 0, b.size)
		}
		b.close()
		c.views = append(c.views, section)
	}
	return c, nil
}

// offset reads the next offset of text.
func (c *arrowColumn) offset() (int64, error) {
	if c.kind == arrowLargeBinary || c.kind == arrowLargeUtf8 {
		b, err := c.data.read(8)
		if err != nil {
			return 0, err
		}
		return int64(binary.LittleEndian.Uint64(b)), nil
	}
	b, err := c.data.read(4)
	if err != nil {
		return 0, err
	}
	return int64(int32(binary.LittleEndian.Uint32(b))), nil
}

// buffer is a buffer of a record batch, read from its beginning on.
type buffer struct {
	io.Reader
	size  int64 // bytes, unpacked
	close func()
	b     []byte
}

var (
	errBuffers = fmt.Errorf("its buffers take more than %d bytes at once: name fewer inputs (Inputs), or write smaller record batches", mostPages)
	errBody    = errors.New("the file is damaged: the compressed data cannot be unpacked")
)

// buffer opens the buffer that is described in 16 bytes.
func (r *recordBatch) buffer(description []byte) (*buffer, error) {
	from, size := int64(binary.LittleEndian.Uint64(description)), int64(binary.LittleEndian.Uint64(description[8:]))
	if from < 0 || size < 0 || from > r.m.end-r.m.body || size > r.m.end-r.m.body-from {
		return nil, errArrow
	}
	b := &buffer{size: size, close: func() {}}
	section := io.NewSectionReader(r.at, r.m.body+from, size)
	b.Reader = section
	if r.codec < 0 || size == 0 {
		return b, nil
	}
	head, err := b.read(8)
	if err != nil {
		return nil, errArrow
	}
	b.size = int64(binary.LittleEndian.Uint64(head))
	if b.size == -1 { // it is not compressed, because that would not have made it smaller
		b.size = size - 8
		return b, nil
	}
	if b.size < 0 {
		return nil, errArrow
	}
	if r.memory += min(2*b.size, zstdWindow) + 1<<17; r.memory > mostPages {
		return nil, errBuffers
	}
	packed := bufio.NewReaderSize(section, 1<<15)
	if r.codec == 0 {
		b.Reader = codec.LZ4Reader(packed, b.size)
		return b, nil
	}
	z, err := zstd.NewReader(packed, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(zstdWindow))
	if err != nil {
		return nil, errBody
	}
	b.Reader, b.close = z, z.Close
	return b, nil
}

// read returns the next n bytes, which hold until the next call.
func (b *buffer) read(n int) ([]byte, error) {
	b.b = columnar.Sized(b.b, n)
	if _, err := io.ReadFull(b.Reader, b.b); err != nil {
		return nil, errBody
	}
	return b.b, nil
}

func (r *recordBatch) close() {
	for _, c := range r.columns {
		for _, b := range []*buffer{c.valid, c.data, c.text} {
			if b != nil {
				b.close()
			}
		}
	}
}

// read returns the next rows.
func (r *recordBatch) read(words map[int64]*columnar.Values) (*columnar.Batch, error) {
	b := &columnar.Batch{Rows: int(min(int64(r.batch), r.left)), Columns: make([]columnar.Values, len(r.columns))}
	text := int64(0)
	for i, c := range r.columns {
		v, err := c.values(b.Rows, r.mostText-text)
		if err == nil && c.dictionary != nil {
			v, err = v.lookup(words[c.id], c.dictionary)
		} else {
			for _, s := range v.Text {
				text += int64(len(s))
			}
		}
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", c.column.Name, err)
		}
		b.Columns[i] = v.Values
	}
	r.left -= int64(b.Rows)
	return b, nil
}

// all returns all values of a dictionary.
func (r *recordBatch) all() (*columnar.Values, error) {
	if r.left > mostWords {
		return nil, errWords
	}
	v, err := r.columns[0].values(int(r.left), mostWordText)
	if errors.Is(err, errText) {
		err = errWords
	}
	return &v.Values, err
}

type arrowValues struct{ columnar.Values }

// lookup replaces indices by the words of a dictionary. A value is also missing if the
// dictionary has a null at its index.
func (v arrowValues) lookup(words *columnar.Values, of *arrowField) (arrowValues, error) {
	if words == nil {
		words = new(columnar.Values) // without a dictionary all values must be nulls
	}
	out := columnar.Values{Null: v.Null}
	isText := of.column.Kind == columnar.Text || of.digits
	if isText {
		out.Text = make([]string, len(v.Numbers))
	} else {
		out.Numbers = make([]float64, len(v.Numbers))
	}
	n := float64(max(len(words.Text), len(words.Numbers)))
	for i, index := range v.Numbers {
		if out.Null != nil && out.Null[i] {
			continue
		}
		if index < 0 || index >= n {
			return v, errors.New("the file is damaged: a value is not in its dictionary")
		}
		k := int(index)
		switch {
		case words.Null != nil && words.Null[k]:
			if out.Null == nil {
				out.Null = make([]bool, len(v.Numbers))
			}
			out.Null[i] = true
		case isText:
			out.Text[i] = words.Text[k]
		default:
			out.Numbers[i] = words.Numbers[k]
		}
	}
	return arrowValues{out}, nil
}

// values reads the next values.
func (c *arrowColumn) values(n int, mostText int64) (v arrowValues, err error) {
	if c.kind == arrowNull || c.valid != nil {
		v.Null = make([]bool, n)
	}
	if c.valid != nil {
		b, err := c.valid.read((n + 7) / 8)
		if err != nil {
			return v, err
		}
		some := false
		for i := range n {
			v.Null[i] = b[i/8]>>(i%8)&1 == 0
			some = some || v.Null[i]
		}
		if !some {
			v.Null = nil
		}
	}
	switch {
	case c.kind == arrowNull:
		for i := range v.Null {
			v.Null[i] = true
		}
		v.Numbers = make([]float64, n)
	case c.text != nil || c.kind == arrowUtf8 || c.kind == arrowBinary:
		v.Text, err = c.strings(n, v.Null, mostText)
	case c.kind == arrowBinaryView || c.kind == arrowUtf8View:
		v.Text, err = c.viewed(n, v.Null, mostText)
	default:
		var b []byte
		if b, err = c.data.read((n*c.bits + 7) / 8); err != nil {
			break
		}
		if c.digits {
			v.Text = c.exact(n, b)
		} else {
			v.Numbers = make([]float64, n)
			c.convert(v.Numbers, b)
		}
	}
	return v, err
}

// strings reads text that has offsets.
func (c *arrowColumn) strings(n int, null []bool, most int64) ([]string, error) {
	if n == 0 {
		return nil, nil
	}
	out, ends, from := make([]string, n), make([]int64, n), c.last
	for i := range ends {
		end, err := c.offset()
		if err != nil {
			return nil, err
		}
		if end < c.last || end > c.text.size {
			return nil, errArrow
		}
		ends[i], c.last = end, end
	}
	if c.last-from > most {
		return nil, errText
	}
	b, err := c.text.read(int(c.last - from))
	if err != nil {
		return nil, err
	}
	all, start := string(b), from
	for i, end := range ends {
		if null == nil || !null[i] {
			out[i] = all[start-from : end-from]
		}
		start = end
	}
	return out, nil
}

// viewed reads text in views. A view itself holds up to twelve bytes of text.
func (c *arrowColumn) viewed(n int, null []bool, most int64) ([]string, error) {
	b, err := c.data.read(16 * n)
	if err != nil {
		return nil, err
	}
	out := make([]string, n)
	for i := range out {
		view := b[16*i:][:16]
		size := binary.LittleEndian.Uint32(view)
		if null != nil && null[i] {
			continue
		}
		if most -= int64(size); most < 0 {
			return nil, errText
		}
		if size <= 12 {
			out[i] = string(view[4:][:size])
			continue
		}
		k, from := binary.LittleEndian.Uint32(view[8:]), binary.LittleEndian.Uint32(view[12:])
		if int64(k) >= int64(len(c.views)) || int64(from)+int64(size) > c.views[k].Size() {
			return nil, errArrow
		}
		c.long = columnar.Sized(c.long, int(size))
		if err := readAt(c.views[k], c.long, int64(from)); err != nil {
			return nil, err
		}
		out[i] = string(c.long)
	}
	return out, nil
}

// exact turns n integers of 64 bits or decimals into text.
func (c *arrowColumn) exact(n int, b []byte) []string {
	if c.kind != arrowDecimal {
		return c.fixed().Digits(n, b, 8)
	}
	out := make([]string, n)
	c.decimals(b[:n*c.bits/8], func(i int, b []byte) { out[i] = c.decimal.Text(b) })
	return out
}

// decimals yields decimals with the highest byte first.
func (c *arrowColumn) decimals(values []byte, yield func(i int, b []byte)) {
	size := c.bits / 8
	reversed := make([]byte, size)
	for i := range len(values) / size {
		copy(reversed, values[i*size:])
		slices.Reverse(reversed)
		yield(i, reversed)
	}
}

// convert turns values into float64.
func (c *arrowColumn) convert(out []float64, b []byte) {
	switch {
	case c.kind == arrowDecimal:
		c.decimals(b[:len(out)*c.bits/8], func(i int, b []byte) { out[i] = c.decimal.Bytes(b) })
	case c.bits == 1:
		for i := range out {
			out[i] = float64(b[i/8] >> (i % 8) & 1)
		}
	default:
		c.fixed().Convert(out, b, c.bits/8)
	}
}

// fixed says how numbers that are no decimals are stored.
func (f *arrowField) fixed() columnar.Fixed {
	kind := "u"
	switch {
	case f.kind == arrowFloat:
		kind = "f"
	case f.column.Nanos:
		kind = "n"
	case f.signed:
		kind = "i"
	}
	return columnar.Fixed(kind + strconv.Itoa(f.bits/8))
}
