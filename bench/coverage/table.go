package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rffgo/rff/internal/atomicfile"
)

// result is one division of a set. Shares are of the rows predicted.
type result struct {
	Set      string  `json:"set"`
	Split    int     `json:"split"`
	Rows     int     `json:"rows"`     // that were fitted
	Kept     int     `json:"kept"`     // of these, rows that the model keeps
	Coverage float64 `json:"coverage"` // share of the targets, or labels, inside
	Size     float64 `json:"size"`     // mean width, or number of labels

	// Of a regression: the same of f ± 1.645 predictive standard deviations.
	Gaussian         float64 `json:"gaussian,omitempty"`
	GaussianCoverage float64 `json:"gaussianCoverage,omitempty"`
	// Of classes.
	Empty    float64 `json:"empty,omitempty"` // share of sets without a label
	Accuracy float64 `json:"accuracy,omitempty"`
}

const head = `# How often intervals and label sets hold

The intervals and label sets of %g %% of ` + "`Model.Interval` and `Model.LabelSets`" + ` (krr), on rows that the fit has not seen, from divisions of each set at random: half of the rows, at most %d, are fitted and at most %d others predicted, with %d random features of the Gaussian kernel, the median distance as bandwidth, and λ by cross-validation on the same rows. A new row is compared with those that the model keeps (their mean number). Coverage in %%: the mean over the divisions, and the least and the largest. ` + "`RFF_DATA=DIR go -C bench run ./coverage`" + ` measures and writes this page; a test holds it to the committed results.
`

const numbersHead = `
Of numbers: the width is relative to that of f ± 1.645 √(Variance + Noise), the interval that normal errors would have, whose own coverage is beside it. "Boosting" is quantile gradient boosting on the same rows (scikit-learn's HistGradientBoostingRegressor at 5 and 95 %, as it is by default), which promises nothing; "corrected" the same fitted to half of the rows and corrected on the others (conformalised quantile regression): coverage and relative width (` + "`-rival PYTHON`" + `). "Quantiles" are the intervals of ` + "`--loss quantile:0.05,0.95`" + ` with the same features: conformalised quantiles of four fifths of the rows, corrected on a fifth.

| set | rows | kept | divisions | coverage | least, largest | width | coverage of the normal interval | quantiles | least, largest | their width | boosting | its width | corrected | its width |
|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|
`

const classesHead = `
Of classes, with calibrated probabilities: labels per set, sets without a label in %, and accuracy in %. Where a classifier is right more often than the level asks, the sets that leave out the rest are empty.

| set | rows | kept | divisions | coverage | least, largest | labels | empty | accuracy |
|---|---:|---:|---:|---:|---:|---:|---:|---:|
`

// table returns the page.
func table(done, between []result, boosted []boosting) string {
	var numbers, classes strings.Builder
	var names []string
	for _, r := range done {
		names = append(names, r.Set)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		var all []result
		var mean result
		for _, r := range done {
			if r.Set == name {
				all = append(all, r)
			}
		}
		n, kept := float64(len(all)), 0.0
		low, high := all[0].Coverage, all[0].Coverage
		for _, r := range all {
			low, high = min(low, r.Coverage), max(high, r.Coverage)
			kept += float64(r.Kept) / n
			mean.Coverage += r.Coverage / n
			mean.Size += r.Size / n
			mean.Gaussian += r.Gaussian / n
			mean.GaussianCoverage += r.GaussianCoverage / n
			mean.Empty += r.Empty / n
			mean.Accuracy += r.Accuracy / n
		}
		same := fmt.Sprintf("| %s | %d | %.0f | %d | %.2f | %.2f, %.2f |", name, all[0].Rows, kept, len(all), 100*mean.Coverage, 100*low, 100*high)
		if mean.Gaussian > 0 {
			fmt.Fprintf(&numbers, "%s %.3f | %.2f |%s%s\n", same, mean.Size/mean.Gaussian, 100*mean.GaussianCoverage, quantileCells(name, between, mean.Gaussian), boostedCells(name, boosted, mean.Gaussian))
		} else {
			fmt.Fprintf(&classes, "%s %.3f | %.2f | %.2f |\n", same, mean.Size, 100*mean.Empty, 100*mean.Accuracy)
		}
	}
	return fmt.Sprintf(head, 100*level, mostTrain, mostTest, features) + numbersHead + numbers.String() + classesHead + classes.String()
}

// quantileCells returns what conformalised quantiles do on a set, with widths over unit.
func quantileCells(set string, between []result, unit float64) string {
	var n, coverage, size float64
	low, high := 1.0, 0.0
	for _, r := range between {
		if r.Set == set {
			n++
			coverage, size = coverage+r.Coverage, size+r.Size
			low, high = min(low, r.Coverage), max(high, r.Coverage)
		}
	}
	if n == 0 {
		return " — | — | — |"
	}
	return fmt.Sprintf(" %.2f | %.2f, %.2f | %.3f |", 100*coverage/n, 100*low, 100*high, size/n/unit)
}

// boostedCells returns what boosting does on a set, with widths over unit.
func boostedCells(set string, boosted []boosting, unit float64) string {
	var n float64
	var sum boosting
	for _, b := range boosted {
		if b.Set == set {
			n++
			sum.Coverage += b.Coverage
			sum.Size += b.Size
			sum.CorrectedCoverage += b.CorrectedCoverage
			sum.CorrectedSize += b.CorrectedSize
		}
	}
	if n == 0 {
		return " — | — | — | — |"
	}
	return fmt.Sprintf(" %.2f | %.3f | %.2f | %.3f |", 100*sum.Coverage/n, sum.Size/n/unit, 100*sum.CorrectedCoverage/n, sum.CorrectedSize/n/unit)
}

func write(path string, done, between []result, boosted []boosting) error {
	return atomicfile.Write(path, func(w io.Writer) error {
		_, err := io.WriteString(w, table(done, between, boosted))
		return err
	})
}
