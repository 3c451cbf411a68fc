package rff

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"math"

	"github.com/rffgo/rff/blas"
)

// checkSpec says what in s is inconsistent or not finite, so that packing
// cannot panic.
func checkSpec(s *blas.Spec) error {
	bad := func(name string, v any, format string, args ...any) error {
		return &ParameterError{Name: "spec." + name, Value: v, Need: fmt.Sprintf(format, args...)}
	}
	if s == nil {
		return bad("", nil, "must be given")
	}
	if s.Dim < 1 {
		return bad("Dim", s.Dim, "must be at least 1")
	}
	if s.Func > blas.SectionCauchy {
		return bad("Func", uint8(s.Func), "is not a known function")
	}
	if dense, structured := s.W.Rows != 0 || s.W.Data != nil, len(s.Blocks) != 0; dense == structured {
		return bad("W", s.W.Rows, "exactly one of W and Blocks must be set, with at least one frequency")
	}
	if len(s.Blocks) == 0 {
		if s.W.Cols != s.Dim {
			return bad("W", s.W.Cols, "must have Dim = %d columns", s.Dim)
		}
		if err := checkGeneral("W", s.W); err != nil {
			return err
		}
	}
	for i := range s.Blocks {
		if err := checkBlock(i, &s.Blocks[i], s.Dim); err != nil {
			return err
		}
	}
	f := s.Frequencies()
	if f < 1 {
		return bad("W", f, "must have at least one frequency")
	}
	if err := checkSections(s); err != nil {
		return err
	}
	if s.Phase != nil {
		if len(s.Phase) != f {
			return bad("Phase", len(s.Phase), "must have one element for each of the %d frequencies, or be nil", f)
		}
		if err := checkVector("Phase", s.Phase); err != nil {
			return err
		}
	}
	if n := f * s.Func.Outputs(); len(s.Weight) != n {
		return bad("Weight", len(s.Weight), "must have one element for each of the %d columns", n)
	}
	if err := checkVector("Weight", s.Weight); err != nil {
		return err
	}
	if s.Product.Rows != 0 || s.Product.Cols != 0 || s.Product.Data != nil {
		if s.Product.Rows != len(s.Weight) || s.Product.Cols < 1 {
			return bad("Product", s.Product.Rows, "must have %d rows and at least one column", len(s.Weight))
		}
		return checkGeneral("Product", s.Product)
	}
	return nil
}

// checkSections says what is wrong with the inputs of sections.
func checkSections(s *blas.Spec) error {
	bad := func(name string, v any, format string, args ...any) error {
		return &ParameterError{Name: "spec." + name, Value: v, Need: fmt.Sprintf(format, args...)}
	}
	if !s.Func.Section() {
		if s.Shift != nil || s.Scale != nil {
			return bad("Shift", len(s.Shift), "belongs to sections, as Scale does")
		}
		return nil
	}
	if len(s.Blocks) != 0 || s.Phase != nil {
		return bad("Blocks", len(s.Blocks), "and Phase have no meaning for sections")
	}
	if len(s.Shift) != s.Dim || len(s.Scale) != s.Dim {
		return bad("Shift", len(s.Shift), "must have Dim = %d elements, as Scale must", s.Dim)
	}
	if err := checkVector("Shift", s.Shift); err != nil {
		return err
	}
	most := 0.0
	for i := range s.W.Rows {
		norm := 0.0
		for j, v := range s.W.Row(i) {
			c := (v - s.Shift[j]) * s.Scale[j]
			norm += float64(c * c)
		}
		most = math.Max(most, norm)
	}
	// Squared distances of near rows are off by (d+2)·eps·4R², in units of the kernel.
	if reach := 0x1p-8 / float64(float64(s.Dim+2)*0x1p-51); !(most <= reach) {
		return bad("W", most, "the squared distance of a landmark from their centre, in bandwidths, must be at most %.3g for distances to be resolved: scale the columns, or use a larger bandwidth", reach)
	}
	for j, v := range s.Scale {
		if !(v > 0) || math.IsInf(v, 1) {
			return bad(fmt.Sprintf("Scale[%d]", j), v, "must be positive and finite")
		}
	}
	return nil
}

