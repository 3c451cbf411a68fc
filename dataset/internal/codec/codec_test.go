package codec

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"io"
	"math/rand/v2"
	"testing"

	reference "github.com/andybalholm/brotli"
	"github.com/golang/snappy"
	"github.com/klauspost/compress/zstd"
)

func pack(t *testing.T, c Codec, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	var w io.WriteCloser
	switch c {
	case Snappy:
		return snappy.Encode(nil, b)
	case Gzip:
		w = gzip.NewWriter(&out)
	case Deflate:
		w, _ = flate.NewWriter(&out, 6)
	case Brotli:
		w = reference.NewWriter(&out)
	case Zstd:
		w, _ = zstd.NewWriter(&out)
	case LZ4: // one match, which repeats what it writes
		return append([]byte{0x6f}, append(b[:6], 6, 0, 255, 255, 99-4-15, 0)...)
	}
	if _, err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// A block unpacks to its bytes where there is room for them, and to an error where
// there is one byte less; a changed one to an error or other bytes.
func TestUnpack(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	if _, err := Brotli.Unpack(make([]byte, 0, 9), pack(t, Brotli, []byte("kernel"))); !errors.Is(err, ErrNoBrotli) {
		t.Errorf("no decoder: %v", err)
	}
	RegisterBrotli(func(r io.Reader) io.Reader { return reference.NewReader(r) })
	for _, c := range []Codec{Snappy, Gzip, Deflate, Brotli, Zstd, LZ4} {
		want := bytes.Repeat([]byte("kernel"), 110)[:6+510+99]
		if c != LZ4 {
			for range 5000 {
				want = append(want, byte(random.IntN(17)))
			}
		}
		packed := pack(t, c, bytes.Clone(want))
		for _, extra := range []int{0, 1, 1000} {
			if got, err := c.Unpack(make([]byte, 0, len(want)+extra), packed); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s: %d bytes, want %d, %v", c, len(got), len(want), err)
			}
		}
		for _, room := range []int{0, 1, len(want) - 1} {
			if _, err := c.Unpack(make([]byte, 0, room), packed); !errors.Is(err, ErrMore) {
				t.Errorf("%s: room for %d of %d bytes: %v", c, room, len(want), err)
			}
		}
		for cut := range min(len(packed), 500) {
			if got, err := c.Unpack(make([]byte, 0, len(want)), packed[:cut]); err == nil && len(got) == len(want) {
				t.Errorf("%s: %d of %d bytes unpack to all", c, cut, len(packed))
			}
			changed := bytes.Clone(packed)
			changed[cut] ^= byte(1 + random.IntN(255))
			c.Unpack(make([]byte, 0, len(want)), changed) // no panic
		}
	}
	if got, err := None.Unpack(nil, []byte("abc")); err != nil || string(got) != "abc" {
		t.Errorf("%q, %v", got, err)
	}
}
