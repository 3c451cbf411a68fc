package cg

import (
	"context"
	"iter"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/basis"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/loss"
)

type weighted struct {
	rff.Source
	w []float64
}

func (s weighted) Batches(ctx context.Context) iter.Seq2[rff.Batch, error] {
	return func(yield func(rff.Batch, error) bool) {
		for b, err := range s.Source.Batches(ctx) {
			if b.Weight = s.w[b.First:][:b.X.Rows]; !yield(b, err) {
				return
			}
		}
	}
}

// lossSystem returns a system of 300 rows of these features, some of them of weight 0, for a
// loss of that many targets: classes, counts or numbers.
func lossSystem(t *testing.T, name string, targets int, keeps bool) *System[float64] {
	t.Helper()
	return lossSystemOf(t, name, targets, keeps, 300, 12)
}

// lossSystemOf is lossSystem with n rows and s features.
func lossSystemOf(t *testing.T, name string, targets int, keeps bool, n, s int) *System[float64] {
	t.Helper()
	const in = 2
	l, _, err := loss.Parse(name, targets)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(8, 1))
	x, y, w := mat.NewDense(n, in, nil), mat.NewDense(n, targets, nil), make([]float64, n)
	for i := range n {
		w[i] = float64(i%5) / 2
		for j := range in {
			x.Set(i, j, rng.NormFloat64())
		}
		for k := range targets {
			v := math.Sin(x.At(i, k%in)) + 0.5*rng.NormFloat64()
			switch {
			case l.Traits().Counts:
				v = math.Floor(math.Exp(1 + v))
			case l.Traits().Joint:
				v = -1
			case l.Traits().Classes:
				v = math.Copysign(1, v)
			}
			y.Set(i, k, v)
		}
		if l.Traits().Joint {
			y.Set(i, rng.IntN(targets), 1)
		}
	}
	data, err := rff.FromMatrix(x, y)
	if err != nil {
		t.Fatal(err)
	}
	m, err := rff.New(rff.NewGaussian(1.5), in, s, rand.NewPCG(5, 2))
	if err != nil {
		t.Fatal(err)
	}
	base, change := inside.Split(m)
	ctx := context.Background()
	plan, err := NewPlan(Memory, s, in, targets, 8, change, l)
	if err != nil {
		t.Fatal(err)
	}
	if !keeps {
		plan.features = 0
	}
	rows := &Rows[float64]{Source: weighted{data, w}, Check: func(rff.Batch, int, int) error { return nil }}
	if _, err := rows.Read(ctx, s, plan.Rows, func(rff.Batch) ([]float64, error) { return make([]float64, targets), nil }); err != nil {
		t.Fatal(err)
	}
	c := New(inside.Features64(base), (*basis.Change)(nil), blas.Engine{}, rows, plan, l, 1)
	if err := c.Prepare(ctx, -1, func(float64) error { return nil }); err != nil {
		t.Fatal(err)
	}
	return c
}

// gradient returns that of F at a point.
func gradient(t *testing.T, c *System[float64], q *curvature[float64], at blas.General[float64]) blas.General[float64] {
	t.Helper()
	g := dense.Clone(at)
	if _, err := c.evaluate(context.Background(), q, at, make([]float64, at.Cols), g); err != nil {
		t.Fatal(err)
	}
	return g
}

