package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rffgo/rff/bench/jsonl"
)

// A cell is the mean and the standard deviation of its seeds, with the number of them if
// some are missing; what was not measured is no number.
func TestTable(t *testing.T) {
	done := cells{
		{Set: "eeg", Method: "rff", Seed: 1, Inputs: 14, Train: 100, Error: 8},
		{Set: "eeg", Method: "rff", Seed: 2, Inputs: 14, Train: 100, Error: 10},
		{Set: "eeg", Method: "metric", Seed: 2, Inputs: 14, Train: 100, Error: 7},
		{Set: "eeg~50", Method: "rff", Seed: 1, Inputs: 14, Train: 100, Error: 30},
	}
	names, methods := done.all()
	for _, want := range []string{
		"| set | inputs | training rows | rff | metric |",
		"| eeg | 14 | 100 | 9.00 ± 1.41 | 7.00, 1 of 2 (≤ 9) |",
		"| eeg~50 | 14 | 100 | 30.00, 1 of 2 | – |",
	} {
		if text := written(t, done, names, methods); !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func written(t *testing.T, done cells, names, methods []string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "t.md")
	if err := done.write(to, names, methods); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(to)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The document has the table of the committed cells, and these are what is aimed at.
func TestCommittedResults(t *testing.T) {
	read, err := jsonl.Read[cell]("results.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	done := cells(read)
	document, err := os.ReadFile("../RESULTS-learned.md")
	if err != nil {
		t.Fatal(err)
	}
	names, methods := done.all()
	text := written(t, done, names, methods)
	table := text[strings.Index(text, "| set |"):]
	if len(names) < 8 || !strings.Contains(string(document), table) {
		t.Errorf("RESULTS-learned.md has not the table of results.jsonl (go -C bench run ./learned -render -record FILE):\n%s", table)
	}
	mean := func(set, method string) float64 {
		sum, n := 0.0, 0
		for _, c := range done {
			if c.Set == set && c.Method == method {
				sum, n = sum+c.Error, n+1
			}
		}
		if n < 3 {
			t.Errorf("%s, %s: %d divisions of the rows, 3 are wanted", set, method, n)
		}
		return sum / float64(n)
	}
	for set, methods := range wanted {
		for m, most := range methods {
			if e := mean(set, m); !(e <= most) {
				t.Errorf("%s, %s: %.2f %%, at most %g are aimed at", set, m, e, most)
			}
		}
	}
	for _, set := range []string{"adult", "magic04", "kddcup99"} {
		for _, m := range methods {
			if e, plain := mean(set, m), mean(set, "rff"); !(e <= plain+0.3) {
				t.Errorf("%s, %s: %.2f %%, plain features have %.2f", set, m, e, plain)
			}
		}
	}
}

// all returns the sets and the methods of the cells, in their order.
func (done cells) all() (sets, methods []string) {
	for _, c := range done {
		if !slices.Contains(sets, c.Set) {
			sets = append(sets, c.Set)
		}
		if !slices.Contains(methods, c.Method) {
			methods = append(methods, c.Method)
		}
	}
	return sets, methods
}
