package main

import (
	"context"
	"fmt"
	"io"

	"github.com/rffgo/rff/cmd/rff/fits"
	"github.com/rffgo/rff/cmd/rff/report"
)

// openPage opens the page that --html asks for. It returns nil if none is asked for.
func (c *fitting) openPage() (*output, error) {
	if c.html == "" {
		return nil, nil
	}
	return createOutput("html", c.html)
}

// writePage draws the fit, and puts the page in its place. test has the measures of the rows of
// --test, or is nil without --test.
func (r *fitRun) writePage(ctx context.Context, page *output, w io.Writer, test *predictor) error {
	if page == nil {
		return nil
	}
	classes := r.report.Schema.Target.Classes
	hard, most := fits.Reweighted(r.report.Report)
	f := report.Fit{Data: r.set.name, Inputs: r.set.inputs, Report: r.report, Search: r.found, Hard: hard, Reweighted: most,
		Unmeasured: "No row was held out from this fit, so there is nothing to draw: --folds holds out rows, --test FILE gives others."}
	for _, v := range r.facts {
		if v.Name != "" { // steps are drawn
			f.Facts = append(f.Facts, v)
		}
	}
	if r.found != nil {
		f.Importance = r.report.Importance
	} else if learned := r.c.by.learning.result; learned != nil {
		f.Importance = learned.Importance
	}
	if f.Importance == nil {
		var err error
		if f.Effects, err = fits.EffectsOf(r.model, r.set.sample.X); err != nil {
			return fmt.Errorf("--html: measuring the effects of inputs: %w", err)
		}
	}
	if h := r.report.HeldOut; h != nil {
		p := report.Predicted{Title: "Predictions of held-out rows", Rows: fmt.Sprintf("%d of %d rows, each predicted by a model that was fitted without it.", h.Rows, r.report.Train.Rows), Unit: unitOf(r.set.target)}
		if c := fits.Classes(h); classes != nil {
			p.Labels = &c
		} else {
			levels, columns := r.report.Schema.Target.Quantiles, fits.Numbers(h)
			p.Numbers = &columns[fits.Middle(levels)]
			drawn(&p, levels, belowPoints(columns))
		}
		if f.Importance != nil && (r.found == nil || !r.found.Apart) {
			p.Rows += " The features were chosen by rows and labels of this fit, these ones among them, so this is a little too good."
		}
		f.Predicted = append(f.Predicted, p)
	}
	if test != nil && test.rows > test.blank {
		f.Predicted = append(f.Predicted, test.predicted("Predictions of "+r.c.test))
	}
	if test == nil && r.c.interval {
		r.at.stage("measuring intervals on rows held out")
		p, err := heldCoverage(ctx, r.model, r.source, r.settings)
		r.at.end()
		if err != nil {
			return err
		}
		if p.Spans != nil {
			if f.Importance != nil {
				p.Rows += " The features were chosen by all of them, so this is a little too good."
			}
			f.Predicted = append(f.Predicted, p)
		}
	}
	if err := report.WriteFit(page, f, report.Now(commandLine(r.c.data.flags))); err != nil {
		return fmt.Errorf("--html: writing %s: %w", r.c.html, err)
	}
	if err := page.commit(); err != nil {
		return err
	}
	fmt.Fprintf(w, "wrote %s\n", r.c.html)
	return nil
}

// predicted is what was measured, to be drawn.
func (p *predictor) predicted(title string) report.Predicted {
	out := report.Predicted{Title: title, Rows: fmt.Sprintf("%d rows of --test.", p.rows-p.blank), Unit: unitOf(p.schema.Target.Name)}
	if p.weighted {
		out.Rows += " They count by their weights."
	}
	if p.classes != nil {
		c := p.named.Result()
		out.Labels = &c
	} else {
		n := p.numbers.Result()
		out.Numbers = &n
		_, below := p.beside.means()
		drawn(&out, p.sorted, below)
	}
	for i, h := range p.holding {
		out.Spans = append(out.Spans, report.Span{Level: p.levels[i], Inside: h.inside / h.weight, Size: h.mean()})
	}
	return out
}