func checkBlock(i int, b *blas.Block, dim int) error {
	bad := func(name string, v any, format string, args ...any) error {
		return &ParameterError{Name: fmt.Sprintf("spec.Blocks[%d].%s", i, name), Value: v, Need: fmt.Sprintf(format, args...)}
	}
	if b.Size < dim || b.Size&(b.Size-1) != 0 {
		return bad("Size", b.Size, "must be a power of two, at least Dim = %d", dim)
	}
	if b.Keep < 1 || b.Keep > b.Size {
		return bad("Keep", b.Keep, "must be in 1..%d", b.Size)
	}
	if len(b.Scale) != b.Keep {
		return bad("Scale", len(b.Scale), "must have Keep = %d elements", b.Keep)
	}
	if err := checkVector(fmt.Sprintf("Blocks[%d].Scale", i), b.Scale); err != nil {
		return err
	}
	if len(b.D) == 0 {
		return bad("D", 0, "must have at least one diagonal")
	}
	for j, d := range b.D {
		if len(d) != b.Size {
			return bad(fmt.Sprintf("D[%d]", j), len(d), "must have Size = %d elements", b.Size)
		}
		if err := checkVector(fmt.Sprintf("Blocks[%d].D[%d]", i, j), d); err != nil {
			return err
		}
	}
	if b.Perm == nil {
		return nil
	}
	if len(b.Perm) != b.Size {
		return bad("Perm", len(b.Perm), "must have Size = %d elements", b.Size)
	}
	seen := make([]bool, b.Size)
	for _, p := range b.Perm {
		if p < 0 || p >= b.Size || seen[p] {
			return bad("Perm", p, "must be a permutation of 0..%d", b.Size-1)
		}
		seen[p] = true
	}
	return nil
}

func checkVector(name string, v []float64) error {
	for i, x := range v {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return &ParameterError{Name: fmt.Sprintf("spec.%s[%d]", name, i), Value: x, Need: "must be finite"}
		}
	}
	return nil
}

func checkGeneral(name string, m blas.General[float64]) error {
	if m.Cols < 1 || !holds(m) {
		return &ParameterError{Name: "spec." + name, Value: len(m.Data), Need: fmt.Sprintf("must hold %d×%d elements with stride %d", m.Rows, m.Cols, m.Stride)}
	}
	for i := range m.Rows {
		// A finite sum has finite terms; otherwise look for the one to name.
		var s float64
		for _, v := range m.Row(i) {
			s += v
		}
		if !math.IsNaN(s) && !math.IsInf(s, 0) {
			continue
		}
		if err := checkVector(fmt.Sprintf("%s row %d", name, i), m.Row(i)); err != nil {
			return err
		}
	}
	return nil
}

// Fingerprint identifies what a map computes: the SHA-256 of its specification.
// Sums of features, such as Gram matrices, belong together if their maps'
// fingerprints agree.
type Fingerprint [sha256.Size]byte

// String returns the fingerprint in hexadecimal.
func (f Fingerprint) String() string { return hex.EncodeToString(f[:]) }

// Fingerprint returns the hash of the map's specification; engines and kernels
// do not enter it.
func (m *Map) Fingerprint() Fingerprint {
	m.made().onceHash.Do(func() { m.fingerprint = fingerprint(m.spec) })
	return m.fingerprint
}

// fingerprint hashes, as little-endian 64-bit words, every field of s in the
// order of its declaration, each slice behind its length.
func fingerprint(s *blas.Spec) (f Fingerprint) {
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
	}
	h.floats(s.Phase)
	h.integers(int(s.Func))
	h.floats(s.Weight)
	h.matrix(s.Product)
	if s.Func.Section() {
		h.floats(s.Shift)
		h.floats(s.Scale)
	}
	h.Sum(f[:0])
	return f
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
	h.buf = h.buf[:0]
	for _, x := range v {
		h.buf = binary.LittleEndian.AppendUint64(h.buf, math.Float64bits(x))
	}
	h.Write(h.buf)
}

func (h *hasher) matrix(m blas.General[float64]) {
	h.integers(m.Rows, m.Cols)
	for i := range m.Rows {
		h.floats(m.Row(i))
	}
}
