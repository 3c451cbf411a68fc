package blas

import "fmt"

// These are panics, because only a programmer can cause them.
const (
	errBadStride = "blas: stride smaller than a row, or a negative size"
	errShortData = "blas: data too short for the matrix"
	errShape     = "blas: matrix sizes do not agree"
	errSpec      = "blas: inconsistent feature specification"
	errAlias     = "blas: the result overlaps one of the operands"

	errRegistered = "blas: a backend of that name is registered already"
)

// NotPositiveDefiniteError is returned by Cholesky for a matrix that has no factor. The pivot
// of row Pivot (from 0) was Value, which is not a positive number.
type NotPositiveDefiniteError struct {
	Pivot int
	Value float64
}

func (e *NotPositiveDefiniteError) Error() string {
	return fmt.Sprintf("blas: matrix is not positive definite: pivot %d is %g; increase the regularisation λ", e.Pivot, e.Value)
}
