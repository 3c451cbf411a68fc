package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/rffgo/rff/dataset/internal/codec"
	"github.com/rffgo/rff/internal/columnar"
)

const mostHeader = 4 << 20 // bytes of a page's header, which may hold statistics

var errPages = errors.New("has pages that are not what its metadata announce")

// The kinds of pages.
const (
	pageData       = 0
	pageIndex      = 1
	pageDictionary = 2
	pageData2      = 3
)

// header is the header of a page.
type header struct {
	kind     int
	unpacked int // bytes
	packed   int
	sum      uint32
	summed   bool // sum is the checksum of the packed bytes

	values   int
	encoding int
	levels   int  // how the definition levels of a page of version 1 are encoded
	level2   int  // bytes of the definition levels of version 2, which are never compressed
	repeat2  int  // bytes of the repetition levels of version 2
	plain2   bool // the values of a page of version 2 are not compressed
	body     int64
}

// end is where the next page begins.
func (h *header) end() int64 { return h.body + int64(h.packed) }

// readHeader reads the header of the page that begins at start. Pages lie before end.
func readHeader(at io.ReaderAt, start, end int64) (h header, err error) {
	for size := int64(256); ; size *= 8 {
		if start >= end {
			return h, errPages
		}
		b := make([]byte, min(size, end-start))
		if err := readAt(at, b, start); err != nil {
			return h, err
		}
		t := &thrift{b: b}
		h = parseHeader(t)
		if t.bad && size < min(end-start, mostHeader) {
			continue
		}
		h.body = start + int64(len(b)-len(t.b))
		if t.bad || int64(h.packed) > end-h.body || h.kind > pageData2 || h.level2+h.repeat2 > min(h.packed, h.unpacked) {
			return h, errPages
		}
		return h, nil
	}
}

func parseHeader(t *thrift) (h header) {
	var sum int64
	check := func(kind byte) bool {
		sum, h.summed = t.integer(kind), true
		return true
	}
	levels := func(kind byte) bool {
		if kind <= thriftFalse { // this boolean says whether a dictionary is sorted
			return false
		}
		h.levels = t.small(kind)
		return true
	}
	packed := true
	data := into{1: &h.values, 2: &h.encoding, 3: levels} // of version 1, and of a dictionary
	t.fields(into{1: &h.kind, 2: &h.unpacked, 3: &h.packed, 4: check, 5: data, 7: data,
		8: into{1: &h.values, 4: &h.encoding, 5: &h.level2, 6: &h.repeat2, 7: &packed}})
	h.sum, h.plain2 = uint32(sum), !packed
	return h
}

// survey has the sizes that the headers of a chunk's pages give.
type survey struct {
	unpacked   int // bytes of the largest page of data
	packed     int // bytes of the largest page of all
	rows       int // of the longest page
	dictionary int // bytes of the dictionary, and of its values in memory
}

// survey walks through the headers of a chunk's pages. The pages must lie in the file, and
// have as many values as the metadata announce.
func (c *chunk) survey(at io.ReaderAt, end int64) (s survey, err error) {
	start := c.start
	for values := int64(0); values < c.values; {
		h, err := readHeader(at, start, end)
		if err != nil {
			return s, err
		}
		start = h.end()
		s.packed = max(s.packed, h.packed)
		switch h.kind {
		case pageDictionary:
			if h.values > h.unpacked || s.dictionary > 0 {
				return s, errPages
			}
			s.dictionary = 2*h.unpacked + 16*h.values + 1
		case pageData, pageData2:
			if values += int64(h.values); values > c.values {
				return s, errPages
			}
			s.unpacked, s.rows = max(s.unpacked, h.unpacked), max(s.rows, h.values)
		}
	}
	return s, nil
}

// page is a page under way.
type page struct {
	left    int     // values, including missing ones
	levels  *hybrid // nil: no value is missing
	values  encoding
	indices *hybrid // indices of a dictionary, in place of values
}

