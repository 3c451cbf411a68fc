package sampling

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
)

// The values of Compact.Projection.
const (
	signProjection     = "sign"
	gaussianProjection = "gaussian"
	hadamardProjection = "hadamard"
)

// Compact draws compact feature maps: Multiple·l columns of the base sampler,
// projected to l columns by a random matrix P with E[PPᵀ] = I. The source is R. Hamid et
// al., "Compact random feature maps", ICML 2014, as used by Chen et al. (2015). At the same
// l, Compact is worse than l columns of the base sampler. It is here because papers compare
// with it.
type Compact struct {
	Base     rff.Sampler // nil: MonteCarlo in the CosSin form
	Multiple int         // columns of the base per column of the result; 0: 4
	// Projection says what P is. "hadamard", the default, is a subsampled randomised
	// Hadamard transform: l columns of D·H·√(1/l), where D has random signs and H is
	// unnormalised. It is never stored as a matrix. "sign" has entries ±1/√l and "gaussian"
	// entries from N(0, 1/l); both store Multiple·l² numbers.
	Projection string
}

// Sample implements rff.Sampler; data goes to the base sampler.
func (s Compact) Sample(ctx context.Context, r rff.Request) (*rff.Map, error) {
	q, err := newRequest(ctx, "compact", r)
	if err != nil {
		return nil, err
	}
	pool, features := Pool{Base: s.Base, Multiple: s.Multiple}, r.Features
	size, err := pool.columns(features)
	if err == nil && s.dense() {
		err = affordable(features, size, features, "projection")
	}
	if err != nil {
		return nil, err
	}
	if known := []string{hadamardProjection, signProjection, gaussianProjection}; s.Projection != "" && !slices.Contains(known, s.Projection) {
		return nil, inside.Unknown("projection of compact", s.Projection, known...)
	}
	wide, err := sampleFrom(ctx, pool.baseOr(), q, size)
	if err != nil {
		return nil, err
	}
	spec := inside.Spec(wide)
	if spec.Projected() {
		return nil, baseError("compact", s.Base, "must not project itself")
	}
	if !s.dense() {
		spec.Walsh = drawWalsh(len(spec.Weight), features, q.Rand)
	} else if spec.Product, err = drawProjection(ctx, s.Projection, len(spec.Weight), features, q.Rand); err != nil {
		return nil, err
	}
	return q.made(spec, wide.Kernel())
}

// base lets kernelFor see whose features are projected.
func (s Compact) base() rff.Sampler { return s.Base }

// dense reports whether the projection is a matrix of numbers.
func (s Compact) dense() bool {
	return s.Projection == signProjection || s.Projection == gaussianProjection
}

// drawWalsh returns a random projection from that many columns to cols. It draws columns of
// the transform without replacement, so they stay orthogonal.
func drawWalsh(columns, cols int, src rand.Source) *blas.Walsh {
	w := &blas.Walsh{D: make([]float64, columns), Columns: permutation(powerOfTwo(columns), src)[:cols]}
	amplitude := 1 / math.Sqrt(float64(cols))
	for i := range w.D {
		w.D[i] = amplitude * sign(src)
	}
	return w
}

// drawProjection returns a random rows×cols projection.
func drawProjection(ctx context.Context, kind string, rows, cols int, src rand.Source) (blas.General[float64], error) {
	m := blas.NewGeneral[float64](rows, cols)
	amplitude, draw := 1/math.Sqrt(float64(cols)), sign
	if kind == gaussianProjection {
		draw = normal
	}
	for i := range rows {
		if err := ctx.Err(); err != nil {
			return m, err
		}
		row := m.Row(i)
		for j := range row {
			row[j] = amplitude * draw(src)
		}
	}
	return m, nil
}
