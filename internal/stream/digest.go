package stream

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/rffgo/rff"
)

// Digest is a running hash of all bits of a stream's rows in their order: inputs,
// targets, weights and groups, whatever the batches. It tells whether a checkpoint was made
// from these data.
//
// Number j of a row's inputs, and so on, goes through lane j mod 4 by a round of
// XXH64. A round is one-to-one in the lane and in the number, so one number that
// differs always shows; two or more that differ stay hidden with a probability
// of about 2⁻⁶⁴. It is no protection against someone who constructs data.
//
// Reference: Collet, "xxHash fast digest algorithm", XXH64, step 2.
type Digest [4]uint64

const (
	xxPrime1 = 0x9e3779b185ebca87
	xxPrime2 = 0xc2b2ae3d27d4eb4f
)

func xxRound(lane, v uint64) uint64 { return bits.RotateLeft64(lane+v*xxPrime2, 31) * xxPrime1 }

// Add adds rows. Rows without weights have those with weights of 1; rows without
// groups differ from all rows with groups.
func (h *Digest) Add(b rff.Batch) {
	a := *h
	for i := range b.X.Rows {
		a.numbers(b.X.Row(i))
		if b.Y.Cols > 0 {
			a.numbers(b.Y.Row(i))
		}
		a[0] = xxRound(a[0], math.Float64bits(Weight(b.Weight, i)))
		if b.Group != nil {
			a[1], a[2] = xxRound(a[1], b.Group[i]), xxRound(a[2], 1)
		}
	}
	*h = a
}

// AddAside is Add on a goroutine of its own: on many cores the fit of the rows takes
// less time than their digest. The function that it returns waits for the end.
func (h *Digest) AddAside(b rff.Batch) (wait func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		h.Add(b)
	}()
	return func() { <-done }
}

func (h *Digest) numbers(v []float64) {
	a, b, c, d := h[0], h[1], h[2], h[3]
	for len(v) >= 4 {
		a = xxRound(a, math.Float64bits(v[0]))
		b = xxRound(b, math.Float64bits(v[1]))
		c = xxRound(c, math.Float64bits(v[2]))
		d = xxRound(d, math.Float64bits(v[3]))
		v = v[4:]
	}
	h[0], h[1], h[2], h[3] = a, b, c, d
	for i, x := range v {
		h[i] = xxRound(h[i], math.Float64bits(x))
	}
}

// String returns all 256 bits: nothing is gained by mixing them.
func (h *Digest) String() string { return fmt.Sprintf("%016x%016x%016x%016x", h[0], h[1], h[2], h[3]) }
