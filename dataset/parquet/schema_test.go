package parquet

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"math/big"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/rffgo/rff/internal/columnar"
)

// column writes three rows of one column, the second of them null, with the schema
// that Arrow's writers add where arrowType is not nil.
func column(t *testing.T, kind parquet.Type, logical schema.LogicalType, size int, arrowType arrow.DataType, write func(file.ColumnChunkWriter, []int16) error) []byte {
	t.Helper()
	node, err := schema.NewPrimitiveNodeLogical("x", parquet.Repetitions.Optional, logical, kind, size, -1)
	if err != nil {
		t.Fatal(err)
	}
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, schema.FieldList{node}, -1)
	if err != nil {
		t.Fatal(err)
	}
	remarks := metadata.NewKeyValueMetadata()
	if arrowType != nil {
		var message bytes.Buffer
		w := ipc.NewWriter(&message, ipc.WithSchema(arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrowType, Nullable: true}}, nil)))
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if err := remarks.Append("ARROW:schema", base64.StdEncoding.EncodeToString(message.Bytes())); err != nil {
			t.Fatal(err)
		}
	}
	var b bytes.Buffer
	f := file.NewParquetWriter(&b, root, file.WithWriteMetadata(remarks))
	g := f.AppendBufferedRowGroup()
	c, err := g.Column(0)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(write(c, []int16{1, 0, 1}), g.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Every type of numbers has the values that were written, and the null where it was.
func TestPhysicalTypes(t *testing.T) {
	ints := func(v ...int32) func(file.ColumnChunkWriter, []int16) error {
		return func(c file.ColumnChunkWriter, levels []int16) error {
			_, err := c.(*file.Int32ColumnChunkWriter).WriteBatch(v, levels, nil)
			return err
		}
	}
	longs := func(v ...int64) func(file.ColumnChunkWriter, []int16) error {
		return func(c file.ColumnChunkWriter, levels []int16) error {
			_, err := c.(*file.Int64ColumnChunkWriter).WriteBatch(v, levels, nil)
			return err
		}
	}
	fixed := func(v ...[]byte) func(file.ColumnChunkWriter, []int16) error {
		return func(c file.ColumnChunkWriter, levels []int16) error {
			_, err := c.(*file.FixedLenByteArrayColumnChunkWriter).WriteBatch([]parquet.FixedLenByteArray{v[0], v[1]}, levels, nil)
			return err
		}
	}
	strings := func(v ...[]byte) func(file.ColumnChunkWriter, []int16) error {
		return func(c file.ColumnChunkWriter, levels []int16) error {
			_, err := c.(*file.ByteArrayColumnChunkWriter).WriteBatch([]parquet.ByteArray{v[0], v[1]}, levels, nil)
			return err
		}
	}
	wide := make([]byte, 16) // −1234567890123456789012345 in two's complement
	n, _ := new(big.Int).SetString("1234567890123456789012345", 10)
	new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 128), n).FillBytes(wide)
	none := schema.LogicalType(schema.NoLogicalType{})
	for name, c := range map[string]struct {
		kind    parquet.Type
		logical schema.LogicalType
		size    int
		write   func(file.ColumnChunkWriter, []int16) error
		want    [2]float64
	}{
		"int32":         {parquet.Types.Int32, none, 0, ints(-7, math.MaxInt32), [2]float64{-7, math.MaxInt32}},
		"int8":          {parquet.Types.Int32, schema.NewIntLogicalType(8, true), 0, ints(-7, 127), [2]float64{-7, 127}},
		"uint32":        {parquet.Types.Int32, schema.NewIntLogicalType(32, false), 0, ints(-1, 5), [2]float64{math.MaxUint32, 5}},
		"uint64":        {parquet.Types.Int64, schema.NewIntLogicalType(64, false), 0, longs(-1, 5), [2]float64{math.MaxUint64, 5}},
		"int64":         {parquet.Types.Int64, none, 0, longs(-1, 1<<53), [2]float64{-1, 1 << 53}},
		"decimal of 32": {parquet.Types.Int32, schema.NewDecimalLogicalType(9, 1), 0, ints(3, -12), [2]float64{.3, -1.2}},
		"decimal of 64": {parquet.Types.Int64, schema.NewDecimalLogicalType(18, 2), 0, longs(7, -5), [2]float64{.07, -.05}},
		"decimal wide":  {parquet.Types.FixedLenByteArray, schema.NewDecimalLogicalType(38, 20), 16, fixed(wide, make([]byte, 16)), [2]float64{-12345.67890123456789012345, 0}},
		"decimal text":  {parquet.Types.ByteArray, schema.NewDecimalLogicalType(38, 1), -1, strings([]byte{0xff}, []byte{1, 0}), [2]float64{-.1, 25.6}},
		"float16":       {parquet.Types.FixedLenByteArray, schema.Float16LogicalType{}, 2, fixed(binary.LittleEndian.AppendUint16(nil, 0x3e00), binary.LittleEndian.AppendUint16(nil, 0xc000)), [2]float64{1.5, -2}},
	} {
		data := column(t, c.kind, c.logical, c.size, nil, c.write)
		f, err := openParquet(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(name, err)
		}
		f.Rows(context.Background(), []int{0})
		b, err := f.Next()
		if err != nil {
			t.Fatal(name, err)
		}
		v := b.Columns[0]
		if b.Rows != 3 || v.Numbers[0] != c.want[0] || v.Numbers[2] != c.want[1] || !slices.Equal(v.Null, []bool{false, true, false}) {
			t.Errorf("%s: %+v, want %v", name, v, c.want)
		}
		if _, err := f.Next(); err != io.EOF {
			t.Errorf("%s: %v", name, err)
		}
		f.Close()
	}
}

