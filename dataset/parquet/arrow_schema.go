package parquet

import (
	"errors"
	"fmt"

	"github.com/rffgo/rff/dataset/internal/decimals"
	"github.com/rffgo/rff/internal/columnar"
)

// Numbers of fields and types are those of Arrow's Schema.fbs, Message.fbs and File.fbs
// (https://github.com/apache/arrow).

var errArrow = errors.New("the file is damaged: its metadata cannot be read, or do not fit its size")

// arrowType is how the values of a field are stored.
type arrowType int

const (
	arrowNull            arrowType = 1
	arrowInt             arrowType = 2
	arrowFloat           arrowType = 3
	arrowBinary          arrowType = 4
	arrowUtf8            arrowType = 5
	arrowBool            arrowType = 6
	arrowDecimal         arrowType = 7
	arrowDate            arrowType = 8
	arrowTime            arrowType = 9
	arrowTimestamp       arrowType = 10
	arrowInterval        arrowType = 11
	arrowList            arrowType = 12
	arrowStruct          arrowType = 13
	arrowUnion           arrowType = 14
	arrowFixedBinary     arrowType = 15
	arrowFixedList       arrowType = 16
	arrowMap             arrowType = 17
	arrowDuration        arrowType = 18
	arrowLargeBinary     arrowType = 19
	arrowLargeUtf8       arrowType = 20
	arrowLargeList       arrowType = 21
	arrowRunEnds         arrowType = 22
	arrowBinaryView      arrowType = 23
	arrowUtf8View        arrowType = 24
	arrowListView        arrowType = 25
	arrowLargeListView   arrowType = 26
	arrowDictionaryBatch           = 2 // of messages
	arrowRecordBatch               = 3
)

// arrowSchema is the schema of a file.
type arrowSchema struct{ fields []*arrowField }

// arrowField is a field of a schema: a column, or the values of a dictionary.
type arrowField struct {
	column  columnar.Column
	kind    arrowType
	bits    int // of a value
	signed  bool
	digits  bool // integers of 64 bits, and decimals, are text
	decimal decimals.Decimal
	// Of a dictionary, kind is that of its indices.
	dictionary *arrowField
	id         int64

	// How many nodes, buffers and views a record batch has for the field and its children.
	nodes, buffers, views int
}

// schemaOfMessage reads the schema that is a message of its own.
func schemaOfMessage(b []byte) (*arrowSchema, error) {
	m, err := parseMessage(b)
	if err != nil {
		return nil, err
	}
	if m.byte(1) != 1 {
		return nil, errArrow
	}
	return newSchema(m.table.table(2), m.int16(0))
}

// newSchema reads a schema in metadata of that version.
func newSchema(t table, version int16) (*arrowSchema, error) {
	if t.pos == 0 || *t.bad {
		return nil, errArrow
	}
	if t.int16(0) != 0 {
		return nil, errors.New("has big-endian values: write it on a little-endian machine")
	}
	s := new(arrowSchema)
	left := len(t.b) / 4 // so many bytes have no more fields, unless fields share bytes
	for _, child := range t.tables(1) {
		f := newField(child, version, mostNesting, &left)
		if f == nil || *t.bad {
			return nil, errArrow
		}
		s.fields = append(s.fields, f)
	}
	columns := make([]*columnar.Column, len(s.fields))
	for i, f := range s.fields {
		columns[i] = &f.column
	}
	for _, pair := range t.tables(2) {
		if string(pair.vector(0, 1)) == keyPandas {
			markIndex(pair.vector(1, 1), columns)
			break
		}
	}
	if *t.bad {
		return nil, errArrow
	}
	return s, nil
}

