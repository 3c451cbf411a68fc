package trial

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/reweight"
)

// bySums is a rule that leaves every weight as it is: its second solution is the first, by
// sums of features.
type bySums struct{}

func (bySums) String() string                 { return "by sums" }
func (bySums) Row(score, y []float64) float64 { return 1 }

// A fit whose landmarks are the training rows is solved by its kernel matrix, and has the
// losses of the same fit by sums of its features: for few λ and for many, with weights and
// scaled inputs. The kernel matrix is far enough from singular that its factor needs no more
// than 1e-12 on the diagonal, and both agree to some 10⁻⁹.
func TestExact(t *testing.T) {
	const n = 120
	x, y := table(n, 5)
	rows := &Rows{X: x, Y: y, Weight: make([]float64, n)}
	rng := rand.New(rand.NewPCG(6, 1))
	for i := range n {
		rows.Weight[i] = 0.5 + rng.Float64()
		y.Row(i)[0] += 100 + math.Sin(3*x.Row(i)[0])
	}
	splits := Folds{Seed: 1, Of: 4, Count: 2, Most: n}.Splits(rows)
	scale := rff.Scaling{Shift: []float64{0.3, 4}, Scale: []float64{2, 5}}
	for name, grid := range map[string][]float64{"few": {1e-5, 1e-3}, "many": {1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1}} {
		summed := 0
		task := Task{Scaling: scale, Lambdas: grid, Loss: Squares, Map: func(_ context.Context, _ blas.Engine, _ int, train *Rows) (*rff.Map, error) {
			summed = train.X.Rows
			of := train.scaled(scale)
			return rff.Nystrom(rff.NewMatern(0.5, 1.0), mat.NewDense(of.Rows, of.Cols, of.Data))
		}}
		got, err := task.Run(context.Background(), splits, nil)
		if err != nil {
			t.Fatal(err)
		}
		task.Rules = []reweight.Rule{bySums{}}
		want, err := task.Run(context.Background(), splits, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got.Lambda != want.Lambda || math.Abs(got.Mean-want.Mean) > 1e-7*want.Mean || summed != 90 {
			t.Errorf("%s: %g at λ = %g; by sums %g at %g", name, got.Mean, got.Lambda, want.Mean, want.Lambda)
		}
		for i, v := range got.Loss {
			if math.Abs(v-want.Loss[i]) > 1e-6*(want.Mean+want.Loss[i]) {
				t.Errorf("%s: row %d has %g, by sums %g", name, i, v, want.Loss[i])
			}
		}
	}
	// As many landmarks as rows, but others, are no exact fit.
	some, other := splits[0].Train.Head(40), splits[1].Train.Head(40)
	m, err := rff.Nystrom(rff.NewGaussian(1), mat.NewDense(40, other.X.Cols, other.X.Data))
	if err != nil {
		t.Fatal(err)
	}
	if f := newFitted(inside.Engine(m), m, rff.Scaling{}, nil, some); f.dual(some) || !f.dual(other) {
		t.Error("landmarks of other rows pass for these, or their own do not")
	}
}

// A fit of more features than rows has the losses of the same fit by sums of them, with
// weights and one row of weight 0.
func TestFewRows(t *testing.T) {
	const n = 120
	x, y := table(n, 5)
	rows := &Rows{X: x, Y: y, Weight: make([]float64, n)}
	for i := range n {
		rows.Weight[i] = float64(i%3) / 2
		y.Row(i)[0] += 100 + math.Sin(3*x.Row(i)[0])
	}
	splits := Folds{Seed: 1, Of: 4, Count: 2, Most: n}.Splits(rows)
	task := Task{Lambdas: []float64{1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1}, Loss: Squares, Map: func(context.Context, blas.Engine, int, *Rows) (*rff.Map, error) {
		return rff.New(rff.NewGaussian(2.0), x.Cols, 200, rand.NewPCG(3, 1))
	}}
	got, err := task.Run(context.Background(), splits, nil)
	if err != nil {
		t.Fatal(err)
	}
	task.Rules = []reweight.Rule{bySums{}}
	want, err := task.Run(context.Background(), splits, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got.Lambda != want.Lambda || math.Abs(got.Mean-want.Mean) > 1e-7*want.Mean {
		t.Errorf("%g at λ = %g; by sums %g at %g", got.Mean, got.Lambda, want.Mean, want.Lambda)
	}
	for i, v := range got.Loss {
		if math.Abs(v-want.Loss[i]) > 1e-6*(want.Mean+want.Loss[i]) {
			t.Errorf("row %d has %g, by sums %g", i, v, want.Loss[i])
		}
	}
}

// The sums of few rows are added up when they are asked for: whole, also after they were
// asked for in vain.
func TestSumsOfFewRows(t *testing.T) {
	const n = 60
	x, y := table(n, 5)
	rows := &Rows{X: x, Y: y}
	split := Folds{Seed: 1, Of: 4, Count: 1, Most: n}.Splits(rows)
	task := Task{Lambdas: []float64{1e-3}, Loss: Squares, Keep: true, Map: func(context.Context, blas.Engine, int, *Rows) (*rff.Map, error) {
		return rff.New(rff.NewGaussian(2.0), x.Cols, 200, rand.NewPCG(3, 1))
	}}
	r, err := task.Run(context.Background(), split, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, _, sums := r.Solution()
	stopped, stop := context.WithCancel(context.Background())
	stop()
	if _, err := sums(stopped); err == nil {
		t.Error("a context that is done stops nothing")
	}
	if s, err := sums(context.Background()); err != nil || s.W != float64(split[0].Train.X.Rows) {
		t.Errorf("%v, %v", s, err)
	}
}
