package krr

import (
	"context"
	"fmt"
	"time"

	"github.com/rffgo/rff"
)

// AutoSettings of Auto. The zero value is the default throughout.
type AutoSettings struct {
	// Settings of the final fit. In Auto a regression clips its predictions and
	// a classification has probabilities; a zero Scaling is chosen by the data.
	Settings
	// Budget of the search and the final fit, in estimated seconds of two cores: the
	// multiply-adds of what is to be done, 5·10¹⁰ a second. So the same data, seed
	// and budget give the same bits, on every machine. When the real clock has shown
	// four budgets, and 20 seconds more than one, no further step starts, and the
	// report says so. 0:
	// DefaultBudget; QuickSearch, or less than 0: one search on few rows and features.
	Budget time.Duration
	// Steps is the most steps of the search, whatever the clock says: the number in
	// the report of a search that the clock ended gives its result again. 0: as many
	// as the budget allows.
	Steps int
	// Features of the map. 0: as many as the budget allows and held-out rows ask
	// for; of a quick search a sixteenth of the rows, within 256 to 2048.
	Features int
	// Kernels to choose from, with bandwidth 1: Auto scales them. nil: the Gaussian,
	// the Laplacian and the Matérn kernels of 3/2 and 5/2; of a quick search
	// the first two.
	Kernels []rff.Stationary
	// Sampler of the frequencies. nil: sampling.Default, and what learns the features
	// from the rows (the samplers metric and refined) if held-out rows say so.
	Sampler rff.Sampler
	// SearchRows is the most rows, drawn at random, that the choice rests on. 0: as
	// many as 256 MiB hold; of a quick search 4000.
	SearchRows int
	// SearchFeatures of the map of a quick search. 0: 256.
	SearchFeatures int
	// KeepUnclipped leaves the predictions of a regression unbounded.
	KeepUnclipped bool
}

// Auto fits a well-tuned model to rows within a budget. It chooses the scaling of
// the inputs, kernel, bandwidth and λ on rows held out, on more and more of the
// rows and features (successive halving) up to those of the final fit; then
// learns features and takes more of them as long as held-out rows say that it
// helps. Everything tried and chosen is in the report, and what was chosen in the
// model's provenance. Errors: those of Fit; *rff.ParameterError.
func Auto(ctx context.Context, data rff.Source, s AutoSettings) (*Model, *AutoReport, error) {
	if l, ok := data.(Labelled); ok && s.Classes == nil {
		s.Classes = l.Classes()
	}
	if s.Budget < 0 {
		return s.quick(ctx, data)
	}
	if s.Budget == 0 {
		s.Budget = DefaultBudget
	}
	if err := s.check(); err != nil {
		return nil, nil, err
	}
	found, err := newSearch(ctx, data, s)
	if err != nil {
		return nil, nil, err
	}
	if err := found.run(ctx); err != nil {
		return nil, nil, err
	}
	return found.fit(ctx)
}

// check checks the settings of a search and fills in the kernels.
func (s *AutoSettings) check() error {
	if s.Kernels == nil {
		s.Kernels = searchedKernels(s.Sampler, rff.Gaussian{}, rff.Matern{Nu: 2.5}, rff.Matern{Nu: 1.5}, rff.Laplacian{})
	}
	for _, k := range s.Kernels {
		if _, err := rff.WithBandwidth(k, 1); err != nil {
			return fmt.Errorf("krr: kernel %v: %w", k, err)
		}
	}
	switch {
	case s.SearchRows != 0 && s.SearchRows < 20:
		return setting("search rows", s.SearchRows, "must be at least 20")
	case s.Features < 0:
		return setting("features", s.Features, "must not be negative")
	case s.Steps < 0:
		return setting("steps", s.Steps, "must not be negative")
	case s.SearchFeatures != 0:
		return setting("search features", s.SearchFeatures, "a search with a budget has as many as its steps ask for: leave it 0, or set Budget to QuickSearch")
	}
	_, err := s.lambdas()
	return err
}
