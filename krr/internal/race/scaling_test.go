package race

import (
	"slices"
	"testing"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
)

// TestScalingsHold: every way of scaling holds the columns that never vary, and no
// column that varies in rows of which these are a sample.
func TestScalingsHold(t *testing.T) {
	rows := sizes(1, 3)
	for i := range rows.X.Rows {
		row := rows.X.Row(i)
		row[1], row[2] = 100, 7
	}
	rows.Low[1], rows.High[1] = 100, 100
	rows.Low[2], rows.High[2] = 7, 9
	names := []string{}
	ways, err := scalings(t.Context(), blas.Engine{}, rows)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range ways {
		names = append(names, s.name)
		if held := inside.Held(s.Scaling); !slices.Equal(held, []int{1}) {
			t.Errorf("%s holds columns %v", s.name, held)
		}
		if err := inside.CheckScaling(s.Scaling, 3); err != nil {
			t.Errorf("%s: %v", s.name, err)
		}
	}
	if want := []string{"robust", "standard", "clipped", "ranks", "logs"}; !slices.Equal(names, want) {
		t.Errorf("scalings %v, want %v", names, want)
	}
}
