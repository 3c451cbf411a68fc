package parquet

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow/float16"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/rffgo/rff/internal/columnar"
)

// chunk reads the values of a column in one row group.
type chunk func(rows int) (columnar.Values, error)

// pages is what every reader of the library has, for its type of values.
type pages[T any] interface {
	file.ColumnChunkReader
	ReadBatchInPage(most int64, values []T, definitions, repetitions []int16) (levels int64, read int, err error)
}

// chunkOf returns the reader of a column that is not refused.
func chunkOf(r file.ColumnChunkReader) (chunk, error) {
	logical := r.Descriptor().LogicalType()
	decimal := columnar.Decimal{}
	l, isDecimal := logical.(schema.DecimalLogicalType)
	if isDecimal {
		decimal = columnar.NewDecimal(int(l.Scale()))
	}
	integer, isInt := logical.(schema.IntLogicalType)
	unsigned := isInt && !integer.IsSigned()
	switch r := r.(type) {
	case *file.BooleanColumnChunkReader:
		return numbers(r, func(v bool) float64 {
			if v {
				return 1
			}
			return 0
		}), nil
	case *file.Int32ColumnChunkReader:
		switch {
		case isDecimal:
			return numbers(r, func(v int32) float64 { return decimal.Int64(int64(v)) }), nil
		case unsigned:
			return numbers(r, func(v int32) float64 { return float64(uint32(v)) }), nil
		}
		return numbers(r, func(v int32) float64 { return float64(v) }), nil
	case *file.Int64ColumnChunkReader:
		switch {
		case isDecimal:
			return numbers(r, decimal.Int64), nil
		case unsigned:
			return numbers(r, func(v int64) float64 { return float64(uint64(v)) }), nil
		}
		return numbers(r, func(v int64) float64 { return float64(v) }), nil
	case *file.Float32ColumnChunkReader:
		return numbers(r, func(v float32) float64 { return float64(v) }), nil
	case *file.Float64ColumnChunkReader:
		return numbers(r, func(v float64) float64 { return v }), nil
	case *file.ByteArrayColumnChunkReader:
		if isDecimal {
			return numbers(r, func(v parquet.ByteArray) float64 { return decimal.Bytes(few(v)) }), nil
		}
		return text(r), nil
	case *file.FixedLenByteArrayColumnChunkReader:
		if isDecimal {
			return numbers(r, func(v parquet.FixedLenByteArray) float64 { return decimal.Bytes(v) }), nil
		}
		return numbers(r, func(v parquet.FixedLenByteArray) float64 { return float64(float16.FromLEBytes(v).Float32()) }), nil
	}
	return nil, fmt.Errorf("no values of type %s", r.Type())
}

// few returns the bytes of a decimal, as the schema does not bound them. The panic
// is that of a damaged file (recovered).
func few(b []byte) []byte {
	if len(b) > columnar.MostDigits {
		panic("a decimal of too many bytes")
	}
	return b
}

// numbers reads values that convert to float64.
func numbers[T any](r pages[T], convert func(T) float64) chunk {
	p := part[T]{pages: r}
	return func(rows int) (columnar.Values, error) {
		v := columnar.Values{Numbers: make([]float64, rows)}
		err := p.read(rows, &v.Null, func(row int, value T) { v.Numbers[row] = convert(value) })
		return v, err
	}
}

// text reads strings. All of a batch share one string, as few allocations do.
func text(r pages[parquet.ByteArray]) chunk {
	p := part[parquet.ByteArray]{pages: r}
	type span struct{ from, to int }
	var spans []span
	var bytes []byte
	return func(rows int) (columnar.Values, error) {
		v := columnar.Values{Text: make([]string, rows)}
		spans, bytes = append(spans[:0], make([]span, rows)...), bytes[:0]
		err := p.read(rows, &v.Null, func(row int, value parquet.ByteArray) {
			if len(value) > mostAtOnce-len(bytes) {
				panic(tooLarge(len(bytes) + len(value)))
			}
			spans[row].from = len(bytes)
			bytes = append(bytes, value...)
			spans[row].to = len(bytes)
		})
		all := string(bytes)
		for i, s := range spans {
			v.Text[i] = all[s.from:s.to]
		}
		return v, err
	}
}

// part reads some rows of a column that is not nested, which may span pages.
type part[T any] struct {
	pages[T]
	values []T
	levels []int16
}

// read hands each value that is there to put, with its row, and notes the others.
func (p *part[T]) read(rows int, null *[]bool, put func(row int, value T)) error {
	if len(p.values) < rows {
		p.values, p.levels = make([]T, rows), make([]int16, rows)
	}
	most := p.Descriptor().MaxDefinitionLevel()
	for at := 0; at < rows; {
		n, read, err := p.ReadBatchInPage(int64(rows-at), p.values[:rows-at], p.levels[:rows-at], nil)
		if err != nil {
			return plainly(err)
		}
		if n == 0 {
			return damaged(fmt.Sprintf("column %q ends too soon", p.Descriptor().Name()))
		}
		k := 0
		for i := range int(n) {
			if most > 0 && p.levels[i] < most {
				if *null == nil {
					*null = make([]bool, rows)
				}
				(*null)[at+i] = true
				continue
			}
			if k == read {
				return damaged(fmt.Sprintf("column %q has fewer values than it says", p.Descriptor().Name()))
			}
			put(at+i, p.values[k])
			k++
		}
		at += int(n)
	}
	return nil
}
