package krr

import (
	"errors"
	"fmt"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/ridge"
	"github.com/rffgo/rff/krr/internal/calibration"
	"github.com/rffgo/rff/krr/internal/cg"
	"github.com/rffgo/rff/krr/internal/holdout"
)

// Panics: what only a programmer can cause.
const (
	errGram          = "krr: a Gram needs at least one target, a scaling and names that fit the map, and classes that fit the targets"
	errScores        = "krr: a row of scores has another length than those that the model predicts"
	errProbabilities = "krr: the model has no probabilities, or the lengths do not fit its classes"
)

// mismatch returns the error of rows or a Gram that do not belong to what they are
// added to.
func mismatch(what, have, got string) error {
	return setting(what, got, "must be "+have+": sums add up only for the same map, scaling, targets, classes and precision")
}

// setting returns the error of a setting that has a value it cannot take.
func setting(name string, value any, need string) error {
	return &rff.ParameterError{Name: name, Value: value, Need: need}
}

// wrongClasses returns the error of labels that make no classification.
func wrongClasses(number int, need string) error { return setting("number of classes", number, need) }

// oneClass returns the error of rows that are all of one class.
func oneClass(label, then string) error {
	return &rff.DegenerateDataError{What: "a classification", Why: fmt.Sprintf("every row is of class %q, and it needs two%s", label, then)}
}

// oneRow returns the error of what a single row, which lies on its intercept, does not tell: by the
// formulas of noise and evidence it is 0/0.
func oneRow(what string) error {
	return &rff.DegenerateDataError{What: what, Why: "a single row does not say how far targets are from predictions: give two rows of positive weight or more"}
}

// noWeight says that no row is left to fit. With intervals a fold is kept apart, which may have all
// rows of a few groups.
const noWeight = "rows of positive weight to fit: some row needs a weight above 0; with intervals, which keep a fold apart, give more rows, groups or runs"

// none returns the error of data that lack what a fit needs, such as rows of positive weight.
func none(what string) error {
	return &rff.DegenerateDataError{What: "a fit", Why: "no " + what}
}

// badRow returns the error of a value in a row, counted from 0, that cannot be used.
func badRow(row int64, column string, value float64, need string) error {
	return &rff.ValueError{Row: row, Column: column, Value: value, Need: need}
}

// SolveError says that a ridge system could not be solved.
type SolveError struct {
	Lambda float64 // per sample
	Why    string  // what went wrong, and what to do
	solved Solved  // how far passes came, if they did not reach the tolerance
}

func (e *SolveError) Error() string {
	return fmt.Sprintf("krr: the system cannot be solved at λ = %g: %s", e.Lambda, e.Why)
}

// public returns an error of the packages behind this one as this package reports it.
func public(err error) error {
	var singular *ridge.SingularError
	var condition *ridge.ConditionError
	var slow *cg.ConvergenceError
	switch {
	case errors.As(err, &singular):
		return &SolveError{Lambda: singular.Lambda, Why: fmt.Sprintf("it has no finite solution: increase λ, or look for huge values in the data: %v", singular.Err)}
	case errors.As(err, &condition):
		return setting("lambda", condition.Lambda, "the condition of the system overflows: increase λ")
	case errors.As(err, &slow):
		solved := iterated(slow.Solved)
		solved.unconverged = true
		usual := cg.Tolerance
		if slow.Gradient > 0 {
			usual = cg.LossTolerance
		}
		remedy := "increase λ or the tolerance"
		if slow.Tolerance < usual {
			remedy = fmt.Sprintf("leave Passes.Tolerance at its default, %g, or increase λ", usual)
		}
		if slow.Gradient > 0 {
			return &SolveError{Lambda: slow.Lambda, solved: solved,
				Why: fmt.Sprintf("the descent did not reach the tolerance %g: %v, with a gradient of length %.3g: %s", slow.Tolerance, solved, slow.Gradient, remedy)}
		}
		return &SolveError{Lambda: slow.Lambda, solved: solved,
			Why: fmt.Sprintf("conjugate gradients did not reach the tolerance %g: %v: give more memory for a better preconditioner, or %s", slow.Tolerance, solved, remedy)}
	case errors.Is(err, holdout.ErrFolds):
		return none("two folds with rows to choose λ with: give more rows, groups or runs, or set lambda")
	case errors.Is(err, calibration.ErrFolds):
		return none("two folds with rows to calibrate probabilities with: give more rows, groups or runs")
	case errors.Is(err, cg.ErrNoRows):
		return none("rows beside those held out to choose λ with: give more rows, groups or runs, or set lambda")
	case errors.Is(err, cg.ErrNoHeldOut):
		return none("held-out rows to choose λ with: give more rows, groups or runs, or set lambda")
	}
	return err
}
