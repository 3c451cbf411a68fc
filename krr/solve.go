package krr

import (
	"context"
	"fmt"
	"math"

	"github.com/rffgo/rff/blas"
)

// Solver is a method for the ridge system.
type Solver string

const (
	Cholesky Solver = "cholesky" // of ZᵀZ + nλI
	Band     Solver = "band"     // reduction to a band, which serves every λ of a path
	// ConjugateGradients never forms ZᵀZ; for features beyond memory.
	ConjugateGradients Solver = "cg"
	Eigen              Solver = "eigen" // eigendecomposition of ZᵀZ, negative eigenvalues set to 0
)

// Solved says how a system was solved.
type Solved struct {
	Solver    Solver
	Dual      bool    // of ZZᵀ + nλI, there being fewer rows than features
	Condition float64 // estimated condition number of the system, in the 1-norm (cholesky) or the 2-norm (eigen), or of the preconditioned system (cg); 0: not estimated
	// Jitter is what was added to the diagonal beside Σw·λ, and Attempts the
	// number of jitters tried, because the system was not positive definite to
	// working precision; both are 0 normally.
	Jitter   float64
	Attempts int
	// Iterations of conjugate gradients, what the predictions of the training
	// rows are yet to change by as Settings.Tolerance says, and whether that is
	// too much, which only a λ of a path can be.
	Iterations  int     `json:",omitempty"`
	Residual    float64 `json:",omitempty"`
	Unconverged bool    `json:",omitempty"`
}

// Regularised reports whether the solution is not that of the λ asked for:
// jitter was added, or the eigendecomposition dropped negative eigenvalues.
func (s Solved) Regularised() bool { return s.Attempts > 0 }

func (s Solved) String() string {
	t := string(s.Solver)
	if s.Condition > 0 {
		t += fmt.Sprintf(", condition ≈ %.1e", s.Condition)
	}
	if s.Solver == ConjugateGradients {
		t += fmt.Sprintf(", %d iterations to a change of %.1e", s.Iterations, s.Residual)
	}
	if s.Unconverged {
		t += ", NOT CONVERGED"
	}
	if s.Attempts > 0 {
		t += fmt.Sprintf(", NEAR-SINGULAR: %d jitters tried, %.2g on the diagonal", s.Attempts, s.Jitter)
	}
	return t
}

// jitters is the number of attempts with a growing diagonal before the
// eigendecomposition.
const jitters = 3

// solve returns β = (A + Σw·λ·I)⁻¹R. The upper triangle of s.a holds the factor
// U afterwards if the solver is Cholesky. The error is a *SingularError, a
// *SettingError, or ctx's, which every factorisation asks.
func (s *system) solve(ctx context.Context, e blas.Engine, lambda float64) (blas.General[float64], Solved, error) {
	info := Solved{Solver: Cholesky}
	jitter, trace := 0.0, s.trace()
	var norm float64
	for i, c := range s.columnSums() {
		norm = max(norm, c+math.Abs(s.diag[i]))
	}
	for {
		if err := ctx.Err(); err != nil {
			return s.r, info, err
		}
		s.ridge(lambda, jitter)
		err := blas.Cholesky(e, s.a)
		if err == nil {
			coef, inverse := solveWithNorm(e, s.a, s.r)
			info.Jitter = jitter
			info.Condition = (norm + float64(s.w*lambda) + jitter) * inverse
			if !finite(coef) {
				return coef, info, &SingularError{lambda, fmt.Errorf("the coefficients overflow")}
			}
			return coef, info, conditionError(lambda, info)
		}
		if info.Attempts == jitters {
			coef, _, info, err := s.solveEigen(e, lambda, info)
			if err == nil {
				err = conditionError(lambda, info)
			}
			return coef, info, err
		}
		info.Attempts++
		jitter = nextJitter(jitter, trace)
	}
}

// conditionError returns an error if the condition of a system is beyond the
// numbers, so that nothing can be said about its solution.
func conditionError(lambda float64, info Solved) error {
	if c := info.Condition; c-c != 0 {
		return &SettingError{"lambda", lambda, "the condition of the system overflows: increase λ"}
	}
	return nil
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
	for _, d := range s.diag {
		t += d
	}
	return t
}

// solveEigen solves with A's eigenvalues confined to [0, ∞). root returns F
// with FᵀF = (A + nλI)⁻¹.
func (s *system) solveEigen(e blas.Engine, lambda float64, info Solved) (coef blas.General[float64], root func() blas.General[float64], _ Solved, _ error) {
	info.Solver, info.Jitter = Eigen, 0
	n := s.a.Rows
	v, d, err := s.eigen(e)
	if err != nil {
		return s.r, nil, info, &SingularError{lambda, err}
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
	}
	info.Condition = hi / lo
	coef = blas.NewGeneral[float64](n, s.r.Cols)
	blas.Gemm(e, false, false, 1, v, c, 0, coef)
	if !finite(coef) {
		return coef, nil, info, &SingularError{lambda, fmt.Errorf("the coefficients overflow")}
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
// usually within a factor 3: two steps of Hager's iteration ("Condition
// estimates", SIAM J. Sci. Stat. Comput. 5, 1984), started like Higham's from
// the mean of the unit vectors and from his alternating vector side by side, and
// beside R: a solve is bound by reading U and hardly costs more for more columns.
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
