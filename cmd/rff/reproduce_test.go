package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Without data every row says so, with where to get it, and no number is made up.
func TestReproduceWithoutData(t *testing.T) {
	t.Setenv("RFF_DATA", "")
	dir := t.TempDir()
	r := invoke(t, dir, "reproduce", "liu-table3", "--quick", "--no-times")
	if r.status != exitFailure || !strings.Contains(r.errors, "no data for eeg") || !strings.Contains(r.errors, "UCI Machine Learning Repository, EEG Eye State") {
		t.Fatalf("status %d: %s", r.status, r.errors)
	}
	text, err := os.ReadFile(filepath.Join(dir, "out", "reproduce", "liu-table3-published.json"))
	if err != nil {
		t.Fatal(err)
	}
	var result struct {
		Cells  []any
		Report struct {
			Tables []struct {
				Head []string
				Rows [][]struct {
					Text  string
					Value *float64
				}
			}
		}
	}
	if err := json.Unmarshal(text, &result); err != nil {
		t.Fatal(err)
	}
	table := result.Report.Tables[0]
	if len(result.Cells) != 0 || len(table.Rows) != 5*(5+5+5+3) {
		t.Errorf("%d cells, %d rows", len(result.Cells), len(table.Rows))
	}
	for _, row := range table.Rows {
		for i, e := range row {
			switch {
			case table.Head[i] == "accuracy %" && (e.Text != "no data" || e.Value != nil):
				t.Errorf("%s %s: accuracy %q", row[0].Text, row[2].Text, e.Text)
			case (table.Head[i] == "difference" || table.Head[i] == "seconds" || table.Head[i] == "sd") && e.Text != "":
				t.Errorf("%s %s: %s %q", row[0].Text, row[2].Text, table.Head[i], e.Text)
			}
		}
	}
}

// What there is not is refused, with what there is, before anything is written.
func TestReproduceRefusals(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ line, want string }{
		{"reproduce", "liu-table3"},
		{"reproduce liu-table4", `there is no experiment "liu-table4": there is liu-table1, liu-table3, liu-fig1, tefm, eerf, rahimi-recht`},
		{"reproduce liu-table3 --protocol fare", "there is published, fair"},
		{"reproduce liu-table3 --data iris", "there is eeg, magic04, cod-rna, covtype"},
		{"reproduce liu-table3 --sizes 3", "there is 1, 2, 4, 8, 16, 32, 64, 128"},
		{"reproduce liu-table3 --repetitions 3", "there is no flag --repetitions"},
		{"reproduce liu-table3 --reps 0", "reps"},
		{"reproduce liu-table3 --list", "--experiment is not for --list"},
		{"data", "rff data list or rff data verify"},
		{"data check", `not "check"`},
		{"data list --data-dir x", "--data-dir is for rff data verify"},
	} {
		r := invoke(t, dir, strings.Fields(c.line)...)
		if r.status != exitUsage || !strings.Contains(r.errors, c.want) {
			t.Errorf("rff %s: status %d, %s", c.line, r.status, r.errors)
		}
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("%v was written", left)
	}
	if out := must(t, dir, "reproduce", "--list"); !strings.Contains(out, "liu-table3") || !strings.Contains(out, "--protocol published") {
		t.Errorf("the list: %s", out)
	}
}

// The sets of the papers are listed and verified.
func TestDataSets(t *testing.T) {
	dir := t.TempDir()
	out := must(t, dir, "data", "list")
	for _, want := range []string{"eeg: EEG Eye State", "14980 rows × 14 inputs", "439f5d78723f2d75c433d38fc33fa3bc8aceb360183e6a500bb0c19bca129605", "CC BY 4.0", "a sample of 16 %", "cod-rna.r (157,413 rows), which is not there", "buzz:"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in the list", want)
		}
	}
	t.Setenv("RFF_DATA", "")
	if r := invoke(t, dir, "data", "verify"); r.status != exitUsage || !strings.Contains(r.errors, "RFF_DATA") {
		t.Errorf("no folder: status %d, %s", r.status, r.errors)
	}
	if r := invoke(t, dir, "data", "verify", "--data-dir", dir); r.status != 0 || !strings.Contains(r.out, "missing  eeg/eeg.csv.gz: UCI") {
		t.Errorf("an empty folder: status %d, %s %s", r.status, r.out, r.errors)
	}
	if err := os.Mkdir(filepath.Join(dir, "eeg"), 0o777); err != nil {
		t.Fatal(err)
	}
	save(t, dir, "eeg/eeg.csv.gz", []byte("not this"))
	if r := invoke(t, dir, "data", "verify", "--data-dir", dir); r.status != exitFailure || !strings.Contains(r.out, "differs  eeg/eeg.csv.gz") {
		t.Errorf("another file: status %d, %s %s", r.status, r.out, r.errors)
	}
}
