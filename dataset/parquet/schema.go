package parquet

import (
	"bytes"
	"encoding/base64"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/rffgo/rff/internal/columnar"
)

// columnsOf says what the columns of a Parquet file are to package dataset, and
// which of its leaves each is, −1 for a nested one.
func columnsOf(meta *metadata.FileMetaData) (columns []columnar.Column, leaves []int, err error) {
	root := meta.Schema.Root()
	known, err := arrowSchema(meta, root.NumFields())
	if err != nil {
		return nil, nil, err
	}
	for i := range root.NumFields() {
		n := root.Field(i)
		column, leaf := columnar.Column{Name: n.Name()}, -1
		if p, ok := n.(*schema.PrimitiveNode); ok && n.RepetitionType() != parquet.Repetitions.Repeated {
			leaf = meta.Schema.ColumnIndexByNode(n)
			column.Kind, column.Need = kindOfPrimitive(p)
		} else {
			column.Kind, column.Need = columnar.Refused, nested(shapeOf(n))
		}
		// Arrow's durations are integers to Parquet.
		if known != nil && known[i].Name == column.Name && column.Kind == columnar.Number {
			if kind, need := kindOf(known[i].Type); kind == columnar.Refused {
				column.Kind, column.Need = kind, need
			}
		}
		columns, leaves = append(columns, column), append(leaves, leaf)
	}
	return columns, leaves, nil
}

// arrowSchema returns the fields of the schema that Arrow's writers add, or nil.
func arrowSchema(meta *metadata.FileMetaData, fields int) ([]arrow.Field, error) {
	text := meta.KeyValueMetadata().FindValue("ARROW:schema")
	if text == nil {
		return nil, nil
	}
	message, err := base64.StdEncoding.DecodeString(*text)
	if err == nil {
		err = checkMessages(bytes.NewReader(message), int64(len(message)))
	}
	if err != nil {
		return nil, plainly(err)
	}
	r, err := ipc.NewReader(bytes.NewReader(message), ipc.WithAllocator(bounded{memory.DefaultAllocator}))
	if err != nil {
		return nil, plainly(err)
	}
	defer r.Release()
	if r.Schema().NumFields() != fields {
		return nil, nil // of another table: what Parquet itself says stands
	}
	return r.Schema().Fields(), nil
}

func kindOfPrimitive(n *schema.PrimitiveNode) (columnar.Kind, string) {
	physical, logical := n.PhysicalType(), n.LogicalType()
	switch l := logical.(type) {
	case schema.DateLogicalType, schema.TimeLogicalType, schema.TimestampLogicalType, schema.IntervalLogicalType:
		return columnar.Refused, time(logical)
	case schema.DecimalLogicalType:
		if l.Scale() < 0 || l.Scale() > columnar.MostDigits || n.TypeLength() > columnar.MostDigits {
			return columnar.Refused, fmt.Sprintf("is a decimal of scale %d and %d bytes: name other inputs", l.Scale(), n.TypeLength())
		}
		return columnar.Number, ""
	case schema.Float16LogicalType:
		return columnar.Number, ""
	}
	switch physical {
	case parquet.Types.Boolean, parquet.Types.Int32, parquet.Types.Int64, parquet.Types.Float, parquet.Types.Double:
		return columnar.Number, ""
	case parquet.Types.ByteArray:
		return columnar.Text, ""
	case parquet.Types.Int96:
		return columnar.Refused, time("of 96 bits")
	}
	if logical.IsNone() {
		return columnar.Refused, neither(fmt.Sprintf("%d bytes", n.TypeLength()))
	}
	return columnar.Refused, neither(logical)
}

// shapeOf names what a nested column is.
func shapeOf(n schema.Node) string {
	switch n.LogicalType().(type) {
	case schema.ListLogicalType:
		return "list"
	case schema.MapLogicalType:
		return "map"
	}
	if n.RepetitionType() == parquet.Repetitions.Repeated {
		return "list"
	}
	return "struct"
}
