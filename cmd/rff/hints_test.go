package main

import (
	"strings"
	"testing"
)

// A table with words and gaps is refused with the flags that help, and they do.
func TestHints(t *testing.T) {
	t.Chdir(t.TempDir())
	table := "job,hours,pay\n"
	for i := range 30 {
		table += []string{"cook,20,low\n", "nurse,35,high\n", "pilot,30,high\n"}[i%3]
	}
	save(t, ".", "words.csv", []byte(table))
	save(t, ".", "gaps.csv", []byte(strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(table, "cook", "1"), "nurse", ""), "pilot", "3")))
	save(t, ".", "mixed.csv", []byte(strings.Replace(table, "cook,20", "7,20", 1)))
	save(t, ".", "times.csv", []byte("when,x,y\n2024-01-31 10:00:00,1,2.5\n2024-02-01 10:00:00,2,3.5\n"))
	fit := "fit --auto --budget 0 --features 32 --model m --data "
	for args, want := range map[string]string{
		fit + "mixed.csv": `"nurse" is not a number: mend it, or take it for a missing value (--na TEXT --missing drop); in a column of words, take these as inputs (--categories COLUMNS), or leave it out (--inputs COLUMNS)`,
		fit + "gaps.csv":  ": remove the row or fill it in, or give the fit a rule for such rows (--missing mean or drop)\n",
	} {
		if r := call("", strings.Fields(args)...); r.status != 1 || !strings.Contains(r.errors, want) {
			t.Errorf("%s: status %d, %q, want %q", args, r.status, r.errors, want)
		}
	}
	for _, args := range []string{fit + "words.csv", fit + "mixed.csv --categories job", fit + "gaps.csv --missing mean", fit + "gaps.csv --missing drop", fit + "times.csv --inputs x"} {
		ok(t, args)
	}

	// Who has the model alone is told first what helps with the rows, which flags of predict do not.
	ok(t, "fit --auto --budget 0 --features 32 --model m --data words.csv")
	save(t, ".", "gap.csv", []byte("job,hours\ncook,20\nnurse,\n"))
	refused(t, "predict --model m --data gap.csv", `row 2 (line 3), column 2 "hours": the value is missing: remove the row or fill it in, or give the fit`)
}
