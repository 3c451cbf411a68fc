package dataset

import (
	"errors"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/rffgo/rff"
)

// Rows and batches are numbered through all files, parts of a table from their own
// first row on.
func TestNumbersOfRows(t *testing.T) {
	const n = 20000
	all := func(int) bool { return true }
	o := Options{FS: fstest.MapFS{"a": {Data: gapsText(n, all)}, "b": {Data: gapsText(n, all)}}, ours: ours{Keep: 1 << 30, Workers: 3}}
	f, err := Open(t.Context(), o, "a", "b")
	if err != nil {
		t.Fatal(err)
	}
	at := int64(0)
	for row, err := range f.Rows(t.Context()) {
		if err != nil || row.Place.Row != at%n+1 || row.X[0] != float64(at%n) {
			t.Fatalf("row %d: %+v, %v", at, row, err)
		}
		at++
	}
	s, err := f.Scan(t.Context(), nil)
	if err != nil || s.kept == nil {
		t.Fatal(err)
	}
	table, err := f.Table(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		source rff.Source
		from   int64
	}{"files": {f.Source(s.Coding, 0), 0}, "kept": {s.Source(), 0}, "table": {table.Source(), 0}, "tail": {table.Tail(3).Source(), 3}} {
		rows, batches := int64(0), 0
		for b, err := range c.source.Batches(t.Context()) {
			if err != nil || b.First != rows || b.X.Row(0)[0] != float64((rows+c.from)%n) {
				t.Fatalf("%s: batch at %d says %d, begins with %v, %v", name, rows, b.First, b.X.Row(0), err)
			}
			rows += int64(b.X.Rows)
			batches++
		}
		if rows != 2*n-c.from || batches < 3 {
			t.Errorf("%s: %d rows in %d batches", name, rows, batches)
		}
	}
	// So are the rows of files of the same name, of parts of parts, and of errors.
	twice, err := Read(t.Context(), Options{FS: fstest.MapFS{"a": {Data: gapsText(5, all)}}}, "a", "a")
	if err != nil {
		t.Fatal(err)
	}
	part := twice.Tail(2).Head(6).Tail(1).Select([]int{4, 0})
	if got := []int64{part.place(0).Row, part.place(1).Row, twice.place(6).Row}; !slices.Equal(got, []int64{3, 4, 2}) {
		t.Errorf("rows of parts: %v", got)
	}
	var bad *ParseError
	last := Options{FS: fstest.MapFS{"a": {Data: append(gapsText(60000, all), "x,1\n"...)}}, ours: ours{Workers: 3}}
	if _, err := Read(t.Context(), last, "a"); !errors.As(err, &bad) || bad.Row != 60001 || bad.Line != 60002 {
		t.Errorf("an error in a late row: %v", err)
	}
}
