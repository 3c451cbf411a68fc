package krr

import (
	"context"
	"math/rand/v2"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/inside/hook"
	"github.com/rffgo/rff/krr/internal/race"
	"github.com/rffgo/rff/sampling"
)

const (
	ruleRows     = 1000 // rows whose distances are measured, in pairs: the work grows with their square
	foundRows    = 5000 // rows of the cross-validation
	foundColumns = 512  // features of its map
)

// searchBandwidth is fits.SearchBandwidth.
func searchBandwidth(ctx context.Context, k rff.Kernel, data rff.Source, rule hook.BandwidthRule, s Settings, seed uint64) (rff.Kernel, error) {
	if _, err := rff.WithBandwidth(k, 1); err != nil {
		return k, nil
	}
	if data == nil {
		return nil, &rff.ParameterError{Name: "data", Need: "must be given"}
	}
	x, err := inputsOf(ctx, data)
	if err != nil {
		return nil, err
	}
	_, dim := x.Dims()
	src := rand.NewPCG(seed, 0x6b65726e656c)
	var h float64
	switch rule {
	case hook.NeighbourBandwidth:
		h, err = rff.NeighbourDistance(x, 0, ruleRows, src)
	case "", hook.MedianBandwidth, hook.SearchedBandwidth:
		h, err = rff.MedianDistance(x, ruleRows, src)
	default:
		err = &rff.ParameterError{Name: "bandwidth", Value: rule, Need: "must be a rule", Known: []string{"median", "knn", "cv"}}
	}
	if err != nil {
		return nil, err
	}
	h = ownDistance(k, h, dim)
	at, err := rff.WithBandwidth(k, h)
	if err != nil || rule != hook.SearchedBandwidth {
		return at, err
	}
	a := AutoSettings{Fit: s}
	a.Fit.Seed = seed
	rows, n, err := a.draw(ctx, data, foundRows)
	if err != nil {
		return nil, err
	}
	if rows.Y.Cols < 1 {
		return nil, &rff.ParameterError{Name: "targets", Value: 0, Need: "learning needs a target column"}
	}
	precision, err := s.Precision.described()
	if err != nil {
		return nil, err
	}
	r, err := race.New(rows, n, race.Settings{First: true, Budget: time.Hour, Unit: h, Features: foundColumns, Kernels: []rff.Stationary{k.(rff.Stationary)}, Sampler: sampling.MonteCarlo{},
		Scaling: &s.Scaling, Lambdas: s.Lambdas, Unclipped: true, Precision: precision, Seed: seed, Engine: s.Engine})
	if err != nil {
		return nil, err
	}
	p := newStage(s.Progress, "search", 1)
	if _, err := r.Run(ctx, p.add); err != nil {
		return nil, err
	}
	p.end()
	return rff.WithBandwidth(k, r.Bandwidth())
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
