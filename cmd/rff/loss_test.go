package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/internal/measure"
)

// A loss is told of in the report and in the model, measured, and refused for other targets.
func TestLoss(t *testing.T) {
	t.Chdir(t.TempDir())
	letters := dataset.Letter().Head(2000) // of all classes
	var text []byte
	for i := range letters.Len() {
		for _, v := range letters.X.Row(i) {
			text = fmt.Appendf(text, "%g,", v)
		}
		text = fmt.Appendf(text, "%s\n", letters.Label(i))
	}
	save(t, ".", "letters.csv", text)
	const fit = "fit --data letters.csv --features 64 --model m"
	once, twice := ok(t, fit).out, ok(t, fit+" --loss hard:5 --probabilities").out
	if strings.Contains(once, "loss ") || !strings.Contains(twice, "loss      hard:5: ") {
		t.Errorf("%s\n%s", once, twice)
	}
	if text := ok(t, "show m").out; !strings.Contains(text, "hard:5") {
		t.Errorf("the model does not say it:\n%s", text)
	}
	if by := ok(t, fit+" --solver cg --loss hard:5 --probabilities").out; !strings.Contains(by, "loss      hard:5: ") || !strings.Contains(by, "log loss") {
		t.Errorf("by conjugate gradients:\n%s", by)
	}
	for loss, want := range map[string]string{"logistic": "log loss", "squared-hinge": "held out  accuracy"} {
		out := ok(t, fit+" --loss "+loss+" --lambda 1e-3 --folds 5").out
		if !strings.Contains(out, "loss      "+loss+"\n") || !strings.Contains(out, want) {
			t.Errorf("%s", out)
		}
	}
	save(t, ".", "d.csv", waves(200))
	if out := ok(t, "fit --data d.csv --features 32 --model q --loss quantile:0.1,0.5,0.9 --lambda 1e-3 --folds 5").out; !strings.Contains(out, "held out  pinball loss ") || !strings.Contains(out, "of the quantile 0.5") {
		t.Errorf("%s", out)
	}
	predicted := ok(t, "predict --data d.csv --model q --score")
	if !strings.HasPrefix(predicted.out, "predicted 0.1,predicted 0.5,predicted 0.9\n") || !strings.Contains(predicted.errors, "% of the targets below: ") {
		t.Errorf("%.100s\n%s", predicted.out, predicted.errors)
	}
	const compared = "compare --no-times --reps 1 --samplers rff --features 32 --data "
	if out := ok(t, compared+"letter --quick --loss logistic").out; !strings.Contains(out, "log loss") {
		t.Errorf("%s", out)
	}
	if out := ok(t, compared+"d.csv --loss huber:0.1").out; !strings.Contains(out, "huber:0.1: mean of the loss") {
		t.Errorf("%s", out)
	}
	refused(t, compared+"d.csv --loss logistic", "loss", "no classes")
	refused(t, compared+"letter --loss logistic --criterion gcv", "--criterion", "--loss logistic")
	refused(t, "fit --data d.csv --model n --loss hard:5", "loss", "no classes", "--task classification")
	refused(t, "fit --data letters.csv --model n --loss quantile:0.5", "loss", "--task regression", "a loss of classes")
	if out := ok(t, "fit --data d.csv --model n --features 32 --loss huber:0.1").out; !strings.Contains(out, "loss      huber:0.1\n") || !strings.Contains(out, "R²") || strings.Contains(out, "over 200 rows") || !regexp.MustCompile(`over [2-6]\d rows`).MatchString(out) { // one fold of five
		t.Errorf("%s", out)
	}
}

// A page of quantiles says which of them the residuals are of, and draws the share of the
// targets below each, of held-out rows and of those of --test.
func TestPageOfQuantiles(t *testing.T) {
	t.Chdir(t.TempDir())
	save(t, ".", "d.csv", slope(200, 0, 2))
	out := ok(t, "fit --data d.csv --test d.csv --features 16 --model m --loss quantile:0.1,0.5,0.9 --lambda 1e-2 --folds 4 --html page.html").out
	page := read(t, "page.html")
	_, said, _ := strings.Cut(out, "of the targets below: ")
	var below [3]float64
	if _, err := fmt.Sscanf(said, "%g at 0.1, %g at 0.5, %g at 0.9", &below[0], &below[1], &below[2]); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	want := fmt.Sprintf("rows: %.4g at 10, %.4g at 50, %.4g at 90.", below[0], below[1], below[2])
	if strings.Count(page, "<h2>Targets below their quantiles") != 2 || !strings.Contains(page, want) || !strings.Contains(page, "prediction (quantile 0.5 of &#34;y&#34;)") {
		t.Errorf("no %q:\n%s", want, page)
	}
	columns := []measure.Regression{{Points: [][2]float64{{1, 0}, {1, 2}, {1, 1}, {1, 3}}}, {Points: [][2]float64{{4, 3}, {4, 2}, {4, 5}, {4, 0}}}}
	if held := belowPoints(columns); !slices.Equal(held, []float64{0.25, 0.75}) {
		t.Errorf("%g are below", held)
	}
}
