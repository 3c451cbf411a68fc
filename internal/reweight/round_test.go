package reweight

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside/hook"
)

// below counts rows whose target is below the score twice.
type below struct{}

func (below) Row(score, y []float64) float64 {
	if y[0] < score[0] {
		return 2
	}
	return 1
}

func (below) String() string { return "below" }

// A round weighs every row by its scores, whatever the batches and the size of what is
// scored at a time, leaves the caller's rows alone, and says how many it touched.
func TestWeigh(t *testing.T) {
	const n = 3000
	x, y := blas.NewGeneral[float64](n, 1), blas.NewGeneral[float64](n, 1)
	w := make([]float64, n)
	for i := range n {
		x.Row(i)[0], y.Row(i)[0], w[i] = float64(i%7), 3*math.Sin(float64(i)), float64(i%3)
	}
	score := func(dst, x blas.General[float64], first int64) error {
		for i := range x.Rows {
			if x.Row(i)[0] != float64((int(first)+i)%7) {
				t.Fatalf("row %d of a batch that starts at %d is another", i, first)
			}
			dst.Row(i)[0] = x.Row(i)[0] / 7
		}
		return nil
	}
	for _, weights := range [][]float64{nil, w} {
		for _, batch := range []int{1, 999, n} {
			r := &Round{Rule: below{}, Score: score}
			var touched int64
			for i := 0; i < n; i += batch {
				j := min(i+batch, n)
				b := rff.Batch{First: int64(i), X: x.RowRange(i, j), Y: y.RowRange(i, j)}
				if weights != nil {
					b.Weight = weights[i:j]
				}
				if err := r.Weigh(&b); err != nil {
					t.Fatal(err)
				}
				for k := range b.X.Rows {
					own, s, want := y.Row(i + k)[0], float64((i+k)%7)/7, 1.0
					if weights != nil {
						want = weights[i+k]
					}
					if own < s {
						if want > 0 {
							touched++
						}
						want *= 2
					}
					if b.Weight[k] != want || b.Y.Row(k)[0] != own {
						t.Fatalf("row %d: weight %g, target %g of %g with the score %g", i+k, b.Weight[k], b.Y.Row(k)[0], own, s)
					}
				}
			}
			if r.Rows != touched {
				t.Errorf("batches of %d: %d rows were touched, %d say so", batch, touched, r.Rows)
			}
		}
	}
	if y.Row(1)[0] != 3*math.Sin(1) {
		t.Error("the targets of the data have changed")
	}
	failed := errors.New("failed")
	r := &Round{Rule: below{}, Score: func(_, _ blas.General[float64], _ int64) error { return failed }}
	if err := r.Weigh(&rff.Batch{X: x, Y: y}); !errors.Is(err, failed) {
		t.Errorf("scores that fail: %v", err)
	}
	if err := (*Round)(nil).Weigh(&rff.Batch{X: x, Y: y}); err != nil {
		t.Error(err)
	}
}

// What More adds to the weights of all rows makes those of Weigh.
func TestMore(t *testing.T) {
	const n = 50
	x, y := blas.NewGeneral[float64](n, 1), blas.NewGeneral[float64](n, 3)
	w := make([]float64, n)
	for i := range n {
		for k := range 3 {
			y.Row(i)[k] = -1
		}
		x.Row(i)[0], y.Row(i)[i%3], w[i] = float64(i), 1, float64(i%4)
	}
	score := func(dst, x blas.General[float64], _ int64) error {
		for i := range x.Rows {
			for k := range 3 { // the own class is ahead by twice as much as the row's number says
				dst.Row(i)[k] = -1
			}
			dst.Row(i)[int(x.Row(i)[0])%3] = -1 + x.Row(i)[0]/20
		}
		return nil
	}
	b := rff.Batch{X: x, Y: y, Weight: w}
	more, at, err := (&Round{Rule: Hard(4), Score: score}).More(b)
	if err != nil {
		t.Fatal(err)
	}
	all := append([]float64{}, w...)
	for k, i := range at {
		all[i] += more.Weight[k]
		if more.X.Row(k)[0] != x.Row(i)[0] || more.Y.Row(k)[i%3] != 1 {
			t.Errorf("row %d is another", i)
		}
	}
	if err := (&Round{Rule: Hard(4), Score: score}).Weigh(&b); err != nil {
		t.Fatal(err)
	}
	for i, v := range b.Weight {
		// A margin of i/40 is below ½ up to row 19.
		if want := w[i]; v != all[i] || (i < 20 && v != 4*want) || (i >= 20 && v != want) {
			t.Errorf("row %d of weight %g counts %g, %g by sums", i, want, v, all[i])
		}
	}
}

// floors is a rule of several weights, by the score alone.
type floors struct{}

func (floors) Row(score, _ []float64) float64 { return math.Floor(score[0]) }
func (floors) String() string                 { return "floors" }

// A round knows the rows whose weights change most, and of equal ones the worst, as sorting
// all rows finds them; what reads the rows again finds the same.
func TestMostReweighted(t *testing.T) {
	const n = 700
	x, y := blas.NewGeneral[float64](n, 1), blas.NewGeneral[float64](n, 2)
	var want []hook.Reweight
	for i := range n {
		x.Row(i)[0], y.Row(i)[1] = 1+float64(i*37%n)/100, 3*math.Sin(float64(i))
		if f := math.Floor(x.Row(i)[0]); f != 1 {
			want = append(want, hook.Reweight{Row: int64(i), Factor: f, Residual: math.Hypot(x.Row(i)[0], y.Row(i)[1])})
		}
	}
	slices.SortFunc(want, func(a, b hook.Reweight) int {
		return cmp.Or(cmp.Compare(b.Factor, a.Factor), cmp.Compare(b.Residual, a.Residual))
	})
	data, err := rff.FromMatrix(mat.NewDense(n, 1, x.Data), mat.NewDense(n, 2, y.Data))
	if err != nil {
		t.Fatal(err)
	}
	r := &Round{Rule: floors{}, Score: func(dst, x blas.General[float64], _ int64) error {
		for i := range x.Rows {
			dst.Row(i)[0] = x.Row(i)[0]
		}
		return nil
	}}
	for range 2 {
		for _, err := range r.Source(data, func(rff.Batch, int, int) error { return nil }).Batches(context.Background()) {
			if err != nil {
				t.Fatal(err)
			}
		}
		if len(r.Most) != 20 || r.Rows != int64(len(want)) {
			t.Fatalf("%d of %d rows, want %d", len(r.Most), r.Rows, len(want))
		}
		for i, got := range r.Most {
			if got.Row != want[i].Row || got.Factor != want[i].Factor || math.Abs(got.Residual-want[i].Residual) > 1e-12 {
				t.Errorf("%d is %+v, want %+v", i, got, want[i])
			}
		}
	}
}
