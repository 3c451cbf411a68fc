package sampling

import (
	"context"
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/limit"
)

// Nystrom takes rows of the data as landmarks, one per feature, whose kernel
// sections are the features: see rff.Nystrom. It needs as many rows of positive
// weight as features, and looks at no targets.
type Nystrom struct {
	// Pick says how landmarks are picked. The zero value takes rows uniformly, in one
	// reading of the data, and is nearly the best once the bandwidth is tuned.
	Pick Landmarks
	// Multiple is the number of rows, per landmark, that a pick other than UniformRows
	// chooses from: a uniform sample of the data. 0: 10.
	Multiple int
	// Engine says where kernels are evaluated.
	Engine blas.Engine
}

// Landmarks is a way of picking rows.
type Landmarks uint8

const (
	// UniformRows takes rows with equal probability, without replacement.
	UniformRows Landmarks = iota
)

func (l Landmarks) String() string {
	if int(l) < len(landmarkNames) {
		return landmarkNames[l]
	}
	return "unknown landmarks"
}

var landmarkNames = [...]string{"uniform"}

// nystromEntry is the line of ByName's table.
func nystromEntry() entry {
	return entry{"nystrom", "kernel sections on landmark rows (Williams and Seeger)", "pick=uniform",
		func(o *options) rff.Sampler {
			s := Nystrom{}
			word := o.word("pick", landmarkNames[:]...)
			for i, name := range landmarkNames {
				if name == word {
					s.Pick = Landmarks(i)
				}
			}
			return s
		}}
}

// Sample implements rff.Sampler.
func (s Nystrom) Sample(ctx context.Context, k rff.Kernel, dim, features int, data rff.Source, src rand.Source) (*rff.Map, error) {
	q := &request{"nystrom", k, dim, features, data, src}
	if err := q.check(ctx, false); err != nil {
		return nil, err
	}
	if int(s.Pick) >= len(landmarkNames) {
		return nil, &rff.ParameterError{Name: "pick", Value: uint8(s.Pick), Need: "is not a known way of picking landmarks"}
	}
	if k == nil {
		return nil, &UnsupportedKernelError{Sampler: q.sampler, Why: "sections need one"}
	}
	if err := affordable(features, features, max(features, dim), "kernel matrix"); err != nil {
		return nil, err
	}
	rows, err := s.landmarks(ctx, q)
	if err != nil {
		return nil, err
	}
	m, err := rff.Nystrom(k, mat.NewDense(rows.Rows, rows.Cols, rows.Data))
	if err != nil {
		return nil, fmt.Errorf("sampling: nystrom: %w", err)
	}
	return m.On(s.Engine), nil
}

// landmarks picks rows.
func (s Nystrom) landmarks(ctx context.Context, q *request) (blas.General[float64], error) {
	return uniformRows(ctx, q, q.features)
}

// uniformRows returns n rows of positive weight by equal chances, in the order of
// Vitter's algorithm R.
func uniformRows(ctx context.Context, q *request, n int) (blas.General[float64], error) {
	if !limit.Fits(n, q.dim) {
		return blas.General[float64]{}, affordable(q.features, n, q.dim, "rows to pick landmarks from")
	}
	x := blas.General[float64]{Cols: q.dim, Stride: q.dim}
	seen := 0
	for b, err := range q.data.Batches(ctx) {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = checkBatch(b, q.dim, 0)
		}
		if err == nil {
			err = rff.CheckFinite(b.X, b.First)
		}
		if err != nil {
			return x, err
		}
		for i := range b.X.Rows {
			if b.Weight != nil && b.Weight[i] == 0 {
				continue
			}
			seen++
			if x.Rows < n {
				x.Data = append(x.Data, b.X.Row(i)...)
				x.Rows++
			} else if at := intN(q.src, seen); at < n {
				copy(x.Row(at), b.X.Row(i))
			}
		}
	}
	if seen < n {
		return x, tooFewRows(q.sampler, int64(seen), int64(n), ": a landmark is a row, so ask for no more features than there are rows")
	}
	return x, nil
}
