package sampling

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/stream"
)

// Nystrom takes rows of the data as landmarks, one per feature. The features are the kernel
// sections of the landmarks: see rff.Nystrom. It needs as many rows of positive weight as
// features, reads the data once, and looks at no targets unless Metric is set.
type Nystrom struct {
	// Pick says how rows are picked; "" is "uniform".
	//
	//	uniform     with equal chances, without replacement; nearly the best once the
	//	            bandwidth is tuned
	//	rpcholesky  in proportion to the part of k(x, x) that the rows picked before do not
	//	            explain (Chen, Epperly, Tropp and Webber, "Randomly pivoted Cholesky",
	//	            CPAM 2025; in blocks with rejection, Epperly, Tropp and Webber, "Embrace
	//	            rejection", 2024)
	//	leverage    in proportion to ridge leverage scores, without replacement; as many
	//	            uniform rows as landmarks give the estimate of the scores (one level of
	//	            Musco and Musco, "Recursive sampling for the Nyström method", NIPS 2017)
	//	kmeans++    in proportion to the squared distance, in the feature space of k, to the
	//	            nearest row picked before (Oglic and Gärtner, "Nyström method with
	//	            kernel k-means++ samples as landmarks", ICML 2017)
	Pick string
	// Multiple is the number of rows per landmark that picks other than uniform choose
	// from. These rows are a uniform sample of the data. 0: 10.
	Multiple int
	// Lambda of the leverage scores, per row. 0: 1e-3.
	Lambda float64
	// Metric learns a bandwidth per input: those of the kernel go down the slope of the
	// leave-one-out error of kernel ridge regressions on some 600 rows, and the best of these
	// steps for up to 4,400 other rows is taken, if it is better than the kernel beyond noise.
	// Metric needs a Gaussian, Laplacian or Matern kernel, and targets, and reads the data once
	// more.
	Metric bool
}

var landmarkPicks = []string{"uniform", "rpcholesky", "leverage", "kmeans++"}

// Sample implements rff.Sampler.
func (s Nystrom) Sample(ctx context.Context, r rff.Request) (*rff.Map, error) {
	q, err := dataRequest(ctx, "nystrom", r, s.Metric)
	if err != nil {
		return nil, err
	}
	if q.Kernel == nil {
		return nil, kernelError(q.sampler, nil, "sections need one")
	}
	if err := affordable(q.Features, q.Features, max(q.Features, q.Dim), "kernel matrix"); err != nil {
		return nil, err
	}
	if s.Metric {
		if q.Kernel, err = s.learnedKernel(ctx, q); err != nil {
			return nil, err
		}
	}
	rows, err := s.landmarks(ctx, q)
	if err != nil {
		return nil, err
	}
	m, err := rff.Nystrom(q.Kernel, matOf(rows))
	if err != nil {
		return nil, fmt.Errorf("sampling: nystrom: %w", err)
	}
	return inside.On(m, q.engine), nil
}

// landmarks picks rows.
func (s Nystrom) landmarks(ctx context.Context, q *request) (blas.General[float64], error) {
	pick := cmp.Or(s.Pick, landmarkPicks[0])
	if !slices.Contains(landmarkPicks, pick) {
		return blas.General[float64]{}, inside.Unknown("pick", pick, landmarkPicks...)
	}
	size, err := q.Features, error(nil)
	if pick != "uniform" {
		if size, err = (Pool{Multiple: cmp.Or(s.Multiple, 10)}).columns(q.Features); err == nil {
			err = affordable(q.Features, size, max(q.Features, q.Dim), "rows to pick landmarks from, and their kernel")
		}
	}
	if err != nil {
		return blas.General[float64]{}, err
	}
	x, _, err := uniformRows(ctx, q, size, q.Features, ": a landmark is a row, so ask for no more features than there are rows")
	if err != nil || pick == "uniform" {
		return x, err
	}
	p := &landmarkPool{q: q, e: q.engine, x: x}
	var picked []int
	switch pick {
	case "rpcholesky":
		picked, err = p.cholesky(ctx)
	case "leverage":
		picked, err = p.leverage(s.Lambda)
	case "kmeans++":
		picked, err = p.spread(ctx)
	}
	if err != nil {
		return x, err
	}
	return dense.Pick(p.x, picked), nil
}

// uniformRows returns up to n rows, drawn with equal chances (Vitter's algorithm R), and the
// number of rows they are drawn from. Rows of weight 0 are left out. It returns an
// error, which hint completes, if there are fewer than least.
func uniformRows(ctx context.Context, q *request, n, least int, hint string) (blas.General[float64], int64, error) {
	x := blas.General[float64]{Cols: q.Dim, Stride: q.Dim}
	seen := 0
	for b, err := range checked(ctx, q.Data, q.Dim, 0) {
		if err != nil {
			return x, 0, err
		}
		for i := range stream.Present(b.Weight, b.X.Rows) {
			seen++
			if x.Rows < n {
				x.Data = append(x.Data, b.X.Row(i)...)
				x.Rows++
			} else if at := intN(q.Rand, seen); at < n {
				copy(x.Row(at), b.X.Row(i))
			}
		}
	}
	if seen < least {
		return x, 0, tooFewRows(q.sampler, int64(seen), int64(least), hint)
	}
	return x, int64(seen), nil
}

// matOf is a matrix that shares the memory of x, which has no gaps.
func matOf(x blas.General[float64]) *mat.Dense { return mat.NewDense(x.Rows, x.Cols, x.Data) }

// work returns the multiply-adds of picking landmarks, of making their sections
// orthonormal, and of learning bandwidths.
func (s Nystrom) work(t inside.Task) float64 {
	m, in := float64(t.Features), float64(t.In)
	work := float64(3 * m * m * m)
	if s.Pick != "" && s.Pick != "uniform" {
		// The products take pool·m²/2 multiply-adds, and more for proposals that are rejected, and wait for memory: of
		// 10 inputs, 1,024 to 2,048 landmarks take as long as 1.5 to 2 times pool·m² on two fast cores.
		pool := min(float64(max(s.Multiple, 10))*m, float64(t.Rows))
		work += float64(1.3*pool*m*(in+20)) + float64(2.5*pool*m*m) + float64(150*pool*m)
	}
	if s.Metric {
		work += s.metricWork(t)
	}
	return work
}