// unpack returns the bytes of a page's body, in the memory of to.
func (c *chunk) unpack(at io.ReaderAt, h *header, scratch, to *[]byte) ([]byte, error) {
	*scratch = columnar.Sized(*scratch, h.packed)
	if err := readAt(at, *scratch, h.body); err != nil {
		return nil, err
	}
	if h.summed && crc32.ChecksumIEEE(*scratch) != h.sum {
		return nil, errors.New("has a page whose checksum is another: the file is damaged")
	}
	*to = columnar.Sized(*to, h.unpacked)
	head := 0
	if h.kind == pageData2 {
		head = h.level2 + h.repeat2
	}
	body := (*to)[head:head:h.unpacked]
	copy((*to)[:head], *scratch)
	packed := (*scratch)[head:]
	if c.codec == "" || h.plain2 {
		if len(packed) != cap(body) {
			return nil, errPages
		}
		copy((*to)[head:], packed)
		return *to, nil
	}
	if cap(body) == 0 { // of nulls only
		return *to, nil
	}
	out, err := c.codec.Unpack(body, packed)
	if errors.Is(err, codec.ErrNoBrotli) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("has a damaged page: %w", err)
	}
	if len(out) != cap(body) {
		return nil, errPages
	}
	return *to, nil
}

// open begins a page of data.
func (l *leaf) open(h *header, b []byte, dictionary bool) (*page, error) {
	p := &page{left: h.values}
	if h.kind == pageData2 {
		levels := b[h.repeat2:][:h.level2]
		b = b[h.repeat2+h.level2:]
		if l.optional {
			p.levels = &hybrid{b: levels, width: 1}
		}
	} else if l.optional {
		if h.levels != encodingRLE {
			return nil, fmt.Errorf("has levels of encoding %d: write it anew with a later version of its library", h.levels)
		}
		if len(b) < 4 || uint64(binary.LittleEndian.Uint32(b)) > uint64(len(b)-4) {
			return nil, errPages
		}
		n := int(binary.LittleEndian.Uint32(b))
		p.levels = &hybrid{b: b[4:][:n], width: 1}
		b = b[4+n:]
	}
	if h.encoding == encodingDictionary || h.encoding == encodingPlainDictionary {
		if !dictionary {
			return nil, errPages
		}
		if len(b) == 0 { // of nulls only
			b = []byte{0}
		}
		if b[0] > 31 {
			return nil, errPages
		}
		p.indices = &hybrid{b: b[1:], width: int(b[0])}
		return p, nil
	}
	var err error
	p.values, err = l.encoding(h.encoding, b)
	return p, err
}

// The encodings of values.
const (
	encodingPlain           = 0
	encodingPlainDictionary = 2
	encodingRLE             = 3
	encodingDelta           = 5
	encodingDeltaLength     = 6
	encodingDeltaText       = 7
	encodingDictionary      = 8
	encodingSplit           = 9
)

// width is the number of bytes of a value, or 0 if values have different sizes.
func (l *leaf) width() int {
	switch l.physical {
	case boolean:
		return 1
	case int32s, floats:
		return 4
	case int64s, doubles:
		return 8
	case fixedArrays:
		return l.size
	}
	return 0
}

// encoding returns the values of that encoding in b.
func (l *leaf) encoding(code int, b []byte) (encoding, error) {
	width := l.width()
	integer := l.physical == int32s || l.physical == int64s
	array := l.physical == byteArrays || l.physical == fixedArrays
	switch {
	case code == encodingPlain && l.physical == boolean:
		return &bitmap{b: b}, nil
	case code == encodingPlain && l.physical == byteArrays:
		return &prefixed{b: b}, nil
	case code == encodingPlain:
		return &fixed{b: b, size: width}, nil
	case code == encodingRLE && l.physical == boolean:
		if len(b) < 4 {
			return &fixed{size: 1}, nil // of nulls only
		}
		return &runs{hybrid: hybrid{b: b[4:], width: 1}}, nil
	case code == encodingDelta && integer:
		d, err := newDelta(b)
		return &deltas{delta: d, size: width}, err
	case code == encodingDeltaLength && l.physical == byteArrays, code == encodingDeltaText && array:
		return newShared(b, code == encodingDeltaText)
	case code == encodingSplit && width > 0 && l.physical != boolean:
		return &split{b: b, size: width}, nil
	}
	return nil, fmt.Errorf("has values of encoding %d, which is not one of this type: write it with the default encodings", code)
}
