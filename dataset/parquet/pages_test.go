package parquet

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// Pages end within batches and batches within pages: every value and every null is where
// it was written.
func TestPagesWithinBatches(t *testing.T) {
	const n = 20_000
	for name, missing := range map[string]func(i int) bool{
		"none": func(int) bool { return false },
		"some": func(i int) bool { return i*7919%1000 < 30 },
		"most": func(i int) bool { return i*7919%1000 > 20 },
		"runs": func(i int) bool { return i/700%2 == 1 },
		"all":  func(int) bool { return true },
	} {
		for _, kind := range []parquet.Type{parquet.Types.Double, parquet.Types.Int64} {
			var doubles []float64
			var longs []int64
			levels := make([]int16, n)
			for i := range n {
				if !missing(i) {
					levels[i] = 1
					doubles, longs = append(doubles, float64(3*i)), append(longs, int64(3*i))
				}
			}
			data := inPages(t, kind, func(c file.ColumnChunkWriter) error {
				var err error
				if kind == parquet.Types.Double {
					_, err = c.(*file.Float64ColumnChunkWriter).WriteBatch(doubles, levels, nil)
				} else {
					_, err = c.(*file.Int64ColumnChunkWriter).WriteBatch(longs, levels, nil)
				}
				return err
			})
			f, err := openParquet(bytes.NewReader(data), int64(len(data)))
			if err != nil {
				t.Fatal(err)
			}
			f.Rows(t.Context(), []int{0})
			at := 0
			for b, err := f.Next(); err != io.EOF; b, err = f.Next() {
				if err != nil {
					t.Fatal(name, kind, err)
				}
				v := b.Columns[0]
				for i := range b.Rows {
					null := v.Null != nil && v.Null[i]
					if null != missing(at+i) || !null && v.Numbers[i] != float64(3*(at+i)) {
						t.Fatalf("%s, %v: row %d is %v, missing %v", name, kind, at+i, v.Numbers[i], null)
					}
				}
				at += b.Rows
			}
			if err := f.Close(); err != nil || at != n {
				t.Errorf("%s, %v: %d rows, %v", name, kind, at, err)
			}
		}
	}
}

// inPages returns a file of one column in one row group, in many pages.
func inPages(t *testing.T, kind parquet.Type, write func(file.ColumnChunkWriter) error) []byte {
	t.Helper()
	node, err := schema.NewPrimitiveNodeLogical("x", parquet.Repetitions.Optional, schema.NoLogicalType{}, kind, 0, -1)
	if err != nil {
		t.Fatal(err)
	}
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, schema.FieldList{node}, -1)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	small := parquet.NewWriterProperties(parquet.WithDataPageSize(3000), parquet.WithBatchSize(97), parquet.WithDictionaryDefault(false))
	f := file.NewParquetWriter(&b, root, file.WithWriterProps(small))
	g := f.AppendBufferedRowGroup()
	c, err := g.Column(0)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(write(c), g.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
