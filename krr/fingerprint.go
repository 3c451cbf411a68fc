package krr

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"math"

	"github.com/rffgo/rff"
)

// Fingerprint names a feature map by the SHA-256 of its parameters: maps with
// the same fingerprint have the same features.
type Fingerprint [sha256.Size]byte

// String returns the first 16 hexadecimal digits.
func (f Fingerprint) String() string { return hex.EncodeToString(f[:8]) }

// MapFingerprint returns the fingerprint of m: SHA-256 over the map's sizes and
// parameters as little-endian 64-bit words, each list preceded by its length.
func MapFingerprint(m *rff.Map) Fingerprint {
	s := m.Spec()
	h := digest{sha256.New(), make([]byte, 0, 4096)}
	h.str("rff map 1")
	h.num(uint64(s.Dim))
	h.num(uint64(s.Func))
	h.num(uint64(s.W.Rows))
	for i := range s.W.Rows {
		h.list(s.W.Row(i))
	}
	h.num(uint64(len(s.Blocks)))
	for i := range s.Blocks {
		b := &s.Blocks[i]
		h.num(uint64(b.Size))
		h.num(uint64(b.Keep))
		h.num(uint64(len(b.D)))
		for _, d := range b.D {
			h.list(d)
		}
		h.num(uint64(len(b.Perm)))
		for _, p := range b.Perm {
			h.num(uint64(p))
		}
		h.list(b.Scale)
	}
	h.list(s.Phase)
	h.list(s.Weight)
	h.num(uint64(s.Product.Rows))
	for i := range s.Product.Rows {
		h.list(s.Product.Row(i))
	}
	h.flush()
	return Fingerprint(h.h.Sum(nil))
}

type digest struct {
	h   hash.Hash
	buf []byte
}

func (d *digest) flush() { d.h.Write(d.buf); d.buf = d.buf[:0] }

func (d *digest) num(v uint64) {
	d.buf = binary.LittleEndian.AppendUint64(d.buf, v)
	if len(d.buf) >= 4096 {
		d.flush()
	}
}

func (d *digest) str(s string) { d.num(uint64(len(s))); d.buf = append(d.buf, s...) }

func (d *digest) list(v []float64) {
	d.num(uint64(len(v)))
	for _, x := range v {
		d.num(math.Float64bits(x))
	}
}
