package files

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/dataset"
)

// A value is named as it stands in its file, whatever was drawn, scaled and put in
// another order since.
func TestBadRow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(path, []byte("a,b,y\n1,2,0\n3,4,1\n5,1e20,0\n7,8,1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	data, err := dataset.Read(t.Context(), dataset.Options{}, path)
	if err != nil {
		t.Fatal(err)
	}
	rows := []int{3, 2, 0}
	scaling := rff.Scaling{Shift: []float64{0, 3}, Scale: []float64{2, 5}}
	drawn := data.Select(rows).Scaled(scaling)
	bad := &rff.ValueError{Row: 0, Column: "input 2", Value: drawn.X.Row(1)[1], Need: "less"} // in yet another order
	got := BadRow(fmt.Errorf("sampling: %w", bad), drawn, data, func(i int) int { return rows[i] })
	for _, want := range []string{path + ": row 3", `column "b"`, "1e+20", "too far"} {
		if !strings.Contains(got.Error(), want) {
			t.Errorf("%v does not have %q", got, want)
		}
	}
	if other := errors.New("other"); BadRow(other, drawn, data, func(i int) int { return i }) != other {
		t.Error("another error is changed")
	}
	for _, lost := range []*rff.ValueError{{Row: 6, Column: "norm", Value: 3}, {Row: 6, Column: "input 9"}, {Row: 6, Column: "input 1", Value: 99}} {
		if err := BadRow(lost, drawn, data, func(i int) int { return i }); !strings.HasPrefix(err.Error(), lost.Column) || strings.Contains(err.Error(), "row") {
			t.Errorf("%v becomes %v", lost, err)
		}
	}
}
