package parquet

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/rffgo/rff/internal/columnar"
)

// columnOf says what a field of a schema is to package dataset.
func columnOf(f arrow.Field) columnar.Column {
	kind, need := kindOf(f.Type)
	return columnar.Column{Name: f.Name, Kind: kind, Need: need}
}

func kindOf(t arrow.DataType) (columnar.Kind, string) {
	if d, ok := t.(arrow.DecimalType); ok && (d.GetScale() < 0 || d.GetScale() > columnar.MostDigits) {
		return columnar.Refused, fmt.Sprintf("is a decimal of scale %d: name other inputs", d.GetScale())
	}
	switch t.ID() {
	case arrow.NULL, arrow.BOOL, arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64,
		arrow.UINT8, arrow.UINT16, arrow.UINT32, arrow.UINT64, arrow.FLOAT16, arrow.FLOAT32, arrow.FLOAT64,
		arrow.DECIMAL32, arrow.DECIMAL64, arrow.DECIMAL128, arrow.DECIMAL256:
		return columnar.Number, ""
	case arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW, arrow.BINARY, arrow.LARGE_BINARY, arrow.BINARY_VIEW:
		return columnar.Text, ""
	case arrow.DICTIONARY:
		return kindOf(t.(*arrow.DictionaryType).ValueType)
	case arrow.DATE32, arrow.DATE64, arrow.TIMESTAMP, arrow.TIME32, arrow.TIME64, arrow.DURATION, arrow.INTERVAL_MONTHS, arrow.INTERVAL_DAY_TIME, arrow.INTERVAL_MONTH_DAY_NANO:
		return columnar.Refused, time(t)
	case arrow.LIST, arrow.LARGE_LIST, arrow.FIXED_SIZE_LIST, arrow.STRUCT, arrow.MAP, arrow.LIST_VIEW, arrow.LARGE_LIST_VIEW, arrow.SPARSE_UNION, arrow.DENSE_UNION:
		return columnar.Refused, nested(t.Name())
	}
	return columnar.Refused, neither(t)
}

// Why columns are refused.

func time(t any) string {
	return fmt.Sprintf("is a date or time (%s): write what matters of it as numbers, or name other inputs", t)
}

func nested(t any) string {
	return fmt.Sprintf("is nested (%s): write its values as columns of their own, or name other inputs", t)
}

func neither(t any) string {
	return fmt.Sprintf("has values of type %s, which are neither numbers nor text: name other inputs", t)
}

// valuesOf returns the values of an array of a kind that is not refused.
func valuesOf(a arrow.Array) columnar.Values {
	var v columnar.Values
	n := a.Len()
	none := a.DataType().ID() == arrow.NULL // such arrays have no bitmap
	if a.NullN() > 0 || none {
		v.Null = make([]bool, n)
		for i := range n {
			v.Null[i] = none || a.IsNull(i)
		}
	}
	if d, ok := a.(*array.Dictionary); ok {
		return ofDictionary(d, v.Null)
	}
	switch a := a.(type) {
	case *array.Float64:
		v.Numbers = a.Float64Values()
	case *array.Float32:
		v.Numbers = convert(a.Float32Values())
	case *array.Float16:
		v.Numbers = each(n, func(i int) float64 { return float64(a.Value(i).Float32()) })
	case *array.Int8:
		v.Numbers = convert(a.Int8Values())
	case *array.Int16:
		v.Numbers = convert(a.Int16Values())
	case *array.Int32:
		v.Numbers = convert(a.Int32Values())
	case *array.Int64:
		v.Numbers = convert(a.Int64Values())
	case *array.Uint8:
		v.Numbers = convert(a.Uint8Values())
	case *array.Uint16:
		v.Numbers = convert(a.Uint16Values())
	case *array.Uint32:
		v.Numbers = convert(a.Uint32Values())
	case *array.Uint64:
		v.Numbers = convert(a.Uint64Values())
	case *array.Boolean:
		v.Numbers = each(n, func(i int) float64 {
			if a.Value(i) {
				return 1
			}
			return 0
		})
	case *array.Decimal32:
		d := columnar.NewDecimal(int(a.DataType().(*arrow.Decimal32Type).Scale))
		v.Numbers = each(n, func(i int) float64 { return d.Int64(int64(a.Value(i))) })
	case *array.Decimal64:
		d := columnar.NewDecimal(int(a.DataType().(*arrow.Decimal64Type).Scale))
		v.Numbers = each(n, func(i int) float64 { return d.Int64(int64(a.Value(i))) })
	case *array.Decimal128:
		d := columnar.NewDecimal(int(a.DataType().(*arrow.Decimal128Type).Scale))
		v.Numbers = each(n, func(i int) float64 { return d.Int(a.Value(i).BigInt()) })
	case *array.Decimal256:
		d := columnar.NewDecimal(int(a.DataType().(*arrow.Decimal256Type).Scale))
		v.Numbers = each(n, func(i int) float64 { return d.Int(a.Value(i).BigInt()) })
	case *array.Null:
		v.Numbers = make([]float64, n)
	case interface{ Value(int) string }: // text, large or in views
		v.Text = texts(a.Value, v.Null, n)
	case interface{ Value(int) []byte }:
		v.Text = texts(func(i int) string { return string(a.Value(i)) }, v.Null, n)
	default:
		panic(fmt.Sprintf("no values of type %s", a.DataType()))
	}
	return v
}

// ofDictionary looks the values of a dictionary up. A value is missing, too, where
// the dictionary itself has a null.
func ofDictionary(d *array.Dictionary, null []bool) columnar.Values {
	words := valuesOf(d.Dictionary())
	v := columnar.Values{Null: null}
	n := d.Len()
	if words.Null != nil && v.Null == nil {
		v.Null = make([]bool, n)
	}
	if words.Text != nil {
		v.Text = make([]string, n)
	} else {
		v.Numbers = make([]float64, n)
	}
	for i := range n {
		if v.Null != nil && v.Null[i] {
			continue
		}
		k := d.GetValueIndex(i)
		switch {
		case words.Null != nil && words.Null[k]:
			v.Null[i] = true
		case words.Text != nil:
			v.Text[i] = words.Text[k]
		default:
			v.Numbers[i] = words.Numbers[k]
		}
	}
	return v
}

func texts(value func(int) string, null []bool, n int) []string {
	out := make([]string, n)
	for i := range out {
		if null == nil || !null[i] {
			out[i] = value(i)
		}
	}
	return out
}

func each(n int, value func(int) float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = value(i)
	}
	return out
}

func convert[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32](from []T) []float64 {
	out := make([]float64, len(from))
	for i, v := range from {
		out[i] = float64(v)
	}
	return out
}
