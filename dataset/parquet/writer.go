package parquet

import (
	"encoding/binary"
	"io"
	"math"

	"github.com/golang/snappy"
)

// Column is a column of a table to be written: of text, or of float64.
type Column struct {
	Name string
	Text bool
}

// Writer writes a table as Parquet, compressed with Snappy, row by row.
type Writer struct {
	to      io.Writer
	written int64
	columns []values
	groups  []byte // metadata of the row groups that are written
	count   int    // of groups
	total   int64  // rows of groups
	at      int    // column of the next value
	rows    int    // rows that wait in columns
}

// values has the values of a column that wait to be written.
type values struct {
	Column
	page    []byte // PLAIN
	present []byte // levels, a bit for each row
	rows    int    // in page
	pages   []byte // finished pages of the row group
	plain   int64  // bytes of pages before compression
}

// The rows of a row group and of a page. A row group of five columns has about 5 MB.
const groupRows, pageRows = 1 << 17, 1 << 13

// NewWriter returns a writer of a table to w. All columns may have nulls.
func NewWriter(w io.Writer, columns []Column) (*Writer, error) {
	out := &Writer{to: w}
	for _, c := range columns {
		out.columns = append(out.columns, values{Column: c})
	}
	return out, out.write([]byte("PAR1"))
}

func (w *Writer) write(b []byte) error {
	n, err := w.to.Write(b)
	w.written += int64(n)
	return err
}

// Text writes the next value of the row. Its column must be one of text.
func (w *Writer) Text(s string) {
	c := w.next(true, true)
	c.page = append(binary.LittleEndian.AppendUint32(c.page, uint32(len(s))), s...)
}

// Number writes the next value of the row. Its column must be one of numbers.
func (w *Writer) Number(v float64) {
	c := w.next(true, false)
	c.page = binary.LittleEndian.AppendUint64(c.page, math.Float64bits(v))
}

// Null writes the next value of the row as missing.
func (w *Writer) Null() { w.next(false, false) }

// next returns the column of the next value and moves on to the one after it.
func (w *Writer) next(there, text bool) *values {
	c := &w.columns[w.at]
	if there && c.Text != text {
		panic("parquet: a value of another type than its column")
	}
	w.at++
	if c.rows%8 == 0 {
		c.present = append(c.present, 0)
	}
	if there {
		c.present[c.rows/8] |= 1 << (c.rows % 8)
	}
	c.rows++
	return c
}

// EndRow ends the row, which must have a value in every column.
func (w *Writer) EndRow() error {
	if w.at != len(w.columns) {
		panic("parquet: a row needs a value in every column")
	}
	w.at = 0
	w.rows++
	if w.rows%pageRows == 0 {
		w.endPages()
	}
	if w.rows < groupRows {
		return nil
	}
	return w.endGroup()
}

// endPages makes a page of the values that wait in each column.
func (w *Writer) endPages() {
	for i := range w.columns {
		c := &w.columns[i]
		if c.rows == 0 {
			continue
		}
		// The levels are one run of packed bits. Their length and the head of the run come first.
		run := binary.AppendUvarint(nil, uint64(len(c.present))<<1|1)
		body := binary.LittleEndian.AppendUint32(nil, uint32(len(run)+len(c.present)))
		body = append(append(append(body, run...), c.present...), c.page...)
		packed := snappy.Encode(nil, body)
		var h compact
		h.integer(1, pageData)
		h.integer(2, int64(len(body)))
		h.integer(3, int64(len(packed)))
		h.begin(5)
		h.integer(1, int64(c.rows))
		h.integer(2, encodingPlain)
		h.integer(3, encodingRLE)
		h.integer(4, encodingRLE)
		h.end()
		h.end()
		c.pages = append(append(c.pages, h.b...), packed...)
		c.plain += int64(len(h.b) + len(body))
		c.page, c.present, c.rows = c.page[:0], c.present[:0], 0
	}
}

