package dataset

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

// Bad rows are left out where somebody takes note of them, and the next ones keep
// their numbers.
func TestBadRows(t *testing.T) {
	for name, text := range map[string]string{"csv": "a,b,y\n1,2,3\n1,x,3\n1,2\n,2,3\n4,5,6\n", "svm": "1 1:1 2:2\n1 2:1 1:1\n1 1:x\n1 0:1\n2 1:4 2:5\n"} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		var bad []int64
		f, err := Open(context.Background(), Options{Width: 2, BadRow: func(e *ParseError) bool { bad = append(bad, e.Row); return true }}, path)
		if err != nil {
			t.Fatal(err)
		}
		var rows []int64
		for row, err := range f.Rows(context.Background()) {
			if err != nil {
				t.Fatal(err)
			}
			rows = append(rows, row.Place.Row)
		}
		if len(rows) != 2 || rows[0] != 1 || rows[1] != 5 || len(bad) != 3 {
			t.Errorf("%s: rows %v, bad ones %v", name, rows, bad)
		}
	}
}
