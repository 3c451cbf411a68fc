package sampling

import (
	"context"
	"fmt"
	"math/bits"
	"math/rand/v2"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/fold"
	"github.com/rffgo/rff/internal/inside"
)

// TEFM projects a large feature map onto the dominant subspace of its features
// on the data (Chen, Yang, Wang, Zhang and Huang, "Training-efficient feature
// map for shift-invariant kernels", IJCAI 2015, Algorithms 1 and 2): with
// features F, n×4l, of the base sampler and a random n×l matrix Θ,
//
//	Y = FᵀΘ,  Q = the orthonormal factor of Y,  z = f·Q.
//
// The error of the kernel is that of about 4l plain columns, and a model on z costs as much
// as one on l columns. A row of z costs 4l columns and a product with a 4l×l matrix. TEFM
// uses no labels and computes Y in one pass. l may be odd.
type TEFM struct {
	// Hadamard takes for Θ a subsampled randomised Hadamard transform over the rows,
	// TEFM-S: random signs, then l random columns of the Hadamard matrix of the next
	// power of two. It reads the data once more to count the rows, unless the Schema of
	// the Source gives their number. Without Hadamard, Θ has independent standard normal
	// entries, TEFM-G.
	Hadamard bool
	// Base draws the features to project. nil: MonteCarlo in the CosSin form.
	Base rff.Sampler
	// Multiple is the number of columns to project per feature. 0: 4.
	Multiple int
	// Size is the number of columns to project, at least the features asked for, in
	// place of Multiple.
	Size int
	// Power is the number of power iterations Y ← FᵀF·Q, each with the orthonormal factor Q
	// of the Y before. It costs a Gram matrix of the columns to project, and gained nothing
	// on the data sets that were measured. 0: none.
	Power int
}

func (s TEFM) base() rff.Sampler { return s.Base }

// Sample implements rff.Sampler. The error is a *rff.DegenerateDataError if the features of
// the rows span fewer dimensions than asked for.
func (s TEFM) Sample(ctx context.Context, r rff.Request) (*rff.Map, error) {
	name := "tefm-g"
	if s.Hadamard {
		name = "tefm-s"
	}
	q, err := dataRequest(ctx, name, r, false)
	if err != nil {
		return nil, err
	}
	if s.Power < 0 {
		return nil, &rff.ParameterError{Name: "power", Value: s.Power, Need: "must not be negative"}
	}
	pool := Pool{Base: s.Base, Multiple: s.Multiple, Size: s.Size}
	features := q.Features
	size, err := pool.columns(features)
	if err != nil {
		return nil, err
	}
	m, err := sampleFrom(ctx, pool.baseOr(), q, size+size%2)
	if err != nil {
		return nil, err
	}
	spec := inside.Spec(m)
	if spec.Product.Data != nil {
		return nil, baseError(q.sampler, pool.baseOr(), "must not project itself")
	}
	theta, err := s.sketch(ctx, q)
	if err != nil {
		return nil, err
	}
	p := &pass{sampler: q.sampler, features: m, engine: q.engine, gram: s.Power > 0, targets: theta, width: features}
	sums, err := p.run(ctx, q.Data)
	if err != nil {
		return nil, err
	}
	if sums.Rows < int64(features) {
		return nil, tooFewRows(q.sampler, sums.Rows, int64(features), ", one per column")
	}
	y, err := orthonormalize(ctx, q.engine, transpose(sums.ZY))
	if err != nil {
		return nil, err
	}
	for range s.Power {
		dense.Mirror(sums.G)
		next := blas.NewGeneral[float64](y.Rows, y.Cols)
		blas.Gemm(q.engine, false, false, 1, y, sums.G, 0, next)
		if y, err = orthonormalize(ctx, q.engine, next); err != nil {
			return nil, err
		}
	}
	if y.Rows < features {
		return nil, dataError(q.sampler, fmt.Sprintf("the features of these rows span %d dimensions, and %d columns are asked for: ask for at most %d", y.Rows, features, y.Rows))
	}
	spec.Product = transpose(y)
	return q.made(spec, q.Kernel)
}

// sketch returns the function that writes a row of Θ.
func (s TEFM) sketch(ctx context.Context, q *request) (func(dst []float64, row int64), error) {
	if s.Hadamard {
		n, err := countRows(ctx, q.Data)
		if err != nil {
			return nil, err
		}
		if n < int64(q.Features) {
			return nil, tooFewRows(q.sampler, n, int64(q.Features), ", one per column")
		}
		return hadamardRows(n, q.Features, q.Rand), nil
	}
	// Θ has a generator of its own. Rows come in order, so batches do not matter.
	stream := rand.NewPCG(q.Rand.Uint64(), q.Rand.Uint64())
	return func(dst []float64, _ int64) {
		for t := range dst {
			dst[t] = normal(stream)
		}
	}, nil
}

func countRows(ctx context.Context, data rff.Source) (n int64, err error) {
	if n := data.Schema().Rows; n > 0 {
		return n, nil
	}
	for b, err := range data.Batches(ctx) {
		if err != nil {
			return 0, err
		}
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		n += int64(b.X.Rows)
	}
	return n, nil
}

// hadamardRows returns rows of D·H·P for n ≤ 2^b rows: entry (i, t) is
// sᵢ·(−1)^popcount(i & cₜ) for seeded signs s and l distinct columns c of the
// Hadamard matrix of order 2^b. Its scale does not matter to the span.
func hadamardRows(n int64, l int, src rand.Source) func(dst []float64, row int64) {
	order := 1 << bits.Len64(uint64(n-1))
	seed := src.Uint64()
	column := make([]uint64, l)
	seen := make(map[uint64]bool, l)
	for t := range column {
		for column[t] = uint64(intN(src, order)); seen[column[t]]; {
			column[t] = uint64(intN(src, order))
		}
		seen[column[t]] = true
	}
	return func(dst []float64, row int64) {
		sign := fold.Hash(seed, row-1)
		for t, c := range column {
			if (bits.OnesCount64(uint64(row)&c)+int(sign&1))%2 == 0 {
				dst[t] = 1
			} else {
				dst[t] = -1
			}
		}
	}
}

func transpose(a blas.General[float64]) blas.General[float64] {
	t := blas.NewGeneral[float64](a.Cols, a.Rows)
	for i := range a.Rows {
		for j, v := range a.Row(i) {
			t.Row(j)[i] = v
		}
	}
	return t
}
