package parquet

import "encoding/binary"

// thrift reads values of Thrift's compact protocol, the form of Parquet's metadata. After a
// mistake, bad is set and all further values are zero.
type thrift struct {
	b   []byte // what is left
	bad bool
}

// The types of the compact protocol that are told apart here.
const (
	thriftTrue   = 1
	thriftFalse  = 2
	thriftByte   = 3
	thriftInt32  = 5
	thriftInt64  = 6
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftMap    = 11
	thriftStruct = 12
)

const mostNesting = 64

func (t *thrift) fail() {
	t.b, t.bad = nil, true
}

func (t *thrift) byte() byte {
	if len(t.b) == 0 {
		t.fail()
		return 0
	}
	c := t.b[0]
	t.b = t.b[1:]
	return c
}

func (t *thrift) unsigned() uint64 {
	v, n := binary.Uvarint(t.b)
	if n <= 0 {
		t.fail()
		return 0
	}
	t.b = t.b[n:]
	return v
}

func (t *thrift) take(n uint64) []byte {
	if n > uint64(len(t.b)) {
		t.fail()
		return nil
	}
	b := t.b[:n]
	t.b = t.b[n:]
	return b
}

// integer reads an integer of a field of that type.
func (t *thrift) integer(kind byte) int64 {
	switch {
	case kind == thriftByte:
		return int64(int8(t.byte()))
	case kind > thriftByte && kind <= thriftInt64:
		v := t.unsigned()
		return int64(v>>1) ^ -int64(v&1)
	}
	t.fail()
	return 0
}

// small reads an integer of at most 32 bits that is not negative.
func (t *thrift) small(kind byte) int {
	v := t.integer(kind)
	if v < 0 || v >= 1<<31 {
		t.fail()
		return 0
	}
	return int(v)
}

// binary reads the bytes of a field of that type.
func (t *thrift) binary(kind byte) []byte {
	if kind != thriftBinary {
		t.fail()
		return nil
	}
	return t.take(t.unsigned())
}

// list reads the length of a field that is a list, and the type of its items.
func (t *thrift) list(kind byte) (n int, of byte) {
	if kind != thriftList && kind != thriftSet {
		t.fail()
		return 0, 0
	}
	head := t.byte()
	length := uint64(head >> 4)
	if length == 15 {
		length = t.unsigned()
	}
	if length > uint64(len(t.b)) { // an item has a byte or more
		t.fail()
		return 0, 0
	}
	return int(length), head & 15
}

// structs calls read for each struct of a list. read must read the whole struct. structs
// reports true.
func (t *thrift) structs(kind byte, read func()) bool {
	n, of := t.list(kind)
	if n > 0 && of != thriftStruct {
		t.fail()
	}
	for ; n > 0 && !t.bad; n-- {
		read()
	}
	return true
}

// into says where the fields of a struct go, by their numbers. A field may go to an integer,
// which must not be negative for an int, to bytes, to a boolean or, if it is a struct, to
// another into. A function gets the type of a field and reports whether it has read it.
type into map[int]any

// fields reads the fields of a struct, and skips those that are not in to.
func (t *thrift) fields(to into) {
	t.eachField(mostNesting, func(id int, kind byte) bool {
		switch to := to[id].(type) {
		case *int:
			*to = t.small(kind)
		case *int64:
			*to = t.integer(kind)
		case *[]byte:
			*to = t.binary(kind)
		case *bool:
			*to = kind == thriftTrue
			return false
		case into:
			return t.nested(kind, to)
		case func(kind byte) bool:
			return to(kind)
		default:
			return false
		}
		return true
	})
}

// nested is fields for a field that is a struct. It reports true.
func (t *thrift) nested(kind byte, to into) bool {
	if kind != thriftStruct {
		t.fail()
	}
	t.fields(to)
	return true
}

// eachField calls read for each field of a struct, and skips the fields that read does not
// take.
func (t *thrift) eachField(depth int, read func(id int, kind byte) (taken bool)) {
	for id := 0; !t.bad; {
		head := t.byte()
		kind := head & 15
		if kind == 0 {
			return
		}
		if delta := int(head >> 4); delta != 0 {
			id += delta
		} else {
			id = int(t.integer(thriftInt64))
		}
		if !read(id, kind) {
			t.skip(kind, depth)
		}
	}
}

// skip passes over a value of that type.
func (t *thrift) skip(kind byte, depth int) {
	if depth == 0 {
		t.fail()
		return
	}
	switch {
	case kind == thriftTrue, kind == thriftFalse:
	case kind >= thriftByte && kind <= thriftInt64:
		t.integer(kind)
	case kind == thriftDouble:
		t.take(8)
	case kind == thriftBinary:
		t.take(t.unsigned())
	case kind == thriftList, kind == thriftSet:
		n, of := t.list(kind)
		for ; n > 0 && !t.bad; n-- {
			t.skipItem(of, depth-1)
		}
	case kind == thriftMap:
		n := t.unsigned()
		if n == 0 {
			return
		}
		kinds := t.byte()
		for ; n > 0 && !t.bad; n-- {
			t.skipItem(kinds>>4, depth-1)
			t.skipItem(kinds&15, depth-1)
		}
	case kind == thriftStruct:
		t.eachField(depth-1, func(int, byte) bool { return false })
	default:
		t.fail()
	}
}

// skipItem passes over an item of a list or a map, in which a boolean has a byte.
func (t *thrift) skipItem(kind byte, depth int) {
	if kind == thriftTrue || kind == thriftFalse {
		t.byte()
		return
	}
	t.skip(kind, depth)
}
