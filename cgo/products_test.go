//go:build cgo && openblas

package openblas_test

import (
	"testing"

	"gonum.org/v1/gonum/blas/testblas"
	"gonum.org/v1/netlib/blas/netlib"
)

// The routines that the products call.
func TestLibraryPassesGonumsSuite(t *testing.T) {
	p := netlib.Implementation{}
	t.Run("Dgemm", func(t *testing.T) { testblas.TestDgemm(t, p) })
	t.Run("Dsyrk", func(t *testing.T) { testblas.DsyrkTest(t, p) })
	t.Run("Dtrsm", func(t *testing.T) { testblas.DtrsmTest(t, p) })
}
