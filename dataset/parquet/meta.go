package parquet

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/rffgo/rff/dataset/internal/codec"
	"github.com/rffgo/rff/dataset/internal/decimals"
	"github.com/rffgo/rff/internal/columnar"
	"github.com/rffgo/rff/internal/limit"
)

// Numbers of fields, types, encodings and codecs are those of parquet.thrift
// (https://github.com/apache/parquet-format).

const (
	mostFooter = 64 << 20 // bytes of a file's metadata
	mostGroups = 1 << 20  // row groups of a file
)

var errFooter = errors.New("the file is damaged: its metadata cannot be read")

// physical is how the values of a column are stored.
type physical int

const (
	boolean physical = iota
	int32s
	int64s
	int96s
	floats
	doubles
	byteArrays
	fixedArrays
)

// leaf is a column whose values are not nested.
type leaf struct {
	name     string
	index    int // among the columns of a row group; −1 for a nested column
	physical physical
	size     int  // bytes of a value of fixedArrays
	optional bool // values may be missing
	logical  logical
	scale    int // of a decimal
	units    columnar.Units
	digits   bool // integers of 64 bits are text
	null     bool // there are nothing but nulls
}

// logical is the meaning of the values of a column, if it matters here.
type logical int

const (
	plain logical = iota
	unsigned
	decimal
	float16
	temporal
	list
	mapping
	other
)

// footer has the metadata at the end of a file.
type footer struct {
	leaves  []leaf
	columns []columnar.Column
	groups  []group
	arrow   []byte // Arrow's schema, if an Arrow library wrote the file
	pandas  []byte // what pandas says of its frame, if it wrote the file
}

// group is a row group. Its metadata are parsed when they are used, because those of all
// groups may be much larger than those of the groups under way.
type group struct {
	rows int64
	meta []byte // begins with the list of its columns
}

// readFooter reads the metadata at the end of a file.
func readFooter(at io.ReaderAt, size int64) (*footer, error) {
	var end [8]byte
	if size < 12 {
		return nil, errors.New("the file is damaged: it ends early")
	}
	if err := readAt(at, end[:], size-8); err != nil {
		return nil, err
	}
	length := int64(binary.LittleEndian.Uint32(end[:]))
	switch string(end[4:]) {
	case "PAR1":
	case "PARE":
		return nil, errors.New("is encrypted: write it without encryption")
	default:
		return nil, errors.New("the file is damaged: it does not end as a Parquet file does, but early or with other bytes")
	}
	if length > size-12 {
		return nil, errFooter
	}
	if length > mostFooter {
		return nil, fmt.Errorf("has metadata of %d bytes, the limit is %d: write it in several files", length, mostFooter)
	}
	b := make([]byte, length)
	if err := readAt(at, b, size-8-length); err != nil {
		return nil, err
	}
	return parseFooter(b)
}

func parseFooter(b []byte) (*footer, error) {
	f := new(footer)
	t := &thrift{b: b}
	tree := schemaTree{f: f}
	t.fields(into{
		2: func(kind byte) bool { return t.structs(kind, func() { tree.element(t) }) },
		4: func(kind byte) bool { return t.structs(kind, func() { f.group(t) }) },
		5: func(kind byte) bool { return t.structs(kind, func() { f.remark(t) }) },
	})
	switch {
	case tree.err != nil:
		return nil, tree.err
	case len(f.groups) > mostGroups:
		return nil, fmt.Errorf("has more than %d row groups: write larger ones", mostGroups)
	case t.bad || len(tree.open) != 0:
		return nil, errFooter
	}
	columns := make([]*columnar.Column, len(f.columns))
	for i := range columns {
		columns[i] = &f.columns[i]
	}
	markIndex(f.pandas, columns)
	return f, f.times()
}

// group notes a row group.
func (f *footer) group(t *thrift) {
	var g group
	t.fields(into{3: &g.rows, 1: func(kind byte) bool {
		before := t.b
		t.skip(kind, mostNesting)
		g.meta = before[:len(before)-len(t.b)]
		return true
	}})
	if g.rows < 0 || len(f.groups) > mostGroups {
		t.fail()
		return
	}
	f.groups = append(f.groups, g)
}

// remark reads a pair of key and value, and notes what Arrow and pandas say.
func (f *footer) remark(t *thrift) {
	var key, value []byte
	t.fields(into{1: &key, 2: &value})
	switch string(key) {
	case "ARROW:schema":
		f.arrow = value
	case keyPandas:
		f.pandas = value
	}
}

