package dataset

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/rffgo/rff/internal/require"
)

// The embedded set comes from mlbench; the shared files come from UCI by
// another way. They must agree row by row.
func TestLetterEqualsUCI(t *testing.T) {
	dir := require.Data(t)
	got := Letter()
	row := 0
	for _, part := range []string{"train", "test"} {
		want, err := Read(context.Background(), Options{Task: Classification}, filepath.Join(dir, "letter", "letter."+part+".csv.gz"))
		if err != nil {
			t.Fatal(err)
		}
		if part == "train" && want.Len() != got.Train {
			t.Fatalf("%d training rows, want %d", got.Train, want.Len())
		}
		for i := range want.Len() {
			if got.Y[row] != want.Y[i] { // classes 1 … 26 there: the same indices
				t.Fatalf("row %d: class %v, want %v", row+1, got.Y[row], want.Y[i])
			}
			for j, v := range want.X.Row(i) {
				if got.X.Row(row)[j] != v {
					t.Fatalf("row %d, column %s: %v, want %v", row+1, got.Inputs[j], got.X.Row(row)[j], v)
				}
			}
			row++
		}
		for j, name := range want.Inputs {
			if got.Inputs[j] != name {
				t.Errorf("column %d is called %q, want %q", j+1, got.Inputs[j], name)
			}
		}
	}
	if row != got.Len() {
		t.Errorf("%d rows, want %d", got.Len(), row)
	}
}

// What Frey and Slate's Table 1 and the UCI page say of the set.
func TestLetterFacts(t *testing.T) {
	s := Letter()
	if s.Len() != 20000 || s.X.Cols != 16 || s.Train != 15000 || len(s.Coding.Classes) != 26 {
		t.Fatalf("%d×%d, %d for training, %d classes", s.Len(), s.X.Cols, s.Train, len(s.Coding.Classes))
	}
	count := map[string]int{}
	for _, y := range s.Y {
		count[s.Coding.Classes[int(y)]]++
	}
	for class, want := range map[string]int{"A": 789, "B": 766, "H": 734, "U": 813, "Z": 734} {
		if count[class] != want {
			t.Errorf("%d rows of %s, want %d", count[class], class, want)
		}
	}
}
