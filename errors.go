package rff

import "fmt"

// Panics: what only a programmer can cause.
const (
	errPairLength   = "rff: x and y have different lengths"
	errScalesLength = "rff: the kernel has scales for another number of dimensions"
	errScaling      = "rff: scaling does not fit the matrix"
	errNoSource     = "rff: no source of random numbers"
	errNoMap        = "rff: a Map is made by New, FromFrequencies or FromSpec"
)

// given returns a *ParameterError if an argument that is needed is nil.
func given(name string, missing bool) error {
	if missing {
		return &ParameterError{name, nil, "must be given"}
	}
	return nil
}

// ParameterError says that a setting has a value it cannot take.
type ParameterError struct {
	Name  string // the parameter, in the caller's words: "sigma", "features"
	Value any
	Need  string // what it must be
}

func (e *ParameterError) Error() string {
	return fmt.Sprintf("rff: %s is %v: %s", e.Name, e.Value, e.Need)
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

// NotFiniteError says that data hold a NaN or an infinity. Row and Col count from 0.
type NotFiniteError struct {
	Row, Col int64
	Value    float64
}

func (e *NotFiniteError) Error() string {
	return fmt.Sprintf("rff: row %d, column %d is %g: remove the row or fill the value in", e.Row+1, e.Col+1, e.Value)
}

// AliasError says that an output shares memory with an input.
type AliasError struct{ Dst, Src string }

func (e *AliasError) Error() string {
	return fmt.Sprintf("rff: %s shares memory with %s: use a destination of its own", e.Dst, e.Src)
}

// DegenerateDataError says that data do not determine what was asked of them.
type DegenerateDataError struct {
	What string // what cannot be computed
	Why  string
}

func (e *DegenerateDataError) Error() string {
	return fmt.Sprintf("rff: %s cannot be computed: %s", e.What, e.Why)
}
