package ridge

import (
	"context"
	"fmt"
	"math"

	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
)

// penalty is a matrix K in place of the identity. A System with a penalty solves (A + Σw·λ·K)β
// = R, which minimises Σw(y − b − zᵀβ)² + Σw·λ·βᵀKβ.
//
// In the coordinates of γ = Uβ for K = UᵀU the same is a system without a penalty, and
// rounding errors of A are ‖U⁻¹‖² times as large; see whiten. So System.Noise, Jitter and the
// numbers that they are compared with are in those coordinates, and jitter adds to the factor
// of K.
type penalty struct {
	k           blas.General[float64] // symmetric, positive definite
	inverseNorm float64               // ‖K⁻¹‖
}

// noise returns the norm of the rounding errors of an n×n Gram matrix G of that trace, in
// the coordinates of γ.
func noise(trace float64, n int, inverseNorm float64) float64 {
	// The errors of G's elements, some eps·gᵢⱼ each and of either sign, make a matrix of
	// norm eps·2·‖G‖/√n or less, where ‖G‖ ≤ tr G.
	return trace * (0x1p-52 / math.Sqrt(float64(n)) * inverseNorm)
}

// square returns βᵀKβ for column k of coef.
func (p *penalty) square(coef blas.General[float64], k int) float64 {
	column := make([]float64, coef.Rows)
	dense.Column(column, coef, k)
	dot := asm.Native[float64]().Dot
	var sum float64
	for i, b := range column {
		sum += float64(dot(p.k.Row(i), column) * b)
	}
	return max(0, sum)
}

// penaltyBlock is the width of the squares in which A is transposed.
const penaltyBlock = 32

// penalised forms A + (Σw·λ + jitter)·K in the upper triangle, which a factor may overwrite.
func (s *System) penalised(lambda, jitter float64) {
	s.formed()
	s.used = true
	mu, n := float64(s.W*lambda)+jitter, s.A.Rows
	for i := 0; i < n; i += penaltyBlock {
		for j := i; j < n; j += penaltyBlock {
			for r := i; r < min(i+penaltyBlock, n); r++ {
				from := max(j, r+1)
				to := min(j+penaltyBlock, n)
				if from >= to {
					continue
				}
				row, k := s.A.Row(r)[from:to], s.penalty.k.Row(r)[from:to]
				for c := range row {
					row[c] = s.A.Data[(from+c)*s.A.Stride+r] + float64(mu*k[c])
				}
			}
		}
	}
	for i, d := range s.Diag {
		s.A.Row(i)[i] = d + float64(mu*s.penalty.k.Row(i)[i])
	}
}

// solvePenalised is Solve with a penalty. condition says whether the condition is
// estimated.
func (s *System) solvePenalised(ctx context.Context, e blas.Engine, lambda float64, condition bool) (blas.General[float64], Solved, error) {
	info := Solved{Method: Cholesky, Jitter: s.firstJitter(lambda)}
	for {
		if err := ctx.Err(); err != nil {
			return s.R, info, err
		}
		s.penalised(lambda, info.Jitter)
		var norm float64
		if condition {
			norm = upperNorm(s.A)
		}
		if err := blas.Cholesky(e, s.A); err != nil {
			if info.Attempts == Jitters {
				return s.solveWhitened(ctx, e, lambda, info)
			}
			info.Attempts++
			info.Jitter = NextJitter(info.Jitter, s.errors())
			continue
		}
		return s.solution(e, lambda, info, norm, condition)
	}
}

// solveWhitened solves a system that has no factor, in the coordinates of γ, where negative
// eigenvalues can be set to 0.
func (s *System) solveWhitened(ctx context.Context, e blas.Engine, lambda float64, info Solved) (blas.General[float64], Solved, error) {
	p := dense.Clone(s.penalty.k)
	if err := blas.Cholesky(e, p); err != nil {
		return s.R, info, &SingularError{lambda, fmt.Errorf("the penalty: %w", err)}
	}
	dense.InvertUpper(e, p)
	s.restore()
	of := &blas.Sums{G: dense.Clone(s.A), ZY: s.R, Z: make([]float64, len(s.Z))}
	if !dense.Finite(of.G) {
		return s.R, info, &SingularError{lambda, errNotFinite}
	}
	whiten(e, p, s.penalty.inverseNorm, of)
	dense.Mirror(of.G)
	white := &System{W: s.W, Z: s.Z, Y: s.Y, A: of.G, R: of.ZY, Diag: make([]float64, len(s.Diag))}
	for i := range white.Diag {
		white.Diag[i] = of.G.Row(i)[i]
	}
	if err := ctx.Err(); err != nil {
		return s.R, info, err
	}
	coef, _, info, err := white.SolveEigen(e, lambda, info)
	if err != nil {
		return s.R, info, err
	}
	return dense.MulUpper(e, false, p, coef), info, conditionError(lambda, info)
}

// upperNorm returns ‖M‖₁ of a symmetric M from its upper triangle.
func upperNorm(m blas.General[float64]) float64 {
	sums := make([]float64, m.Rows)
	for i := range m.Rows {
		row := m.Row(i)
		own := math.Abs(row[i])
		for j := i + 1; j < m.Rows; j++ {
			v := math.Abs(row[j])
			own += v
			sums[j] += v
		}
		sums[i] += own
	}
	var norm float64
	for _, v := range sums {
		norm = max(norm, v)
	}
	return norm
}
