package ridge

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/eigen"
)

// Method says how a system was solved.
type Method string

const (
	Cholesky Method = "cholesky" // of A + Σw·λ·I
	Band     Method = "band"     // reduction of A to a band
	Eigen    Method = "eigen"    // eigendecomposition of A, negative eigenvalues set to 0
)

// Solved says how a system was solved.
type Solved struct {
	Method    Method
	Condition float64 // estimated condition number, in the 1-norm (Cholesky) or the 2-norm (Eigen); 0: not estimated
	Jitter    float64 // added to the diagonal beside Σw·λ
	Attempts  int     // jitters tried

	// Unresolved says that the ridge Σw·λ is below A's rounding errors: the factor took a
	// jitter larger than the ridge, or there was no factor.
	Unresolved bool
}

// found sets Unresolved of a system that was solved with a ridge of Σw·λ.
func (s Solved) found(ridge float64) Solved {
	s.Unresolved = s.Attempts > 0 && (s.Method == Eigen || s.Jitter > ridge)
	return s
}

// SingularError says that no method solved the system.
type SingularError struct {
	Lambda float64
	Err    error
}

func (e *SingularError) Error() string {
	return fmt.Sprintf("no finite solution at λ = %g: %v", e.Lambda, e.Err)
}

func (e *SingularError) Unwrap() error { return e.Err }

// ConditionError says that the condition number of the system overflows.
type ConditionError struct{ Lambda float64 }

func (e *ConditionError) Error() string {
	return fmt.Sprintf("the condition of the system overflows at λ = %g", e.Lambda)
}

// Jitters is the number of attempts with a growing jitter before the eigendecomposition.
const Jitters = 3

var (
	errOverflow  = errors.New("the coefficients overflow")
	errNotFinite = errors.New("the sums are not finite")
)

// Solve returns β = (A + Σw·λ·I)⁻¹R. The upper triangle of s.A holds the factor
// U afterwards if the method is Cholesky. The error is a *SingularError, a
// *ConditionError, or ctx's, which every factorisation asks.
func (s *System) Solve(ctx context.Context, e blas.Engine, lambda float64) (blas.General[float64], Solved, error) {
	return s.solve(ctx, e, lambda, true)
}

// solve is Solve. condition says whether the condition is estimated.
func (s *System) solve(ctx context.Context, e blas.Engine, lambda float64, condition bool) (blas.General[float64], Solved, error) {
	if s.penalty != nil {
		return s.solvePenalised(ctx, e, lambda, condition)
	}
	info := Solved{Method: Cholesky}
	jitter, errs := s.firstJitter(lambda), s.errors()
	s.restore()
	var norm float64
	if condition {
		for i, c := range s.columnSums() {
			norm = max(norm, c+math.Abs(s.Diag[i]))
		}
	}
	for {
		if err := ctx.Err(); err != nil {
			return s.R, info, err
		}
		s.ridge(lambda, jitter)
		if err := blas.Cholesky(e, s.A); err == nil {
			info.Jitter = jitter
			return s.solution(e, lambda, info, norm+float64(s.W*lambda)+jitter, condition)
		}
		if info.Attempts == Jitters {
			coef, _, info, err := s.SolveEigen(e, lambda, info)
			if err == nil {
				err = conditionError(lambda, info)
			}
			return coef, info, err
		}
		info.Attempts++
		jitter = NextJitter(jitter, errs)
	}
}

// solution returns the solution by the factor in s.A, and its condition if that is asked for,
// from the norm of the matrix that was factored.
func (s *System) solution(e blas.Engine, lambda float64, info Solved, norm float64, condition bool) (coef blas.General[float64], _ Solved, _ error) {
	info = info.found(float64(s.W * lambda))
	if condition {
		var inverse float64
		coef, inverse = solveWithNorm(e, s.A, s.R)
		info.Condition = norm * inverse
	} else {
		coef = dense.Clone(s.R)
		blas.CholeskySolve(e, s.A, coef)
	}
	if !dense.Finite(coef) {
		return coef, info, &SingularError{lambda, errOverflow}
	}
	return coef, info, conditionError(lambda, info)
}

// conditionError returns an error if the condition number of a system overflows, so that
// nothing can be said about its solution.
func conditionError(lambda float64, info Solved) error {
	if c := info.Condition; c-c != 0 {
		return &ConditionError{lambda}
	}
	return nil
}

// firstJitter returns what is added beside nλ at first: nothing, or what raises a ridge below
// known rounding errors to these. Otherwise rounding errors would decide the solution.
func (s *System) firstJitter(lambda float64) float64 {
	if s.Noise > float64(s.W*lambda) {
		return s.Noise
	}
	return 0
}

// NextJitter returns the next jitter to add to the diagonal. The first is as large as the
// rounding errors of the system, and each one is ten times the one before.
func NextJitter(jitter, errs float64) float64 {
	if jitter == 0 {
		return errs
	}
	return 10 * jitter
}