// schemaTree makes columns of the elements of a schema. Parents come before their children.
type schemaTree struct {
	f      *footer
	open   []int // children still to come, for the root and for each open element within it
	leaves int
	begun  bool
	err    error
}

func (s *schemaTree) element(t *thrift) {
	var l leaf
	var repetition, children int
	var scale int64
	var name []byte
	stored, converted := -1, -1
	t.fields(into{1: &stored, 2: &l.size, 3: &repetition, 4: &name, 5: &children, 6: &converted, 7: &scale, 10: func(kind byte) bool {
		if kind != thriftStruct {
			t.fail()
		}
		t.eachField(mostNesting, func(id int, kind byte) bool { return l.logicalType(t, id, kind, &scale) })
		return true
	}})
	l.name, l.physical, l.scale, l.optional = string(name), physical(max(stored, 0)), int(scale), repetition == 1
	if l.logical == plain {
		l.converted(converted)
	}
	if t.bad {
		return
	}
	if !s.begun { // the root
		s.begun = true
		if children > 0 {
			s.open = append(s.open, children)
		}
		return
	}
	if len(s.open) == 0 || len(s.open) > mostNesting {
		t.fail()
		return
	}
	top := len(s.open) == 1
	s.open[len(s.open)-1]--
	l.index = -1
	if children == 0 && stored >= 0 {
		l.index = s.leaves
		s.leaves++
	} else if children > 0 {
		s.open = append(s.open, children)
	}
	for len(s.open) > 0 && s.open[len(s.open)-1] == 0 {
		s.open = s.open[:len(s.open)-1]
	}
	if !top {
		return
	}
	if len(s.f.leaves) == limit.MostColumns {
		s.err = fmt.Errorf("has more than %d columns", limit.MostColumns)
		t.fail()
		return
	}
	s.f.leaves = append(s.f.leaves, l)
	s.f.columns = append(s.f.columns, l.column(repetition == 2))
}

// logicalType notes which member of the union LogicalType is present.
func (l *leaf) logicalType(t *thrift, id int, kind byte, scale *int64) bool {
	switch id {
	case 1, 4, 12: // string, enum, JSON
		l.logical = plain
	case 2:
		l.logical = mapping
	case 3:
		l.logical = list
	case 5:
		l.logical = decimal
		return t.nested(kind, into{1: scale})
	case 6:
		l.logical, l.units = temporal, columnar.Dates
	case 7, 8:
		l.logical, l.units.Clock = temporal, id == 7
		var utc bool // it comes before the unit
		per := func(second int64) func(byte) bool {
			return func(byte) bool {
				l.units = columnar.Per(second, utc && id != 7, id == 7)
				return false
			}
		}
		return t.nested(kind, into{1: &utc, 2: into{1: per(1e3), 2: per(1e6), 3: per(1e9)}})
	case 10:
		signed := true
		if t.nested(kind, into{2: &signed}); !signed {
			l.logical = unsigned
		}
		return true
	case 11:
		l.null = true
	case 15:
		l.logical = float16
	default:
		l.logical = other
	}
	return false
}

// converted notes the older form of a logical type.
func (l *leaf) converted(kind int) {
	switch kind {
	case 1, 2:
		l.logical = mapping
	case 3:
		l.logical = list
	case 5:
		l.logical = decimal
	case 6, 7, 8, 9, 10, 21:
		l.logical = temporal
		l.units = map[int]columnar.Units{6: columnar.Dates, 7: columnar.Per(1e3, false, true), 8: columnar.Per(1e6, false, true),
			9: columnar.Per(1e3, true, false), 10: columnar.Per(1e6, true, false)}[kind]
	case 11, 12, 13, 14:
		l.logical = unsigned
	case 20:
		l.logical = other
	}
}

