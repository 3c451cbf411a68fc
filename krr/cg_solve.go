package krr

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
)

const (
	// cgTolerance on the change of predictions still to come: below what a
	// change of λ by a percent does.
	cgTolerance = 1e-4
	// cgIterations is the most per λ.
	cgIterations = 500
	// cgRestarts from the residual computed anew, if rounding has parted it from
	// that of the recurrence.
	cgRestarts = 3
)

// solve improves coef, the start, to the solution for λ. Targets advance side
// by side, each with steps of its own.
//
// With M = A + Σw·λ·I, e the error and r = −Me the residual, the training
// predictions are yet to change by Σw(z−z̄)ᵀe)² ≤ eᵀMe = rᵀM⁻¹r ≤ rᵀP⁻¹r/θ, θ
// the least eigenvalue of P⁻¹M. That, relative to the targets' Σw(y−ȳ)², is
// what the tolerance bounds, root mean squares compared. The Lanczos matrix
// that the steps make gives θ (Golub and Van Loan, Matrix Computations, §10.2).
func (c *iterative[T]) solve(ctx context.Context, lambda float64, coef blas.General[float64]) (Solved, error) {
	info := Solved{Solver: ConjugateGradients}
	c.mu = c.w * lambda
	if err := c.precondition(ctx, lambda); err != nil {
		return info, err
	}
	tolerance := c.Tolerance
	if tolerance == 0 {
		tolerance = cgTolerance
	}
	begun := time.Now()
	n, t := coef.Rows, coef.Cols
	vector := func(i int) blas.General[float64] { return dense.Fitting(&c.vectors[i], n, t) }
	res, q, z, p := vector(0), vector(1), vector(2), vector(3)
	rz, next, step, beta := make([]float64, t), make([]float64, t), make([]float64, t), make([]float64, t)
	spectrum := make([]lanczos, t)
	least, most := math.Inf(1), 0.0 // eigenvalues of P⁻¹M
	change := func(rz []float64) (worst float64) {
		for k, v := range rz {
			if v > 0 && c.yy[k] > 0 {
				worst = max(worst, math.Sqrt(v/(c.yy[k]*min(least, 1))))
			}
		}
		return worst
	}
	for restart := 0; ; restart++ {
		if zero(coef) {
			copy(res.Data, c.r.Data)
		} else {
			if err := c.multiply(ctx, q, coef); err != nil {
				return info, err
			}
			for i, v := range c.r.Data {
				res.Data[i] = v - q.Data[i]
			}
		}
		c.precond.solve(z, res)
		columnDots(rz, res, z)
		info.Residual = change(rz)
		// Before the first step θ is not known.
		if (info.Iterations > 0 || info.Residual == 0) && info.Residual <= tolerance || restart == cgRestarts || info.Iterations == cgIterations {
			break
		}
		copy(p.Data, z.Data)
		for k := range spectrum {
			spectrum[k] = lanczos{}
		}
		for info.Iterations < cgIterations {
			info.Iterations++
			if err := c.multiply(ctx, q, p); err != nil {
				return info, err
			}
			columnDots(step, p, q)
			for k, pq := range step {
				step[k] = 0
				if pq > 0 {
					step[k] = rz[k] / pq
				}
			}
			for i := range n {
				for k, s := range step {
					coef.Row(i)[k] += float64(s * p.Row(i)[k])
					res.Row(i)[k] -= float64(s * q.Row(i)[k])
				}
			}
			c.precond.solve(z, res)
			columnDots(next, res, z)
			for k := range beta {
				beta[k] = 0
				if rz[k] > 0 && step[k] > 0 {
					beta[k] = next[k] / rz[k]
					spectrum[k].add(step[k], beta[k])
					lo, hi := spectrum[k].extremes()
					least, most = min(least, lo), max(most, hi)
				}
			}
			for i := range n {
				for k, b := range beta {
					p.Row(i)[k] = z.Row(i)[k] + float64(b*p.Row(i)[k])
				}
			}
			rz, next = next, rz
			if ctx.Err() == nil {
				c.progress("iterations", int64(info.Iterations), -1, begun)
			}
			if change(rz) <= tolerance/2 { // so that the residual computed anew passes
				break
			}
		}
		if !dense.Finite(coef) {
			return info, &SingularError{lambda, fmt.Errorf("the iteration diverged")}
		}
	}
	if most > 0 {
		info.Condition = most / least
	}
	if !(info.Residual <= tolerance) {
		info.Unconverged = true
		return info, &ConvergenceError{Lambda: lambda, Tolerance: tolerance, Solved: info}
	}
	return info, nil
}

// columnDots writes aᵀb of every column to dst.
func columnDots(dst []float64, a, b blas.General[float64]) {
	clear(dst)
	for i := range a.Rows {
		bi := b.Row(i)
		for k, v := range a.Row(i) {
			dst[k] += float64(v * bi[k])
		}
	}
}

func zero(m blas.General[float64]) bool {
	for i := range m.Rows {
		for _, v := range m.Row(i) {
			if v != 0 {
				return false
			}
		}
	}
	return true
}

// lanczos is the tridiagonal matrix whose eigenvalues approach those of the
// preconditioned system from within, as the steps of conjugate gradients give it.
type lanczos struct {
	diag, off2 []float64 // the diagonal; the squares of the elements beside it
	step, beta float64   // the last
}

func (l *lanczos) add(step, beta float64) {
	d := 1 / step
	if len(l.diag) > 0 {
		d += l.beta / l.step
		l.off2 = append(l.off2, l.beta/(l.step*l.step))
	}
	l.diag = append(l.diag, d)
	l.step, l.beta = step, beta
}

// extremes returns the least and the largest eigenvalue to a percent, by
// bisection on the signs of the Sturm sequence.
func (l *lanczos) extremes() (lo, hi float64) {
	n := len(l.diag)
	var bound float64 // Gershgorin; the matrix is positive definite
	for i, d := range l.diag {
		if i > 0 {
			d += math.Sqrt(l.off2[i-1])
		}
		if i < n-1 {
			d += math.Sqrt(l.off2[i])
		}
		bound = max(bound, d)
	}
	below := func(x float64) (count int) { // eigenvalues less than x
		q := 1.0
		for i, d := range l.diag {
			v := d - float64(x) // x may be a product
			if i > 0 {
				v -= l.off2[i-1] / q
			}
			if v == 0 {
				v = 0x1p-1000
			}
			if v < 0 {
				count++
			}
			q = v
		}
		return count
	}
	find := func(k int) float64 { // the k-th smallest, by bisection of the logarithm
		a, b := bound*0x1p-60, bound*(1+0x1p-20)
		for b > 1.01*a {
			m := math.Sqrt(a) * math.Sqrt(b)
			if below(m) > k {
				b = m
			} else {
				a = m
			}
		}
		return b
	}
	return find(0), find(n - 1)
}
