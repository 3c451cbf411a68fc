package dataset

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/rffgo/rff"
)

// Rows that are left out do not shift the places of those after them.
func TestPlacesAfterDroppedRows(t *testing.T) {
	dir := t.TempDir()
	var names []string
	for name, text := range map[string]string{"1.csv": "a,y\n1,2\n,3\n4,5\n", "2.csv": "a,y\n,1\n,1\n7,8\n9,1\n,2\n11,3\n"} {
		names = append(names, filepath.Join(dir, name))
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	ctx := context.Background()
	f, err := Open(ctx, Options{Missing: rff.MissingDrop, Task: Regression}, filepath.Join(dir, "1.csv"), filepath.Join(dir, "2.csv"))
	if err != nil {
		t.Fatal(err)
	}
	type placed struct {
		x    float64
		file string
		row  int64
	}
	want := []placed{{1, "1.csv", 1}, {4, "1.csv", 3}, {7, "2.csv", 3}, {9, "2.csv", 4}, {11, "2.csv", 6}}
	check := func(what string, i int, x float64, p Place) {
		t.Helper()
		if w := want[i]; x != w.x || filepath.Base(p.File) != w.file || p.Row != w.row {
			t.Errorf("%s: row %d: %v at %+v, want %+v", what, i, x, p, w)
		}
	}
	i := 0
	for row, err := range f.Rows(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		check("Rows", i, row.X[0], row.Place)
		i++
	}
	table, err := f.Table(ctx)
	if err != nil || table.X.Rows != len(want) {
		t.Fatalf("%d rows, %v", table.X.Rows, err)
	}
	s, err := f.Scan(ctx, nil)
	if err != nil || s.Sample.X.Rows != len(want) || s.Dropped != 4 {
		t.Fatalf("%+v, %v", s, err)
	}
	for i := range want {
		check("Table", i, table.X.Row(i)[0], table.place(i))
		at := slices.IndexFunc(want, func(w placed) bool { return w.x == s.Sample.X.Row(i)[0] })
		check("sample", at, s.Sample.X.Row(i)[0], s.Sample.place(i))
	}
	if _, err := Open(ctx, Options{Missing: rff.MissingDrop, LabelFile: names[0]}, names[1]); err == nil || errors.Is(err, os.ErrNotExist) {
		t.Errorf("labels in a file of their own: %v", err)
	}
}
