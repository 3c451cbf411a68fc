package main

import (
	"os"
	"path/filepath"
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
		got := rowError(inColumn(err, files.Layout().Inputs), placeOfValue(t.Context(), files, err))
		if !strings.HasSuffix(got.Error(), c.want) {
			t.Errorf("%v becomes %v, want %s", err, got, c.want)
		}
	}
}
