package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/rffgo/rff/cmd/rff/fits"
	"github.com/rffgo/rff/internal/inside/hook"
)

// Fit is a fit, for a page that draws it.
type Fit struct {
	Data   string
	Facts  []Fact   // what rff fit printed of it
	Inputs []string // names of the inputs; nil: their numbers
	Report *fits.Fitted
	// Predicted has the predictions of rows that the fit has not seen, of every kind. If there
	// are none, Unmeasured says which flag would give some.
	Predicted  []Predicted
	Unmeasured string
	Importance []float64       // of each input, a share of 1, or nil
	Effects    fits.Effects    // where there is no importance
	Hard       int64           // rows that --loss hard counts more often
	Reweighted []hook.Reweight // at most some of them
	Search     *hook.Search    // of --auto, or nil
}

// Fact is a name with a text.
type Fact struct{ Name, Text string }

// mostShown is how many inputs, classes and rows are listed.
const mostShown = 20

// section is a part of the page under a title.
type section struct {
	Title  string
	Words  []string
	Charts []*Chart
	Tables []table
	Steps  []searchStep
}

// table has a row of texts per line; the first of each names the row.
type table struct {
	Caption string
	Head    []string
	Rows    [][]cell
}

// cell is a text. Tint is the strength of its background and Bar the length of a bar, in per
// cent.
type cell struct {
	Text      string
	Bar, Tint float64
}

// WriteFit writes the page of a fit.
func WriteFit(w io.Writer, f Fit, about About) error {
	sections := []section{lambdaSection(f.Report)}
	for _, p := range f.Predicted {
		sections = append(sections, p.section(f.Report.Schema.Target.Classes))
	}
	if f.Predicted == nil {
		sections = append(sections, section{Title: "Predictions", Words: []string{f.Unmeasured}})
	}
	if f.Importance != nil {
		sections = append(sections, inputSection("What the function varies with", "Importance of the inputs", f.Importance, f.Inputs,
			"How much the fit varies with each input, per standard deviation; along inputs of few values, as 0 and 1, from one value to another."))
	} else if f.Effects.Of == nil {
		sections = append(sections, section{Title: "What predictions depend on", Words: []string{f.Effects.Why}})
	} else {
		sections = append(sections, inputSection("What predictions depend on", "Effects of the inputs", f.Effects.Of, f.Inputs,
			fmt.Sprintf("How much predictions change when an input comes from another row: half the mean square, in %% of the variance of predictions, over %d rows. Inputs that act together each have the whole of what they do.", f.Effects.Rows)))
	}
	if f.Hard > 0 {
		sections = append(sections, weightSection(&f))
	}
	if f.Search != nil {
		sections = append(sections, searchSection(f.Search.Steps, f.Report))
	}
	charts := 0
	for _, s := range sections {
		for _, c := range s.Charts {
			charts++
			c.ID = fmt.Sprintf("chart%d", charts)
		}
	}
	return pages.ExecuteTemplate(w, "fit.html", struct {
		Fit
		About    About
		Sections []section
	}{f, about, sections})
}

// lambdaSection draws the path that λ was chosen on.
func lambdaSection(r *fits.Fitted) section {
	s := section{Title: "The choice of λ"}
	if r.Path == nil {
		s.Words = []string{"This fit had its λ given, or from the search of --auto, and compared no others."}
		return s
	}
	c := &Chart{Title: "Error by λ", XLabel: "λ", YLabel: "squared error", LogX: true, LogY: true, Keys: true, Note: fmt.Sprintf("Squared error of new rows as estimated from the %d rows of the fit: %s.", r.Train.Rows, r.Provenance["lambda"])}
	if loss := r.Provenance["loss"]; loss != "" && !strings.HasPrefix(loss, "hard") { // which has squares
		c.YLabel, c.Note = "loss ("+loss+")", strings.Replace(c.Note, "Squared error", "Loss", 1)
	} else if strings.HasPrefix(r.Provenance["lambda"], "log loss") {
		c.YLabel, c.Note = "log loss", strings.Replace(c.Note, "Squared error", "Log loss", 1)
	} else if len(r.Schema.Target.Classes) > 0 {
		c.YLabel += " (of codes ±1)"
	}
	path, chosen := Series{Name: "tried"}, Series{Name: "chosen", Style: 1, Apart: true}
	for _, p := range r.Path {
		total := fits.Total(p)
		if math.IsInf(total, 0) || math.IsNaN(total) {
			continue
		}
		path.Points = append(path.Points, Point{p.Lambda, total, p.StdErr})
		c.LogY = c.LogY && total > p.StdErr
		if slices.Contains(r.Lambda, p.Lambda) {
			chosen.Points = append(chosen.Points, Point{X: p.Lambda, Y: total})
		}
		if p.StdErr > 0 && len(path.Points) == 1 {
			c.Note += " Bars: ± one standard error over the folds."
		}
	}
	c.Series = []Series{path, chosen}
	c.LogY = c.LogY && spread(c.Series)
	s.Charts = []*Chart{c}
	return s
}

// inputSection lists the inputs by their shares.
func inputSection(title, caption string, shares []float64, inputs []string, words string) section {
	order := make([]int, len(shares))
	for j := range order {
		order[j] = j
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(shares[b], shares[a]) })
	t := table{Caption: caption + more(len(order), "inputs, those with the largest shares"), Head: []string{"input", "%", ""}}
	for _, j := range order[:min(len(order), mostShown)] {
		name := fmt.Sprintf("column %d", j+1)
		if j < len(inputs) {
			name = inputs[j]
		}
		t.Rows = append(t.Rows, []cell{{Text: brief(name)}, {Text: fmt.Sprintf("%.1f", 100*shares[j])}, {Bar: 100 * shares[j] / max(shares[order[0]], math.SmallestNonzeroFloat64)}})
	}
	return section{Title: title, Tables: []table{t}, Words: []string{words}}
}

// weightSection says which rows a rule has given other weights.
func weightSection(f *Fit) section {
	t := table{Caption: "Rows with more weight" + more(int(f.Hard), "rows: those that weigh most, and of equal ones those farthest from their targets"),
		Head: []string{"row", "weight times", "distance from its target"}}
	for _, w := range f.Reweighted {
		t.Rows = append(t.Rows, []cell{{Text: fmt.Sprint(w.Row + 1)}, {Text: fmt.Sprintf("%.4g", w.Factor)}, {Text: short(w.Residual)}})
	}
	return section{Title: "Rows that weigh more", Tables: []table{t},
		Words: []string{fmt.Sprintf("The loss %s gives %d of the %d rows more weight in the second solution, by their scores in the first. Rows are numbered from 1, as they are read; distances are those of the first scores from the codes of the classes. Of rows far from their targets some may have wrong labels.", f.Report.Provenance["loss"], f.Hard, f.Report.Train.Rows)}}
}

// more says how many of n are listed, if not all are.
func more(n int, of string) string {
	if n <= mostShown {
		return ""
	}
	return fmt.Sprintf(" (%d of %d %s)", mostShown, n, of)
}
