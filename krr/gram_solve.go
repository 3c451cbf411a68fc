package krr

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/ridge"
)

// Solve returns the model for λ, per sample: one for all targets, or one per target.
// Errors: *rff.ParameterError, *rff.DegenerateDataError, *SolveError; those of ctx.
func (g *Gram) Solve(ctx context.Context, lambda ...float64) (*Model, error) {
	if len(lambda) == 1 {
		lambda = slices.Repeat(lambda, g.targets)
	}
	return g.solve(ctx, slices.Clone(lambda), g.variance) // the model keeps them
}

// solve returns the model of one λ per target, with what Model.Variance needs if variance
// is set.
func (g *Gram) solve(ctx context.Context, lambda []float64, variance bool) (*Model, error) {
	if len(lambda) != g.targets {
		return nil, setting("number of lambda", len(lambda), fmt.Sprintf("must be one, or one per target: %d", g.targets))
	}
	s, err := g.system(lambda)
	if err != nil {
		return nil, err
	}
	return g.solveSystem(ctx, s, lambda, variance, nil)
}

// solveSystem advances p by one part.
func (g *Gram) solveSystem(ctx context.Context, s *ridge.System, lambda []float64, variance bool, p *stage) (*Model, error) {
	if variance && s.Rows == 1 {
		return nil, oneRow("the variance of predictions")
	}
	e := inside.Engine(g.m)
	coef := blas.NewGeneral[float64](s.R.Rows, s.R.Cols)
	var solved Solved
	post := &posterior{of: make([]int, g.targets), weight: s.W, noise: make([]float64, g.targets)}
	r2, rmse := make([]float64, g.targets), make([]float64, g.targets)
	for first, l := range lambda {
		p.add(1 / float64(len(lambda)))
		if slices.Contains(lambda[:first], l) {
			continue
		}
		c, info, err := s.Solve(ctx, e, l)
		if err != nil {
			return nil, public(err)
		}
		if info.Attempts > solved.Iterations || solved.Solver == "" || info.Condition > solved.Condition {
			solved = solvedOf(info) // the worst of the targets
		}
		if variance {
			root := func() blas.General[float64] { return ridge.InverseRoot(e, s.A) }
			if info.Method == ridge.Eigen {
				if _, root, _, err = s.SolveEigen(e, l, info); err != nil {
					return nil, public(err)
				}
			}
			post.factors = append(post.factors, s.BaseRoot(e, root()))
		}
		a := s.Residuals(l, c, info)
		for t := range lambda {
			if lambda[t] != l {
				continue
			}
			copyColumn(coef, c, t)
			post.of[t], post.noise[t] = len(post.factors)-1, a.Noise[t]
			r2[t], rmse[t] = a.R2[t], math.Sqrt(a.RSS[t]/s.W)
		}
	}
	model := newModel(g.base, g.precision, g.scaling, s.Base(e, coef), s.Intercept(coef))
	model.schema = kept(g.schema)
	model.lambda, model.solved, model.r2, model.rmse = lambda, solved, r2, rmse
	g.confine(model)
	if variance {
		post.mean = s.BaseMean(e, s.Z)
		model.post = post
	}
	return model, nil
}

// Path returns the models of every λ, in the order given, from one reduction; nil
// stands for the grid of Settings.Lambdas. With GramSettings.Variance every model takes a
// reduction of its own. Errors: those of Solve.
func (g *Gram) Path(ctx context.Context, lambdas []float64) ([]*Model, error) {
	lambdas = gridOf(lambdas)
	if g.variance {
		out := make([]*Model, len(lambdas))
		for i, l := range lambdas {
			var err error
			if out[i], err = g.Solve(ctx, l); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	s, err := g.system(lambdas)
	if err != nil {
		return nil, err
	}
	all := blas.NewGeneral[float64](s.R.Rows, s.R.Cols*len(lambdas))
	solved, err := s.SolveGrid(ctx, inside.Engine(g.m), lambdas, all, func(float64) {})
	if err != nil {
		return nil, public(err)
	}
	out := make([]*Model, len(lambdas))
	for i, l := range lambdas {
		coef := dense.Clone(dense.View(all, 0, all.Rows, i*s.R.Cols, (i+1)*s.R.Cols))
		out[i] = newModel(g.base, g.precision, g.scaling, s.Base(inside.Engine(g.m), coef), s.Intercept(coef))
		out[i].schema = kept(g.schema)
		g.confine(out[i])
		out[i].solved = solvedOf(solved[i])
		for range g.targets {
			out[i].lambda = append(out[i].lambda, l)
		}
	}
	return out, nil
}

// confine keeps the predictions of a regression within the range of the targets, if the
// settings say so.
func (g *Gram) confine(m *Model) {
	if g.clip && g.schema.Target.Classes == nil {
		m.lo, m.hi = slices.Clone(g.shift.lo), slices.Clone(g.shift.hi)
	}
}

// system checks what solving needs and forms the problem.
func (g *Gram) system(lambdas []float64) (*ridge.System, error) {
	for _, l := range lambdas {
		if err := inside.CheckPositive("lambda", l); err != nil {
			return nil, err
		}
	}
	if c := g.schema.Target.Classes; c != nil {
		if err := g.shift.varied(c, ": merge the other parts"); err != nil {
			return nil, err
		}
	}
	c := g.centred()
	sums, in := c.sums()
	if sums.Rows < 1 || !(sums.W > 0) {
		return nil, none("rows of positive weight")
	}
	if err := g.shift.resolved(g.precision, g.shift.at); err != nil {
		return nil, err
	}
	if err := checkRidges(sums.W, lambdas, mostRidge); err != nil {
		return nil, err
	}
	return ridge.New(in, sums, nil, c.reference()), nil
}
