package dataset

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// A row without a label has the empty label, in one piece and in chunks, and others have theirs.
func TestRowsThatLackTheirLabel(t *testing.T) {
	var b strings.Builder
	b.WriteString("x,y\n")
	want := func(i int64) string { return []string{"", "0", "u"}[i%3] }
	for i := range int64(100_000) {
		fmt.Fprintf(&b, "%d,%s\n", i, want(i))
	}
	file := write(t, "t.csv", []byte(b.String()))
	for _, workers := range []int{1, 4} {
		f, err := Open(context.Background(), Options{ours: ours{Bare: true, Workers: workers}}, file)
		if err != nil {
			t.Fatal(err)
		}
		for row, err := range f.Rows(context.Background()) {
			if err != nil || row.Label() != want(row.Place.Row-1) {
				t.Fatalf("%d workers: row %d has the label %q: %v", workers, row.Place.Row, row.Label(), err)
			}
		}
	}
}

// A label that the caller takes for a missing value says what to do, also if it reads as a number.
func TestChosenWordsInLabels(t *testing.T) {
	file := write(t, "n.csv", []byte("x,y\n1,2.5\n2,nan\n3,4.5\n"))
	for need, words := range map[string][]string{missingWord: {"nan"}, notFinite: {"gone"}} {
		_, err := Read(context.Background(), Options{Task: Regression, NA: words}, file)
		if bad := (*ParseError)(nil); !errors.As(err, &bad) || bad.Row != 2 || bad.Name != "y" || !strings.Contains(bad.Need, need) {
			t.Errorf("%q: %v", words, err)
		}
	}
}
