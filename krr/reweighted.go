package krr

import (
	"context"
	"maps"
	"time"

	"github.com/rffgo/rff/internal/reweight"
)

// solution is the model of one round.
type solution struct {
	model  *Model
	report *Report
}

// fitRounds fits twice. The second round takes the λ of the first.
func (f *problem) fitRounds(ctx context.Context) (*Model, *Report, error) {
	says := map[string]string{"loss": f.rule.String()}
	maps.Copy(says, f.Provenance)
	f.Provenance = says
	if f.Passes == nil { // passes keep to their own bound
		if err := f.checkMemory(); err != nil {
			return nil, nil, err
		}
	}
	first, sums, err := f.firstRound(ctx)
	if err != nil {
		return nil, nil, err
	}
	last, err := f.again(ctx, first, sums)
	if err != nil {
		return nil, nil, err
	}
	found := first.report
	last.report.Path, last.report.unresolved, last.report.AtEdge = found.Path, found.unresolved, found.AtEdge
	return last.model, last.report, nil
}

// firstRound solves with the weights of the data. Of the settings it follows those that a round
// before the last needs. It returns the sums of all rows too, if the second round adds to them.
func (f *problem) firstRound(ctx context.Context) (*solution, *direct, error) {
	if f.addsRows() && f.Checkpoint.Path == "" && !f.extent(f.knownRows()).dual(f.Settings) {
		d, err := newDirect(f)
		if err == nil {
			err = d.read(ctx)
		}
		if err != nil {
			return nil, nil, err
		}
		if d.few == nil && d.report.Train.Rows > 0 {
			model, report, err := d.once(ctx)
			return &solution{model: model, report: report}, d, err
		} // the rows are few: their number was not known before
	}
	s := f.bare()
	p, err := newProblem(f.m, f.data, s)
	if err != nil {
		return nil, nil, err
	}
	model, report, err := p.fitOnce(ctx)
	f.repeats, f.units = p.repeats, p.units // Fit uses them after an error
	return &solution{model: model, report: report}, nil, err
}

// bare returns the settings of a round that is not the last.
func (f *problem) bare() Settings {
	s := f.Settings
	s.Loss, s.Probabilities, s.HeldOut, s.Uncertainty, s.Provenance, s.Gram = "", false, false, "", nil, nil
	return s
}

// again solves with the weights that the rule makes of the scores of the first solution:
// from the sums of all rows, or from the beginning if these are nil.
func (f *problem) again(ctx context.Context, first *solution, sums *direct) (*solution, error) {
	round := &reweight.Round{Rule: f.rule, Score: first.model.predict}
	next := new(solution)
	before := *first.report
	before.Took = maps.Clone(before.Took)
	var err error
	if sums != nil {
		before.Took["rows"] = 0 // sums counts its own time
		if err = sums.addMore(ctx, round); err == nil {
			next.model, next.report, err = sums.finish(ctx)
		}
	} else {
		s := f.Settings
		s.Provenance = maps.Clone(f.Provenance)
		if by, ok := first.model.prov["lambda"]; ok && s.Provenance["lambda"] == "" {
			s.Provenance["lambda"] = by
		}
		s.Loss, s.Lambdas, s.Checkpoint = "", first.model.lambda[:1], Checkpoint{} // the checkpoint has the first solution's sums
		var p *problem
		if p, err = newProblem(f.m, f.data, s); err != nil {
			return nil, err
		}
		p.fix(first.model.lambda)
		p.round = round
		next.model, next.report, err = p.fitOnce(ctx)
	}
	if err != nil {
		return nil, err
	}
	r := next.report
	r.hard, r.reweighted, r.weight, r.Repeats, r.Resumed = round.Rows, round.Most, before.weight, before.Repeats, before.Resumed
	r.Took["rows"] += before.Took["rows"]
	r.Took["select"] += before.Took["select"]
	r.Took["solve"] += before.Took["solve"]
	return next, nil
}

// once solves with the weights of the data. The sums of f stay as they are.
func (f *direct) once(ctx context.Context) (*Model, *Report, error) {
	p := *f.problem
	p.Settings, p.foldCount = f.bare(), 1
	total := f.grams[0].empty(true)
	for _, g := range f.grams {
		if err := total.Merge(g); err != nil {
			return nil, nil, err
		}
	}
	return (&direct{problem: &p, grams: []*Gram{total}}).finish(ctx)
}

// addMore adds, for the rows that count more in a round, the weight that the sums do not have
// yet.
func (f *direct) addMore(ctx context.Context, round *reweight.Round) error {
	start := time.Now()
	reported := start
	var rows int64
	for b, err := range ahead(ctx, f.data, f.report.features) {
		if err != nil {
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
	if f.wide != nil {
		f.wide.flush(f.grams)
	}
	f.progress("rows", rows, rows, start)
	f.report.Took["rows"] += time.Since(start)
	return nil
}
