package cg

import (
	"context"
	"math"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/fold"
	"github.com/rffgo/rff/internal/ridge"
	"github.com/rffgo/rff/internal/stream"
)

const (
	// oversample is the number of rows sampled per effective degree of freedom. With
	// m rows for d of them the eigenvalues of P⁻¹M lie between about (1 + √(d/m))⁻²
	// and (1 − √(d/m))⁻². For m = 4d the condition is 9, and every iteration halves
	// the error.
	oversample = 4
	// Scores are estimated at most rounds times. Scores from a poor sample are too large and
	// ask for too many rows; the next round has a better sample.
	rounds = 3
	// scoredRows bounds the rows that are kept with their scores (16 MiB), unless
	// sampleRows per feature are more.
	scoredRows = 1 << 20
)

// precondition makes P for λ from a sample of the rows.
//
// A row's probability is proportional to its ridge leverage score
// τ = w(z−z̄)ᵀM⁻¹(z−z̄). A uniform sample would miss rows that are unlike all
// others, and each would leave an eigenvalue of P⁻¹M of up to wk(z,z)/μ. Scores are
// estimated with the P at hand in place of M, at first that of a uniform sample, and
// by random projections (Musco and Musco, "Recursive sampling for the Nyström
// method", NIPS 2017; Rudi, Calandriello, Carratino and Rosasco, "On fast leverage
// score sampling and optimal learning", NeurIPS 2018).
func (c *System[T]) precondition(ctx context.Context, lambda float64) error {
	c.mu = c.w * lambda
	p, ok := c.precond.(*primal[float32])
	switch {
	case c.plan.primal && !ok:
		p = newPrimal[float32](c.engine, len(c.z), len(c.z), c.targets)
		c.precond = p
		if err := c.draw(ctx, c.uniform(max(float64(len(c.z)), c.cheap()))); err != nil {
			return err
		}
	case !c.plan.primal && c.precond == nil:
		m := int(min(int64(c.plan.sample), c.n))
		c.precond = newDualSketch(c.engine, m, len(c.z))
		if err := c.draw(ctx, c.uniform(float64(m)-float64(4*math.Sqrt(float64(m))))); err != nil { // rarely more than m
			return err
		}
	}
	if err := c.precond.factor(c.mu); err != nil {
		return &ridge.SingularError{Lambda: lambda, Err: err}
	}
	for range rounds {
		if p == nil || p.drawn == c.n {
			return nil
		}
		drawn, enough, err := c.leverage(ctx, p)
		if err != nil {
			return err
		}
		p.clear()
		if err := c.draw(ctx, drawn); err != nil {
			return err
		}
		if err := c.precond.factor(c.mu); err != nil {
			return &ridge.SingularError{Lambda: lambda, Err: err}
		}
		if enough {
			return nil
		}
	}
	return nil
}

// cheap returns a number of sampled rows that costs little beside the iterations.
func (c *System[T]) cheap() float64 { return cheapRows * float64(c.n) / float64(len(c.z)) }

// drawing returns the probability with which row i of p was taken into the sample, 0
// if it was not. It is called for the rows in order.
type drawing[T blas.Float] func(p *part[T], i int) float64

// uniform is a sample of about m of the training rows.
func (c *System[T]) uniform(m float64) drawing[T] {
	p := min(1, max(1, m)/float64(c.n))
	train := c.training()
	return func(q *part[T], i int) float64 {
		if (train != nil && !train(q, i)) || c.chance(q.row(i)) >= p {
			return 0
		}
		return p
	}
}

// chance returns a row's number in [0, 1): the row is in every sample that takes it
// with a larger probability.
func (c *System[T]) chance(row int64) float64 {
	const one = 1 << 30
	return float64(fold.Of(c.seed+2, row, one)) / one
}

// draw makes the preconditioner of the rows of a sample.
func (c *System[T]) draw(ctx context.Context, of drawing[T]) error {
	sample := c.sample()
	err := c.rows.each(ctx, nil, func(p part[T]) {
		for i := range p.x.Rows {
			if chance := of(&p, i); chance > 0 {
				sample.add(p.x.Row(i), math.Sqrt(stream.Weight(p.w, i)/chance))
			}
		}
	})
	sample.end()
	c.precond.ready()
	return err
}

// sample adds rows to the preconditioner, a chunk at a time.
type sample[T blas.Float] struct {
	c    *System[T]
	x    blas.General[T]
	root []float64 // the factor of each row's features
}

