package krr

import (
	"fmt"
	"math"

	"github.com/rffgo/rff/internal/ridge"
	"github.com/rffgo/rff/krr/internal/cg"
)

// Solved says how a system was solved.
type Solved struct {
	// Solver is "cholesky", which factors ZᵀZ + nλI; "band", a reduction of ZᵀZ to a band,
	// which serves every λ of a path; "eigen", its eigendecomposition with negative
	// eigenvalues set to 0, for a system that jitter did not mend; or "cg", passes over the
	// rows (Settings.Passes).
	Solver    string
	Condition float64 // estimated condition number of the system, in the 1-norm (cholesky) or the 2-norm (eigen), or of the preconditioned system (cg); 0: not estimated
	// Jitter is what was added to the diagonal beside Σw·λ, because the system was not
	// positive definite to working precision. Normally it is 0.
	Jitter float64
	// Unresolved says that the jitter is above the ridge, because the rounding errors of the
	// sums are. The solution is then that of a larger λ.
	Unresolved bool
	// Iterations is the number of passes over the rows or, with another solver, the number of
	// jitters that were tried. Normally no jitter is tried. If one is, the solution is not that
	// of the λ asked for.
	Iterations int
	// Residual of passes is how much the predictions of the training rows are still to
	// change, measured as Passes.Tolerance says. 0: rounding errors hide it.
	Residual float64

	dual        bool // the system is ZZᵀ + nλI, since there are fewer rows than features
	unconverged bool // Residual is more than the tolerance, as it may be for a λ of a path
}

// byPasses is the Solver of passes over the rows.
const byPasses = "cg"

func (s Solved) String() string {
	t := s.Solver
	if s.Condition > 0 {
		t += fmt.Sprintf(", condition ≈ %.1e", s.Condition)
	}
	if s.Solver == byPasses {
		t += fmt.Sprintf(", %d iterations", s.Iterations)
		if s.Residual > 0 { // otherwise it is below rounding errors
			t += fmt.Sprintf(" to a change of %.1e", s.Residual)
		}
	}
	if s.unconverged {
		t += ", NOT CONVERGED"
	}
	switch {
	case s.Solver == byPasses:
	case s.Iterations == 0 && s.Jitter > 0:
		t += fmt.Sprintf(", RIDGE RAISED to rounding errors: %.2g on the diagonal", s.Jitter)
	case s.Iterations > 0:
		t += fmt.Sprintf(", NEAR-SINGULAR: %d jitters tried, %.2g on the diagonal", s.Iterations, s.Jitter)
	}
	return t
}

// solvedOf returns s as this package reports it.
func solvedOf(s ridge.Solved) Solved {
	return Solved{Solver: string(s.Method), Condition: s.Condition, Jitter: s.Jitter, Iterations: s.Attempts, Unresolved: s.Unresolved}
}

// iterated returns s, of conjugate gradients, as this package reports it.
func iterated(s cg.Solved) Solved {
	if math.IsInf(s.Residual, 1) { // rounding errors left no direction to estimate it along
		s.Residual = 0
	}
	return Solved{Solver: byPasses, Condition: s.Condition, Iterations: s.Iterations, Residual: s.Residual}
}

// storedSolved is the form of Solved in files.
type storedSolved struct {
	Solver      string
	Dual        bool
	Condition   float64
	Jitter      float64
	Attempts    int
	Unresolved  bool    `json:",omitempty"`
	Iterations  int     `json:",omitempty"`
	Residual    float64 `json:",omitempty"`
	Unconverged bool    `json:",omitempty"`
}

func (s Solved) stored() storedSolved {
	stored := storedSolved{s.Solver, s.dual, s.Condition, s.Jitter, s.Iterations, s.Unresolved, 0, s.Residual, s.unconverged}
	if s.Solver == byPasses {
		stored.Attempts, stored.Iterations = 0, s.Iterations
	}
	return stored
}

func (s storedSolved) solved() Solved {
	return Solved{s.Solver, s.Condition, s.Jitter, s.Unresolved, s.Attempts + s.Iterations, s.Residual, s.Dual, s.Unconverged} // one of them is 0
}
