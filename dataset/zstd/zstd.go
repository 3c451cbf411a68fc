// Package zstd lets package dataset read files compressed with Zstandard.
// Import it for that effect:
//
//	import _ "github.com/rffgo/rff/dataset/zstd"
//
// It is a module of its own so that programs that do not read such files need
// not require the decoder.
package zstd

import (
	"errors"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/rffgo/rff/internal/decompress"
)

// maxWindow bounds the window of a frame, which a decoder must hold in memory. zstd -19 writes
// windows of 8 MiB; only --ultra and --long write larger ones.
const maxWindow = 32 << 20

func init() {
	decompress.Register(decompress.Format{
		Name:  "zstd",
		Magic: []byte{0x28, 0xb5, 0x2f, 0xfd},
		Open: func(r io.Reader) (io.ReadCloser, error) {
			d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
				zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderMaxMemory(2*maxWindow))
			if err != nil {
				return nil, err
			}
			return bounded{d.IOReadCloser()}, nil
		},
	})
}

// bounded adds a remedy to an error that a window larger than maxWindow causes.
type bounded struct{ io.ReadCloser }

func (b bounded) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, zstd.ErrWindowSizeExceeded) {
		err = decompress.Refusal("needs a window of more than 32 MiB to decompress: compress it at a level up to 19, and not in long mode")
	}
	return n, err
}
