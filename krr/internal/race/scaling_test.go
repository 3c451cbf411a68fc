package race

import (
	"slices"
	"testing"
	"time"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/trial"
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
	ways, err := scalings(t.Context(), blas.Engine{}, rows, true)
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

// Scalings that bend many columns are left out where the budget does not pay for bending the rows of the first
// trials, and the report says so. Where it does, trials of such a scaling take the work of bending more. Rows that
// memory keeps once they are bent, and few columns, are as they were.
func TestBendingIsPaidFor(t *testing.T) {
	names := func(r *Race) (out []string) {
		for _, s := range r.scalings {
			out = append(out, s.name)
		}
		return out
	}
	all := []string{"robust", "standard", "clipped", "ranks", "logs"}
	wide := wideRows(100, 8000)
	r := begun(t, wide, Settings{Budget: time.Second})
	if got := names(r); !slices.Equal(got, all[:2]) {
		t.Errorf("one second pays for %v", got)
	}
	r.proposers = []proposer{func(*Race) []proposal { return nil }} // trials would tell nothing more
	report, err := r.Run(t.Context(), func(float64) {})
	if err != nil || !slices.ContainsFunc(report.Steps, func(s Step) bool { return s.Name == "scalings" && s.Why != "" }) {
		t.Errorf("no word of scalings that were left out: %v, %+v", err, report)
	}
	r = begun(t, wide, Settings{Budget: time.Hour})
	if got := names(r); !slices.Equal(got, all) || r.skipped["scalings"] != "" {
		t.Fatalf("an hour pays for %v: %q", got, r.skipped["scalings"])
	}
	z := size{90, 10, 64, 3}
	of := func(scaling int) float64 {
		return r.workOf(job{candidate: candidate{scaling: scaling}, grid: r.grid}, z)
	}
	for i := range all {
		bent := r.scalings[i].bent
		if more, want := of(i)-of(0), 3*trial.BendingWork(100, bent); (i >= plainScalings) != (bent > 7900) || more < want*(1-1e-9) || more > want*(1+1e-9) {
			t.Errorf("%s bends %d columns, and takes %g more, want %g", all[i], bent, more, want)
		}
	}
	for what, rows := range map[string]*trial.Rows{"kept": wideRows(100, 1500), "few columns": wideRows(9000, 300)} {
		r := begun(t, rows, Settings{Budget: 10 * time.Millisecond})
		if got := names(r); !slices.Contains(got, "logs") {
			t.Errorf("%s: %v", what, got)
		}
		if a, b := r.workOf(job{grid: r.grid}, z), r.workOf(job{candidate: candidate{scaling: 2}, grid: r.grid}, z); a != b {
			t.Errorf("%s: %g and %g multiply-adds", what, a, b)
		}
	}
}
