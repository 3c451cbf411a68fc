package stream

import (
	"testing"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
)

// The digest of rows of 784 inputs, to be compared with their part of a fit:
// go test ./krr/internal/stream -bench 'Digest' -run '^$'
func BenchmarkDigest(b *testing.B) {
	const n, d = 504, 784
	x, y := blas.NewGeneral[float64](n, d), blas.NewGeneral[float64](n, 10)
	for i := range x.Data {
		x.Data[i] = float64(i%251) / 251
	}
	var h Digest
	b.SetBytes(8 * n * (d + 10))
	for b.Loop() {
		h.Add(rff.Batch{X: x, Y: y})
	}
}
