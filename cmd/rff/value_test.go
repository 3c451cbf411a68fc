package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/dataset"
)

// An error about a value names the row that has it, though it counts rows that were
// drawn, and the column by its name.
func TestPlaceOfValue(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(path, []byte("a,b,y\n1,2,0\n3,9,1\n5,9,0\n7,8,1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	files, err := dataset.Open(t.Context(), dataset.Options{}, path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		row    int64
		column string
		value  float64
		want   string
	}{
		{2, "input 2", 9, ": row 3 (line 4), column \"b\" is 9: less"},
		{2, "column \"b\"", 9, ": row 3 (line 4), column \"b\" is 9: less"},
		{0, "input 2", 9, ": row 2 (line 3), column \"b\" is 9: less"}, // among rows that were drawn
		{2, "target 1", 7, ": row 3 (line 4), target 1 is 7: less"},
	} {
		err := error(&rff.ValueError{Row: c.row, Column: c.column, Value: c.value, Need: "less"})
		got := rowError(inColumn(err, files.Schema().InputNames()), placeOfValue(t.Context(), files, err))
		if !strings.HasSuffix(got.Error(), c.want) {
			t.Errorf("%v becomes %v, want %s", err, got, c.want)
		}
	}
}

// A value that no map resolves is named with its row, its column and as it stands in
// the file, whatever sample of the rows a command looks at. --auto tries scalings that
// confine such a value, and takes one of them.
func TestCommandsNameTheRow(t *testing.T) {
	dir := t.TempDir()
	var csv strings.Builder
	csv.WriteString("a,b,y\n")
	for i := range 300 {
		b := fmt.Sprint(i * 37 % 101)
		if i == 123 {
			b = "1e20"
		}
		fmt.Fprintf(&csv, "%d,%s,%d\n", i*7919%97, b, i*i%11)
	}
	if err := os.WriteFile(filepath.Join(dir, "t.csv"), []byte(csv.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{"fit --model m", "fit --model m --sigma cv", "gram --output g", "gram --output g --sigma cv",
		"compare --samplers rff --reps 1 --test 0.01", "compare --samplers rff --reps 1 --test 0.01 --sigma cv"} {
		o := invoke(t, dir, append(strings.Fields(args), "--data", "t.csv", "--features", "16", "--task", "regression")...)
		if o.status != exitFailure || !strings.Contains(o.errors, "t.csv: row 124") || !strings.Contains(o.errors, `, column "b" is 1e+20: it `) {
			t.Errorf("%s: %d, %q", args, o.status, o.errors)
		}
	}
	o := invoke(t, dir, strings.Fields("fit --model m --auto --budget 0 --data t.csv --features 16 --task regression")...)
	if o.status != 0 || !regexp.MustCompile(`scaling   (clipped|ranks|logs)`).MatchString(o.out) {
		t.Errorf("--auto: %d, %q, %s", o.status, o.errors, o.out)
	}
}
