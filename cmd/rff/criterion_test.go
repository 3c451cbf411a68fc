package main

import (
	"fmt"
	"math"
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
	var gcv, alone, spread float64
	text := ok(t, fit+" --criterion gcv").out
	if _, err := fmt.Sscanf(line(text, "estimate"), "mean squared error %g (the mean alone: %g)", &gcv, &alone); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	mse["gcv"] = gcv
	lambda, _, _ = strings.Cut(line(text, "lambda"), " ")
	for _, by := range []string{"cv", "loo"} {
		var r2, rmse float64
		text := ok(t, fit+" --criterion "+by).out
		if _, err := fmt.Sscanf(line(text, "held out"), "R² %g, RMSE %g (the mean alone: %g)", &r2, &rmse, &spread); err != nil {
			t.Fatalf("%s: %v in\n%s", by, err, text)
		}
		mse[by] = rmse * rmse
	}
	// Printed to four digits from R² and RMSE of the rows of the fit, and to five.
	if math.Abs(alone/(spread*spread)-1) > 1e-3 {
		t.Errorf("the mean alone has %g, and its root is %g", alone, spread)
	}
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

// Of classes no fit says an error alone: accuracy and recall of rows that are left out one by
// one, and where none are, what naming the most frequent class always would come to.
func TestCriterionOfClasses(t *testing.T) {
	t.Chdir(t.TempDir())
	save(t, ".", "d.csv", rare(600, 2.6, 1))
	const fit = "fit --data d.csv --features 64 --model m "
	if text := ok(t, fit+"--criterion loo").out; !strings.Contains(text, `(always "no": 90.00 %), balanced `) || !strings.Contains(text, "over 600 rows\nrecall    no 9") || strings.Contains(text, "base rate") {
		t.Errorf("one by one:\n%s", text)
	}
	for _, flags := range []string{"--criterion gcv", "--lambda 1e-4", "--solver cg"} {
		if text := ok(t, fit+flags).out; !strings.Contains(text, `base rate always "no": 90.00 % of the rows`) {
			t.Errorf("%s:\n%s", flags, text)
		}
	}
	if text := ok(t, fit+"--criterion gcv --folds 4").out; strings.Contains(text, "base rate") || !strings.Contains(text, "recall    no 9") {
		t.Errorf("with folds:\n%s", text)
	}
}