// errors returns the norm of A's rounding errors: Noise, or at least Eps·Σw‖z‖². They are those of the sums before
// these are centred, which is much more than Eps·tr A where features hardly vary.
func (s *System) errors() float64 {
	return max(max(s.Eps, 0x1p-52)*(s.trace()+float64(s.W*dense.SumSquares(s.Z))), s.Noise)
}

// trace returns tr A.
func (s *System) trace() float64 { return dense.Sum(s.Diag) }

// SolveEigen solves with A's eigenvalues confined to [0, ∞). root returns F
// with FᵀF = (A + nλI)⁻¹.
func (s *System) SolveEigen(e blas.Engine, lambda float64, info Solved) (coef blas.General[float64], root func() blas.General[float64], _ Solved, _ error) {
	info.Method, info.Jitter = Eigen, 0
	info = info.found(float64(s.W * lambda))
	n := len(s.Diag)
	v, d, err := s.eigen(e)
	if err != nil {
		return s.R, nil, info, &SingularError{lambda, err}
	}
	c := blas.NewGeneral[float64](n, s.R.Cols)
	blas.Gemm(e, true, false, 1, v, s.R, 0, c)
	lo, hi := math.Inf(1), 0.0
	for i := range n {
		d[i] += float64(s.W * lambda)
		lo, hi = min(lo, d[i]), max(hi, d[i])
		row := c.Row(i)
		for t := range row {
			row[t] /= d[i]
		}
	}
	info.Condition = hi / lo
	coef = blas.NewGeneral[float64](n, s.R.Cols)
	blas.Gemm(e, false, false, 1, v, c, 0, coef)
	if !dense.Finite(coef) {
		return coef, nil, info, &SingularError{lambda, errOverflow}
	}
	root = func() blas.General[float64] {
		f := blas.NewGeneral[float64](n, n)
		for i := range n {
			r := 1 / math.Sqrt(d[i])
			for j := range n {
				f.Row(i)[j] = r * v.Row(j)[i]
			}
		}
		return f
	}
	return coef, root, info, nil
}

// solveWithNorm returns (UᵀU)⁻¹R and an estimate of ‖(UᵀU)⁻¹‖₁ from below,
// usually within a factor 3: two steps of Hager's iteration ("Condition estimates", SIAM J.
// Sci. Stat. Comput. 5, 1984). Like Higham's, it starts from the mean of the unit vectors and
// from his alternating vector. Both are solved together with R: a solve is bound by reading U,
// and further columns cost little.
func solveWithNorm(e blas.Engine, u, r blas.General[float64]) (coef blas.General[float64], inverseNorm float64) {
	n, t := u.Rows, r.Cols
	all := blas.NewGeneral[float64](n, t+2)
	for i := range n {
		row := all.Row(i)
		copy(row, r.Row(i))
		row[t] = 1 / float64(n)
		row[t+1] = 1 + float64(i)/max(1, float64(n-1))
		if i%2 == 1 {
			row[t+1] = -row[t+1]
		}
	}
	blas.CholeskySolve(e, u, all)
	coef, x := blas.NewGeneral[float64](n, t), blas.NewGeneral[float64](n, 2)
	for i := range n {
		copy(coef.Row(i), all.Row(i))
		copy(x.Row(i), all.Row(i)[t:])
	}
	sums := func() (s [2]float64) {
		for i := range n {
			for c, v := range x.Row(i) {
				s[c] += math.Abs(v)
			}
		}
		return s
	}
	first := sums()
	est := max(first[0], 2*first[1]/(3*float64(n)))
	for i := range n {
		for c, v := range x.Row(i) {
			x.Row(i)[c] = math.Copysign(1, v)
		}
	}
	blas.CholeskySolve(e, u, x)
	var at [2]int
	for i := range n {
		for c, v := range x.Row(i) {
			if math.Abs(v) > math.Abs(x.Row(at[c])[c]) {
				at[c] = i
			}
		}
	}
	clear(x.Data)
	for c, i := range at {
		x.Row(i)[c] = 1
	}
	blas.CholeskySolve(e, u, x)
	last := sums()
	return coef, max(est, last[0], last[1])
}

// InverseRoot returns F = U⁻ᵀ for the factor U of M = UᵀU.
func InverseRoot(e blas.Engine, u blas.General[float64]) blas.General[float64] {
	f := blas.NewGeneral[float64](u.Rows, u.Rows)
	for i := range u.Rows {
		f.Data[i*f.Stride+i] = 1
	}
	blas.TrsmUpper(e, true, u, f)
	return f
}

// eigen returns A = V·diag(d)·Vᵀ with negative d, which are rounding, set to 0. It keeps both for the
// next λ. v must not be modified.
func (s *System) eigen(e blas.Engine) (v blas.General[float64], d []float64, err error) {
	s.restore()
	if s.values != nil {
		return s.vectors, slices.Clone(s.values), nil
	}
	if !dense.Finite(s.A) {
		return v, nil, errNotFinite
	}
	if v, d, err = eigen.Symmetric(e, s.A); err != nil {
		return v, d, err
	}
	for i := range d {
		d[i] = max(d[i], 0)
	}
	s.vectors, s.values = v, d
	return v, slices.Clone(d), nil
}
