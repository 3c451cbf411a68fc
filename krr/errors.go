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

// EmptyError says that there are no rows to learn from.
type EmptyError struct {
	What string // "rows", "rows of positive weight"
}

func (e *EmptyError) Error() string {
	return fmt.Sprintf("krr: no %s: nothing to learn from", e.What)
}

// MismatchError says that two Grams, or a Gram and what it is used with, do not
// belong together.
type MismatchError struct {
	What      string // "map", "targets", "precision", "inputs"
	Have, Got string
}

func (e *MismatchError) Error() string {
	return fmt.Sprintf("krr: %s differ: %s here, %s given: statistics add up only for the same feature map, targets and precision", e.What, e.Have, e.Got)
}

// PartError says that two Grams hold the same part of the data.
type PartError struct{ Part string }

func (e *PartError) Error() string {
	return fmt.Sprintf("krr: both hold the part %.16s: its rows would count twice", e.Part)
}

// setting returns the error of a setting that has a value it cannot take.
func setting(name string, value any, need string) error {
	return &rff.ParameterError{Name: name, Value: value, Need: need}
}

// RowError says which row of the data cannot be used. Row counts from 0.
type RowError struct {
	Row    int64
	Column string // "target 1", "weight": counted from 1
	Value  float64
	Need   string
}

func (e *RowError) Error() string {
	return fmt.Sprintf("krr: row %d, %s is %g: %s", e.Row+1, e.Column, e.Value, e.Need)
}

// Unplaced returns what e says without row and value, for rows that were drawn and
// scaled: these are not those of the data.
func (e *RowError) Unplaced() error {
	return fmt.Errorf("krr: %s has a value that is too far from the others, even scaled: correct or clip it, or leave the column out", e.Column)
}

// PredictionError says that a prediction is not finite. Row and Output count from 0.
type PredictionError struct {
	Row    int64
	Output int
	Value  float64
}

func (e *PredictionError) Error() string {
	return fmt.Sprintf("krr: row %d: prediction %d is %g: the row, or a coefficient of the model, is too large for its arithmetic", e.Row+1, e.Output+1, e.Value)
}

// ClassError says that the labels do not make a classification problem.
type ClassError struct {
	Labels int    // number of classes given
	Need   string // what is wrong and what to do
}

func (e *ClassError) Error() string {
	return fmt.Sprintf("krr: %d classes: %s", e.Labels, e.Need)
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

// WriteError says that a model, a Gram or a checkpoint could not be written, for
// instance because the disk is full (errors.Is with syscall.ENOSPC). Err says
// whether a file that was there is untouched.
type WriteError struct {
	Path string
	Err  error
}

func (e *WriteError) Error() string {
	return fmt.Sprintf("krr: cannot write %s: %v", e.Path, e.Err)
}

func (e *WriteError) Unwrap() error { return e.Err }

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
		return &EmptyError{"two folds with rows to choose λ with: give more rows, or set lambda"}
	case errors.Is(err, calibration.ErrFolds):
		return &EmptyError{"two folds with rows to calibrate probabilities with: give more rows"}
	case errors.Is(err, cg.ErrNoRows):
		return &EmptyError{"rows of positive weight"}
	case errors.Is(err, cg.ErrNoHeldOut):
		return &EmptyError{"held-out rows to choose λ with: give more rows, or set lambda"}
	}
	return err
}
