package parquet

import "encoding/binary"

// table is a table of a FlatBuffer, the form of Arrow's metadata. After a mistake in the
// bytes, bad is set and all further values are zero.
type table struct {
	b   []byte
	pos int // 0: there is none
	bad *bool
}

// rootOf returns the table that b begins with.
func rootOf(b []byte) table {
	t := table{b: b, bad: new(bool)}
	t.pos = t.follow(0)
	return t
}

func (t table) bytes(at, n int) []byte {
	if at < 0 || n < 0 || at > len(t.b) || n > len(t.b)-at {
		*t.bad = true
		return make([]byte, min(max(n, 0), 8))
	}
	return t.b[at:][:n]
}

// follow returns where the offset at a place leads to.
func (t table) follow(at int) int {
	to := at + int(binary.LittleEndian.Uint32(t.bytes(at, 4)))
	if to > len(t.b)-4 || to == 0 {
		*t.bad = true
		return 0
	}
	return to
}

// field returns the place of a field, or 0 if the field has its default.
func (t table) field(n int) int {
	if t.pos == 0 || *t.bad {
		return 0
	}
	v := t.pos - int(int32(binary.LittleEndian.Uint32(t.bytes(t.pos, 4))))
	size := int(binary.LittleEndian.Uint16(t.bytes(v, 2)))
	if 4+2*n+2 > size {
		return 0
	}
	if offset := int(binary.LittleEndian.Uint16(t.bytes(v+4+2*n, 2))); offset != 0 {
		return t.pos + offset
	}
	return 0
}

// number returns the bytes of a field that is a number, zeros for its default.
func (t table) number(n, size int) []byte {
	if at := t.field(n); at != 0 {
		return t.bytes(at, size)
	}
	return make([]byte, size)
}

func (t table) byte(n int) byte { return t.number(n, 1)[0] }

func (t table) int16(n int) int16 { return int16(binary.LittleEndian.Uint16(t.number(n, 2))) }

func (t table) int64(n int) int64 { return int64(binary.LittleEndian.Uint64(t.number(n, 8))) }

func (t table) int32(n int, otherwise int32) int32 {
	if t.field(n) == 0 {
		return otherwise
	}
	return int32(binary.LittleEndian.Uint32(t.number(n, 4)))
}

// table returns the table of a field. Its pos is 0 if there is none.
func (t table) table(n int) table {
	at := t.field(n)
	if at != 0 {
		at = t.follow(at)
	}
	return table{t.b, at, t.bad}
}

// vector returns the bytes of a field that is a vector of elements of that size.
func (t table) vector(n, size int) []byte {
	at := t.field(n)
	if at == 0 {
		return nil
	}
	if at = t.follow(at); *t.bad {
		return nil
	}
	count := int(binary.LittleEndian.Uint32(t.bytes(at, 4)))
	if count > (len(t.b)-at-4)/size {
		*t.bad = true
		return nil
	}
	return t.bytes(at+4, count*size)
}

// tables returns the tables of a field that is a vector of tables.
func (t table) tables(n int) (out []table) {
	offsets := t.vector(n, 4)
	if len(offsets) == 0 {
		return nil
	}
	at := t.follow(t.field(n)) + 4
	out = make([]table, len(offsets)/4)
	for i := range out {
		out[i] = table{t.b, t.follow(at + 4*i), t.bad}
	}
	return out
}

func (t table) string(n int) string { return string(t.vector(n, 1)) }
