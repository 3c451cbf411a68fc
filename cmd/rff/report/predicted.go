package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/rffgo/rff/cmd/rff/compare"
	"github.com/rffgo/rff/internal/measure"
)

// Predicted says how well a fit predicts rows that it has not seen.
type Predicted struct {
	Title   string
	Rows    string                  // which rows these are, and how many
	Labels  *measure.Classification // or nil
	Numbers *measure.Regression     // or nil
	Unit    string                  // of numbers: what they predict
	Below   []Span                  // of the quantiles that are predicted: how many targets are below
	Count   int64                   // of rows, where Labels and Numbers are nil
	Spans   []Span                  // their intervals or sets of labels, ascending in Level
}

// Span says how often intervals or sets of labels of a level hold the truth, and how long the
// intervals are or how many labels the sets have.
type Span struct{ Level, Inside, Size float64 }

// section draws the measures that p has.
func (p *Predicted) section(classes []string) section {
	s := section{Title: p.Title, Words: []string{p.Rows}}
	rows := p.Count
	if p.Numbers != nil {
		rows = p.Numbers.Rows
		s.Charts = append(s.Charts, residuals(p.Numbers, p.Unit))
		if p.Below != nil {
			s.Charts = append(s.Charts, quantiles(p.Below))
		}
	}
	if c := p.Labels; c != nil {
		rows = c.Rows
		if c.Calibration != nil {
			s.Charts = append(s.Charts, calibration(c, classes))
		}
		if c.ROC != nil {
			s.Charts = append(s.Charts, roc(c, classes))
		}
		if len(classes) <= mostNamed {
			s.Tables = append(s.Tables, confusions(c, classes))
		} else {
			s.Tables = append(s.Tables, recalls(c, classes))
		}
	}
	if p.Spans != nil {
		chart, t := coverage(p.Spans, rows, classes != nil)
		s.Charts, s.Tables = append(s.Charts, chart), append(s.Tables, t)
	}
	return s
}

// residuals draws the truth minus the prediction against the prediction.
func residuals(r *measure.Regression, unit string) *Chart {
	c := &Chart{Title: "Residuals against predictions", XLabel: "prediction (" + brief(unit) + ")", YLabel: "truth − prediction", Lines: []float64{0}, Keys: true}
	points := slices.Clone(r.Points)
	slices.SortFunc(points, func(a, b [2]float64) int { return cmp.Compare(a[0], b[0]) })
	cloud, means := Series{Name: "rows", Cloud: true}, Series{Name: "mean ± standard deviation", Style: 1}
	for _, p := range points {
		cloud.Points = append(cloud.Points, Point{X: p[0], Y: p[1] - p[0]})
	}
	c.Series, c.Note = []Series{cloud}, fmt.Sprintf("All %d rows.", len(points))
	if int64(len(points)) < r.Rows {
		c.Note = fmt.Sprintf("%d of the %d rows, drawn at random.", len(points), r.Rows)
	}
	const parts = 10
	for k := range parts {
		part := cloud.Points[k*len(points)/parts : (k+1)*len(points)/parts]
		if len(part) < parts { // too few for a standard deviation
			continue
		}
		var x, y []float64
		for _, p := range part {
			x, y = append(x, p.X), append(y, p.Y)
		}
		at, _ := compare.MeanSD(x)
		mean, sd := compare.MeanSD(y)
		means.Points = append(means.Points, Point{at, mean, sd})
	}
	if means.Points != nil {
		c.Series = append(c.Series, means)
		c.Note += " Means are of tenths of these."
	}
	return c
}

// calibration draws how often a class was right against the probability that it was given.
func calibration(c *measure.Classification, classes []string) *Chart {
	of := "the class named"
	if len(classes) == 2 {
		of = brief(classes[1])
	}
	out := &Chart{Title: "Calibration of " + of, XLabel: "probability given (%)", YLabel: "of these rows true (%)", Most: 100, Keys: true}
	rows := Series{Name: "rows, ± standard error", Style: 1}
	for _, b := range c.Calibration {
		rows.Points = append(rows.Points, Point{100 * b.Given, 100 * b.True, 100 * b.StdErr})
	}
	out.Series = []Series{diagonal("as said"), rows}
	out.Note = fmt.Sprintf("%d rows, together where their probabilities are in the same tenth.", c.Rows)
	return out
}

// diagonal is the line of equal percentages.
func diagonal(name string) Series {
	return Series{Name: name, Style: 6, Bare: true, Points: []Point{{}, {X: 100, Y: 100}}}
}

