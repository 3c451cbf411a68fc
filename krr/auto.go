package krr

import (
	"context"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/krr/internal/search"
)

// Auto fits a well-tuned model to rows within a budget. It chooses the scaling of
// the inputs, kernel, bandwidth and λ on rows held out, on more and more of the
// rows and features (successive halving) up to those of the final fit; then
// learns features, takes more of them and counts the hard rows of a classification
// more often (Settings.HardWeight) as long as held-out rows say that it helps. Everything tried and chosen is in the report, and what was chosen in the
// model's provenance. Errors: those of Fit; *rff.ParameterError.
func Auto(ctx context.Context, data rff.Source, s AutoSettings) (*Model, *AutoReport, error) {
	data, err := counted(data)
	if err != nil {
		return nil, nil, err
	}
	if s.Classes == nil {
		s.Classes = data.Schema().Target.Classes
	}
	if s.Budget < 0 {
		return s.quick(ctx, data)
	}
	if s.Budget == 0 {
		s.Budget = DefaultBudget
	}
	set, err := s.search()
	if err != nil {
		return nil, nil, err
	}
	found, err := search.New(ctx, data, learner{data, s.Settings}, set)
	if err != nil {
		return nil, nil, err
	}
	progress := newStage(s.Progress, "search", 1)
	report, err := found.Run(ctx, progress.add)
	if err != nil {
		return nil, nil, err
	}
	progress.end()
	choice, err := found.Choose(ctx)
	if err != nil {
		return nil, nil, err
	}
	return s.fit(ctx, data, report, choice)
}
