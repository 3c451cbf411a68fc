package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/inside/fits"
	"github.com/rffgo/rff/internal/report"
	"github.com/rffgo/rff/internal/stream"
	"github.com/rffgo/rff/krr"
)

// openPage opens the page that --html asks for, nil for none.
func (c *fitting) openPage() (*output, error) {
	if c.html == "" {
		return nil, nil
	}
	return createOutput("html", c.html)
}

// writePage draws what --auto tried, and puts the page in its place.
func (c *fitting) writePage(page *output, w io.Writer, set *openSet, sampler string, found *krr.AutoReport, m *rff.Map) error {
	if page == nil {
		return nil
	}
	_, features := m.Dims()
	s := report.Search{AutoReport: found, Steps: fits.Steps(found), Kernel: m.Kernel(), Features: features, Data: set.name, Inputs: set.inputs, Classes: len(found.Schema.Target.Classes) > 0,
		Lambda: lambdaText(found.Report, found), Sampler: samplerOf(found, sampler)}
	if err := report.WriteSearch(page, s, report.Now(commandLine(c.data.flags))); err != nil {
		return fmt.Errorf("--html: writing %s: %w", c.html, err)
	}
	if err := page.commit(); err != nil {
		return err
	}
	fmt.Fprintf(w, "wrote %s\n", c.html)
	return nil
}

// samplerOf names the sampler of the features. found is nil without --auto.
func samplerOf(found *krr.AutoReport, given string) string {
	if found != nil && found.Sampler != "" {
		return found.Sampler
	}
	return given
}

// unresolvedText says which λ were left out of the choice.
func unresolvedText(r *krr.Report) string {
	var lambdas []string
	for _, l := range r.Unresolved {
		lambdas = append(lambdas, fmt.Sprintf("%.3g", l))
	}
	text := fmt.Sprintf("lambda %s: below the rounding errors of sums in %s", strings.Join(lambdas, ", "), r.Precision)
	if finer := stream.Named(string(r.Precision)).Finer; finer != "" {
		text += "; --precision " + finer + " resolves more"
	}
	return text
}

// lambdaText is the largest λ of a fit, and whether the best may lie beyond.
func lambdaText(r *krr.Report, found *krr.AutoReport) string {
	text := fmt.Sprintf("%.3g", slices.Max(r.Lambda))
	switch {
	case found != nil && r.AtEdge && r.Path == nil:
		text += " (the smallest tried: less is beyond the arithmetic)"
	case r.AtEdge:
		text += " (at the edge of the grid: the best may lie beyond)"
	}
	return text
}
