package report

import (
	"strings"
	"testing"

	"github.com/rffgo/rff/cmd/rff/compare"
)

// A mean over some of the repetitions looks like one over all, so the page says which are missing.
func TestPageOfSomeRepetitions(t *testing.T) {
	r := sample(0, 4)
	r.Rows[2].Reps, r.Rows[2].Failure = 1, "it saw 290 rows"
	for i, c := range r.Cells {
		if c.Sampler == "orf" && c.Features == 64 && c.Rep > 0 {
			r.Cells[i].Failure = r.Rows[2].Failure
		}
	}
	text := find(parse(t, write(t, r, about)), "html")[0].text
	for _, want := range []string{"orf, 64 features, in 3 of 4 repetitions: it saw 290 rows", "ses, 64 features: cannot <i>be</i>"} {
		if strings.Count(text, want) != 1 {
			t.Errorf("the page says %q %d times", want, strings.Count(text, want))
		}
	}
}

// Where the first sampler could not be used there is nothing to draw the others above.
func TestPageHasNoEmptyChart(t *testing.T) {
	r := sample(3, 2)
	r.Settings.Samplers = []string{"ses", "orf"}
	var rows []compare.Row
	for _, row := range append(r.Rows[4:], r.Rows[2:4]...) {
		row.Versus = nil
		rows = append(rows, row)
	}
	r.Rows = rows
	page := find(parse(t, write(t, r, about)), "html")[0].text
	if strings.Contains(page, "Accuracy above") || !strings.Contains(page, "Accuracy by number of features") {
		t.Error("a chart without points is on the page, or one with points is not")
	}
	if strings.Contains(page, "ses:.") {
		t.Error("the text of a chart names a sampler that it does not show")
	}
}
