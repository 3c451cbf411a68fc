package krr_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/golden"
	"github.com/rffgo/rff/krr"
)

// TestGolden compares digests of the bits of whole fits, from draw to
// prediction, on every instruction set that runs here and for several numbers
// of workers, with those the reference kernels gave on amd64.
func TestGolden(t *testing.T) {
	engine := func(isa string, workers int) rff.Engine {
		return rff.Engine{Backend: "native:" + isa, Workers: workers}
	}
	want := golden.Want(t, func() map[string]string { return goldenFits(t, engine("go", 1)) })
	counts := []int{1, 2, 3, 8} // alone, even, odd, and more than there are row blocks
	if testing.Short() {
		counts = []int{1, 3}
	}
	for _, k := range asm.All[float64]() {
		for _, workers := range counts {
			name := fmt.Sprintf("%s,%d", k.ISA, workers)
			t.Run(name, func(t *testing.T) { golden.Compare(t, name, goldenFits(t, engine(k.ISA, workers)), want) })
			if t.Failed() {
				return // the rest would say the same
			}
		}
	}
}

// goldenRows has inputs and targets that are the same on every platform: no
// function but sums and products of dyadic numbers.
func goldenRows(n, d, targets int) *rows {
	r := rand.New(rand.NewPCG(4, 99))
	data := &rows{x: blas.NewGeneral[float64](n, d), y: blas.NewGeneral[float64](n, targets), batch: 217}
	for i := range n {
		x := data.x.Row(i)
		for j := range x {
			x[j] = float64(r.Int64N(1<<12)-1<<11) * 0x1p-10
		}
		for t := range targets {
			noise := float64(r.Int64N(1<<10)) * 0x1p-12
			data.y.Row(i)[t] = float64(x[t%d]*x[(t+1)%d]) + noise
		}
	}
	return data
}

func goldenFits(t *testing.T, e rff.Engine) map[string]string {
	ctx, all := context.Background(), map[string]string{}
	const d = 5
	pair, err := rff.New(rff.NewGaussian(1.5), d, 96, rand.NewPCG(1, 2))
	if err != nil {
		t.Fatal(err)
	}
	phase, err := rff.New(rff.NewMatern(1.5, 2), d, 61, rand.NewPCG(1, 2), rff.CosBias)
	if err != nil {
		t.Fatal(err)
	}
	one, three := goldenRows(1100, d, 1), goldenRows(700, d, 3)
	labelled := goldenRows(600, d, 1)
	for i := range labelled.x.Rows {
		c := 0
		for _, v := range labelled.x.Row(i)[:2] {
			c *= 2
			if v > 0 {
				c++
			}
		}
		labelled.class = append(labelled.class, min(c, 2))
	}
	labelled.classes = []string{"a", "b", "c"}
	labelled.y = krr.ClassTargets(labelled.class, 3)
	counts := goldenRows(500, d, 1)
	for i, v := range counts.y.Data {
		counts.y.Data[i] = math.Floor(math.Abs(8 * v))
	}
	for _, c := range []struct {
		name string
		m    *rff.Map
		data *rows
		s    krr.Settings
	}{
		{"given", pair, one, krr.Settings{Lambdas: []float64{1e-3}}},
		{"crossvalidated", pair, one, krr.Settings{}},
		{"gcv", phase, three, krr.Settings{Criterion: krr.GCV, PerTarget: true}},
		{"leaveoneout", phase, three, krr.Settings{Criterion: krr.LeaveOneOut}},
		{"float32", pair, one, krr.Settings{Precision: krr.Float32}},
		{"classes", phase, labelled, krr.Settings{}},
		{"softmax", phase, labelled, krr.Settings{Loss: "logistic", Lambdas: []float64{1e-4}}},
		{"hinge", pair, labelled, krr.Settings{Loss: "squared-hinge", Precision: krr.Float32, Lambdas: []float64{1e-4}}},
		{"huber", pair, one, krr.Settings{Loss: "huber:0.1", Lambdas: []float64{1e-4}}},
		{"poisson", phase, counts, krr.Settings{Loss: "poisson"}},
	} {
		s := c.s
		s.Engine = e
		m, report, err := krr.Fit(ctx, c.m, c.data, s)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		var sum golden.Digest
		coef, intercept := m.Coefficients()
		sum.Add(mat.DenseCopyOf(coef).RawMatrix().Data...)
		sum.Add(intercept...)
		sum.Add(m.Info().Lambda...)
		for _, p := range report.Path {
			sum.Add(p.Lambda, p.StdErr)
			sum.Add(p.Error...)
		}
		all["fit/"+c.name] = sum.Sum()
		var z mat.Dense
		if err := m.Predict(&z, dense(c.data.x.RowRange(0, 50))); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		var predicted golden.Digest
		predicted.Add(z.RawMatrix().Data...)
		all["predict/"+c.name] = predicted.Sum()
	}
	goldenFiles(t, e, labelled, all)
	goldenSections(t, e, labelled, all)
	return all
}