// roc draws the ROC curve of the second class.
func roc(c *measure.Classification, classes []string) *Chart {
	curve := Series{Name: "scores", Bare: true}
	for _, p := range c.ROC {
		curve.Points = append(curve.Points, Point{X: 100 * p[0], Y: 100 * p[1]})
	}
	return &Chart{Title: fmt.Sprintf("ROC of %s: area %.4f", brief(classes[1]), c.AUC), XLabel: "other rows above the limit (%)", YLabel: "its rows above the limit (%)",
		Most: 100, Keys: true, Series: []Series{curve, diagonal("chance")}, Note: fmt.Sprintf("%d rows, for every limit of their scores.", c.Rows)}
}

// A page has the confusions of all classes if there are at most mostNamed.
const mostNamed = 10

// rowsOr says what a table counts.
func rowsOr(c *measure.Classification) string {
	var sum float64
	for _, w := range c.Weights {
		sum += w
	}
	if math.Abs(sum-float64(c.Rows)) > 1e-9*sum {
		return "weights of rows"
	}
	return "rows"
}

// confusions is a table with a row per class, which says how the rows of the class were named.
func confusions(c *measure.Classification, classes []string) table {
	t := table{Caption: "How rows of each class were named: " + rowsOr(c), Head: []string{"class"}}
	for _, name := range classes {
		t.Head = append(t.Head, brief(name))
	}
	t.Head = append(t.Head, "recall, %")
	for k, name := range classes {
		row := []cell{{Text: brief(name)}}
		named := make([]float64, len(classes))
		named[k] = c.Weights[k]
		for _, pair := range c.Confused {
			if pair.Own == k {
				named[pair.Named] = pair.Weight
				named[k] -= pair.Weight
			}
		}
		for _, w := range named {
			row = append(row, cell{Text: short(w), Tint: 100 * w / max(c.Weights[k], math.SmallestNonzeroFloat64)})
		}
		t.Rows = append(t.Rows, append(row, cell{Text: percentOf(c.Recall[k])}))
	}
	return t
}

func percentOf(share float64) string {
	if math.IsNaN(share) {
		return "—"
	}
	return fmt.Sprintf("%.1f", 100*share)
}

// recalls is a table of the classes that were named right least often. It says which class their
// rows were taken for most often.
func recalls(c *measure.Classification, classes []string) table {
	var order []int
	for k, share := range c.Recall {
		if !math.IsNaN(share) {
			order = append(order, k)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(c.Recall[a], c.Recall[b]) })
	t := table{Caption: "Recall of the classes" + more(len(order), "classes that have rows here, those with the least"), Head: []string{"class", rowsOr(c), "recall, %", "most often named"}}
	for _, k := range order[:min(len(order), mostShown)] {
		row := []cell{{Text: brief(classes[k])}, {Text: short(c.Weights[k])}, {Text: percentOf(c.Recall[k])}, {Text: "—"}}
		if i := slices.IndexFunc(c.Confused, func(p measure.Confusion) bool { return p.Own == k }); i >= 0 {
			row[3].Text = fmt.Sprintf("%s: %s %%", brief(classes[c.Confused[i].Named]), percentOf(c.Confused[i].Weight/c.Weights[k]))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// quantiles draws how many of the targets are below each quantile that was predicted.
func quantiles(below []Span) *Chart {
	rows := Series{Name: "rows", Style: 1}
	for _, s := range below {
		rows.Points = append(rows.Points, Point{X: 100 * s.Level, Y: 100 * s.Inside})
	}
	return &Chart{Title: "Targets below their quantiles", XLabel: "level of the quantile (%)", YLabel: "of the targets below (%)", Most: 100, Keys: true,
		Series: []Series{diagonal("as said"), rows}, Note: "Above the line a quantile is too high, below it too low."}
}

// coverage draws how often intervals, or sets of labels, hold the truth.
func coverage(spans []Span, rows int64, classes bool) (*Chart, table) {
	what, size := "intervals", "mean width"
	if classes {
		what, size = "sets of labels", "mean number of labels"
	}
	held := Series{Name: what, Style: 1}
	t := table{Caption: "Coverage of " + what, Head: []string{"level, %", "hold the truth, %", size}}
	for _, s := range spans {
		held.Points = append(held.Points, Point{X: 100 * s.Level, Y: 100 * s.Inside})
		t.Rows = append(t.Rows, []cell{{Text: short(100 * s.Level)}, {Text: fmt.Sprintf("%.2f", 100*s.Inside)}, {Text: short(s.Size)}})
	}
	promised := diagonal("promised")
	promised.Points[0] = Point{X: 100 * spans[0].Level, Y: 100 * spans[0].Level}
	return &Chart{Title: "Coverage of " + what, XLabel: "level (%)", YLabel: "hold the truth (%)", Most: 100, Keys: true, Series: []Series{promised, held}, Note: fmt.Sprintf("%d rows.", rows)}, t
}
