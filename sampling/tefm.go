package sampling

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
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
	// power of two. It reads the data once more to count the rows of positive weight,
	// unless the Schema of the Source gives their number and the rows have no weights. Without Hadamard, Θ has independent standard normal
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
	// of the Y before. It costs a second pass and a Gram matrix of the columns to project, and gained nothing
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
	y, rows, err := s.sketch(ctx, q, m)
	if err != nil {
		return nil, err
	}
	if rows < int64(features) {
		return nil, tooFewRows(q.sampler, rows, int64(features), ", one per column")
	}
	var g blas.General[float64]
	if s.Power > 0 {
		sums, err := (&pass{sampler: q.sampler, features: m, engine: q.engine, gram: true}).run(ctx, q.Data)
		if err != nil {
			return nil, err
		}
		g = sums.G
		dense.Mirror(g)
	}
	if y, err = orthonormalize(ctx, q.engine, y); err != nil {
		return nil, err
	}
	for range s.Power {
		next := blas.NewGeneral[float64](y.Rows, y.Cols)
		blas.Gemm(q.engine, false, false, 1, y, g, 0, next)
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

// sketch returns Yᵀ = ΘᵀF, of one pass, and the number of rows.
func (s TEFM) sketch(ctx context.Context, q *request, m *rff.Map) (y blas.General[float64], rows int64, err error) {
	if s.Hadamard {
		return s.hadamard(ctx, q, m)
	}
	// Θ has a generator of its own. Rows come in order, so batches do not matter.
	stream := rand.NewPCG(q.Rand.Uint64(), q.Rand.Uint64())
	theta := func(dst []float64, _ int64) { normals(dst, stream) }
	p := &pass{sampler: q.sampler, features: m, engine: q.engine, targets: theta, width: q.Features}
	sums, err := p.run(ctx, q.Data)
	if err != nil {
		return y, 0, err
	}
	return transpose(sums.ZY), sums.Rows, nil
}

// hadamard returns ΘᵀF of the rows of the data, l×s, and their number.
func (s TEFM) hadamard(ctx context.Context, q *request, m *rff.Map) (y blas.General[float64], rows int64, err error) {
	n, err := countRows(ctx, q.Data)
	if err != nil {
		return y, 0, err
	}
	if n < int64(q.Features) {
		return y, 0, tooFewRows(q.sampler, n, int64(q.Features), ", one per column")
	}
	dim, columns := m.Dims()
	if err := affordable(columns, columns, q.Features, "products of features"); err != nil {
		return y, 0, err
	}
	var weighted present
	t := newHadamard(n, q.Features, q.Rand, q.engine, inside.Features64(m))
	for b, err := range checked(ctx, q.Data, dim, 0) {
		if err != nil {
			return y, 0, err
		}
		t.add(weighted.of(b))
	}
	t.flush()
	return t.y, t.rows, nil
}

// countRows returns the number of rows of positive weight.
func countRows(ctx context.Context, data rff.Source) (n int64, err error) {
	for b, err := range data.Batches(ctx) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return 0, err
		}
		if all := data.Schema().Rows; all > 0 && n == 0 && b.Weight == nil {
			return all, nil
		}
		n += int64(new(present).of(b).X.Rows)
	}
	return n, nil
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
