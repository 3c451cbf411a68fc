// Package codec unpacks blocks of bytes that files with columns store compressed. It
// takes no more memory than the caller gives it, whatever the bytes say.
package codec

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"github.com/golang/snappy"
	"github.com/klauspost/compress/zstd"
)

// Codec names a way to compress a block.
type Codec string

// These are the codecs. A block of LZ4 has no frame around it.
const (
	None    Codec = ""
	Snappy  Codec = "snappy"
	Gzip    Codec = "gzip"
	Deflate Codec = "deflate"
	Brotli  Codec = "brotli"
	Zstd    Codec = "zstd"
	LZ4     Codec = "lz4"
)

// brotli makes the decoder of Brotli, if the program has one.
var brotli atomic.Pointer[func(io.Reader) io.Reader]

// RegisterBrotli gives the program a decoder of Brotli.
func RegisterBrotli(decoder func(io.Reader) io.Reader) { brotli.Store(&decoder) }

// ErrNoBrotli says that the program has no decoder of Brotli.
var ErrNoBrotli = errors.New("the data are compressed with Brotli, which this program cannot unpack: import github.com/rffgo/rff/dataset/brotli, build the command without -tags small, or write the file with zstd or snappy")

// ErrMore says that a block unpacks to more bytes than there is room for.
var ErrMore = errors.New("unpacks to more bytes than announced")

var zstdDecoder = sync.OnceValues(func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecodeAllCapLimit(true))
})

// Unpack unpacks block into dst, which it overwrites up to its capacity, and returns what it
// wrote. For None it returns block itself.
func (c Codec) Unpack(dst, block []byte) ([]byte, error) {
	out, err := c.unpack(dst[:0], block)
	if err != nil && !errors.Is(err, ErrMore) && err != ErrNoBrotli {
		err = fmt.Errorf("the compressed data (%s) are damaged", c)
	}
	return out, err
}

func (c Codec) unpack(dst, block []byte) ([]byte, error) {
	switch c {
	case None:
		return block, nil
	case Snappy:
		n, err := snappy.DecodedLen(block)
		if err != nil {
			return nil, err
		}
		if n/64 > len(block) { // A copy of 64 bytes takes two or three bytes of the block.
			return nil, snappy.ErrCorrupt
		}
		if n > cap(dst) {
			return nil, ErrMore
		}
		return snappy.Decode(dst[:n], block)
	case LZ4:
		return unpackLZ4(dst, block)
	case Zstd:
		d, err := zstdDecoder()
		if err != nil {
			return nil, err
		}
		out, err := d.DecodeAll(block, dst)
		if errors.Is(err, zstd.ErrDecoderSizeExceeded) {
			err = ErrMore
		}
		return out, err
	case Gzip:
		r, err := gzip.NewReader(bytes.NewReader(block))
		if err != nil {
			return nil, err
		}
		return fill(dst, r)
	case Deflate:
		return fill(dst, flate.NewReader(bytes.NewReader(block)))
	case Brotli:
		decoder := brotli.Load()
		if decoder == nil {
			return nil, ErrNoBrotli
		}
		return fill(dst, (*decoder)(bytes.NewReader(block)))
	}
	panic("codec: unknown codec")
}

// fill reads all of r into dst.
func fill(dst []byte, r io.Reader) ([]byte, error) {
	n, err := io.ReadFull(r, dst[:cap(dst)])
	if err == io.EOF || err == io.ErrUnexpectedEOF && n < cap(dst) {
		// ReadFull does not tell the end of r from the end of its data, so ask once more.
		if _, err = r.Read(make([]byte, 1)); err == io.EOF {
			return dst[:n], nil
		}
		return nil, io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, err
	}
	if _, err := io.ReadFull(r, make([]byte, 1)); err != io.EOF {
		if err == nil {
			err = ErrMore
		}
		return nil, err
	}
	return dst[:n], nil
}
