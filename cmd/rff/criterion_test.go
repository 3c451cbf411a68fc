package main

import (
	"fmt"
	"strings"
	"testing"
)

// Each criterion says what its error is, and the errors are estimates of one: that of
// new rows, whose noise of 0.2 every one of them is above. gcv chooses the λ that rff
// solve, which knows no other, chooses from the sums of the same rows.
func TestCriterion(t *testing.T) {
	t.Chdir(t.TempDir())
	save(t, ".", "d.csv", waves(600))
	line := func(text, name string) string {
		for l := range strings.SplitSeq(text, "\n") {
			if rest, ok := strings.CutPrefix(l, name); ok {
				return strings.TrimSpace(rest)
			}
		}
		return ""
	}
	const fit = "fit --data d.csv --features 64 --model m"
	mse := map[string]float64{}
	var lambda string
	for by, name := range map[string]string{"gcv": "estimate", "loo": "held out"} {
		text := ok(t, fit+" --criterion "+by).out
		var v float64
		if _, err := fmt.Sscanf(line(text, name), "mean squared error %g", &v); err != nil {
			t.Fatalf("%s: %v in\n%s", by, err, text)
		}
		mse[by] = v
		if by == "gcv" {
			lambda, _, _ = strings.Cut(line(text, "lambda"), " ")
		}
	}
	var r2, rmse float64
	text := ok(t, fit+" --criterion cv").out
	if _, err := fmt.Sscanf(line(text, "held out"), "R² %g, RMSE %g", &r2, &rmse); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	mse["cv"] = rmse * rmse
	for by, v := range mse {
		// The errors of 600 rows have a standard deviation of √(2/600) = 6 % of their mean,
		// which the estimates mostly share. gcv takes all leverages for equal, and so knows
		// less of rows that are far from others.
		if !(v > 0.04) || v/mse["loo"] > 1.25 || by != "gcv" && v/mse["loo"] < 0.75 {
			t.Errorf("%s: mean squared error %g, and one row after the other %g", by, v, mse["loo"])
		}
	}
	// With folds asked for, these measure, and the criterion chooses.
	if text := ok(t, fit+" --criterion gcv --folds 4").out; !strings.HasPrefix(line(text, "held out"), "R²") || !strings.HasPrefix(line(text, "lambda"), lambda) {
		t.Errorf("λ is %s, and of folds beside it\n%s", lambda, text)
	}
	ok(t, "gram --data d.csv --features 64 --output g")
	if text := ok(t, "solve --gram g --model s --lambda gcv"); !strings.Contains(text.out+text.errors, lambda) {
		t.Errorf("λ is %s of the fit, and of its sums\n%s", lambda, text.out)
	}
}
