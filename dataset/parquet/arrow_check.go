package parquet

import (
	"encoding/binary"
	"errors"
	"io"

	flatbuffers "github.com/google/flatbuffers/go"
)

// The library makes room for what the metadata of an Arrow file announce before it
// looks whether the file has it. So a few damaged bytes could take all memory; what
// stands here looks first. Offsets are those of Arrow's Schema.fbs, Message.fbs
// and File.fbs: 4 + 2 × the number of the field.

var errArrow = errors.New("its metadata announce more than it holds")

const (
	mostNesting  = 64
	mostMetadata = 256 << 20 // bytes of one message's metadata
)

// checkArrow checks what the metadata of a file or a stream announce.
func checkArrow(r io.ReaderAt, size int64, file bool) error {
	if !file {
		return checkMessages(r, size)
	}
	// The end: footer, its length in 4 bytes, ARROW1.
	var end [10]byte
	if size < 18 {
		return errArrow
	}
	if _, err := r.ReadAt(end[:], size-10); err != nil {
		return err
	}
	length := int64(binary.LittleEndian.Uint32(end[:]))
	if string(end[4:]) != "ARROW1" || length > size-18 || length > mostMetadata {
		return errArrow
	}
	footer := make([]byte, length)
	if _, err := r.ReadAt(footer, size-10-length); err != nil {
		return err
	}
	f := root(footer)
	if err := checkSchema(f, 6); err != nil {
		return err
	}
	for _, field := range []flatbuffers.VOffsetT{8, 10} { // dictionaries, record batches
		at, n, err := vector(f, field, 24)
		if err != nil {
			return err
		}
		for i := range n { // a block: offset, length of the metadata, padding, length of the body
			block := f.Bytes[at+24*i:]
			offset, body := int64(binary.LittleEndian.Uint64(block)), int64(binary.LittleEndian.Uint64(block[16:]))
			meta := int64(int32(binary.LittleEndian.Uint32(block[8:])))
			if offset < 0 || meta < 0 || body < 0 || offset > size || meta > min(size-offset, mostMetadata) || body > size-offset-meta {
				return errArrow
			}
			if err := checkMessage(r, offset, offset+meta, size, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkMessages walks through the messages of a stream.
func checkMessages(r io.ReaderAt, size int64) error {
	for at := int64(0); at < size; {
		var next int64
		if err := checkMessage(r, at, size, size, &next); err != nil {
			return err
		}
		if next <= at {
			return nil // the mark of the end
		}
		at = next
	}
	return nil
}

// checkMessage checks the message at a place whose metadata end before limit, and
// says where the next one begins, or 0.
func checkMessage(r io.ReaderAt, at, limit, size int64, next *int64) error {
	var head [8]byte
	n, err := r.ReadAt(head[:], at)
	if err != nil && !(err == io.EOF && n >= 4) {
		return err
	}
	start, length := at+8, int64(int32(binary.LittleEndian.Uint32(head[4:])))
	if binary.LittleEndian.Uint32(head[:]) != 0xffffffff { // before version 0.15 there was no mark
		start, length = at+4, int64(int32(binary.LittleEndian.Uint32(head[:])))
	}
	if length == 0 {
		return nil
	}
	if length < 0 || start+length > limit || length > mostMetadata {
		return errArrow
	}
	b := make([]byte, length)
	if _, err := r.ReadAt(b, start); err != nil {
		return err
	}
	m := root(b)
	body := int64(0)
	if o := m.Offset(10); o != 0 {
		body = m.GetInt64(m.Pos + flatbuffers.UOffsetT(o))
	}
	if body < 0 || body > size-start-length {
		return errArrow
	}
	if next != nil {
		*next = start + length + body
	}
	kind := byte(0)
	if o := m.Offset(6); o != 0 {
		kind = m.GetByte(m.Pos + flatbuffers.UOffsetT(o))
	}
	header, ok := table(m, 8)
	switch {
	case !ok:
		return errArrow
	case kind == 1:
		return checkSchema(m, 8)
	case kind == 2: // a dictionary has a record batch
		if header, ok = table(header, 6); !ok {
			return errArrow
		}
		fallthrough
	case kind == 3:
		for _, field := range []flatbuffers.VOffsetT{6, 8} { // nodes and buffers, of 16 bytes
			if _, _, err := vector(header, field, 16); err != nil {
				return err
			}
		}
	}
	return nil
}

func root(b []byte) flatbuffers.Table {
	return flatbuffers.Table{Bytes: b, Pos: flatbuffers.GetUOffsetT(b)}
}

// table returns the table of a field.
func table(t flatbuffers.Table, field flatbuffers.VOffsetT) (flatbuffers.Table, bool) {
	o := t.Offset(field)
	if o == 0 {
		return t, false
	}
	return flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(t.Pos + flatbuffers.UOffsetT(o))}, true
}

// vector returns where the elements of a field begin and how many there are.
func vector(t flatbuffers.Table, field flatbuffers.VOffsetT, size int) (at, n int, err error) {
	o := t.Offset(field)
	if o == 0 {
		return 0, 0, nil
	}
	at, n = int(t.Vector(flatbuffers.UOffsetT(o))), t.VectorLen(flatbuffers.UOffsetT(o))
	if n < 0 || at > len(t.Bytes) || n > (len(t.Bytes)-at)/size {
		return 0, 0, errArrow
	}
	return at, n, nil
}

func checkSchema(t flatbuffers.Table, field flatbuffers.VOffsetT) error {
	s, ok := table(t, field)
	if !ok {
		return errArrow
	}
	fields := len(s.Bytes) / 4 // more do not stand in so many bytes, unless they share them
	return checkFields(s, 6, 8, mostNesting, &fields)
}

// checkFields checks the fields of a table, and theirs, and its list of remarks.
func checkFields(t flatbuffers.Table, children, remarks flatbuffers.VOffsetT, depth int, left *int) error {
	if _, _, err := vector(t, remarks, 4); err != nil {
		return err
	}
	at, n, err := vector(t, children, 4)
	if *left -= n; err != nil || depth == 0 || *left < 0 {
		return errArrow
	}
	for i := range n {
		child := flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(flatbuffers.UOffsetT(at + 4*i))}
		if err := checkFields(child, 14, 16, depth-1, left); err != nil {
			return err
		}
	}
	return nil
}
