package krr

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"github.com/rffgo/rff"
)

// FoldOf lets tests split rows as fits do.
func FoldOf(seed uint64, row int64, folds int) int { return foldOf(seed, row, folds) }

// Extremes returns the extreme eigenvalues of the tridiagonal matrix that steps
// of conjugate gradients give, as solve estimates them.
func Extremes(step, beta []float64) (lo, hi float64) {
	var l lanczos
	for i := range step {
		l.add(step[i], beta[i])
	}
	return l.extremes()
}

// Digest adds rows to the digest whose text is in state, "" for none yet.
func Digest(state *string, b rff.Batch) string {
	var d digest
	if *state != "" {
		fmt.Sscanf(*state, "%16x%16x%16x%16x", &d[0], &d[1], &d[2], &d[3])
	}
	d.add(b)
	return d.String()
}

// Seal returns a file of tensors with the checksum that its content should
// have, so that fuzzing gets past it.
func Seal(file []byte) []byte {
	const key = `"sha256":"`
	b := bytes.Clone(file)
	if len(b) < 8 {
		return b
	}
	n := min(binary.LittleEndian.Uint64(b), uint64(len(b)-8))
	i := bytes.Index(b[:8+n], []byte(key))
	if i < 0 || i+len(key)+64 > len(b) {
		return b
	}
	at := b[i+len(key):][:64]
	copy(at, zeroSum)
	h := sha256.Sum256(b)
	hex.Encode(at, h[:])
	return b
}
