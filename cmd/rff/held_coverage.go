package main

import (
	"context"
	"fmt"
	"iter"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/cmd/rff/report"
	"github.com/rffgo/rff/internal/classes"
	"github.com/rffgo/rff/internal/fold"
	"github.com/rffgo/rff/internal/stream"
	"github.com/rffgo/rff/krr"
)

// The coverage on a page without --test is measured by fitting four fifths of the rows and
// predicting the others, at most mostCovered. The rows of the model itself would say nothing:
// by construction its intervals hold the level's share of the rows that it keeps.
const (
	coverageFolds = 5
	mostCovered   = 2000
)

// part is the rows of a source that a fold holds out, or the others.
type part struct {
	rff.Source
	seed uint64
	held bool
}

func (p *part) Schema() rff.Schema {
	s := p.Source.Schema()
	s.Rows = 0 // not known
	s.FoldRows = 0
	return s
}

// alike returns the group of a row or, if there are no groups, its run of consecutive rows. is
// says whether there is either.
func (p *part) alike(b rff.Batch, i int) (of uint64, is bool) {
	run := p.Source.Schema().FoldRows
	switch {
	case b.Group != nil:
		return b.Group[i], true
	case run > 1:
		return uint64(b.First+int64(i)) / uint64(run), true
	}
	return 0, false
}

func (p *part) Batches(ctx context.Context) iter.Seq2[rff.Batch, error] {
	return func(yield func(rff.Batch, error) bool) {
		var first int64
		for b, err := range p.Source.Batches(ctx) {
			if err != nil {
				yield(b, err)
				return
			}
			n := 0
			out := rff.Batch{First: first, X: rff.Matrix{Cols: b.X.Cols, Stride: b.X.Cols}, Y: rff.Matrix{Cols: b.Y.Cols, Stride: b.Y.Cols}}
			for i := range b.X.Rows {
				unit := fold.Content(b.X.Row(i))
				if of, alike := p.alike(b, i); alike {
					unit = int64(of)
				}
				if (fold.Of(p.seed, unit, coverageFolds) == 0) != p.held {
					continue
				}
				if of, alike := p.alike(b, i); alike {
					out.Group = append(out.Group, of)
				}
				n++
				out.X.Data, out.Y.Data = append(out.X.Data, b.X.Row(i)...), append(out.Y.Data, b.Y.Row(i)...)
				out.Weight = append(out.Weight, stream.Weight(b.Weight, i))
			}
			out.X.Rows, out.Y.Rows = n, n
			first += int64(n)
			if n > 0 && !yield(out, nil) {
				return
			}
		}
	}
}

// heldCoverage fits the same features with the same λ to four fifths of the rows. It returns how
// often the intervals or sets of that fit hold the truth of the other rows. Spans is nil if there
// are too few rows for a level.
func heldCoverage(ctx context.Context, fitted *krr.Model, data rff.Source, s krr.Settings) (report.Predicted, error) {
	info := fitted.Info()
	of := info.Schema.Target.Classes
	s.Lambdas, s.Scaling, s.ClipPredictions, s.Probabilities, s.HeldOut, s.Progress, s.Provenance = info.Lambda[:1], info.Scaling, info.ClipPredictions, info.Probabilities, false, nil, nil
	s.Checkpoint = krr.Checkpoint{}
	model, _, err := krr.Fit(ctx, fitted.Map(), &part{data, s.Seed, false}, s)
	if err != nil {
		return report.Predicted{}, fmt.Errorf("measuring intervals on rows held out: %w", err)
	}
	levels := possible(model, 0, drawnLevels)
	held, spans := make([]holding, len(levels)), make([]spans, len(levels))
	var rows int64
	for b, err := range (&part{data, s.Seed, true}).Batches(ctx) {
		if err != nil {
			return report.Predicted{}, err
		}
		n := min(b.X.Rows, int(mostCovered-rows))
		if n == 0 || len(levels) == 0 {
			break
		}
		if err := setSpans(spans, model, mat.NewDense(n, b.X.Cols, b.X.Data[:n*b.X.Cols]), levels); err != nil {
			return report.Predicted{}, err
		}
		for i := range n {
			truth := b.Y.Row(i)[0]
			if of != nil {
				own, _ := classes.Of(b.Y.Row(i))
				truth = float64(own)
			}
			for l := range levels {
				held[l].add(&spans[l], i, of, truth, b.Weight[i])
			}
		}
		rows += int64(n)
	}
	p := report.Predicted{Title: "Intervals on held-out rows", Count: rows,
		Rows: fmt.Sprintf("%d rows that a second fit has not seen: to four fifths of the rows, with the same features and λ.", rows)}
	if of != nil {
		p.Title = "Sets of labels on held-out rows"
	}
	if info.Schema.Target.Weights != nil {
		p.Rows += " They count by their weights."
	}
	for l, h := range held {
		if h.weight > 0 {
			p.Spans = append(p.Spans, report.Span{Level: levels[l], Inside: h.inside / h.weight, Size: h.mean()})
		}
	}
	return p, nil
}