// newField reads a field. It returns nil if the field cannot be read.
func newField(t table, version int16, depth int, left *int) *arrowField {
	if *left--; t.pos == 0 || *left < 0 || depth == 0 {
		return nil
	}
	f := &arrowField{nodes: 1, kind: arrowType(t.byte(2))}
	f.column = columnar.Column{Name: t.string(0)}
	f.read(t.table(3))
	switch {
	case f.kind == arrowUnion && version >= 4, f.kind == arrowNull, f.kind == arrowRunEnds:
	default:
		f.buffers++ // the buffer that says which values are present
	}
	switch f.kind {
	case arrowNull, arrowStruct, arrowFixedList, arrowRunEnds:
	case arrowBinary, arrowUtf8, arrowLargeBinary, arrowLargeUtf8, arrowListView, arrowLargeListView:
		f.buffers += 2
	case arrowUnion:
		f.buffers++
		if t.table(3).int16(0) == 1 { // dense
			f.buffers++
		}
	case arrowBinaryView, arrowUtf8View:
		f.buffers, f.views = f.buffers+1, 1
	default:
		f.buffers++
	}
	if d := t.table(4); d.pos != 0 {
		words := *f
		f.dictionary, f.id = &words, d.int64(0)
		f.kind, f.bits, f.signed = arrowInt, 32, true
		if index := d.table(1); index.pos != 0 {
			f.bits, f.signed = int(index.int32(0, 0)), index.byte(1) != 0
		}
		f.nodes, f.buffers, f.views = 1, 2, 0
		if !f.wholeBytes() {
			return nil
		}
		return f
	}
	for _, child := range t.tables(5) {
		c := newField(child, version, depth-1, left)
		if c == nil {
			return nil
		}
		f.nodes, f.buffers, f.views = f.nodes+c.nodes, f.buffers+c.buffers, f.views+c.views
	}
	return f
}

// arrowUnits returns the units of a date, a time of day or a moment.
func arrowUnits(kind arrowType, t table) columnar.Units {
	unit := t.int16(0)
	if kind != arrowTimestamp && t.field(0) == 0 {
		unit = 1 // milliseconds
	}
	if kind == arrowDate && unit == 0 {
		return columnar.Dates
	}
	perSecond := map[int16]int64{0: 1, 1: 1e3, 2: 1e6, 3: 1e9}[unit]
	return columnar.Per(perSecond, kind == arrowTimestamp && t.string(1) != "", kind == arrowTime)
}

func (f *arrowField) wholeBytes() bool {
	return f.bits == 8 || f.bits == 16 || f.bits == 32 || f.bits == 64
}

// read notes the type of a field, and whether it is refused.
func (f *arrowField) read(t table) {
	c := &f.column
	c.Kind = columnar.Refused
	switch f.kind {
	case arrowNull:
		c.Kind, c.Null = columnar.Number, true
	case arrowBool:
		c.Kind, c.Bool, f.bits = columnar.Number, true, 1
	case arrowInt:
		f.bits, f.signed = int(t.int32(0, 0)), t.byte(1) != 0
		switch c.Kind = columnar.Number; {
		case f.bits == 128: // of polars
			c.Kind, c.Need = columnar.Refused, "has integers of 128 bits: write them with 64 bits or as floats, or name other inputs"
		case !f.wholeBytes():
			*t.bad = true
		}
	case arrowFloat:
		c.Kind, f.bits = columnar.Number, 16<<(t.int16(0)&3)
		if f.bits > 64 {
			*t.bad = true
		}
	case arrowDecimal:
		scale := int(t.int32(1, 0))
		f.bits = int(t.int32(2, 128))
		switch {
		case scale < 0 || scale > decimals.MostDigits:
			c.Need = fmt.Sprintf("is a decimal of scale %d: name other inputs", scale)
		case f.bits != 32 && f.bits != 64 && f.bits != 128 && f.bits != 256:
			*t.bad = true
		default:
			c.Kind, f.decimal = columnar.Number, decimals.New(scale)
		}
	case arrowBinary, arrowUtf8, arrowLargeBinary, arrowLargeUtf8, arrowBinaryView, arrowUtf8View:
		c.Kind = columnar.Text
	case arrowDate, arrowTime, arrowTimestamp:
		if c.Units = arrowUnits(f.kind, t); c.PerDay == 0 {
			*t.bad = true
		}
		c.Kind, f.bits, f.signed = columnar.Time, 64, true
		if f.kind == arrowDate && c.PerDay == 1 || f.kind == arrowTime && t.int32(1, 32) == 32 {
			f.bits = 32
		}
	case arrowInterval, arrowDuration:
		c.Need = dateOrTime
	case arrowStruct:
		c.Need = nested("struct")
	case arrowList, arrowLargeList, arrowFixedList, arrowListView, arrowLargeListView:
		c.Need = nested("list")
	case arrowMap:
		c.Need = nested("map")
	case arrowUnion:
		c.Need = nested("union")
	case arrowFixedBinary:
		c.Need = neither(fmt.Sprintf("%d bytes", t.int32(0, 0)))
	case arrowRunEnds:
		c.Need = nested("run ends")
	default:
		c.Need = neither(fmt.Sprintf("number %d", f.kind))
	}
}
