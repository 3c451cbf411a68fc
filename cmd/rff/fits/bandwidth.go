package fits

import (
	"context"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/inside/hook"
	"github.com/rffgo/rff/krr"
)

// BandwidthRule finds a kernel's bandwidth from rows. Distances are those of the
// kernel: for a Laplacian ℓ₁. "": MedianBandwidth.
type BandwidthRule string

const (
	MedianBandwidth    BandwidthRule = "median" // the median distance between rows
	NeighbourBandwidth BandwidthRule = "knn"    // the mean distance to the 50th nearest row
	SearchedBandwidth  BandwidthRule = "cv"     // the best multiple of the median by cross-validation
)

// ruleRows is the number of rows whose distances are measured, in pairs: the work grows with
// their square.
const ruleRows = 1000

// SearchBandwidth returns the kernel k with the bandwidth that a rule finds on rows that
// are scaled already. A k that has its bandwidth, or that takes none, is returned as it
// is. data should be a sample in memory: it is read several times.
//
// SearchedBandwidth takes the multiple of the median with the least cross-validated
// error among 2^{k/2}, k = −8…4, and beyond while the best is evidently an end of these:
// the first search of krr.Auto, with one kernel. All multiples have the same Monte Carlo
// features, rescaled, so that only bandwidths differ. Of the settings Lambdas,
// Precision, Scaling, Engine and Progress matter. seed is that of the rows and frequencies
// drawn.
//
// Errors: those of rff.MedianDistance, rff.NeighbourDistance and krr.Fit.
func SearchBandwidth(ctx context.Context, k rff.Kernel, data rff.Source, rule BandwidthRule, s krr.Settings, seed uint64) (rff.Kernel, error) {
	if _, err := rff.WithBandwidth(k, 1); err != nil {
		return k, nil
	}
	x, err := inputsOf(ctx, data)
	if err != nil {
		return nil, err
	}
	_, dim := x.Dims()
	src := rand.NewPCG(seed, 0x6b65726e656c)
	var h float64
	switch rule {
	case NeighbourBandwidth:
		h, err = rff.NeighbourDistance(x, 0, ruleRows, src)
	case "", MedianBandwidth, SearchedBandwidth:
		h, err = rff.MedianDistance(x, ruleRows, src)
	default:
		err = inside.Unknown("bandwidth", rule, string(MedianBandwidth), string(NeighbourBandwidth), string(SearchedBandwidth))
	}
	if err != nil {
		return nil, err
	}
	h = ownDistance(k, h, dim)
	at, err := rff.WithBandwidth(k, h)
	if err != nil || rule != SearchedBandwidth {
		return at, err
	}
	s.Seed = seed
	if h, err = hook.FindBandwidth(ctx, k, data, h, s); err != nil {
		return nil, err
	}
	return rff.WithBandwidth(k, h)
}

// ownDistance returns r, a typical Euclidean distance between rows of that dimension, in the
// kernel's own distance.
func ownDistance(k rff.Kernel, r float64, dim int) float64 {
	if own, ok := k.(interface {
		FromEuclidean(r float64, dim int) float64
	}); ok {
		return own.FromEuclidean(r, dim)
	}
	return r
}

// inputsOf returns the inputs of all rows, in place if the source has them as a matrix.
func inputsOf(ctx context.Context, data rff.Source) (*mat.Dense, error) {
	if m, ok := data.(interface{ Matrix() *mat.Dense }); ok {
		return m.Matrix(), nil
	}
	if data == nil {
		return nil, &rff.ParameterError{Name: "data", Need: "must be given"}
	}
	in, _ := data.Schema().Dims()
	var all []float64
	for b, err := range data.Batches(ctx) {
		if err != nil {
			return nil, err
		}
		for i := range b.X.Rows {
			all = append(all, b.X.Row(i)...)
		}
	}
	if len(all) == 0 {
		return &mat.Dense{}, nil
	}
	return mat.NewDense(len(all)/in, in, all), nil
}
