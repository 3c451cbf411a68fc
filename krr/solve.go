package krr

import (
	"fmt"
	"math"

	"github.com/rffgo/rff/blas"
)

// Solver is a method for the ridge system.
type Solver string

const (
	Cholesky Solver = "cholesky" // of ZᵀZ + nλI
	Band     Solver = "band"     // reduction to a band, which serves every λ of a path
	Eigen    Solver = "eigen"    // eigendecomposition of ZᵀZ, negative eigenvalues set to 0
)

// Solved says how a system was solved.
type Solved struct {
	Solver    Solver
	Condition float64 // estimated condition number of the system, in the 1-norm (cholesky) or the 2-norm (eigen); 0: not estimated
	// Jitter is what was added to the diagonal beside Σw·λ, and Attempts the
	// number of jitters tried, because the system was not positive definite to
	// working precision; both are 0 normally.
	Jitter   float64
	Attempts int
}

// Regularised reports whether the solution is not that of the λ asked for:
// jitter was added, or the eigendecomposition dropped negative eigenvalues.
func (s Solved) Regularised() bool { return s.Attempts > 0 }

func (s Solved) String() string {
	t := string(s.Solver)
	if s.Condition > 0 {
		t += fmt.Sprintf(", condition ≈ %.1e", s.Condition)
	}
	if s.Attempts > 0 {
		t += fmt.Sprintf(", NEAR-SINGULAR: %d jitters tried, %.2g on the diagonal", s.Attempts, s.Jitter)
	}
	return t
}

// jitters is the number of attempts with a growing diagonal before the
// eigendecomposition.
const jitters = 3

// solve returns β = (A + Σw·λ·I)⁻¹R. work is s×s and holds the factor U
// afterwards if the solver is Cholesky. The error is a *SingularError.
func (s *system) solve(e blas.Engine, lambda float64, work blas.General[float64]) (blas.General[float64], Solved, error) {
	info := Solved{Solver: Cholesky}
	jitter, trace := 0.0, s.trace()
	for {
		s.ridge(work, lambda, jitter)
		norm := norm1(work)
		err := blas.Cholesky(e, work)
		if err == nil {
			coef := cloneGeneral(s.r)
			blas.CholeskySolve(e, work, coef)
			info.Jitter = jitter
			info.Condition = norm * inverseNorm1(e, work)
			if !finite(coef) {
				return coef, info, &SingularError{lambda, fmt.Errorf("the coefficients overflow")}
			}
			return coef, info, nil
		}
		if info.Attempts == jitters {
			coef, info, err := s.solveEigen(e, lambda, work, info)
			return coef, info, err
		}
		info.Attempts++
		jitter = nextJitter(jitter, trace)
	}
}

// nextJitter returns what to add to the diagonal next: A's rounding errors are
// of order eps·tr A, so start there and grow tenfold.
func nextJitter(jitter, trace float64) float64 {
	if jitter == 0 {
		return 0x1p-52 * trace
	}
	return 10 * jitter
}

func (s *system) trace() float64 {
	var t float64
	for i := range s.a.Rows {
		t += s.a.Data[i*s.a.Stride+i]
	}
	return t
}

// solveEigen solves with A's eigenvalues confined to [0, ∞). work holds F with
// FᵀF = (A + nλI)⁻¹ afterwards.
func (s *system) solveEigen(e blas.Engine, lambda float64, work blas.General[float64], info Solved) (blas.General[float64], Solved, error) {
	info.Solver, info.Jitter = Eigen, 0
	n := s.a.Rows
	v, d, err := s.eigen()
	if err != nil {
		return s.r, info, &SingularError{lambda, err}
	}
	c := blas.NewGeneral[float64](n, s.r.Cols)
	blas.Gemm(e, true, false, 1, v, s.r, 0, c)
	lo, hi := math.Inf(1), 0.0
	for i := range n {
		d[i] += float64(s.w * lambda)
		lo, hi = min(lo, d[i]), max(hi, d[i])
		row := c.Row(i)
		for t := range row {
			row[t] /= d[i]
		}
		root := 1 / math.Sqrt(d[i])
		for j := range n {
			work.Row(i)[j] = root * v.Row(j)[i]
		}
	}
	info.Condition = hi / lo
	coef := blas.NewGeneral[float64](n, s.r.Cols)
	blas.Gemm(e, false, false, 1, v, c, 0, coef)
	if !finite(coef) {
		return coef, info, &SingularError{lambda, fmt.Errorf("the coefficients overflow")}
	}
	return coef, info, nil
}

// norm1 returns the 1-norm of a symmetric matrix in full storage.
func norm1(a blas.General[float64]) float64 {
	var most float64
	for i := range a.Rows {
		var s float64
		for _, v := range a.Row(i) {
			s += math.Abs(v)
		}
		most = max(most, s)
	}
	return most
}

// inverseNorm1 estimates ‖(UᵀU)⁻¹‖₁ from below, almost always within a factor 3
// (Higham, "FORTRAN codes for estimating the one-norm of a real or complex
// matrix", ACM TOMS 14, 1988; for a symmetric matrix).
func inverseNorm1(e blas.Engine, u blas.General[float64]) float64 {
	n := u.Rows
	x := blas.NewGeneral[float64](n, 1)
	for i := range x.Data {
		x.Data[i] = 1 / float64(n)
	}
	sum := func() float64 {
		var s float64
		for _, v := range x.Data {
			s += math.Abs(v)
		}
		return s
	}
	blas.CholeskySolve(e, u, x)
	est := sum()
	last := -1
	for range 4 {
		for i, v := range x.Data {
			x.Data[i] = math.Copysign(1, v)
		}
		blas.CholeskySolve(e, u, x)
		at := 0
		for i, v := range x.Data {
			if math.Abs(v) > math.Abs(x.Data[at]) {
				at = i
			}
		}
		if at == last {
			break
		}
		last = at
		clear(x.Data)
		x.Data[at] = 1
		blas.CholeskySolve(e, u, x)
		next := sum()
		if next <= est {
			break
		}
		est = next
	}
	// Higham's alternating vector catches the matrices that fool the iteration.
	for i := range x.Data {
		x.Data[i] = 1 + float64(i)/max(1, float64(n-1))
		if i%2 == 1 {
			x.Data[i] = -x.Data[i]
		}
	}
	blas.CholeskySolve(e, u, x)
	return max(est, 2*sum()/(3*float64(n)))
}

func cloneGeneral(m blas.General[float64]) blas.General[float64] {
	c := blas.NewGeneral[float64](m.Rows, m.Cols)
	for i := range m.Rows {
		copy(c.Row(i), m.Row(i))
	}
	return c
}

func finite(m blas.General[float64]) bool {
	for i := range m.Rows {
		for _, v := range m.Row(i) {
			if v-v != 0 {
				return false
			}
		}
	}
	return true
}
