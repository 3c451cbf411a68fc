package parquet

import (
	"io"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// Column is a column of a table to be written: of text, or of float64.
type Column struct {
	Name string
	Text bool
}

// Writer writes a table as Parquet, compressed with Snappy, row by row.
type Writer struct {
	columns []values
	file    *file.Writer
	group   file.BufferedRowGroupWriter // nil before its first rows
	at      int                         // column of the next value
	rows    int                         // waiting in columns
	grouped int                         // handed to group
}

// values are those of a column that wait to be encoded.
type values struct {
	text    bool
	numbers []float64
	strings []parquet.ByteArray
	levels  []int16 // 1 for a value, 0 for a missing one
}

// Rows of a row group: of five columns about 5 MB.
const groupRows = 1 << 17

// NewWriter returns a writer of a table to w. All columns may have nulls.
func NewWriter(w io.Writer, columns []Column) (*Writer, error) {
	fields, waiting := make(schema.FieldList, len(columns)), make([]values, len(columns))
	for i, c := range columns {
		kind, logical := parquet.Types.Double, schema.LogicalType(schema.NoLogicalType{})
		if c.Text {
			kind, logical = parquet.Types.ByteArray, schema.StringLogicalType{}
		}
		node, err := schema.NewPrimitiveNodeLogical(c.Name, parquet.Repetitions.Optional, logical, kind, 0, -1)
		if err != nil {
			return nil, err
		}
		fields[i], waiting[i].text = node, c.Text
	}
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, fields, -1)
	if err != nil {
		return nil, err
	}
	properties := parquet.NewWriterProperties(parquet.WithCompression(compress.Codecs.Snappy))
	// A plain io.Writer, so that closing the file does not close w.
	out := file.NewParquetWriter(struct{ io.Writer }{w}, root, file.WithWriterProps(properties))
	return &Writer{columns: waiting, file: out}, nil
}

// Text writes the next value of the row, of a column of text.
func (w *Writer) Text(s string) {
	c := w.next(true)
	c.strings, c.levels = append(c.strings, parquet.ByteArray(s)), append(c.levels, 1)
}

// Number writes the next value of the row, of a column of numbers.
func (w *Writer) Number(v float64) {
	c := w.next(false)
	c.numbers, c.levels = append(c.numbers, v), append(c.levels, 1)
}

// next returns the column of the next value, and goes on.
func (w *Writer) next(text bool) *values {
	c := &w.columns[w.at]
	if c.text != text {
		panic("parquet: a value of another type than its column")
	}
	w.at++
	return c
}

// Null writes the next value of the row as missing.
func (w *Writer) Null() {
	c := &w.columns[w.at]
	c.levels = append(c.levels, 0)
	w.at++
}

// EndRow ends the row, which must have a value in every column.
func (w *Writer) EndRow() error {
	if w.at != len(w.columns) {
		panic("parquet: a row needs a value in every column")
	}
	w.at = 0
	if w.rows++; w.rows < mostRows {
		return nil
	}
	return w.flush()
}

// flush hands the rows that wait to the row group, and writes it once it is full.
func (w *Writer) flush() error {
	if w.rows == 0 {
		return nil
	}
	if w.group == nil {
		w.group = w.file.AppendBufferedRowGroup()
	}
	for i := range w.columns {
		c := &w.columns[i]
		out, err := w.group.Column(i)
		if err != nil {
			return err
		}
		if c.text {
			_, err = out.(*file.ByteArrayColumnChunkWriter).WriteBatch(c.strings, c.levels, nil)
		} else {
			_, err = out.(*file.Float64ColumnChunkWriter).WriteBatch(c.numbers, c.levels, nil)
		}
		if err != nil {
			return err
		}
		c.numbers, c.strings, c.levels = c.numbers[:0], c.strings[:0], c.levels[:0]
	}
	w.grouped += w.rows
	w.rows = 0
	if w.grouped < groupRows {
		return nil
	}
	return w.endGroup()
}

func (w *Writer) endGroup() error {
	if w.group == nil {
		return nil
	}
	group := w.group
	w.group, w.grouped = nil, 0
	return group.Close()
}

// Close writes what is left and the end of the file. It does not close what the
// table is written to.
func (w *Writer) Close() error {
	if err := w.flush(); err != nil {
		return err
	}
	if err := w.endGroup(); err != nil {
		return err
	}
	return w.file.Close()
}
