package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rffgo/rff/cmd/rff/fits"
	"github.com/rffgo/rff/cmd/rff/report"
	"github.com/rffgo/rff/internal/inside/hook"
	"github.com/rffgo/rff/internal/stream"
)

// facts are the lines that a command prints about its result. Each has a name, except further
// lines of a list.
type facts []report.Fact

func (f *facts) add(name, format string, a ...any) {
	*f = append(*f, report.Fact{Name: name, Text: fmt.Sprintf(format, a...)})
}

func (f facts) print(w io.Writer) {
	for _, v := range f {
		if v.Name == "" {
			fmt.Fprintf(w, "  %s\n", v.Text)
			continue
		}
		fmt.Fprintf(w, "%-9s %s\n", v.Name, v.Text)
	}
}

// samplerOf names the sampler of the features. found is nil without --auto.
func samplerOf(found *hook.Search, given string) string {
	if found != nil && found.Sampler != "" {
		return found.Sampler
	}
	return given
}

// unresolvedText says which λ were left out of the choice.
func unresolvedText(r *fits.Fitted) string {
	var lambdas []string
	for _, l := range fits.Unresolved(r.Report) {
		lambdas = append(lambdas, fmt.Sprintf("%.3g", l))
	}
	text := fmt.Sprintf("lambda %s: below the rounding errors of sums in %s", strings.Join(lambdas, ", "), r.Precision)
	if finer := stream.Named(string(r.Precision)).Finer; finer != "" {
		text += "; --precision " + finer + " resolves more"
	}
	return text
}

const atEdge = " (at the edge of the grid: the best may lie beyond)"

// lambdaText is the largest λ of a fit, and whether the best may lie beyond.
func lambdaText(r *fits.Fitted, found *hook.Search) string {
	text := fmt.Sprintf("%.3g", slices.Max(r.Lambda))
	switch {
	case found != nil && r.AtEdge && r.Path == nil:
		text += " (the smallest that was tried: rounding errors hide smaller ones)"
	case r.AtEdge:
		text += atEdge
	}
	return text
}
