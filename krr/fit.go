package krr

import (
	"context"
	"errors"

	"github.com/rffgo/rff"
)

// Fit fits ridge regression on the features of m to the rows of data, read
// once unless settings ask for more. It returns a model for the rows as data gives them.
//
// If rounding errors of sums of integers hide the chosen λ, the rows are read again and summed in
// the next finer precision, which the report and the model name: int12 after int8, float64 after
// int12. A fit with a checkpoint keeps its precision and raises λ (Solved.Jitter).
//
// Errors: *rff.ValueError names a row that cannot be used, since a target or weight is out of
// range or the map does not resolve an input; *rff.ParameterError for settings or data that do
// not fit the map; *rff.DegenerateDataError; *SolveError; those of data; ctx.Err(); *FileError
// for a checkpoint that does not fit or cannot be made.
func Fit(ctx context.Context, m *rff.Map, data rff.Source, s Settings) (*Model, *Report, error) {
	p, err := newProblem(m, data, s)
	if err != nil {
		return nil, nil, err
	}
	fit := p.fitOnce
	if p.rule != nil {
		fit = p.fitRounds
	}
	model, report, err := fit(ctx)
	if err == errUnlike {
		s.unlike = true
		return Fit(ctx, m, data, s)
	}
	var weightless *weightlessError
	if errors.As(err, &weightless) {
		s.weightless = weightless.rows
		return Fit(ctx, m, data, s)
	}
	if err == nil && p.apart != nil {
		err = &rff.DegenerateDataError{What: "intervals", Why: "no row of positive weight is in the fold that is kept apart for them: give more rows, groups or runs, or fewer folds"}
		if p.apart.sample.Rows() > 0 {
			err = model.keep(p.apart.sample, p.by)
		}
	}
	var degenerate *rff.DegenerateDataError
	if errors.As(err, &degenerate) {
		if seed, ok := p.reseeded(); ok {
			s.Seed = seed
			return Fit(ctx, m, data, s)
		}
	}
	if errors.As(err, &degenerate) && p.repeats.Count() > 0 && s.Checkpoint.Path == "" {
		schema := data.Schema()
		schema.FoldRows = 1 // too few different inputs to hold some out
		if data, err = rff.WithSchema(data, schema); err != nil {
			return nil, nil, err
		}
		return Fit(ctx, m, data, s)
	}
	if err != nil {
		return nil, nil, err
	}
	// The ridge may be below the rounding errors of features that are rounded to integers.
	if hidden := p.precision.Levels > 0 && (model.solved.Unresolved || model.solved.Jitter > 0); hidden && s.Checkpoint.Path == "" {
		s.Precision = Precision(p.precision.Finer)
		return Fit(ctx, m, data, s)
	}
	if s.Gram != nil {
		*s.Gram, report.gram = *report.gram, nil
	}
	report.info = model.Info()
	return model, report, nil
}

// fitOnce fits from sums, or by passes.
func (f *problem) fitOnce(ctx context.Context) (*Model, *Report, error) {
	if f.Passes != nil {
		return f.fitIterative(ctx)
	}
	d, err := newDirect(f)
	if err != nil {
		return nil, nil, err
	}
	return d.run(ctx)
}
