package rff

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/reach"
)

// checkRows returns a *ValueError for the first value of x that is not finite, or
// that m does not resolve (see package reach), or nil.
func checkRows[T blas.Float](m *Map, x blas.General[T]) error {
	return checkBlock(limitsOf[T](m), x, 0)
}

// checkBlock is checkRows for rows first, first+1, … of the data.
func checkBlock[T blas.Float](l *reach.Limits, x blas.General[T], first int) error {
	i, j, need := reach.First(l, x)
	if i < 0 {
		return nil
	}
	return &ValueError{int64(first + i), inputName(j), float64(x.Row(i)[j]), need}
}

// limitsOf returns what m resolves when it is evaluated in T.
func limitsOf[T blas.Float](m *Map) *reach.Limits {
	var zero T
	_, double := any(zero).(float64)
	return m.reach(!double)
}

// reach returns what m resolves in float64, or in float32.
func (m *Map) reach(single bool) *reach.Limits {
	at, number := 0, reach.Float64
	if single {
		at, number = 1, reach.Float32
	}
	m.onceReach[at].Do(func() { m.limits[at] = reach.New(m.spec, number) })
	return m.limits[at]
}

func inputName(j int) string { return fmt.Sprintf("input %d", j+1) }

// checkRowsOf is checkRows for any matrix.
func checkRowsOf(m *Map, x mat.Matrix) error {
	l := limitsOf[float64](m)
	return inBlocks(x, func(rows blas.General[float64], first int) error { return checkBlock(l, rows, first) })
}

// checkFinite returns a *ValueError for the first NaN or infinity of x, or nil.
func checkFinite(x mat.Matrix) error {
	return inBlocks(x, func(rows blas.General[float64], first int) error {
		if i, j := dense.NotFinite(rows); i >= 0 {
			return &ValueError{int64(first + i), inputName(j), rows.Row(i)[j], reach.Finite}
		}
		return nil
	})
}

// inBlocks calls f with the rows of x in blocks, until it returns an error.
func inBlocks(x mat.Matrix, f func(rows blas.General[float64], first int) error) error {
	n, _ := x.Dims()
	r := newRowReader(x)
	for i := 0; i < n; i += copyBlock {
		if err := f(r.rows(i, min(i+copyBlock, n)), i); err != nil {
			return err
		}
	}
	return nil
}
