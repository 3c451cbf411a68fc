package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Ratios are of the seeds that both methods have, plain is the grid at auto's number of
// features, and what was not run is no number.
func TestReport(t *testing.T) {
	folder := t.TempDir()
	from, to := filepath.Join(folder, "r.jsonl"), filepath.Join(folder, "t.md")
	lines := `{"set":"a","seed":1,"rows":9,"method":"auto","error":2,"features":64}
{"set":"a","seed":2,"rows":9,"method":"auto","error":4,"features":128}
{"set":"a","seed":1,"rows":9,"method":"plain-64","error":4}
{"set":"a","seed":1,"rows":9,"method":"plain-128","error":100}
{"set":"a","seed":1,"rows":9,"method":"trees","error":8}
{"set":"a","seed":2,"rows":9,"method":"trees-tuned","error":8}
{"set":"a","seed":2,"rows":9,"method":"trees-draw-0","error":1}
{"set":"b","seed":1,"rows":7,"method":"auto","error":1,"features":64}
`
	if err := os.WriteFile(from, []byte(lines), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := writeReport(from, to); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(to)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| a | 9 | 2 | 3 (2) | 4 | 8 | 8 | 0.500 | 0.500 |",
		"| b | 7 | 1 | 1 | not run | not run | not run | not run | not run |",
		"auto / trees over 1 rows of the table: 0.250",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	r, err := readResults(from)
	if err != nil {
		t.Fatal(err)
	}
	if !r.has("a", 1, 0, "plain") || r.has("a", 2, 0, "plain") || r.has("b", 1, 0, "plain") || r.has("c", 1, 0, "plain") {
		t.Error("what is measured")
	}
}

// TestCommittedResults: the table of the document is that of the committed results.
func TestCommittedResults(t *testing.T) {
	to := filepath.Join(t.TempDir(), "t.md")
	if err := writeReport("results.jsonl", to); err != nil {
		t.Fatal(err)
	}
	table, err := os.ReadFile(to)
	if err != nil {
		t.Fatal(err)
	}
	document, err := os.ReadFile("../RESULTS-auto.md")
	if err != nil {
		t.Fatal(err)
	}
	if rows := strings.Count(string(table), "\n| "); rows < 10 || !strings.Contains(string(document), string(table)) {
		t.Errorf("RESULTS-auto.md has not the table of results.jsonl (go run ./bench/boosting -results FILE -report FILE):\n%s", table)
	}
}
