package rff

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"slices"

	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
)

// Fingerprint identifies what the map computes: the SHA-256 of its specification,
// in hexadecimal, without its engine and kernel. Sums of features, such as Gram
// matrices, can be added if the fingerprints of their maps are equal.
func (m *Map) Fingerprint() string {
	m.made().onceHash.Do(func() { m.fingerprint = fingerprint(m.full()) })
	return m.fingerprint
}

// fingerprint hashes every field of s as little-endian 64-bit words, in the order of
// declaration, each slice after its length. It leaves out Walsh and Trees where there are none, Shift and
// Scale of features other than sections, and Terms where these are products.
func fingerprint(s *blas.Spec) string {
	h := hasher{Hash: sha256.New()}
	h.Write([]byte("rff map 1\n"))
	h.integers(s.Dim)
	h.matrix(s.W)
	h.integers(len(s.Blocks))
	for i := range s.Blocks {
		b := &s.Blocks[i]
		h.integers(b.Size, b.Keep, len(b.D))
		for _, d := range b.D {
			h.floats(d)
		}
		h.integers(len(b.Perm))
		h.integers(b.Perm...)
		h.floats(b.Scale)
		if t := b.Trees; t != nil {
			h.integers(t.Depth, len(t.Input))
			h.integers(t.Width...)
			h.integers(t.Input...)
			h.floats(t.Threshold)
			h.matrix(t.Value)
			if t.Tanh {
				h.integers(1)
			}
		}
	}
	h.floats(s.Phase)
	h.integers(int(s.Func))
	h.floats(s.Weight)
	h.matrix(s.Product)
	if s.Walsh != nil {
		h.floats(s.Walsh.D)
		h.integers(len(s.Walsh.Columns))
		h.integers(s.Walsh.Columns...)
	}
	if s.Func.Section() {
		h.floats(s.Shift)
		h.floats(s.Scale)
	}
	if s.Terms != asm.Products {
		h.integers(int(s.Terms))
	}
	return hex.EncodeToString(h.Sum(nil))
}

type hasher struct {
	hash.Hash
	buf []byte
}

func (h *hasher) integers(v ...int) {
	h.buf = h.buf[:0]
	for _, x := range v {
		h.buf = binary.LittleEndian.AppendUint64(h.buf, uint64(x))
	}
	h.Write(h.buf)
}

func (h *hasher) floats(v []float64) {
	h.integers(len(v))
	for part := range slices.Chunk(v, 512) { // a row may be as long as a file allows
		h.buf, _ = binary.Append(h.buf[:0], binary.LittleEndian, part) // floats have a size: no error
		h.Write(h.buf)
	}
}

func (h *hasher) matrix(m blas.General[float64]) {
	h.integers(m.Rows, m.Cols)
	for i := range m.Rows {
		h.floats(m.Row(i))
	}
}
