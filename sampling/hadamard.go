package sampling

import (
	"math/bits"
	"math/rand/v2"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/fold"
	"github.com/rffgo/rff/internal/stream"
)

// hadamard is a subsampled randomised Hadamard transform of at most 2^b rows of features. Entry
// (i, t) of Θ is sᵢ·(−1)^popcount(i & cₜ) for seeded signs s and l distinct columns c of the
// Hadamard matrix of order 2^b. Its scale does not matter to the span.
//
// Rows whose numbers differ only in their last bits are transformed together, in h·log₂h
// additions per feature for h rows. Row k of the result is Σ over these rows with the signs of
// column k of the matrix of order h, and cₜ takes the row of its own last bits, with the sign
// of the other bits.
type hadamard struct {
	seed   uint64
	column []uint64 // c

	engine   blas.Engine
	features *blas.Features[float64]
	x, z     blas.General[float64] // inputs of a block of rows, and features with their signs
	factor   []float64             // sign times weight of each row, 0 for one that is not there
	block    int64                 // the number of the block
	filled   bool                  // there is a row in it
	y        blas.General[float64] // ΘᵀF, l×s
	rows     int64                 // of positive weight
}

// hadamardBits is the base-2 logarithm of the number of rows of a block. Larger blocks would
// save no more: with 512 rows their transform takes 9 additions per row and feature, and a
// column of Θ takes one for 512 rows.
const hadamardBits = 9

// newHadamard returns the transform for that many rows.
func newHadamard(n int64, l int, src rand.Source, e blas.Engine, f *blas.Features[float64]) *hadamard {
	const h = 1 << hadamardBits
	in, s := f.Dims()
	t := &hadamard{seed: src.Uint64(), column: make([]uint64, l), engine: e, features: f, factor: make([]float64, h),
		x: blas.NewGeneral[float64](h, in), z: blas.NewGeneral[float64](h, s), y: blas.NewGeneral[float64](l, s)}
	order := 1 << bits.Len64(uint64(n-1))
	seen := make(map[uint64]bool, l)
	for i := range t.column {
		for t.column[i] = uint64(intN(src, order)); seen[t.column[i]]; {
			t.column[i] = uint64(intN(src, order))
		}
		seen[t.column[i]] = true
	}
	return t
}

// add adds the rows of b.
func (t *hadamard) add(b rff.Batch) {
	for r := range b.X.Rows {
		i := b.First + int64(r)
		if block := i >> hadamardBits; block != t.block {
			t.flush()
			t.block = block
		}
		w := stream.Weight(b.Weight, r)
		if w == 0 {
			continue
		}
		t.rows++
		at := int(i & (1<<hadamardBits - 1))
		copy(t.x.Row(at), b.X.Row(r))
		if t.factor[at], t.filled = w, true; fold.Hash(t.seed, i-1)&1 == 1 {
			t.factor[at] = -w
		}
	}
}

// flush adds the block to y.
func (t *hadamard) flush() {
	if !t.filled {
		return
	}
	t.features.Transform(t.engine, t.z, t.x)
	for i, f := range t.factor {
		row := t.z.Row(i)
		if f == 0 {
			clear(row)
		}
		for j := range row {
			row[j] *= f
		}
	}
	for half := 1; half < t.z.Rows; half *= 2 {
		for i := range t.z.Rows {
			if i&half == 0 {
				butterfly(t.z.Row(i), t.z.Row(i+half))
			}
		}
	}
	const last = 1<<hadamardBits - 1
	for k, c := range t.column {
		to, from := t.y.Row(k), t.z.Row(int(c&last))
		if bits.OnesCount64(uint64(t.block)<<hadamardBits&c)%2 == 0 {
			for j, v := range from {
				to[j] += v
			}
			continue
		}
		for j, v := range from {
			to[j] -= v
		}
	}
	clear(t.factor)
	t.filled = false
}

// butterfly replaces a and b by their sum and their difference.
func butterfly(a, b []float64) {
	b = b[:len(a)]
	for j, v := range a {
		a[j], b[j] = v+b[j], v-b[j]
	}
}
