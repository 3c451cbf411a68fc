package main

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/rffgo/rff/bench/jsonl"
)

// The committed page is that of the committed results, of all divisions of every set, whose
// mean coverages are within 1.5 points of the level.
func TestCommittedPage(t *testing.T) {
	done, err := jsonl.Read[result]("results.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	between, err := jsonl.Read[result]("quantiles.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	boosted, err := jsonl.Read[boosting]("rivals.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../RESULTS-coverage.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(page) != table(done, between, boosted) {
		t.Error("bench/RESULTS-coverage.md is not what go -C bench run ./coverage writes of coverage/results.jsonl")
	}
	mean, count := map[string]float64{}, map[string]float64{}
	for _, r := range done {
		mean[r.Set] += r.Coverage
		count[r.Set]++
	}
	for _, r := range between {
		mean[r.Set+" by quantiles"] += r.Coverage
		count[r.Set+" by quantiles"]++
	}
	for set, n := range count {
		if c := mean[set] / n; n != 20 || math.Abs(c-level) > 0.015 {
			t.Errorf("%s: coverage %.3f in %.0f divisions", set, c, n)
		}
	}
	if len(count) < 15 { // 12 sets, three of them of numbers, which quantiles are fitted to as well
		t.Errorf("%d sets", len(count))
	}
}

// Results of one division each stand in the table of their kind.
func TestTable(t *testing.T) {
	text := table([]result{{Set: "a", Rows: 10, Kept: 9, Coverage: 0.91, Size: 2, Gaussian: 4, GaussianCoverage: 0.95}, {Set: "b", Rows: 20, Kept: 10, Coverage: 0.8, Size: 1.5, Empty: 0.25, Accuracy: 0.7}, {Set: "b", Rows: 20, Kept: 20, Coverage: 0.9, Size: 2.5, Empty: 0.75, Accuracy: 0.9}},
		[]result{{Set: "a", Coverage: 0.92, Size: 1}, {Set: "a", Coverage: 0.9, Size: 2}}, []boosting{{Set: "a", Coverage: 0.8, Size: 1, CorrectedCoverage: 0.9, CorrectedSize: 3}})
	for _, want := range []string{"| a | 10 | 9 | 1 | 91.00 | 91.00, 91.00 | 0.500 | 95.00 | 91.00 | 90.00, 92.00 | 0.375 | 80.00 | 0.250 | 90.00 | 0.750 |\n", "| b | 20 | 15 | 2 | 85.00 | 80.00, 90.00 | 2.000 | 50.00 | 80.00 |\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
