package krr

import (
	"context"
	"time"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/krr/internal/race"
	"github.com/rffgo/rff/sampling"
)

const (
	foundRows    = 5000 // rows of the cross-validation
	foundColumns = 512  // features of its map
)

// findBandwidth returns the multiple of a bandwidth with the least cross-validated error, as
// fits.SearchBandwidth says.
func findBandwidth(ctx context.Context, k rff.Stationary, data rff.Source, unit float64, s Settings) (float64, error) {
	rows, n, err := (&AutoSettings{Fit: s}).draw(ctx, data, foundRows)
	if err != nil {
		return 0, err
	}
	if rows.Y.Cols < 1 {
		return 0, setting("targets", 0, "learning needs a target column")
	}
	precision, err := s.Precision.described()
	if err != nil {
		return 0, err
	}
	r, err := race.New(rows, n, race.Settings{First: true, Budget: time.Hour, Unit: unit, Features: foundColumns, Kernels: []rff.Stationary{k}, Sampler: sampling.MonteCarlo{},
		Scaling: &s.Scaling, Lambdas: s.Lambdas, Unclipped: true, Precision: precision, Seed: s.Seed, Engine: s.Engine})
	if err != nil {
		return 0, err
	}
	p := newStage(s.Progress, "search", 1)
	if _, err := r.Run(ctx, p.add); err != nil {
		return 0, err
	}
	p.end()
	return r.Bandwidth(), nil
}
