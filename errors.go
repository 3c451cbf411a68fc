package rff

import (
	"fmt"
	"strings"

	"github.com/rffgo/rff/blas"
)

// Panics: what only a programmer can cause.
const (
	errPairLength   = "rff: x and y have different lengths"
	errScalesLength = "rff: the kernel has scales for another number of dimensions"
	errNoMap        = "rff: a Map is made by New, FromFrequencies or a sampler"
)

// given returns a *ParameterError if an argument that is needed is nil.
func given(name string, missing bool) error {
	if missing {
		return &ParameterError{Name: name, Need: "must be given"}
	}
	return nil
}

// apart returns a *ParameterError if dst shares memory with x.
func apart[T blas.Float](dst, x blas.General[T]) error {
	if blas.Overlap(dst, x) {
		return &ParameterError{Name: "dst", Value: "in the memory of x", Need: "must have memory of its own"}
	}
	return nil
}

// ParameterError says that a parameter or setting has a value that it cannot take.
type ParameterError struct {
	Name  string   // the parameter, in the caller's words: "sigma", "features"
	Value any      // nil if it is missing, or does not matter
	Need  string   // what it must be; without a Value, the text is Name and Need
	Known []string // the possible values, if Value must be one of some words
}

func (e *ParameterError) Error() string {
	if e.Value == nil {
		return fmt.Sprintf("rff: %s %s", e.Name, e.Need)
	}
	if e.Known != nil {
		return fmt.Sprintf("rff: %s is %q: %s", e.Name, e.Value, e.Need)
	}
	return fmt.Sprintf("rff: %s is %v: %s", e.Name, e.Value, e.Need)
}

// unknown is internal/inside.Unknown.
func unknown(name string, value any, known ...string) error {
	return &ParameterError{Name: name, Value: value, Need: "must be one of " + strings.Join(known, ", "), Known: known}
}

// ShapeError says that a matrix or vector has the wrong size.
type ShapeError struct {
	Name     string // "x", "dst"
	Rows     int    // as found
	Cols     int
	WantRows int // −1 for any
	WantCols int
}

func (e *ShapeError) Error() string {
	if e.WantRows < 0 {
		return fmt.Sprintf("rff: %s has %d columns, want %d", e.Name, e.Cols, e.WantCols)
	}
	return fmt.Sprintf("rff: %s is %d×%d, want %d×%d", e.Name, e.Rows, e.Cols, e.WantRows, e.WantCols)
}

// ValueError says that a row of the data has a value that cannot be used: it is not
// finite, for example, or so large that the map does not resolve it.
type ValueError struct {
	Row    int64  // counts from 0
	Column string // what has the value: "input 2" or "target 1", counted from 1; "weight"
	Value  float64
	Need   string // what it must be, and what to do
}

func (e *ValueError) Error() string {
	return fmt.Sprintf("rff: row %d, %s is %g: %s", e.Row+1, e.Column, e.Value, e.Need)
}

// DegenerateDataError says that something cannot be computed from the data as a
// whole: there are too few rows, say, or all are equal.
type DegenerateDataError struct {
	What string // what cannot be computed
	Why  string
}

func (e *DegenerateDataError) Error() string {
	return fmt.Sprintf("rff: %s cannot be computed: %s", e.What, e.Why)
}
