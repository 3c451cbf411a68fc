package learn

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/stream"
	"github.com/rffgo/rff/internal/trial"
)

// A fit in float32 chooses the λ of a trial in float64 and has its error, to the √504·2⁻²⁴ of
// its sums times the condition that λ leaves them, and Auto counts it as half the work.
func TestFitInFloat32(t *testing.T) {
	p := ridges(1500, 5, 2, true)
	w := normals(rand.New(rand.NewPCG(1, 2)), 40, 5)
	got, err := p.Fit(context.Background(), w)
	if err != nil {
		t.Fatal(err)
	}
	want := inFloat64(t, p, *got)
	if got.Lambda != want.Lambda || math.Abs(got.Error-want.Mean) > 1e-4*want.Mean || got.Error == want.Mean {
		t.Errorf("%g at λ = %g, in float64 %g at %g", got.Error, got.Lambda, want.Mean, want.Lambda)
	}
	task := inside.Task{Rows: 9000, In: 5, Targets: 1, Features: 512}
	training, _ := Fast.Training(task, 20)
	for _, f := range append(Thorough.Fits(task), training...) {
		if f.Precision.On(false).Cost != stream.Float32.Cost {
			t.Errorf("%+v: a multiply-add costs %g", f, f.Precision.On(false).Cost)
		}
	}
}

// A row that float32 does not resolve is fitted in float64.
func TestFitOfFarRows(t *testing.T) {
	p := ridges(300, 3, 1, false)
	p.Train.X.Row(7)[1] = 1e12
	got, err := p.Fit(context.Background(), normals(rand.New(rand.NewPCG(1, 2)), 20, 3))
	if err != nil || !got.Solved() {
		t.Fatalf("solved: %v, %v", got.Solved(), err)
	}
	if want := inFloat64(t, p, *got); got.Error != want.Mean || got.Lambda != want.Lambda {
		t.Errorf("%g at λ = %g, in float64 %g at %g", got.Error, got.Lambda, want.Mean, want.Lambda)
	}
}

// inFloat64 is a trial in float64 of the frequencies of a fit.
func inFloat64(t *testing.T, p *Problem, f Fit) *trial.Result {
	task := trial.Task{Engine: p.Engine, Lambdas: p.lambdas(), Loss: trial.Squares, Map: func(context.Context, blas.Engine, int, *trial.Rows) (*rff.Map, error) {
		return inside.New(pairSpec(f.w, 1/math.Sqrt(float64(f.w.Rows))), nil)
	}}
	r, err := task.Run(context.Background(), []trial.Split{{Train: p.Train, Valid: p.Valid}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
