package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rffgo/rff/dataset"
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
	if err := writeReport(asked{results: from, report: to, table: "ratios"}); err != nil {
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

// TestCommittedResults: the tables of the document are those of the committed results.
// (That of ranks takes the published figures, which are not committed.)
func TestCommittedResults(t *testing.T) {
	document, err := os.ReadFile("../RESULTS-auto.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		results, table string
		rows           int
	}{{"results.jsonl", "ratios", 12}, {"small.jsonl", "spread", 6}, {"packages.jsonl", "spread", 33}, {"modeldata.jsonl", "spread", 18}, {"others.jsonl", "spread", 48}, {"folds.jsonl", "spread", 2}} {
		to := filepath.Join(t.TempDir(), "t.md")
		if err := writeReport(asked{results: c.results, report: to, table: c.table}); err != nil {
			t.Fatal(err)
		}
		table, err := os.ReadFile(to)
		if err != nil {
			t.Fatal(err)
		}
		if rows := strings.Count(string(table), "\n| "); rows < c.rows || !strings.Contains(string(document), string(table)) {
			t.Errorf("RESULTS-auto.md has not the table of %s (go -C bench run ./accuracy -results FILE -report FILE -table %s):\n%s", c.results, c.table, table)
		}
	}
}

// Ranks count the published methods that are better than the mean over seeds: accuracies
// and root mean square errors alike.
func TestRanks(t *testing.T) {
	folder := t.TempDir()
	from, published, to := filepath.Join(folder, "r.jsonl"), filepath.Join(folder, "p.csv"), filepath.Join(folder, "t.md")
	for path, text := range map[string]string{
		from: `{"set":"a","seed":1,"method":"auto","error":50,"held":60,"rmse":2,"processor":3}
{"set":"a","seed":2,"method":"auto","error":60,"held":72,"rmse":4,"processor":5}
{"set":"b","seed":1,"method":"auto","error":10,"held":8,"processor":6}
{"set":"b","seed":1,"method":"trees","error":30}
`,
		published: "set,metric,method,mean,sd\na,rmse,none,nan,nan\na,rmse,one,1,0\na,rmse,two,2.9,0\na,rmse,three,3.1,0\nb,accuracy,one,.9,0\nb,accuracy,two,.5,0\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := writeReport(asked{results: from, report: to, table: "ranks", published: published}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(to)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| a | 1 one | 3 ± 1.4 (3) | not run | 1.20 |",
		"| b | 10 one | 10 ± 0 (1) | 30 ± 0 (2) | 0.80 |",
		"the median is 1.00, the least 0.80 and the largest 1.20",
		"| auto | 2 | 2.00 | 1.50 (2), 4.00 (1) | 5.0 |",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// The standard error of a paired difference has the correction for training parts that
// overlap: differences 0 and 2 of two folds have the variance 2, times ½ + ¼.
func TestSpread(t *testing.T) {
	r := &results{}
	for fold, e := range map[uint64][2]float64{1: {5, 5}, 2: {6, 4}} {
		r.all = append(r.all, result{Set: "a", Seed: fold, Method: "auto", Error: e[0]}, result{Set: "a", Seed: fold, Method: "svm", Error: e[1]})
	}
	r.all = append(r.all, result{Set: "b", Seed: 1, Method: "auto", Error: 5}, result{Set: "b", Seed: 1, Method: "svm", Error: 4})
	for _, want := range []string{"| a | 2 | 5.5 | 4.5 | 1 ± 1.2 of svm |", "| b | 1 | 5 | 4 | 1 of svm |"} {
		if got := spread(r); !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// A task that was exported is read again as it was, words of classes and all.
func TestTasks(t *testing.T) {
	p := split(dataset.Letter(), 3, 300)
	folder := t.TempDir()
	if err := p.export(folder); err != nil {
		t.Fatal(err)
	}
	tasks, err := tasksOf(folder, nil, []uint64{1, 2})
	if err != nil || len(tasks) != 1 || tasks[0].set != "letter" || tasks[0].seed != 3 {
		t.Fatal(tasks, err)
	}
	q, err := tasks[0].read(t.Context(), asked{})
	if err != nil {
		t.Fatal(err)
	}
	if q.train.Len() != 300 || q.test.Len() != 5000 || !slices.Equal(q.train.X.Row(7), p.train.X.Row(7)) {
		t.Error("other rows")
	}
	for i := range p.train.Len() {
		if p.train.Label(i) != q.train.Label(i) {
			t.Fatal(i, p.train.Label(i), q.train.Label(i))
		}
	}
}
