package dataset

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/rffgo/rff"
)

// gapsText is rows of a and y of which keep says which have an a.
func gapsText(n int, keep func(i int) bool) []byte {
	b := []byte("a,y\n")
	for i := range n {
		if keep(i) {
			b = fmt.Append(b, i)
		}
		b = fmt.Appendf(b, ",%d.5\n", i)
	}
	return b
}

// Every row that is left out counts: in each file, in each piece of a long file, after
// the last row that is kept, and in a file that has no other.
func TestDroppedRows(t *testing.T) {
	few := write(t, "few.csv", gapsText(10, func(i int) bool { return i%5 != 2 }))                   // 2
	none := write(t, "none.csv", gapsText(3, func(int) bool { return false }))                       // 3
	long := write(t, "long.csv", gapsText(60000, func(i int) bool { return i%6 != 3 && i < 57000 })) // 9500 + 3000
	longNone := write(t, "long-none.csv", gapsText(40000, func(int) bool { return false }))
	for _, c := range []struct {
		paths         []string
		rows, dropped int64
	}{{[]string{few}, 8, 2}, {[]string{few, none, few}, 16, 7}, {[]string{long}, 47500, 12500}, {[]string{few, long, longNone, few}, 47516, 52504}} {
		for _, workers := range []int{1, 3} {
			f, err := Open(t.Context(), Options{Missing: rff.MissingDrop, ours: ours{Workers: workers}}, c.paths...)
			if err != nil {
				t.Fatal(err)
			}
			if s, err := f.Scan(t.Context(), nil); err != nil || s.Rows != c.rows || s.Dropped != c.dropped {
				t.Errorf("%d files, %d workers: %+v, %v, want %d rows and %d dropped", len(c.paths), workers, s, err, c.rows, c.dropped)
			}
		}
	}
}

// The mean that fills a gap is that of the rows that have the input, wherever the gaps are.
func TestMeanOfGaps(t *testing.T) {
	path := write(t, "t.csv", []byte("a,b,c,d,y\n10,,1,,0.5\n2,,,,1.5\n,7,4,,2.5\n6,9,,,3.5\n"))
	want := []float64{6, 8, 2.5, 0}
	filled := [][]float64{{10, 8, 1, 0}, {2, 8, 2.5, 0}, {6, 7, 4, 0}, {6, 9, 2.5, 0}}
	f, err := Open(t.Context(), Options{Missing: rff.MissingMean, ours: ours{Keep: 1 << 20}}, path)
	if err != nil {
		t.Fatal(err)
	}
	s, err := f.Scan(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	near := func(a, b []float64) bool {
		return slices.EqualFunc(a, b, func(v, w float64) bool { return math.Abs(v-w) < 1e-14 })
	}
	if !near(s.fill, want) || !near(s.mean, want) || s.Missing != 4 || s.Dropped != 0 {
		t.Errorf("fill %v, mean %v, want %v; %d rows with gaps", s.fill, s.mean, want, s.Missing)
	}
	table, err := f.Table(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range filled {
		if !near(table.X.Row(i), row) {
			t.Errorf("row %d: table %v, want %v", i, table.X.Row(i), row)
		}
		if at := s.Sample.place(i).Row - 1; !near(s.Sample.X.Row(i), filled[at]) {
			t.Errorf("row %d: sample %v, want %v", at, s.Sample.X.Row(i), filled[at])
		}
	}
	for b, err := range s.Source().Batches(t.Context()) {
		for i, row := range filled {
			if err != nil || !near(b.X.Row(i), row) {
				t.Errorf("batch, row %d: %v, %v, want %v", i, b.X.Row(i), err, row)
			}
		}
	}
}

// A row without a label is an error, or left out where rows are dropped; no other rule
// lets it pass.
func TestMissingLabels(t *testing.T) {
	for name, data := range map[string][]byte{
		"numbers.csv": []byte("1,0.5\n2,1.5\n3,\n4,2.5\n"),
		"words.csv":   []byte("1,u\n2,v\n3,\n4,u\n"),
		"array.npy":   npy("<f8", "(4, 2)", []float64{1, 0.5, 2, 1.5, 3, math.NaN(), 4, 2.5}),
	} {
		path := write(t, name, data)
		for _, rule := range []rff.Missing{"", rff.MissingMean, rff.MissingNaN, rff.MissingDrop} {
			f, err := Open(t.Context(), Options{Missing: rule}, path)
			if err != nil {
				t.Fatal(err)
			}
			table, err := f.Table(t.Context())
			var bad *ParseError
			if rule != rff.MissingDrop {
				if !errors.As(err, &bad) || bad.Row != 3 || bad.Column != 2 {
					t.Errorf("%s, rule %q: %v", name, rule, err)
				}
			} else if err != nil || !slices.Equal(table.X.Data, []float64{1, 2, 4}) {
				t.Errorf("%s, rule %q: %v, %v", name, rule, table, err)
			}
		}
	}
	// A weight goes by the same rules; a word such as NA may be a class.
	weights := write(t, "weights.csv", []byte("a,w,y\n1,1,u\n2,NA,v\n3,1,v\n"))
	if _, err := Read(t.Context(), Options{Missing: rff.MissingMean, Weights: "w"}, weights); err == nil {
		t.Error("a missing weight passes")
	}
	if table, err := Read(t.Context(), Options{Missing: rff.MissingDrop, Weights: "w"}, weights); err != nil || table.Len() != 2 {
		t.Errorf("a row without weight: %v", err)
	}
	class := write(t, "class.csv", []byte("1,NA\n2,EU\n3,NA\n"))
	if table, err := Read(t.Context(), Options{Missing: rff.MissingDrop}, class); err != nil || !slices.Equal(table.Coding.Classes, []string{"EU", "NA"}) {
		t.Errorf("a class called NA: %v, %v", table, err)
	}
}

// Before the means are known, a gap is an error, and no NaN comes out.
func TestMeansNotKnown(t *testing.T) {
	half := rff.Schema{Missing: rff.MissingMean, Inputs: []rff.Column{{Name: "a", Fill: []float64{7}}, {Name: "b"}}}
	path := write(t, "t.csv", []byte("a,b,y\n1,2,0.5\n,4,1.5\n5,6,2.5\n"))
	ctx := context.Background()
	for name, o := range map[string]Options{"a rule": {Missing: rff.MissingMean}, "a schema without all means": {Schema: &half, Label: "y"}} {
		f, err := Open(ctx, o, path)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		rows := 0
		var bad *ParseError
		for _, err = range f.Rows(ctx) {
			if err == nil {
				rows++
			}
		}
		if !errors.As(err, &bad) || bad.Row != 2 || bad.Line != 3 || rows != 1 {
			t.Errorf("%s: %d rows, then %v", name, rows, err)
		}
		for _, err = range f.Source(NewCoding(nil), 0).Batches(ctx) {
		}
		if !errors.As(err, &bad) {
			t.Errorf("%s: the source: %v", name, err)
		}
	}
	f, err := Open(ctx, Options{Missing: rff.MissingNaN}, path)
	if err != nil {
		t.Fatal(err)
	}
	var parameter *rff.ParameterError
	if s, err := f.Scan(ctx, nil); !errors.As(err, &parameter) {
		t.Errorf("ranges and means of rows with NaN: %v, %v", s, err)
	}
}
