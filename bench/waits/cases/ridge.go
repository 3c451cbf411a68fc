package main

import (
	"context"
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/krr"
)

// ridgeCases are fits: few rows, many λ, leave-one-out, the solution in float32.
var ridgeCases = func() []Case {
	var all []Case
	each := func(subject, wanted string, shapes []shape, make func(shape, krr.Precision) Case) {
		for _, s := range shapes {
			for _, p := range []krr.Precision{krr.Float64, krr.Float32} {
				c := make(s, p)
				c.Subject, c.Wanted = subject, wanted
				all = append(all, c)
			}
		}
	}
	each("Rows about as many as features", "growing with n, to a tenth", []shape{{500, 14, 4096}, {2048, 14, 4096}, {3500, 14, 4096}, {4095, 14, 4096}, {4097, 14, 4096}}, oneFit)
	each("Rows about as many as features", "≤ .07 s", []shape{{1000, 14, 4096}}, oneFit)
	each("One λ", "", []shape{{10000, 14, 1792}, {5000, 14, 4096}, {20000, 14, 4096}, {10000, 14, 1024}}, oneFit)
	each("Five folds and twenty λ", "≤ 2.5 fits, 3 in float32, and 6 s² numbers", []shape{{10000, 14, 1792}, {5000, 14, 4096}, {20000, 14, 4096}}, func(s shape, p krr.Precision) Case {
		return many("cv", s, krr.Settings{Precision: p, Lambdas: lambdas(20)}, 0, 5*reduction)
	})
	each("Other criteria over twenty λ", "", []shape{{10000, 14, 1792}}, func(s shape, p krr.Precision) Case {
		return many("gcv", s, krr.Settings{Precision: p, Lambdas: lambdas(20), Criterion: krr.GCV}, 0, reduction)
	})
	each("Other criteria over twenty λ", "≤ 4 fits", []shape{{10000, 14, 1024}, {10000, 14, 1792}}, func(s shape, p krr.Precision) Case {
		// All rows are multiplied by the basis of the band, and go along it for every λ.
		c := many("loo", s, krr.Settings{Precision: p, Lambdas: lambdas(20), Criterion: krr.LeaveOneOut}, 1, 2*reduction)
		c.Floor += 20 * 16 * float64(s.n) * float64(s.s) / s.fit(p)
		return c
	})
	return all
}()

// shape is rows, inputs and features.
type shape struct{ n, d, s int }

// fit returns the multiply-adds of a fit of one λ, ns²/2 + s³/6; one of float32 counts as
// half a one.
func (s shape) fit(p krr.Precision) float64 {
	return s.square(p)/2 + float64(s.s)*float64(s.s)*float64(s.s)/6
}

// square returns ns², in float32 half of it.
func (s shape) square(p krr.Precision) float64 {
	n := float64(s.n) * float64(s.s) * float64(s.s)
	if p == krr.Float32 {
		return n / 2
	}
	return n
}

// reduction is the multiply-adds of a reduction to a band, or of its basis, in s³.
const reduction = 2. / 3

// many is a fit of many λ, which takes that many ns² and s³ multiply-adds more than one
// of one λ.
func many(what string, s shape, set krr.Settings, squares, cubes float64) Case {
	c := fitOf(what, s, set)
	cube := float64(s.s) * float64(s.s) * float64(s.s)
	c.Floor = 1 + (squares*s.square(set.Precision)+cubes*cube)/s.fit(set.Precision)
	return c
}

func (s shape) String() string { return fmt.Sprintf("%d,%d,%d", s.n, s.d, s.s) }

// lambdas is a grid of n from 10⁻⁸ on.
func lambdas(n int) []float64 {
	l := make([]float64, n)
	for i := range l {
		l[i] = 1e-8 * float64(int(1)<<i)
	}
	return l
}

func oneFit(s shape, p krr.Precision) Case {
	c := fitOf("fit", s, krr.Settings{Precision: p, Lambdas: []float64{1e-4}})
	c.Unit = ""
	return c
}

// fitOf is a fit with these settings, whose unit is that of one λ.
func fitOf(what string, s shape, set krr.Settings) Case {
	c := Case{Name: fmt.Sprintf("%s %v %v", what, s, set.Precision), Unit: fmt.Sprintf("fit %v %v", s, set.Precision)}
	c.prepare = func(side *side) (func() error, error) {
		set.Engine = rff.Engine{Workers: side.workers}
		src, m, err := problem(s)
		return func() error {
			_, _, err := krr.Fit(context.Background(), m, src, set)
			return err
		}, err
	}
	return c
}

// problem is a regression on normal rows.
func problem(s shape) (rff.Source, *rff.Map, error) {
	rng := rand.New(rand.NewPCG(1, 2))
	x, y := mat.NewDense(s.n, s.d, nil), mat.NewDense(s.n, 1, nil)
	for i := range s.n {
		for j := range s.d {
			x.Set(i, j, rng.NormFloat64())
		}
		y.Set(i, 0, x.At(i, 0)+rng.NormFloat64())
	}
	src, err := rff.FromMatrix(x, y)
	if err != nil {
		return nil, nil, err
	}
	m, err := rff.New(rff.NewGaussian(3), s.d, s.s, rand.NewPCG(3, 4))
	return src, m, err
}
