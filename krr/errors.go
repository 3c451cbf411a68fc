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
	errGram          = "krr: a Gram needs at least one target, and a scaling and names that fit the map"
	errProbabilities = "krr: the model has no probabilities, or the lengths do not fit its classes"
)

// MismatchError says that two Grams, or a Gram and what it is used with, do not
// belong together: they differ, or, where Have and Got are the same, hold the same
// part of the data.
type MismatchError struct {
	What      string // "map", "targets", "precision", "inputs", "part"
	Have, Got string
}

func (e *MismatchError) Error() string {
	if e.Have == e.Got {
		return fmt.Sprintf("krr: both hold the %s %.16s: its rows would count twice", e.What, e.Have)
	}
	return fmt.Sprintf("krr: %s differ: %s here, %s given: statistics add up only for the same feature map, targets and precision", e.What, e.Have, e.Got)
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

// none returns the error of data that have no such rows to learn from.
func none(what string) error {
	return &rff.DegenerateDataError{What: "a fit", Why: "no " + what}
}

// badRow returns the error of a value in a row, counted from 0, that cannot be used.
func badRow(row int64, column string, value float64, need string) error {
	return &rff.ValueError{Row: row, Column: column, Value: value, Need: need}
}

// SingularError says that no method solved the system. Lambda is per sample.
type SingularError struct {
	Lambda float64
	Err    error
}

func (e *SingularError) Error() string {
	return fmt.Sprintf("krr: the system has no finite solution at λ = %g: increase λ, or look for huge values in the data: %v", e.Lambda, e.Err)
}

func (e *SingularError) Unwrap() error { return e.Err }

// ConvergenceError says that conjugate gradients did not reach the tolerance.
// Solved has the iterations, the change of predictions still to come and the
// condition of the preconditioned system. Lambda is per sample.
type ConvergenceError struct {
	Lambda, Tolerance float64
	Solved            Solved
}

func (e *ConvergenceError) Error() string {
	return fmt.Sprintf("krr: conjugate gradients did not reach the tolerance %g at λ = %g: %v: give more memory for a better preconditioner, or increase λ or the tolerance", e.Tolerance, e.Lambda, e.Solved)
}

// public returns an error of the packages behind this one as this package reports it.
func public(err error) error {
	var singular *ridge.SingularError
	var condition *ridge.ConditionError
	var slow *cg.ConvergenceError
	switch {
	case errors.As(err, &singular):
		return &SingularError{singular.Lambda, singular.Err}
	case errors.As(err, &condition):
		return setting("lambda", condition.Lambda, "the condition of the system overflows: increase λ")
	case errors.As(err, &slow):
		solved := iterated(slow.Solved)
		solved.Unconverged = true
		return &ConvergenceError{slow.Lambda, slow.Tolerance, solved}
	case errors.Is(err, holdout.ErrFolds):
		return none("two folds with rows to choose λ with: give more rows, or set lambda")
	case errors.Is(err, calibration.ErrFolds):
		return none("two folds with rows to calibrate probabilities with: give more rows")
	case errors.Is(err, cg.ErrNoRows):
		return none("rows of positive weight")
	case errors.Is(err, cg.ErrNoHeldOut):
		return none("held-out rows to choose λ with: give more rows, or set lambda")
	}
	return err
}
