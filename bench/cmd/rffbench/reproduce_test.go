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
	t.Chdir(dir)
	r := invoke("reproduce", "liu-table3", "--quick", "--no-times")
	if r.status != 1 || !strings.Contains(r.errors, "no data for eeg") || !strings.Contains(r.errors, "UCI Machine Learning Repository, EEG Eye State") {
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
func TestRefusals(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, c := range []struct{ line, want string }{
		{"reproduce", "liu-table3"},
		{"reproduce liu-table4", `there is no experiment "liu-table4": there is liu-table1, liu-table3, liu-fig1, tefm, eerf, rahimi-recht`},
		{"reproduce liu-table3 --protocol fare", "there is published, fair"},
		{"reproduce liu-table3 --data iris", "there is eeg, magic04, cod-rna, covtype"},
		{"reproduce liu-table3 --sizes 3", "there is 1, 2, 4, 8, 16, 32, 64, 128"},
		{"reproduce liu-table3 --repetitions 3", "unknown flag: --repetitions"},
		{"reproduce liu-table3 --reps 0", "--reps is 0: it must be a whole number from 1"},
		{"reproduce liu-table3 --sizes 4,4", "--sizes has 4 twice"},
		{"reproduce liu-table3 --list", "leave liu-table3 out"},
		{"reproduce --list --quick", "list quick"},
		{"data", "rffbench data list or rffbench data verify"},
		{"data check", `"check"`},
		{"data list --data-dir x", "--data-dir"},
		{"rof", "roof"},
		{"roof gramm", "op is \"gramm\": must be one of features, "},
		{"roof gram --n 1000000000 --d 1000000", "needs 1e+15 numbers"},
		{"roof gram --s 1048576", "needs 1.1e+12 numbers"},
		{"roof gram --reps 0", "from 1 to 10000"},
		{"roof gram --dtype f16", "f64 or f32"},
		{"roof gram --dtype f64,f64", "--dtype has f64 twice"},
		{"roof gram --s 64,64", "has 64 twice"},
	} {
		if r := invoke(strings.Fields(c.line)...); r.status != 2 || !strings.Contains(r.errors, c.want) {
			t.Errorf("rffbench %s: status %d, %s", c.line, r.status, r.errors)
		}
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("%v was written", left)
	}
	if out := must(t, "reproduce", "--list"); !strings.Contains(out, "liu-table3") || !strings.Contains(out, "--protocol published") {
		t.Errorf("the list: %s", out)
	}
}

// The sets of the papers are listed and verified.
func TestDataSets(t *testing.T) {
	dir := t.TempDir()
	out := must(t, "data", "list")
	for _, want := range []string{"eeg: EEG Eye State", "14980 rows × 14 inputs", "439f5d78723f2d75c433d38fc33fa3bc8aceb360183e6a500bb0c19bca129605", "CC BY 4.0", "a sample of 16 %", "cod-rna.r (157,413 rows), which is not there", "buzz:"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in the list", want)
		}
	}
	t.Setenv("RFF_DATA", "")
	if r := invoke("data", "verify"); r.status != 2 || !strings.Contains(r.errors, "RFF_DATA") {
		t.Errorf("no folder: status %d, %s", r.status, r.errors)
	}
	if r := invoke("data", "verify", "--data-dir", dir); r.status != 0 || !strings.Contains(r.out, "missing  eeg/eeg.csv.gz: UCI") {
		t.Errorf("an empty folder: status %d, %s %s", r.status, r.out, r.errors)
	}
	if err := os.Mkdir(filepath.Join(dir, "eeg"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "eeg", "eeg.csv.gz"), []byte("not this"), 0o666); err != nil {
		t.Fatal(err)
	}
	if r := invoke("data", "verify", "--data-dir", dir); r.status != 1 || !strings.Contains(r.out, "differs  eeg/eeg.csv.gz") {
		t.Errorf("another file: status %d, %s %s", r.status, r.out, r.errors)
	}
}
