package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/rffgo/rff/internal/measure"
)

// fit and predict use the same words for the quality of predictions.

// classText is the text of the measures of a classification. It compares the accuracy with that
// of always naming the most frequent class.
func classText(c measure.Classification, classes []string) string {
	text := fmt.Sprintf("accuracy %.2f %% (always %q: %.2f %%), balanced %.2f %%", 100*c.Accuracy, classes[c.Common], 100*c.Guess, 100*c.Balanced)
	if !math.IsNaN(c.AUC) {
		text += fmt.Sprintf(", ROC AUC %.4f", c.AUC)
	}
	if !math.IsNaN(c.LogLoss) {
		text += fmt.Sprintf(", log loss %.4f", c.LogLoss)
	}
	return text
}

// recallText is the share of the rows of each class that was named right. Of many classes, it
// lists those with the smallest shares.
func recallText(c measure.Classification, classes []string) string {
	const most = 8
	order := make([]int, 0, len(classes))
	for k, share := range c.Recall {
		if !math.IsNaN(share) {
			order = append(order, k)
		}
	}
	head := ""
	if len(order) > most {
		head = fmt.Sprintf("the least of %d classes: ", len(order))
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(c.Recall[a], c.Recall[b]) })
		order = order[:most]
	}
	var text []string
	for _, k := range order {
		text = append(text, fmt.Sprintf("%s %.1f %%", classes[k], 100*c.Recall[k]))
	}
	return head + strings.Join(text, ", ")
}

// guessNote returns a note if a classifier is right no more often than one that looks at
// nothing, to within one standard error. Otherwise it returns "".
func guessNote(c measure.Classification, classes []string) string {
	if c.Accuracy > c.Guess+math.Sqrt(c.Guess*(1-c.Guess)/float64(c.Rows)) {
		return ""
	}
	return fmt.Sprintf("always %q would be right as often: balanced accuracy and recall say what the model tells apart", classes[c.Common])
}

// errorText is the text of the measures of a regression, in the unit of the target. It compares
// the error with that of always predicting the mean.
func errorText(r measure.Regression, target string) string {
	unit := unitOf(target)
	if math.IsNaN(r.R2) { // all targets are alike
		return fmt.Sprintf("RMSE %.5g, MAE %.5g in the unit of %s", r.RMSE, r.MAE, unit)
	}
	return fmt.Sprintf("R² %.4f, RMSE %.5g (the mean alone: %.5g), MAE %.5g in the unit of %s", r.R2, r.RMSE, r.Spread, r.MAE, unit)
}

// unitOf names the unit of a target.
func unitOf(target string) string {
	if target == "" {
		return "the target"
	}
	return fmt.Sprintf("%q", target)
}