// endGroup writes the rows that wait as a row group.
func (w *Writer) endGroup() error {
	if w.rows == 0 {
		return nil
	}
	w.endPages()
	var g compact
	g.listOf(1, len(w.columns), thriftStruct)
	total := int64(0)
	for i := range w.columns {
		c := &w.columns[i]
		start := w.written
		if err := w.write(c.pages); err != nil {
			return err
		}
		g.item()
		g.long(2, start)
		g.begin(3)
		g.integer(1, int64(c.physical()))
		g.listOf(2, 2, thriftInt32)
		g.b = append(g.b, 2*encodingPlain, 2*encodingRLE) // zigzag
		g.listOf(3, 1, thriftBinary)
		g.text(c.Name)
		g.integer(4, 1) // Snappy
		g.long(5, int64(w.rows))
		g.long(6, c.plain)
		g.long(7, int64(len(c.pages)))
		g.long(9, start)
		g.end()
		g.end()
		total += c.plain
		c.pages, c.plain = c.pages[:0], 0
	}
	g.long(2, total)
	g.long(3, int64(w.rows))
	g.end()
	w.groups = append(w.groups, g.b...)
	w.count++
	w.total += int64(w.rows)
	w.rows = 0
	return nil
}

func (c *values) physical() physical {
	if c.Text {
		return byteArrays
	}
	return doubles
}

// Close writes the rows that wait and the end of the file. It does not close the io.Writer of
// NewWriter.
func (w *Writer) Close() error {
	if err := w.endGroup(); err != nil {
		return err
	}
	var f compact
	f.integer(1, 1)
	f.listOf(2, 1+len(w.columns), thriftStruct)
	f.item()
	f.binary(4, "schema")
	f.integer(5, int64(len(w.columns)))
	f.end()
	for i := range w.columns {
		c := &w.columns[i]
		f.item()
		f.integer(1, int64(c.physical()))
		f.integer(3, 1) // optional
		f.binary(4, c.Name)
		if c.Text {
			f.integer(6, 0) // UTF-8, for old readers
			f.begin(10)
			f.begin(1)
			f.end()
			f.end()
		}
		f.end()
	}
	f.long(3, w.total)
	f.listOf(4, w.count, thriftStruct)
	f.b = append(f.b, w.groups...)
	f.binary(6, "rff")
	f.end()
	f.b = binary.LittleEndian.AppendUint32(f.b, uint32(len(f.b)))
	return w.write(append(f.b, "PAR1"...))
}

// compact writes Thrift's compact protocol.
type compact struct {
	b    []byte
	last []int // number of the last field of each open struct
	id   int
}

func (c *compact) head(id int, kind byte) {
	c.b = append(c.b, byte(id-c.id)<<4|kind) // no two fields are 16 numbers apart
	c.id = id
}

// integer writes a field of 32 bits. long writes one of 64.
func (c *compact) integer(id int, v int64) {
	c.head(id, thriftInt32)
	c.b = binary.AppendVarint(c.b, v)
}

func (c *compact) long(id int, v int64) {
	c.head(id, thriftInt64)
	c.b = binary.AppendVarint(c.b, v)
}

func (c *compact) binary(id int, s string) {
	c.head(id, thriftBinary)
	c.text(s)
}

func (c *compact) text(s string) {
	c.b = append(binary.AppendUvarint(c.b, uint64(len(s))), s...)
}

func (c *compact) listOf(id, n int, kind byte) {
	c.head(id, thriftList)
	c.b = append(c.b, 0xf0|kind)
	c.b = binary.AppendUvarint(c.b, uint64(n))
}

// begin begins a field that is a struct. item begins a struct in a list.
func (c *compact) begin(id int) {
	c.head(id, thriftStruct)
	c.item()
}

func (c *compact) item() { c.last, c.id = append(c.last, c.id), 0 }

// end ends a struct.
func (c *compact) end() {
	c.b = append(c.b, 0)
	if n := len(c.last); n > 0 {
		c.last, c.id = c.last[:n-1], c.last[n-1]
	}
}
