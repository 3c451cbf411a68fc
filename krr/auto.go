package krr

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/stream"
	"github.com/rffgo/rff/internal/trial"
	"github.com/rffgo/rff/krr/internal/race"
	"github.com/rffgo/rff/sampling"
)

// Auto fits a well-tuned model to rows within a budget. It chooses the scaling of
// the inputs, kernel, bandwidth and λ on held-out rows, on more and more of the
// rows and features (successive halving) up to those of the final fit. Then, for as long as the
// budget lasts, it tries the step that promises the largest gain for its work: kernel sections
// on rows (on all of them if there are up to 10,000 different ones, which is the exact kernel
// ridge regression), learned features, more features, and other weights of the rows
// (Settings.Loss). It keeps a step if held-out rows say that it is better. At last it averages the
// best of several kinds of features, up to four, if that is better. It does not where features,
// a loss, λ, a checkpoint or Uncertainty are asked for. Learned features have seen the targets of most
// rows, and of kernel sections on all rows each row has its own, which new rows have not: intervals and label sets of
// such models come from rows that the search held out, as fits without these rows predict them, and they have no
// variance. Everything tried is in the report, and
// what was chosen in the model's provenance: "auto", "sampler", "mean". Errors: those of Fit;
// *rff.ParameterError.
func Auto(ctx context.Context, data rff.Source, s AutoSettings) (*Model, *Report, error) {
	begin := time.Now()
	data, err := counted(data)
	if err != nil {
		return nil, nil, err
	}
	s.classes = data.Schema().Target.Classes
	set, err := s.race()
	if err != nil {
		return nil, nil, err
	}
	probe, err := s.probe(ctx, data)
	if err != nil {
		return nil, nil, err
	}
	in, targets := data.Schema().Dims()
	set.Check = func(features int, rows int64) error {
		return extent{inputs: in, features: features, targets: targets, rows: rows, precision: set.Precision}.check(s.Fit)
	}
	rows, n, err := s.draw(ctx, data, s.mostRows(in, targets))
	if err != nil {
		return nil, nil, err
	}
	if err := probe.checkDrawn(rows); err != nil {
		return nil, nil, err
	}
	if s.Budget == 0 {
		set.Budget = min(defaultBudget, leastBudget+time.Duration(n)*budgetPerRow)
		if s.Deadline > 0 { // no clock says how long the first step takes
			set.Budget = min(set.Budget, s.Deadline)
		}
	}
	set.Begin = begin
	found, err := race.New(rows, n, set)
	if err != nil {
		return nil, nil, err
	}
	progress := newStage(s.Fit.Progress, "search", 1)
	report, err := found.Run(ctx, progress.add)
	if err != nil {
		return nil, nil, err
	}
	progress.end()
	var first error
	for _, c := range found.Choices() {
		if err = c.Make(ctx); err == nil {
			var model *Model
			var r *Report
			if model, r, err = s.fit(ctx, data, report, c); err == nil {
				return model, r, nil
			}
		}
		if first == nil {
			first = err
		}
		if row := (*rff.ValueError)(nil); ctx.Err() != nil || !errors.As(err, &row) && c.Map != nil {
			break // another choice would fail, too
		}
	}
	return nil, nil, first
}

// probe returns the problem of a fit of one frequency to data, so that what fits refuse is refused
// before the search, and so is a checkpoint that cannot be made.
func (s *AutoSettings) probe(ctx context.Context, data rff.Source) (*problem, error) {
	if s.Fit.Checkpoint.Path != "" {
		lock, err := s.Fit.Checkpoint.acquire()
		if err != nil && !errors.Is(err, errors.ErrUnsupported) {
			return nil, err
		}
		lock.Release()
	}
	in, _ := data.Schema().Dims()
	m, err := sampling.MonteCarlo{}.Sample(ctx, rff.Request{Kernel: rff.NewGaussian(1), Dim: in, Features: 2, Rand: rand.NewPCG(s.Fit.Seed, 0)})
	if err != nil {
		return nil, err
	}
	return newProblem(m, data, s.final("", ""))
}

// checkDrawn checks the targets of some rows of the data as a fit does.
func (f *problem) checkDrawn(r *trial.Rows) error {
	if f.loss == nil || !f.loss.Traits().Counts {
		return nil
	}
	for i, row := range r.Index {
		if err := f.checkCounts(rff.Batch{First: row, Y: r.Y.RowRange(i, i+1)}); err != nil {
			return err
		}
	}
	return nil
}

const (
	// sampleBytes bounds the bytes of the rows that a search holds. It holds two copies of
	// them.
	sampleBytes = 128 << 20
	// The default budget is leastBudget and budgetPerRow for each row, up to defaultBudget: 1.5
	// seconds for 300 rows.
	leastBudget  = 300 * time.Millisecond
	budgetPerRow = 4 * time.Millisecond
)

// mostRows returns how many rows a search may hold.
func (s *AutoSettings) mostRows(in, targets int) int {
	switch {
	case s.SearchRows > 0:
		return s.SearchRows
	case s.Budget < 0:
		return quickRows
	}
	return max(1000, sampleBytes/(8*(in+targets+3)))
}

// draw returns up to count rows of the data, and the number of rows there are.
func (s *AutoSettings) draw(ctx context.Context, data rff.Source, count int) (*trial.Rows, int64, error) {
	in, targets := data.Schema().Dims()
	begun := time.Now()
	reported, known := begun, stream.Count(data)
	r, n, err := trial.Draw(ahead(ctx, data, 1), in, targets, trial.Drawing{Count: count, Seed: s.Fit.Seed, Run: int64(data.Schema().FoldRows), Read: func(n int64) {
		if now := time.Now(); s.Fit.Progress != nil && now.Sub(reported) > progressEvery {
			reported = now
			s.Fit.Progress(Progress{Stage: "rows", Rows: n, Total: known, Elapsed: now.Sub(begun)})
		}
	}})
	if err == nil && n == 0 {
		err = none("rows")
	}
	return r, n, err
}
