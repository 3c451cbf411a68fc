package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	flag "github.com/spf13/pflag"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/internal/message"
	"github.com/rffgo/rff/krr"
)

// declareAuto declares the flags of fit's search.
func (c *fitting) declareAuto(f *flag.FlagSet) {
	f.BoolVar(&c.auto, "auto", false, "choose all that is not given: scaling, kernel, bandwidth, λ, the number of features and\n--hard-weight, on held-out rows, within --budget")
	f.StringVar(&c.html, "html", "", "write a page that draws what --auto tried to this `file`")
	declare(f, &c.budget, "budget", krr.DefaultBudget.String(), "`time` that --auto may take, such as 30s or 10m, estimated for two cores, so that the same\nbudget gives the same model everywhere; 0 for one search on few rows and features", readTime)
}

// tuned completes what --auto is not to choose.
func (c *fitting) tuned(a *krr.AutoSettings, set *openSet) error {
	given := given{c.data.flags}
	if a.Budget = c.budget; a.Budget == 0 {
		a.Budget = krr.QuickSearch
	}
	if given.has("features") {
		a.Features = c.by.features
	}
	if given.has("scale") {
		a.Scaling = set.scaling(c.learn.scale)
	}
	if given.has("sampler") {
		a.Sampler = c.by.sampler
	}
	if given.has("kernel") {
		k, err := rff.ParseKernel(c.learn.kernel)
		if err != nil {
			return usagef("--kernel: %s", oneLine(err))
		}
		st, ok := k.(rff.Stationary)
		if !ok {
			return usagef("--kernel: %s has no bandwidth for --auto to choose", c.learn.kernel)
		}
		a.Kernels = []rff.Stationary{st}
	}
	return nil
}

// scaleText names the scaling of the inputs.
func (c *fitting) scaleText(given given) string {
	if c.auto && !given.has("scale") {
		return string(dataset.Robust)
	}
	return string(c.learn.scale)
}

// printQuickSearch says what --auto --budget 0 tried: the held-out mean squared error of every
// kernel and bandwidth.
func printQuickSearch(w io.Writer, a *krr.AutoReport, scale string) {
	fmt.Fprintf(w, "scaling   %s\n", scale)
	fmt.Fprintf(w, "tried     quickly, on %d of %d rows; mean squared errors by bandwidth, in median distances between rows\n", a.Searched, a.Rows)
	for i, p := range a.Trials {
		if i == 0 || p.Scale <= a.Trials[i-1].Scale || fmt.Sprint(p.Kernel) != fmt.Sprint(a.Trials[i-1].Kernel) {
			if i > 0 {
				fmt.Fprintln(w)
			}
			name, _, _ := strings.Cut(fmt.Sprint(p.Kernel), "(")
			fmt.Fprintf(w, "  %-8s", name)
		}
		fmt.Fprintf(w, " %.3g:%.3g", p.Medians, p.Error)
		switch {
		case i == a.Best:
			fmt.Fprint(w, "*")
		case p.Stopped:
			fmt.Fprint(w, "-")
		}
	}
	fmt.Fprintln(w)
	fmt.Fprintf(w, "          * chosen, - given up after a part of the rows\n")
}

// printSearch says what --auto tried, step by step.
func printSearch(w io.Writer, a *krr.AutoReport, scale string, classes bool, names []string) {
	if a.Trials != nil {
		printQuickSearch(w, a, scale)
		return
	}
	fmt.Fprintf(w, "scaling   %s\n", a.ScalingName)
	measure := "RMSE / sd"
	if classes {
		measure = "wrong"
	}
	fmt.Fprintf(w, "tried     on %d of %d rows; errors are those of held-out rows (%s), seconds estimated and taken\n", a.Searched, a.Rows, measure)
	for _, s := range a.Steps {
		if s.Candidates == 0 {
			fmt.Fprintf(w, "  %-9s not tried: %s\n", s.Name, s.Why)
			continue
		}
		if math.IsInf(s.Error, 1) {
			fmt.Fprintf(w, "  %-9s %4d tried, %7d rows, %5d features: %s  %5.1f %5.1f s\n", s.Name, s.Candidates, s.Rows, s.Features, s.Best, s.Estimated.Seconds(), s.Elapsed.Seconds())
			continue
		}
		verdict := "kept"
		if !s.Kept {
			verdict = "not kept: " + s.Why
		} else if s.StdErr > 0 {
			verdict = fmt.Sprintf("kept: better by %.2g ± %.2g", s.Gain, s.StdErr)
		}
		fmt.Fprintf(w, "  %-9s %4d tried, %7d rows, %5d features: %7.3f %%  %5.1f %5.1f s  %s; %s\n",
			s.Name, s.Candidates, s.Rows, s.Features, 100*s.Error, s.Estimated.Seconds(), s.Elapsed.Seconds(), message.ShortNumbers(s.Best), verdict)
	}
	fmt.Fprintf(w, "stopped   %s\n", a.Stopped)
	if a.Late {
		fmt.Fprintf(w, "          the result depends on the clock; a larger --budget, or an idle machine, gives one that does not\n")
	}
	if a.Error > 0 {
		fmt.Fprintf(w, "validated %.3f %% (%s) on rows held out from the search, of %d tried\n", 100*a.Error, measure, tried(a))
	}
	if a.Learned != "" {
		printImportance(w, a.Importance, names)
		fmt.Fprintf(w, "learned   by %s from the labels of the rows: the measures on held-out rows below are too good, those above are not\n", a.Learned)
	}
}

// printImportance names the inputs that matter most.
func printImportance(w io.Writer, shares []float64, names []string) {
	order := make([]int, len(shares))
	for j := range order {
		order[j] = j
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(shares[b], shares[a]) })
	var text []string
	for _, j := range order[:min(len(order), 8)] {
		name := fmt.Sprintf("column %d", j+1)
		if j < len(names) {
			name = names[j]
		}
		text = append(text, fmt.Sprintf("%s %.0f %%", name, 100*shares[j]))
	}
	if text != nil {
		fmt.Fprintf(w, "matters   %s\n", printable(strings.Join(text, ", ")))
	}
}

func tried(a *krr.AutoReport) (n int) {
	for _, s := range a.Steps {
		n += s.Candidates
	}
	return n
}