// The preconditioner turns differences of gradients back into those of points: of
// one target it is the inverse of the second derivatives.
func TestPreconditionInverts(t *testing.T) {
	const h = 1e-6
	for _, c := range []struct {
		loss    string
		targets int
		off     float64
	}{
		// The factor is in float32, of a condition below 100; differences have 9 digits.
		{"logistic", 1, 1e-4}, {"poisson", 1, 1e-4}, {"expectile:0.9", 1, 1e-4}, {"huber:100", 3, 1e-4},
		// Rows without second derivatives count a thousandth of the others, which have λ beside them.
		{"squared-hinge", 1, 2e-2}, {"smoothed-hinge", 1, 2e-2},
	} {
		rng := rand.New(rand.NewPCG(3, 4))
		system := lossSystem(t, c.loss, c.targets, false)
		at := system.Start()
		q := system.newCurvature(0.05)
		inverts := func(where string) {
			v, up, down := system.Start(), dense.Clone(at), dense.Clone(at)
			for i := range v.Data {
				v.Data[i] = rng.NormFloat64()
				up.Data[i] += h * v.Data[i]
				down.Data[i] -= h * v.Data[i]
			}
			got, low := gradient(t, system, q, up), gradient(t, system, q, down)
			gradient(t, system, q, at)
			for i := range got.Data {
				got.Data[i] = (got.Data[i] - low.Data[i]) / (2 * h)
			}
			q.precondition(got)
			for i, x := range got.Data {
				if !(math.Abs(x-v.Data[i]) < c.off) {
					t.Errorf("%s, %s: element %d of %d targets is %g, want %g", c.loss, where, i, c.targets, x, v.Data[i])
				}
			}
		}
		for i := range at.Data {
			at.Data[i] = 0.5 * rng.NormFloat64()
		}
		inverts("at a point")
	}
}

// What a descent remembers is symmetric and turns the last difference of gradients into that
// of points, of every target or of all together; targets that did not move are as they were.
// Where gradients change by a multiple of points it takes that multiple from the first step.
func TestHistorySecant(t *testing.T) {
	const rows, targets = 9, 3
	half := func(v blas.General[float64]) {
		for i := range v.Data {
			v.Data[i] /= 2
		}
	}
	for _, joint := range []bool{false, true} {
		rng := rand.New(rand.NewPCG(6, 7))
		random := func() blas.General[float64] {
			v := blas.NewGeneral[float64](rows, targets)
			for i := range v.Data {
				v.Data[i] = rng.NormFloat64()
			}
			return v
		}
		h := newHistory(rows, targets, 3, func(dst []float64, a, b blas.General[float64]) {
			columnDots(dst, a, b)
			if joint {
				sum := dst[0] + dst[1] + dst[2]
				dst[0], dst[1], dst[2] = sum, sum, sum
			}
		})
		x, g := random(), random()
		next := random()
		for i, v := range x.Data {
			next.Data[i] = 8 * v
		}
		first := h
		first.add(blas.NewGeneral[float64](rows, targets), blas.NewGeneral[float64](rows, targets), x, next, []bool{true, true, true}, half)
		for i, v := range first.direction(g, half).Data {
			if !(math.Abs(v-g.Data[i]/8) < 1e-12) {
				t.Errorf("joint %v: element %d of what is 8 times as steep is %g, want %g", joint, i, v, g.Data[i]/8)
			}
		}
		h = newHistory(rows, targets, 3, h.dots)
		for step := range 5 { // more than it remembers
			chosen := []bool{true, joint || step != 4, true}
			to, next, was, from := random(), random(), dense.Clone(x), dense.Clone(g)
			for i := range rows { // upwards, by more for later elements
				for k := range targets {
					next.Row(i)[k] = g.Row(i)[k] + float64(1+i)*(to.Row(i)[k]-x.Row(i)[k])
				}
			}
			h.add(x, g, to, next, chosen, half)
			change := dense.Clone(next)
			for i := range change.Data {
				change.Data[i] -= from.Data[i]
			}
			u, v := random(), random()
			uv, vu := make([]float64, targets), make([]float64, targets)
			h.dots(uv, u, h.direction(v, half))
			h.dots(vu, v, h.direction(u, half))
			for k := range uv {
				if !(math.Abs(uv[k]-vu[k]) < 1e-12) {
					t.Errorf("step %d, target %d, joint %v: not symmetric by %g", step, k, joint, uv[k]-vu[k])
				}
			}
			got := h.direction(change, half)
			for i := range rows {
				for k, on := range chosen {
					want := to.Row(i)[k]
					if !on {
						want = was.Row(i)[k]
					}
					if x.Row(i)[k] != want {
						t.Fatalf("step %d, target %d: at %g, want %g", step, k, x.Row(i)[k], want)
					}
					if d := got.Row(i)[k] - (to.Row(i)[k] - was.Row(i)[k]); on && !(math.Abs(d) < 1e-12) {
						t.Errorf("step %d, target %d, joint %v: element %d is off by %g", step, k, joint, i, d)
					}
				}
			}
		}
	}
}
