package krr

import (
	"context"
	"maps"
	"strconv"
	"time"

	"github.com/rffgo/rff/internal/stream"
	"github.com/rffgo/rff/krr/internal/reweight"
)

// setRule checks the settings that ask for a rule of weights and targets, and sets it.
func (f *problem) setRule() error {
	s := &f.Settings
	switch w := s.HardWeight; {
	case w == 0 || w == 1:
		return nil
	case !(w > 1 && reweight.Hard(w) <= reweight.MostHard):
		return setting("hard weight", w, "must be 1 to 10000, or 0 for 1")
	case f.classes == nil:
		return setting("hard weight", w, "only a classification has hard rows")
	case s.Solver == ConjugateGradients || s.PerTarget || s.Variance || s.Checkpoint.Path != "":
		return setting("hard weight", w, "a second solution goes with neither conjugate gradients, λ per target, variances nor checkpoints")
	}
	f.rule = reweight.Hard(s.HardWeight)
	return nil
}

// fitRounds fits until the rule is done: λ is that of the first round.
func (f *problem) fitRounds(ctx context.Context) (*Model, *Report, error) {
	says := map[string]string{"hard weight": strconv.FormatFloat(f.HardWeight, 'g', -1, 64)}
	maps.Copy(says, f.Provenance)
	f.Provenance = says
	// Choosing λ takes the folds' sums apart, and few rows have none.
	if len(f.grid) > 1 || f.extent(stream.Count(f.data)).dual(f.Settings) {
		return f.fitAgain(ctx)
	}
	d, err := newDirect(f)
	if err != nil {
		return nil, nil, err
	}
	return d.runTwice(ctx)
}

// fitAgain makes every round a fit of its own, from the beginning.
func (f *problem) fitAgain(ctx context.Context) (*Model, *Report, error) {
	s := f.Settings
	s.HardWeight, s.Probabilities, s.HeldOut, s.Provenance = 0, false, false, nil
	model, found, err := Fit(ctx, f.m, f.data, s)
	if err != nil {
		return nil, nil, err
	}
	report := found
	for rounds := 1; !f.rule.Done(rounds); rounds++ {
		s.Lambda = found.Lambda[0]
		if f.rule.Done(rounds + 1) { // the last, which is measured
			s = f.Settings
			s.Lambda, s.Provenance = found.Lambda[0], maps.Clone(f.Provenance)
			if by, ok := model.prov["lambda"]; ok && s.Provenance["lambda"] == "" {
				s.Provenance["lambda"] = by
			}
		}
		p, err := newProblem(f.m, f.data, s)
		if err != nil {
			return nil, nil, err
		}
		p.round = &reweight.Round{Rule: f.rule, Score: model.predict}
		before := report
		if model, report, err = p.fitOnce(ctx); err != nil {
			return nil, nil, err
		}
		report.add(before, p.round)
	}
	report.Path, report.Unresolved, report.AtEdge = found.Path, found.Unresolved, found.AtEdge
	return model, report, nil
}

// add makes r, of a round of its own, the report of the rounds before as well.
func (r *Report) add(before *Report, round *reweight.Round) {
	r.Hard, r.Weight, r.Repeats = round.Rows, before.Weight, before.Repeats
	r.Read += before.Read
	r.Select += before.Select
	r.Solve += before.Solve
}

// runTwice reads the rows, solves, and adds those that count more to the sums, which
// leaves little to do where they are few. The rule has two rounds, as More asks for.
func (f *direct) runTwice(ctx context.Context) (*Model, *Report, error) {
	if err := f.read(ctx); err != nil {
		return nil, nil, err
	}
	if f.few != nil || f.report.Rows == 0 {
		return f.fitAgain(ctx) // their number was not known
	}
	first, found, err := f.once(ctx)
	if err != nil {
		return nil, nil, err
	}
	before := *found
	before.Read = 0 // f goes on with its own
	round := &reweight.Round{Rule: f.rule, Score: first.predict}
	if err := f.addMore(ctx, round); err != nil {
		return nil, nil, err
	}
	model, r, err := f.finish(ctx)
	if err != nil {
		return nil, nil, err
	}
	r.add(&before, round)
	return model, r, nil
}

// once solves with all rows counted alike. The sums of f stay as they are.
func (f *direct) once(ctx context.Context) (*Model, *Report, error) {
	p := *f.problem
	p.Probabilities, p.HeldOut, p.foldCount = false, false, 1
	total := f.grams[0].empty(true)
	for _, g := range f.grams {
		if err := total.Merge(g); err != nil {
			return nil, nil, err
		}
	}
	return (&direct{problem: &p, grams: []*Gram{total}}).finish(ctx)
}

// addMore adds the rows that count more in a round to the sums, which have them once.
func (f *direct) addMore(ctx context.Context, round *reweight.Round) error {
	start := time.Now()
	reported := start
	var rows int64
	for b, err := range ahead(ctx, f.data, f.report.Features) {
		if err != nil {
			return err
		}
		if err := f.shift.check(f.Settings.Precision, f.shift.at, b.Y, b.Weight, b.First); err != nil {
			return err
		}
		if err := f.limits.check(b.X, b.First, f.schema); err != nil {
			return err
		}
		folds := f.foldsOf(b)
		more, at, err := round.More(b)
		if err != nil {
			return err
		}
		rows += int64(b.X.Rows)
		if folds != nil {
			for to, i := range at {
				folds[to] = folds[i]
			}
			folds = folds[:len(at)]
		}
		f.add(more.X, more.Y, more.Weight, folds)
		if now := time.Now(); now.Sub(reported) > progressEvery {
			reported = now
			f.progress("rows", rows, f.rows, start)
		}
	}
	f.progress("rows", rows, rows, start)
	f.report.Read += time.Since(start)
	return nil
}