// A file with a few bytes changed is read to its end or refused: no panic, and no
// reading for ever, which the library does after some of the changes.
func TestChangedBytes(t *testing.T) {
	whole, err := os.ReadFile("testdata/null_columns.parquet")
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	for i := range whole {
		for change := range 9 {
			data := bytes.Clone(whole)
			if change < 8 {
				data[i] ^= 1 << change
			} else { // a number in metadata that is very large
				for k := i; k < min(i+9, len(data)); k++ {
					data[k] = 0xff
				}
			}
			if readAll(data) != nil {
				refused++
			}
		}
	}
	if refused < len(whole) {
		t.Errorf("of %d changes only %d are noticed", 9*len(whole), refused)
	}
}

// readAll reads every column of a Parquet file.
func readAll(data []byte) error {
	f, err := openParquet(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return err
	}
	defer f.Close()
	var columns []int
	for i, c := range f.Columns() {
		if c.Kind != columnar.Refused {
			columns = append(columns, i)
		}
	}
	if len(columns) == 0 {
		return nil
	}
	f.Rows(context.Background(), columns)
	for range 10 {
		if _, err := f.Next(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
	return nil
}

// What Parquet takes for an integer is refused where Arrow's schema says that it is a
// time; a schema of Arrow that is none is refused, too.
func TestArrowSchema(t *testing.T) {
	write := func(c file.ColumnChunkWriter, levels []int16) error {
		_, err := c.(*file.Int64ColumnChunkWriter).WriteBatch([]int64{1, 2}, levels, nil)
		return err
	}
	kind := func(data []byte) (columnar.Column, error) {
		f, err := openParquet(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return columnar.Column{}, err
		}
		defer f.Close()
		return f.Columns()[0], nil
	}
	none := schema.LogicalType(schema.NoLogicalType{})
	plain, err := kind(column(t, parquet.Types.Int64, none, 0, arrow.PrimitiveTypes.Int64, write))
	if err != nil || plain.Kind != columnar.Number {
		t.Errorf("%+v, %v", plain, err)
	}
	data := column(t, parquet.Types.Int64, none, 0, arrow.FixedWidthTypes.Duration_ms, write)
	duration, err := kind(data)
	if err != nil || duration.Kind != columnar.Refused || !strings.Contains(duration.Need, "date or time") {
		t.Errorf("%+v, %v", duration, err)
	}
	at := bytes.Index(data, []byte("ARROW:schema")) + len("ARROW:schema")
	for i := range 40 {
		broken := bytes.Clone(data)
		broken[at+8+i*3] ^= 0x15
		kind(broken) // an error or another type, and no panic
	}
	copy(data[at+4:], "!!!!")
	if _, err := kind(data); err == nil {
		t.Error("a schema that is no base64 was taken")
	}
}
