package parquet

import (
	"encoding/binary"
	"errors"
	"math/bits"

	"github.com/rffgo/rff/internal/columnar"
)

// An encoding gives the values of a page, a few at a time. data has their bytes, one value
// after the other, and ends says where each value ends, unless all have the same size. The
// bytes are valid until the next call.
type encoding interface {
	next(n int) (data []byte, ends []int, err error)
}

var errValues = errors.New("has fewer values than it says, or they are damaged")

// mostText bounds the bytes of the text of one column in a batch.
const mostText = 8 << 20

var errText = errors.New("has too much text: its values are neither classes nor words of a category: name other inputs (Inputs)")

// fixed are values of one size, one after the other.
type fixed struct {
	b    []byte
	size int
}

func (f *fixed) next(n int) ([]byte, []int, error) {
	n *= f.size
	if n > len(f.b) {
		return nil, nil, errValues
	}
	data := f.b[:n]
	f.b = f.b[n:]
	return data, nil, nil
}

// bitmap are booleans of one bit.
type bitmap struct {
	b   []byte
	at  int
	out []byte
}

func (m *bitmap) next(n int) ([]byte, []int, error) {
	if m.at+n > 8*len(m.b) {
		return nil, nil, errValues
	}
	m.out = m.out[:0]
	for range n {
		m.out = append(m.out, m.b[m.at/8]>>(m.at%8)&1)
		m.at++
	}
	return m.out, nil, nil
}

// runs are booleans in a hybrid encoding.
type runs struct {
	hybrid
	values []int32
	out    []byte
}

func (r *runs) next(n int) ([]byte, []int, error) {
	r.values = columnar.Sized(r.values, n)
	if err := r.read(r.values); err != nil {
		return nil, nil, err
	}
	r.out = r.out[:0]
	for _, v := range r.values {
		r.out = append(r.out, byte(v))
	}
	return r.out, nil, nil
}

// prefixed are byte arrays. Four bytes with its length stand before each.
type prefixed struct {
	b    []byte
	out  []byte
	ends []int
}

func (p *prefixed) next(n int) ([]byte, []int, error) {
	p.out, p.ends = p.out[:0], p.ends[:0]
	for range n {
		if len(p.b) < 4 {
			return nil, nil, errValues
		}
		length := binary.LittleEndian.Uint32(p.b)
		p.b = p.b[4:]
		if uint64(length) > uint64(len(p.b)) {
			return nil, nil, errValues
		}
		if len(p.out)+int(length) > mostText {
			return nil, nil, errText
		}
		p.out = append(p.out, p.b[:length]...)
		p.b = p.b[length:]
		p.ends = append(p.ends, len(p.out))
	}
	return p.out, p.ends, nil
}

// split are numbers whose first bytes come first, then their second bytes, and so on.
type split struct {
	b    []byte
	size int
	at   int
	out  []byte
}

func (s *split) next(n int) ([]byte, []int, error) {
	count := len(s.b) / s.size
	if s.at+n > count {
		return nil, nil, errValues
	}
	s.out = columnar.Sized(s.out, n*s.size)
	for k := range s.size {
		for i, c := range s.b[k*count+s.at:][:n] {
			s.out[i*s.size+k] = c
		}
	}
	s.at += n
	return s.out, nil, nil
}

// delta are integers in the encoding DELTA_BINARY_PACKED. A block has the smallest difference
// of successive integers, and miniblocks of bit-packed differences to it.
type delta struct {
	b        []byte
	left     int // values
	value    int64
	begun    bool
	perMini  int // differences of a miniblock
	minis    int
	widths   []byte // of the remaining miniblocks of the block
	smallest int64
	mini     []uint64 // unpacked differences that were not taken yet
	buffer   []uint64
}

func newDelta(b []byte) (*delta, error) {
	t := &thrift{b: b}
	block, minis, left, first := t.unsigned(), t.unsigned(), t.unsigned(), t.integer(thriftInt64)
	if t.bad || block == 0 || block > 1<<16 || minis == 0 || minis > block/8 || block%minis != 0 || block/minis%8 != 0 || left >= 1<<31 {
		return nil, errValues
	}
	return &delta{b: t.b, left: int(left), value: first, perMini: int(block / minis), minis: int(minis)}, nil
}

// read returns the next value.
func (d *delta) read() (int64, error) {
	if d.left == 0 {
		return 0, errValues
	}
	d.left--
	if !d.begun {
		d.begun = true
		return d.value, nil
	}
	if len(d.mini) == 0 {
		if err := d.load(); err != nil {
			return 0, err
		}
	}
	d.value += d.smallest + int64(d.mini[0])
	d.mini = d.mini[1:]
	return d.value, nil
}

// load unpacks the next miniblock.
func (d *delta) load() error {
	if len(d.widths) == 0 {
		t := &thrift{b: d.b}
		d.smallest = t.integer(thriftInt64)
		d.widths = t.take(uint64(d.minis))
		if d.b = t.b; t.bad {
			return errValues
		}
	}
	width := int(d.widths[0])
	d.widths = d.widths[1:]
	size := width * d.perMini / 8
	if width > 64 {
		return errValues
	}
	b := d.b
	if size > len(b) { // the last miniblock of some writers ends with its values
		if d.left+1 > d.perMini || len(b) < (width*(d.left+1)+7)/8 {
			return errValues
		}
		b = append(append(make([]byte, 0, size), b...), make([]byte, size-len(b))...)
	}
	d.b = d.b[min(size, len(d.b)):]
	d.buffer = columnar.Sized(d.buffer, d.perMini)
	for i := range d.buffer {
		d.buffer[i] = bitsAt(b[:size], i*width, width)
	}
	d.mini = d.buffer
	return nil
}