// sample returns a sample without rows.
func (c *System[T]) sample() *sample[T] {
	in, _ := c.features.Dims()
	return &sample[T]{c: c, x: blas.General[T]{Cols: in, Stride: in, Data: c.scratch.x[:0]}}
}

func (s *sample[T]) add(x []T, root float64) {
	s.x.Data, s.root = append(s.x.Data, x...), append(s.root, root)
	if s.x.Rows++; s.x.Rows == s.c.plan.chunk() {
		s.flush()
	}
}

// flush adds the rows of the chunk, times the roots.
func (s *sample[T]) flush() {
	s.c.centred(s.x, func(i int, row []float64) {
		for j := range row {
			row[j] *= s.root[i]
		}
		s.c.precond.add(row)
	})
	s.x.Rows, s.x.Data, s.root = 0, s.x.Data[:0], s.root[:0]
}

// centred calls f with the features of the rows of a chunk, less their mean. For a loss the
// features have a 1 at the end, for the score at the mean. f may overwrite them.
func (c *System[T]) centred(x blas.General[T], f func(i int, row []float64)) {
	n := len(c.z)
	z := dense.Fitting(&c.scratch.z, c.plan.chunk(), n).RowRange(0, x.Rows)
	c.features.Transform(c.engine, z, x)
	z = c.changed(z)
	row := dense.Fitting(&c.scratch.row, 1, c.order()).Data
	for i := range z.Rows {
		for j, v := range z.Row(i) {
			row[j] = float64(v) - c.z[j]
		}
		if len(row) > n {
			row[n] = 1
		}
		f(i, row)
	}
}

func (s *sample[T]) end() {
	if s.flush(); cap(s.x.Data) > 0 {
		s.c.scratch.x = s.x.Data
	}
}

// order returns the order of the preconditioner.
func (c *System[T]) order() int {
	if c.loss != nil {
		return len(c.z) + 1
	}
	return len(c.z)
}

// changed returns the rows z of features multiplied by P, or z itself if there is no P. The
// next call overwrites it.
func (c *System[T]) changed(z blas.General[T]) blas.General[T] {
	k, ok := any(z).(blas.General[float64])
	if !ok || c.change == nil {
		return z
	}
	s, p := k.Cols, c.change.P()
	out := dense.Fitting(&c.scratch.changed, c.plan.chunk(), s).RowRange(0, k.Rows)
	for j := 0; j < s; j += productColumns {
		to := min(j+productColumns, s)
		blas.Gemm(c.engine, false, false, 1, dense.View(k, 0, k.Rows, 0, to), dense.View(p, 0, to, j, to), 0, dense.View(out, 0, k.Rows, j, to))
	}
	z, _ = any(out).(blas.General[T])
	return z
}

// leverage returns a sample by the leverage scores of the training rows, estimated
// with p. enough says whether it has at least half of the rows that the scores ask for.
func (c *System[T]) leverage(ctx context.Context, p *primal[float32]) (of drawing[T], enough bool, err error) {
	x := p.leverage(directions, c.seed+3)
	wide := blas.NewGeneral[float64](x.Rows, x.Cols)
	stream.Convert(wide.Data, x.Data)
	predict := c.predictor(wide, new([]T), c.centre(make([]float64, x.Cols), wide))
	type candidate struct {
		row   int64
		score float64
	}
	var all []candidate
	rate := float64(oversample)
	probability := func(score float64) float64 { return min(1, float64(rate*score)) }
	most := max(sampleRows*len(c.z), int(min(scoredRows, c.cheap())))
	err = c.rows.each(ctx, c.training(), func(p part[T]) {
		u := dense.Fitting(&c.scratch.u, p.x.Rows, x.Cols)
		predict(u, p.x)
		for i := range u.Rows {
			score := float64(stream.Weight(p.w, i)*dense.SumSquares(u.Row(i))) / directions
			if row := p.row(i); c.chance(row) < probability(score) {
				all = append(all, candidate{row, score})
			}
		}
		for len(all) > most {
			rate /= 2
			kept := all[:0]
			for _, r := range all {
				if c.chance(r.row) < probability(r.score) {
					kept = append(kept, r)
				}
			}
			all = kept
		}
	})
	next := 0
	return func(q *part[T], i int) float64 {
		if next == len(all) || all[next].row != q.row(i) {
			return 0
		}
		next++
		return probability(all[next-1].score)
	}, rate >= oversample/2, err
}
