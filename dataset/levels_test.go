package dataset

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Zeros before a number may make another code of it: they are refused beside the number without
// them, and alone they are the number.
func TestZerosBeforeANumber(t *testing.T) {
	for cells, refused := range map[string]bool{"007,7": true, "7,007": true, "007,07": true, "007,007": false, "007,8": false, "7,7.0": false} {
		one, two, _ := strings.Cut(cells, ",")
		path := write(t, "t.csv", []byte("k,y\n"+one+",1\n"+two+",2\nabc,3\n"))
		_, err := Open(t.Context(), Options{Categories: []string{"k"}}, path)
		if (err != nil) != refused || refused && !strings.Contains(err.Error(), "one number") {
			t.Errorf("%s: %v", cells, err)
		}
	}
}

// The number of a column is that of the first file, and means the column of that name in the others.
func TestNumberOfColumnOfFirstFile(t *testing.T) {
	first, second := write(t, "a.csv", []byte("x,w,y\n1,2,3\n")), write(t, "b.csv", []byte("y,x,w\n6,4,5\n"))
	table, err := Read(t.Context(), Options{Label: "3", Weights: "2", Task: Regression}, first, second)
	if err != nil || !slices.Equal(table.X.Data, []float64{1, 4}) || !slices.Equal(table.Y, []float64{3, 6}) || !slices.Equal(table.Weights, []float64{2, 5}) {
		t.Errorf("%+v, %v", table, err)
	}
	other := write(t, "c.csv", []byte("z,x,w\n6,4,5\n"))
	if _, err := Read(t.Context(), Options{Label: "3", Weights: "2"}, first, other); err == nil {
		t.Error("a file without the label is read")
	}
}

// Numbers are compared as numbers: one value is one class and one level, however it is
// written.
func TestWaysToWriteANumber(t *testing.T) {
	path := write(t, "t.csv", []byte("a,k,y\n1,2,1\n2,2.0,1.0\n3,+2,+1\n4,3e0,2\n5,3,2.0\n"))
	f, err := Open(t.Context(), Options{Categories: []string{"k"}}, path)
	if err != nil {
		t.Fatal(err)
	}
	if got := f.layout.inputs; !slices.Equal(got, []string{"a", "k=2", "k=3"}) {
		t.Errorf("inputs %q", got)
	}
	s, err := f.Scan(t.Context(), nil)
	if err != nil || !slices.Equal(s.Coding.Classes, []string{"1", "2"}) || s.Counts["1"] != 3 || s.Counts["2"] != 2 {
		t.Fatalf("%+v, %v", s, err)
	}
	table, err := f.Table(t.Context())
	if err != nil || !slices.Equal(table.Y, []float64{0, 0, 0, 1, 1}) || !slices.Equal(table.X.Data, []float64{1, 1, 0, 2, 1, 0, 3, 1, 0, 4, 0, 1, 5, 0, 1}) {
		t.Fatalf("classes %v, inputs %v, %v", table.Y, table.X.Data, err)
	}
	for i := range s.Sample.Len() {
		if at := int(s.Sample.place(i).Row - 1); s.Sample.Y[i] != table.Y[at] || !slices.Equal(s.Sample.X.Row(i), table.X.Row(at)) {
			t.Errorf("row %d of the sample: %v → %v", at, s.Sample.X.Row(i), s.Sample.Y[i])
		}
	}
}

// A column has at most 4,096 levels, in one file or over several.
func TestTooManyLevels(t *testing.T) {
	text := func(from, to int) []byte {
		b := []byte("k,y\n")
		for i := from; i < to; i++ {
			b = fmt.Appendf(b, "w%d,%d.5\n", i, i)
		}
		return b
	}
	most, over := write(t, "most.csv", text(0, 4096)), write(t, "over.csv", text(0, 4097))
	last := write(t, "last.csv", text(4090, 4097))
	for _, c := range []struct {
		paths []string
		fits  bool
	}{{[]string{most}, true}, {[]string{over}, false}, {[]string{most, last}, false}} {
		f, err := Open(t.Context(), Options{Categories: []string{"k"}, IDs: []string{"k"}}, c.paths...)
		var bad *ParseError
		switch {
		case c.fits && (err != nil || f.layout.width != 4096):
			t.Error(err)
		case !c.fits && (!errors.As(err, &bad) || !strings.Contains(err.Error(), "more than 4096 levels")):
			t.Errorf("%d files: %v", len(c.paths), err)
		case !c.fits && len(c.paths) == 1 && bad.Row != 4097: // reading ends there
			t.Errorf("one file: row %d", bad.Row)
		}
	}
	if _, err := Open(t.Context(), Options{Categories: []string{"k"}, IDs: []string{"k"}, ours: ours{MaxColumns: 4000}}, most); err == nil || !strings.Contains(err.Error(), "Width") {
		t.Errorf("levels beyond MaxColumns: %v", err)
	}
	long := write(t, "long.csv", []byte("k,y\nu,1\n"+strings.Repeat("w", 1025)+",2\n"))
	if _, err := Open(t.Context(), Options{Categories: []string{"k"}}, long); err == nil || !strings.Contains(err.Error(), "row 2") || !strings.Contains(err.Error(), "not a category") {
		t.Errorf("a word of 1025 bytes: %v", err)
	}
	// Unless it is said to have words, a column of prose is left out, as one of too many words is.
	prose := write(t, "prose.csv", []byte("k,x,y\nu,1,2\n"+strings.Repeat("w", 1025)+",2,3\nu,3,4\n"))
	f, err := Open(t.Context(), Options{}, prose)
	if err != nil || !slices.Equal(f.layout.inputs, []string{"x"}) || !strings.Contains(f.layout.notes[0], "left out") {
		t.Errorf("prose: %v", err)
	}
}