// bitsAt returns width bits of b from bit at on, the lowest first.
func bitsAt(b []byte, at, width int) uint64 {
	if width == 0 {
		return 0
	}
	from, shift := at/8, at%8
	var v, above uint64
	if from+8 <= len(b) {
		v = binary.LittleEndian.Uint64(b[from:])
	} else {
		for i, c := range b[from:] {
			v |= uint64(c) << (8 * i)
		}
	}
	v >>= shift
	if width > 64-shift {
		above = uint64(b[from+8]) << (64 - shift)
	}
	return (v | above) & (1<<width - 1)
}

// rest passes over all values and returns the bytes behind them.
func (d *delta) rest() ([]byte, error) {
	c := *d
	c.mini, c.buffer = nil, nil
	for c.left > 0 {
		if _, err := c.read(); err != nil {
			return nil, err
		}
	}
	// In the last block, miniblocks without a value have a width but no bytes.
	return c.b, nil
}

// deltas are integers of four or eight bytes, from their differences.
type deltas struct {
	*delta
	size int
	out  []byte
}

func (d *deltas) next(n int) ([]byte, []int, error) {
	d.out = d.out[:0]
	for range n {
		v, err := d.read()
		if err != nil {
			return nil, nil, err
		}
		if d.size == 4 {
			d.out = binary.LittleEndian.AppendUint32(d.out, uint32(v))
		} else {
			d.out = binary.LittleEndian.AppendUint64(d.out, uint64(v))
		}
	}
	return d.out, nil, nil
}

// shared are byte arrays that each share a beginning with the one before. If prefixes is nil,
// they share nothing. All lengths stand before the bytes.
type shared struct {
	prefixes *delta // or nil
	lengths  *delta
	b        []byte
	last     []byte
	out      []byte
	ends     []int
}

func newShared(b []byte, prefixes bool) (s *shared, err error) {
	s = new(shared)
	if prefixes {
		if s.prefixes, err = newDelta(b); err == nil {
			b, err = s.prefixes.rest()
		}
		if err != nil {
			return nil, err
		}
	}
	if s.lengths, err = newDelta(b); err == nil {
		s.b, err = s.lengths.rest()
	}
	return s, err
}

func (s *shared) next(n int) ([]byte, []int, error) {
	s.out, s.ends = s.out[:0], s.ends[:0]
	for range n {
		length, err := s.lengths.read()
		prefix := int64(0)
		if err == nil && s.prefixes != nil {
			prefix, err = s.prefixes.read()
		}
		if err != nil {
			return nil, nil, err
		}
		if length < 0 || length > int64(len(s.b)) || prefix < 0 || prefix > int64(len(s.last)) {
			return nil, nil, errValues
		}
		if int64(len(s.out))+prefix+length > mostText {
			return nil, nil, errText
		}
		from := len(s.out)
		s.out = append(append(s.out, s.last[:prefix]...), s.b[:length]...)
		s.b = s.b[length:]
		s.ends = append(s.ends, len(s.out))
		if s.prefixes != nil {
			s.last = append(s.last[:0], s.out[from:]...)
		}
	}
	return s.out, s.ends, nil
}

// hybrid are small numbers in runs: a run repeats one value or is bit-packed. Definition
// levels and the indices of a dictionary have this encoding.
type hybrid struct {
	b     []byte
	width int
	run   int // values left of the run
	value int32
	bits  []byte // of a packed run; nil: value repeats
	at    int    // bits taken
}

// read fills out with the next values.
func (h *hybrid) read(out []int32) error {
	for len(out) > 0 {
		if h.run == 0 {
			if err := h.begin(); err != nil {
				return err
			}
		}
		n := min(h.run, len(out))
		if h.bits == nil {
			for i := range out[:n] {
				out[i] = h.value
			}
		} else {
			for i := range out[:n] {
				out[i] = int32(bitsAt(h.bits, h.at, h.width))
				h.at += h.width
			}
		}
		h.run -= n
		out = out[n:]
	}
	return nil
}

// begin reads the head of the next run.
func (h *hybrid) begin() error {
	head, n := binary.Uvarint(h.b)
	if n <= 0 || head>>1 == 0 || head>>1 >= 1<<31 {
		return errValues
	}
	h.b = h.b[n:]
	if head&1 == 0 {
		size := (h.width + 7) / 8
		if len(h.b) < size {
			return errValues
		}
		h.value = 0
		for i, c := range h.b[:size] {
			h.value |= int32(c) << (8 * i)
		}
		if h.width < 32 && bits.Len32(uint32(h.value)) > h.width {
			return errValues
		}
		h.run, h.bits, h.b = int(head>>1), nil, h.b[size:]
		return nil
	}
	h.run = int(head>>1) * 8
	size := int(head>>1) * h.width
	if size > len(h.b) { // the last run of some writers ends with its values
		size = len(h.b)
		if h.width > 0 {
			h.run = 8 * size / h.width
		}
		if h.run == 0 {
			return errValues
		}
	}
	h.bits, h.b, h.at = h.b[:size:size], h.b[size:], 0
	if h.width == 0 {
		h.bits, h.value = nil, 0
	}
	return nil
}
