package codec

import (
	"encoding/binary"
	"errors"
	"io"
)

// The formats are those of https://github.com/lz4/lz4/tree/dev/doc. A decoder takes some
// hundred lines; the module that has one is 33 MB to fetch.

var errLZ4 = errors.New("the compressed data (lz4) are damaged")

// unpackLZ4 unpacks a block and appends the result to dst, up to its capacity. The block may
// repeat bytes that dst has already.
func unpackLZ4(dst, block []byte) ([]byte, error) {
	// length reads the rest of a length whose first four bits are n.
	length := func(n int) (int, bool) {
		if n < 15 {
			return n, true
		}
		for {
			if len(block) == 0 || n > 1<<30 {
				return 0, false
			}
			c := block[0]
			block = block[1:]
			n += int(c)
			if c < 255 {
				return n, true
			}
		}
	}
	for len(block) > 0 {
		token := block[0]
		block = block[1:]
		n, ok := length(int(token >> 4))
		if !ok || n > len(block) {
			return dst, errLZ4
		}
		if n > cap(dst)-len(dst) {
			return dst, ErrMore
		}
		dst = append(dst, block[:n]...)
		if block = block[n:]; len(block) == 0 {
			return dst, nil // The last sequence has no match.
		}
		if len(block) < 2 {
			return dst, errLZ4
		}
		back := int(binary.LittleEndian.Uint16(block))
		block = block[2:]
		if n, ok = length(int(token & 15)); !ok || back == 0 || back > len(dst) {
			return dst, errLZ4
		}
		if n += 4; n > cap(dst)-len(dst) {
			return dst, ErrMore
		}
		for n > 0 { // A match may repeat bytes that it has written itself.
			part := dst[len(dst)-back:][:min(n, back)]
			dst = append(dst, part...)
			n -= len(part)
		}
	}
	return dst, errLZ4 // A block must not end after a match.
}

// lz4Window is how many bytes a block may reach back into the blocks before it.
const lz4Window = 64 << 10

type lz4Reader struct {
	r       io.Reader
	size    int    // the largest number of bytes that a block may unpack to
	sums    bool   // whether a checksum follows each block; it is not checked
	begun   bool   // whether the head of the frame was read
	packed  []byte // a block
	window  []byte // the last lz4Window bytes, followed by what was unpacked after them
	waiting []byte // the part of window that is still to be read
}

// LZ4Reader returns a reader of what a frame of LZ4 unpacks to. This is known to be size bytes.
func LZ4Reader(r io.Reader, size int64) io.Reader {
	return &lz4Reader{r: r, size: int(min(size, 4<<20))}
}

func (z *lz4Reader) Read(p []byte) (int, error) {
	for len(z.waiting) == 0 {
		if err := z.block(); err != nil {
			return 0, err
		}
	}
	n := copy(p, z.waiting)
	z.waiting = z.waiting[n:]
	return n, nil
}

// head reads the head of the frame.
func (z *lz4Reader) head() error {
	var b [15]byte
	if _, err := io.ReadFull(z.r, b[:7]); err != nil {
		return errLZ4
	}
	flags, most := b[4], int(b[5]>>4)
	if binary.LittleEndian.Uint32(b[:]) != 0x184d2204 || flags>>6 != 1 || flags&1 != 0 || most < 4 || most > 7 {
		return errLZ4
	}
	z.begun, z.sums = true, flags&16 != 0
	if flags&8 != 0 { // The size of the contents follows; its first byte was read.
		if _, err := io.ReadFull(z.r, b[7:15]); err != nil {
			return errLZ4
		}
	}
	z.size = min(z.size, 1<<(8+2*most))
	z.packed, z.window = make([]byte, z.size), make([]byte, 0, lz4Window+z.size)
	return nil
}

// block unpacks the next block. It returns io.EOF after the last one.
func (z *lz4Reader) block() error {
	if !z.begun {
		if err := z.head(); err != nil {
			return err
		}
	}
	var b [4]byte
	if _, err := io.ReadFull(z.r, b[:]); err != nil {
		return errLZ4
	}
	head := binary.LittleEndian.Uint32(b[:])
	if head == 0 {
		return io.EOF
	}
	n := int(head &^ (1 << 31))
	if n > z.size {
		return errLZ4
	}
	if _, err := io.ReadFull(z.r, z.packed[:n]); err != nil {
		return errLZ4
	}
	if from := len(z.window) - lz4Window; from > 0 {
		z.window = z.window[:copy(z.window, z.window[from:])]
	}
	from := len(z.window)
	if head>>31 != 0 {
		z.window = append(z.window, z.packed[:n]...)
	} else {
		out, err := unpackLZ4(z.window[:from:from+z.size], z.packed[:n])
		if err != nil {
			return errLZ4
		}
		z.window = z.window[:len(out)]
	}
	z.waiting = z.window[from:]
	if z.sums {
		if _, err := io.ReadFull(z.r, b[:]); err != nil {
			return errLZ4
		}
	}
	return nil
}
