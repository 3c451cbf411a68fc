package cg

import "fmt"

// Solved says how a system was solved.
type Solved struct {
	Condition  float64 // estimate for the preconditioned system; 0: not estimated
	Iterations int
	Residual   float64 // how much the predictions of the training rows are yet to change
}

// ConvergenceError says that the tolerance was not reached.
type ConvergenceError struct {
	Lambda, Tolerance float64
	Solved            Solved
	Gradient          float64 // the length of the gradient of the objective of a loss; 0 for squares
}

func (e *ConvergenceError) Error() string {
	return fmt.Sprintf("cg: no convergence at λ = %g after %d iterations", e.Lambda, e.Solved.Iterations)
}