// column describes the column for package dataset.
func (l *leaf) column(repeated bool) columnar.Column {
	c := columnar.Column{Name: l.name, Kind: columnar.Refused}
	switch {
	case l.logical == mapping:
		c.Need = nested("map")
	case l.logical == list || repeated:
		c.Need = nested("list")
	case l.index < 0:
		c.Need = nested("struct")
	case l.logical == temporal && l.units.PerDay > 0 && (l.physical == int32s || l.physical == int64s):
		c.Kind, c.Units = columnar.Time, l.units
	case l.logical == temporal || l.physical == int96s:
		c.Need = dateOrTime
	case l.logical == decimal && (l.scale < 0 || l.scale > decimals.MostDigits || l.physical == fixedArrays && l.size > decimals.MostDigits):
		c.Need = fmt.Sprintf("is a decimal of scale %d and %d bytes: name other inputs", l.scale, l.size)
	case l.physical == fixedArrays && (l.logical != decimal && l.logical != float16 || l.size == 0 || l.logical == float16 && l.size != 2):
		c.Need = neither(fmt.Sprintf("%d bytes", l.size))
	case l.physical > fixedArrays || l.logical == other || l.physical == byteArrays && l.logical != plain && l.logical != decimal:
		c.Need = neither("of another kind")
	case l.physical == byteArrays && l.logical != decimal:
		c.Kind = columnar.Text
	default:
		c.Kind, c.Bool, c.Null = columnar.Number, l.physical == boolean, l.null
	}
	return c
}

// times refuses columns that are durations in Arrow's schema. Parquet has no durations and
// stores them as integers.
func (f *footer) times() error {
	if f.arrow == nil {
		return nil
	}
	message := make([]byte, base64.StdEncoding.DecodedLen(len(f.arrow)))
	n, err := base64.StdEncoding.Decode(message, f.arrow)
	if err != nil {
		return errors.New("the file is damaged: Arrow's schema in its metadata is not base64")
	}
	s, err := schemaOfMessage(message[:n])
	if err != nil {
		return err
	}
	if len(s.fields) != len(f.columns) {
		return nil // it describes another table: Parquet's own schema holds
	}
	for i, known := range s.fields {
		if c := &f.columns[i]; known.column.Name == c.Name && c.Kind == columnar.Number && known.column.Kind == columnar.Refused {
			c.Kind, c.Need = columnar.Refused, known.column.Need
		}
	}
	return nil
}

// chunk says where the pages of a column of a row group are.
type chunk struct {
	codec  codec.Codec
	values int64
	start  int64 // of its first page
}

var codecs = map[int]codec.Codec{0: codec.None, 1: codec.Snappy, 2: codec.Gzip, 4: codec.Brotli, 6: codec.Zstd, 7: codec.LZ4}

// chunks returns where the pages of those columns of a row group are.
func (g group) chunks(leaves []leaf) ([]chunk, error) {
	wanted := make(map[int]int, len(leaves))
	for i, l := range leaves {
		wanted[l.index] = i
	}
	out := make([]chunk, len(leaves))
	t := &thrift{b: g.meta}
	at, found := 0, 0
	var err error
	t.structs(thriftList, func() {
		i, ok := wanted[at]
		at++
		if !ok {
			t.skip(thriftStruct, mostNesting)
			return
		}
		found++
		var e error
		if out[i], e = readChunk(t, leaves[i]); e != nil && err == nil {
			err = fmt.Errorf("column %q %w", leaves[i].name, e)
		}
	})
	if t.bad || found != len(leaves) {
		return nil, errFooter
	}
	return out, err
}

// readChunk reads a ColumnChunk.
func readChunk(t *thrift, l leaf) (c chunk, err error) {
	kind, code := -1, 0
	var data, dictionary int64
	var file []byte
	encrypted := func(byte) bool {
		err = errors.New("is encrypted: write it without encryption")
		return false
	}
	t.fields(into{1: &file, 3: into{1: &kind, 4: &code, 5: &c.values, 9: &data, 11: &dictionary}, 8: encrypted, 9: encrypted})
	if t.bad || err != nil {
		return c, err
	}
	if len(file) > 0 {
		return c, errors.New("stands in a file of its own: write it as one file")
	}
	if kind != int(l.physical) || data < 4 && c.values > 0 || c.values < 0 { // pyarrow names no page of no values
		return c, errors.New("is damaged: its metadata do not fit the schema")
	}
	c.start = data
	if dictionary >= 4 {
		c.start = min(data, dictionary)
	}
	var known bool
	if c.codec, known = codecs[code]; !known {
		return c, fmt.Errorf("is compressed with codec %d: write it with snappy, zstd or gzip", code)
	}
	return c, nil
}

// readAt fills b.
func readAt(at io.ReaderAt, b []byte, from int64) error {
	n, err := at.ReadAt(b, from)
	if n == len(b) {
		return nil
	}
	if err == io.EOF {
		return errors.New("the file is damaged: it ends early")
	}
	return err
}
