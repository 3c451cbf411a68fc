package parquet

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow/float16"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/rffgo/rff/internal/columnar"
)

// chunk reads the next values of a column in one row group into v, whose memory it uses.
type chunk func(rows int, v *columnar.Values) error

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
		return plain(r), nil
	case *file.Int64ColumnChunkReader:
		switch {
		case isDecimal:
			return numbers(r, decimal.Int64), nil
		case unsigned:
			return numbers(r, func(v int64) float64 { return float64(uint64(v)) }), nil
		}
		return plain(r), nil
	case *file.Float32ColumnChunkReader:
		return plain(r), nil
	case *file.Float64ColumnChunkReader:
		return doubles(r), nil
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

// begin makes room for so many numbers, none of them missing.
func begin(v *columnar.Values, rows int) {
	v.Null, v.Finite = nil, false
	if cap(v.Numbers) < rows {
		v.Numbers = make([]float64, rows)
	}
	v.Numbers = v.Numbers[:rows]
}

// doubles reads values where they stay. Those of a page that lacks some come without
// gaps, and are moved up, the last first.
func doubles(r pages[float64]) chunk {
	var levels []int16
	most := r.Descriptor().MaxDefinitionLevel()
	return func(rows int, v *columnar.Values) error {
		begin(v, rows)
		if len(levels) < rows {
			levels = make([]int16, rows)
		}
		for at := 0; at < rows; {
			out := v.Numbers[at:]
			n, read, err := r.ReadBatchInPage(int64(rows-at), out, levels[:rows-at], nil)
			if err != nil {
				return plainly(err)
			}
			if n == 0 {
				return damaged(fmt.Sprintf("column %q ends too soon", r.Descriptor().Name()))
			}
			for i := int(n) - 1; i >= read; i-- { // with i = read − 1 none is missing before
				if most > 0 && levels[i] != most {
					if v.Null == nil {
						v.Null = make([]bool, rows)
					}
					v.Null[at+i] = true
					continue
				}
				if read--; read < 0 {
					return damaged(fmt.Sprintf("column %q has fewer values than it says", r.Descriptor().Name()))
				}
				out[i] = out[read]
			}
			at += int(n)
		}
		v.Finite = v.Null == nil && columnar.AllFinite(v.Numbers) // here, where several are at work
		return nil
	}
}

// plain reads values that Go converts to float64.
func plain[T int32 | int64 | float32](r pages[T]) chunk {
	p := part[T]{pages: r}
	return func(rows int, v *columnar.Values) error {
		begin(v, rows)
		return p.read(rows, &v.Null, func(row int, values []T) {
			out := v.Numbers[row:][:len(values)]
			for i, value := range values {
				out[i] = float64(value)
			}
		})
	}
}

// numbers reads values that convert turns into float64.
func numbers[T any](r pages[T], convert func(T) float64) chunk {
	p := part[T]{pages: r}
	return func(rows int, v *columnar.Values) error {
		begin(v, rows)
		return p.read(rows, &v.Null, func(row int, values []T) {
			for i, value := range values {
				v.Numbers[row+i] = convert(value)
			}
		})
	}
}

// text reads strings. All of a batch share one string, as few allocations do.
func text(r pages[parquet.ByteArray]) chunk {
	p := part[parquet.ByteArray]{pages: r}
	type span struct{ from, to int }
	var spans []span
	var bytes []byte
	return func(rows int, v *columnar.Values) error {
		*v = columnar.Values{Text: make([]string, rows)}
		spans, bytes = append(spans[:0], make([]span, rows)...), bytes[:0]
		err := p.read(rows, &v.Null, func(row int, values []parquet.ByteArray) {
			for i, value := range values {
				if len(value) > mostAtOnce-len(bytes) {
					panic(tooLarge(len(bytes) + len(value)))
				}
				from := len(bytes)
				bytes = append(bytes, value...)
				spans[row+i] = span{from, len(bytes)}
			}
		})
		all := string(bytes)
		for i, s := range spans {
			v.Text[i] = all[s.from:s.to]
		}
		return err
	}
}

// part reads some rows of a column that is not nested, which may span pages.
type part[T any] struct {
	pages[T]
	values []T
	levels []int16
}

// read hands the values that are there to put, in runs with the row of the first, and
// notes which are missing.
func (p *part[T]) read(rows int, null *[]bool, put func(row int, values []T)) error {
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
		values, levels := p.values[:read], p.levels[:n]
		for i := 0; i < int(n); {
			run := int(n) - i
			if most > 0 && len(values) < run {
				for run = 0; i+run < int(n) && levels[i+run] == most; run++ {
				}
			}
			if run > len(values) {
				return damaged(fmt.Sprintf("column %q has fewer values than it says", p.Descriptor().Name()))
			}
			put(at+i, values[:run])
			values, i = values[run:], i+run
			for ; i < int(n) && levels[i] != most; i++ {
				if *null == nil {
					*null = make([]bool, rows)
				}
				(*null)[at+i] = true
			}
		}
		at += int(n)
	}
	return nil
}
