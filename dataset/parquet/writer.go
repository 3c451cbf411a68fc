package parquet

import (
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

// Column is a column of a table to be written: of text, or of float64.
type Column struct {
	Name string
	Text bool
}

// Writer writes a table as Parquet, compressed with Snappy, row by row.
type Writer struct {
	columns []Column
	file    *pqarrow.FileWriter
	record  *array.RecordBuilder
	at      int // column of the next value
	rows    int // of record
}

// Rows of a row group: of five columns about 5 MB.
const groupRows = 1 << 17

// NewWriter returns a writer of a table to w. All columns may have nulls.
func NewWriter(w io.Writer, columns []Column) (*Writer, error) {
	fields := make([]arrow.Field, len(columns))
	for i, c := range columns {
		fields[i] = arrow.Field{Name: c.Name, Type: arrow.PrimitiveTypes.Float64, Nullable: true}
		if c.Text {
			fields[i].Type = arrow.BinaryTypes.String
		}
	}
	schema := arrow.NewSchema(fields, nil)
	properties := parquet.NewWriterProperties(parquet.WithCompression(compress.Codecs.Snappy), parquet.WithMaxRowGroupLength(groupRows))
	// A plain io.Writer, so that closing the file does not close w.
	file, err := pqarrow.NewFileWriter(schema, struct{ io.Writer }{w}, properties, pqarrow.DefaultWriterProps())
	if err != nil {
		return nil, err
	}
	return &Writer{columns: columns, file: file, record: array.NewRecordBuilder(memory.DefaultAllocator, schema)}, nil
}

// Text writes the next value of the row, of a column of text.
func (w *Writer) Text(s string) {
	w.record.Field(w.at).(*array.StringBuilder).Append(s)
	w.at++
}

// Number writes the next value of the row, of a column of numbers.
func (w *Writer) Number(v float64) {
	w.record.Field(w.at).(*array.Float64Builder).Append(v)
	w.at++
}

// Null writes the next value of the row as missing.
func (w *Writer) Null() {
	w.record.Field(w.at).AppendNull()
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

func (w *Writer) flush() error {
	if w.rows == 0 {
		return nil
	}
	w.rows = 0
	r := w.record.NewRecordBatch()
	defer r.Release()
	return w.file.WriteBuffered(r)
}

// Close writes what is left and the end of the file. It does not close what the
// table is written to.
func (w *Writer) Close() error {
	if err := w.flush(); err != nil {
		return err
	}
	return w.file.Close()
}
