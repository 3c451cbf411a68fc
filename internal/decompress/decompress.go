// Package decompress holds the compressed formats that files may be in: gzip
// and bzip2 of the standard library, and those that other packages register.
// So a heavy decoder is compiled into programs that ask for it only.
package decompress

import (
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"io"
	"sync"
)

// Format is a compressed format.
type Format struct {
	Name  string
	Magic []byte // how its files begin
	// Then says whether what follows Magic is right as well; nil: anything is.
	Then func(rest []byte) bool
	// Open returns the decompressed stream. Its memory must be bounded by a
	// few dozen megabytes whatever r holds. nil: the format is known, but no
	// decoder of it is part of the program.
	Open func(r io.Reader) (io.ReadCloser, error)
	// Need says, for a format without a decoder, what to do.
	Need string
}

// Refusal is the error of a stream that may be whole, and that is not read here: why, and
// what to do.
type Refusal string

func (r Refusal) Error() string { return string(r) }

var (
	mu      sync.RWMutex
	formats = []Format{
		{Name: "gzip", Magic: []byte{0x1f, 0x8b}, Open: func(r io.Reader) (io.ReadCloser, error) { return gzip.NewReader(r) }},
		{Name: "bzip2", Magic: []byte("BZh"), Then: bzip2Block, Open: func(r io.Reader) (io.ReadCloser, error) { return io.NopCloser(bzip2.NewReader(r)), nil }},
		{Name: "zstd", Magic: []byte{0x28, 0xb5, 0x2f, 0xfd}, Need: "decompress it first (zstd -d), or import github.com/rffgo/rff/dataset/zstd"},
		{Name: "xz", Magic: []byte{0xfd, '7', 'z', 'X', 'Z', 0}, Need: "decompress it first (xz -d)"},
		{Name: "LZ4", Magic: []byte{0x04, 0x22, 0x4d, 0x18}, Need: "decompress it first (lz4 -d)"},
		{Name: "compress (.Z)", Magic: []byte{0x1f, 0x9d}, Need: "decompress it first (gunzip)"},
	}
)

// Register adds a format, or the decoder of a format that is known by name.
func Register(f Format) {
	mu.Lock()
	defer mu.Unlock()
	for i := range formats {
		if formats[i].Name == f.Name {
			formats[i] = f
			return
		}
	}
	formats = append(formats, f)
}

// Of returns the format whose files begin like head.
func Of(head []byte) (Format, bool) {
	mu.RLock()
	defer mu.RUnlock()
	for _, f := range formats {
		if rest, ok := bytes.CutPrefix(head, f.Magic); ok && (f.Then == nil || f.Then(rest)) {
			return f, true
		}
	}
	return Format{}, false
}

// bzip2Block reports whether rest is a level and the start of a block, or of the
// end of an empty file: three letters alone may be text.
func bzip2Block(rest []byte) bool {
	return len(rest) >= 4 && '1' <= rest[0] && rest[0] <= '9' &&
		(bytes.HasPrefix(rest[1:], []byte{0x31, 0x41, 0x59}) || bytes.HasPrefix(rest[1:], []byte{0x17, 0x72, 0x45}))
}
