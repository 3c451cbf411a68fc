package dataset

import (
	"context"
	"slices"
	"strings"
	"testing"
)

// Without columns for them, every row has weight 1 and no group, in every format.
func TestNoWeights(t *testing.T) {
	for name, data := range map[string][]byte{
		"csv":    []byte("1,2\n3,4\n"),
		"libsvm": []byte("1 1:2\n2 1:3\n"),
		"npy":    npy("<f8", "(2, 2)", []float64{1, 2, 3, 4}),
	} {
		f, err := Open(context.Background(), Options{}, write(t, "t", data))
		if err != nil {
			t.Fatal(err)
		}
		for row, err := range f.Rows(context.Background()) {
			if err != nil || row.Weight != 1 || row.group != 0 {
				t.Errorf("%s: %+v, %v", name, row, err)
			}
		}
		for b := range f.Source(NewCoding(nil), 0).Batches(context.Background()) {
			if b.Weight != nil || b.Group != nil {
				t.Errorf("%s: weights %v, groups %v", name, b.Weight, b.Group)
			}
		}
	}
}

// Files of one set must agree; sparse ones are as wide as the widest.
func TestSeveralFiles(t *testing.T) {
	wide, narrow := write(t, "wide.svm", []byte("1 5:2\n")), write(t, "narrow.svm", []byte("2 2:3\n"))
	for _, paths := range [][]string{{wide, narrow}, {narrow, wide}} {
		f, err := Open(context.Background(), Options{}, paths...)
		if err != nil || f.layout.width != 5 {
			t.Errorf("%v: %v", paths, err)
			continue
		}
		table, err := f.Table(context.Background())
		if err != nil || table.X.Cols != 5 || table.Len() != 2 {
			t.Errorf("%v: %v", paths, err)
		}
	}
	first := write(t, "a.csv", []byte("a,b,y\n1,2,3\n"))
	for data, want := range map[string]string{
		"b,a,y\n1,2,3\n": "other columns",
		"a,y\n1,3\n":     "has 1 input where",
		"a,b,z\n1,2,3\n": `the label "z" where`,
		"4,5,6\n":        "",
	} {
		_, err := Open(context.Background(), Options{}, first, write(t, "b.csv", []byte(data)))
		if (want == "") != (err == nil) || err != nil && (!strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "b.csv")) {
			t.Errorf("%q: %v", data, err)
		}
	}
	if _, err := Open(context.Background(), Options{}); err == nil {
		t.Error("no files")
	}
}

// ⌊n·test + ½⌋ rows, but one at least and not all, are held back.
func TestSplitSizes(t *testing.T) {
	for _, c := range []struct {
		n    int
		test float64
		want int
	}{{10, 0.25, 3}, {10, 0.24, 2}, {10, 0.01, 1}, {10, 0.99, 9}, {2, 0.5, 1}} {
		train, held, err := Split(c.n, c.test, 1)
		if err != nil || len(held) != c.want || len(train) != c.n-c.want {
			t.Errorf("%v of %d: %d held back, %v", c.test, c.n, len(held), err)
		}
	}
}

// Rows keep their place, however a table is divided, and so do those of a sample.
func TestPlace(t *testing.T) {
	ctx := t.Context()
	a, b := write(t, "a.csv", []byte("x,y\n0,1\n1,2\n2,3\n")), write(t, "b.csv", []byte("x,y\n3,1\n4,2\n"))
	of := map[float64]Place{0: {File: a, Row: 1}, 1: {File: a, Row: 2}, 2: {File: a, Row: 3}, 3: {File: b, Row: 1}, 4: {File: b, Row: 2}}
	f, err := Open(ctx, Options{}, a, b)
	if err != nil {
		t.Fatal(err)
	}
	table, err := f.Table(ctx)
	if err != nil {
		t.Fatal(err)
	}
	s, err := f.Scan(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, part := range map[string]*Table{"all": table, "sample": s.Sample, "head": table.Head(2), "tail": table.Tail(1), "select": table.Select([]int{4, 0, 3}),
		"tail of select": table.Select([]int{4, 0, 3}).Tail(1), "select of tail": table.Tail(2).Select([]int{2, 0}), "tail of head": table.Head(4).Tail(2), "tail of tail": table.Tail(1).Tail(2)} {
		for i := range part.Len() {
			if got, want := part.place(i), of[part.X.Row(i)[0]]; got != want {
				t.Errorf("%s, row %d: %+v, want %+v", name, i, got, want)
			}
		}
	}
}

// The first of labels that are words is taken for the name of their column. The error says so,
// and with a name above them the file is read.
func TestLabelFileOfWordsWithoutName(t *testing.T) {
	inputs := write(t, "x.csv", []byte("1,2\n3,4\n5,6\n"))
	labels := func(text string) ([]string, error) {
		f, err := Open(context.Background(), Options{LabelFile: write(t, "y.txt", []byte(text))}, inputs)
		if err != nil {
			return nil, err
		}
		var out []string
		for row, err := range f.Rows(context.Background()) {
			if err != nil {
				return out, err
			}
			out = append(out, row.Label())
		}
		return out, nil
	}
	if _, err := labels("yes\nno\nyes\n"); err == nil || !strings.Contains(err.Error(), `its first line "yes" is a label: write a name above it`) {
		t.Error(err)
	}
	if got, err := labels("kind\nyes\nno\nyes\n"); err != nil || !slices.Equal(got, []string{"yes", "no", "yes"}) {
		t.Error(got, err)
	}
}
