package race

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/learn"
	"github.com/rffgo/rff/sampling"
)

// Steps in every input, which the Laplacian kernel suits and few features do not resolve,
// are fitted by sections on all rows: chosen on held-out rows, made as measured, and at the
// λ that was measured. Landmarks are not tried beside them.
func TestExact(t *testing.T) {
	rows := waves(300, 0.05)
	for i := range rows.X.Rows {
		y := 0.0
		for _, v := range rows.X.Row(i) {
			y += math.Floor(3 * v)
		}
		rows.Y.Row(i)[0] = y
	}
	r := begun(t, rows, Settings{Kernels: []rff.Stationary{rff.Gaussian{}, rff.Laplacian{}}, Budget: 20 * time.Second, Steps: 8})
	r.proposers = []proposer{firstSearch, sections}
	report, err := r.Run(context.Background(), func(float64) {})
	if err != nil {
		t.Fatal(err)
	}
	best := r.Choices()[0]
	if !r.best.isExact() || best.Make(context.Background()) != nil || !best.Exact || best.Lambda != r.best.Lambda {
		t.Fatalf("the best is %s, λ %v, after %+v", r.describe(r.best), best.Lambda, report.Steps)
	}
	if _, features := best.Map.Dims(); features != 300 {
		t.Errorf("%d features of 300 rows", features)
	}
	if p := sections(r); len(p) > 0 {
		t.Errorf("%s is to be tried as well", p[0].name)
	}
	held := 0
	if err := best.Held(context.Background(), func(scores, _ []float64, _ float64) { held += len(scores) }); err != nil || held == 0 {
		t.Errorf("%d scores of held-out rows, %v", held, err)
	}
}

// Joined maps have the frequencies of both, and a kernel that is the mean of theirs.
func TestJoin(t *testing.T) {
	rows := waves(50, 0)
	k := rff.Gaussian{Sigma: []float64{1}}
	one := func(draw int) *rff.Map {
		r := begun(t, rows, Settings{})
		m, err := sampling.MonteCarlo{}.Sample(context.Background(), rff.Request{Kernel: k, Dim: 2, Features: 64, Rand: r.source(draw)})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	a, b := one(0), one(1)
	both, err := learn.Join(a, b)
	if err != nil {
		t.Fatal(err)
	}
	value := func(m *rff.Map) float64 {
		_, s := m.Dims()
		x, y, sum := make([]float64, s), make([]float64, s), 0.0
		inside.Features64(m).TransformRow(inside.Engine(m), x, rows.X.Row(0))
		inside.Features64(m).TransformRow(inside.Engine(m), y, rows.X.Row(1))
		for i, v := range x {
			sum += v * y[i]
		}
		return sum
	}
	if got, want := value(both), (value(a)+value(b))/2; math.Abs(got-want) > 1e-12 || value(a) == value(b) {
		t.Errorf("a kernel of %v, the mean is %v", got, want)
	}
	orf, err := sampling.ORF{}.Sample(context.Background(), rff.Request{Kernel: k, Dim: 2, Features: 64, Rand: begun(t, rows, Settings{}).source(0)})
	if err != nil {
		t.Fatal(err)
	}
	if len(inside.Spec(orf).Blocks) > 0 {
		if _, err := learn.Join(a, orf); err == nil {
			t.Error("blocks are joined with frequencies")
		}
	}
}
