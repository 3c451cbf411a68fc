package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	flag "github.com/spf13/pflag"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/cmd/rff/fits"
	"github.com/rffgo/rff/cmd/rff/report"
	"github.com/rffgo/rff/cmd/rff/wording"
	"github.com/rffgo/rff/internal/inside/hook"
	"github.com/rffgo/rff/krr"
)

// declareAuto declares the flags of fit's search.
func (c *fitting) declareAuto(f *flag.FlagSet) {
	f.BoolVar(&c.auto, "auto", false, "choose all that is not given: scaling, kernel, bandwidth, λ, the number of features and\nthe --loss, on held-out rows, within --budget")
	declare(f, &c.budget, "budget", "30s", "`time` that --auto may take, such as 30s or 10m, estimated for two cores: slower\nones take longer, for the same model; 0 for one search on few rows and features. The default\nis less for few rows, and no more than --deadline", readTime)
	declare(f, &c.deadline, "deadline", "", "`time` by the clock in which --auto should end: it starts no step that would end later, at the\nspeed of those before; the model then depends on the machine", readTime)
}

// tuned completes the settings of the search with the flags that were given, which --auto does
// not choose.
func (c *fitting) tuned(a *krr.AutoSettings, set *openSet) error {
	given := given{c.data.flags}
	if a.Deadline = c.deadline; given.has("budget") {
		if a.Budget = c.budget; a.Budget == 0 {
			a.Budget = -1
		}
	}
	if given.has("features") {
		a.Features = c.by.features
	}
	if given.has("scale") {
		a.Fit.Scaling = set.scaling(c.learn.scale)
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

// addSearch says what --auto tried, step by step.
func (w *facts) addSearch(r *fits.Fitted, a *hook.Search, names []string) {
	w.add("scaling", "%s", a.Scaling)
	measure := "RMSE / sd"
	if len(r.Schema.Target.Classes) > 0 {
		measure = "wrong"
	}
	w.add("tried", "on %d of %d rows; errors are those of held-out rows (%s), seconds estimated and taken", a.Searched, r.Train.Rows, measure)
	for i, s := range a.Steps {
		outcome := report.Outcome(a.Steps, i)
		if s.Candidates == 0 {
			w.add("", "%-9s %s", s.Name, outcome)
			continue
		}
		text := fmt.Sprintf("%-9s %4d tried, %7d rows, %5d features: ", s.Name, s.Candidates, s.Rows, s.Features)
		if math.IsInf(s.Error, 1) {
			w.add("", "%s%s  %5.1f %5.1f s", text, outcome, s.Estimated.Seconds(), s.Elapsed.Seconds())
			continue
		}
		w.add("", "%s%7.3f %%  %5.1f %5.1f s  %s; %s", text, 100*s.Error, s.Estimated.Seconds(), s.Elapsed.Seconds(), wording.ShortNumbers(s.Best), outcome)
	}
	w.add("stopped", "%s", r.Stopped)
	if a.Late {
		w.add("clock", "the result depends on the clock; without --deadline it does not")
	} else if r.Took["search"].Seconds() > late*a.Estimated.Seconds()+1 { // below a second, starting counts
		w.add("clock", "the search took %.0f s by the clock; search and fit were estimated at %.0f s on two free cores. The estimates decide what is tried, so a slow machine finds the same", r.Took["search"].Seconds(), a.Estimated.Seconds())
	}
	if a.Error > 0 {
		text := ""
		if n := tried(a.Steps); n > 1 {
			text = fmt.Sprintf(": it is the least of %d, and so a little too low", n)
		}
		w.add("error", "%.3f %% (%s) on the held-out rows that decided the choice%s", 100*a.Error, measure, text)
	}
	if a.Learned != "" {
		w.addImportance(r.Importance, names)
		text := ""
		if !a.Apart {
			text = ", the held-out ones among them: their measures below are a little too good"
		}
		w.add("learned", "by %s from the labels of the rows%s", a.Learned, text)
	}
}

// A search whose time is more than late times the estimate says so in its report.
const late = 1.3

// addImportance names the inputs that matter most.
func (w *facts) addImportance(shares []float64, names []string) {
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
		w.add("matters", "%s", printable(strings.Join(text, ", ")))
	}
}

func tried(steps []hook.Step) (n int) {
	for _, s := range steps {
		n += s.Candidates
	}
	return n
}
