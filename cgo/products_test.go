//go:build cgo && openblas

package openblas

import (
	"testing"

	"gonum.org/v1/gonum/blas/testblas"
)

func TestProductsPassGonumsSuite(t *testing.T) {
	p := &products{}
	t.Run("Dgemm", func(t *testing.T) { testblas.TestDgemm(t, p) })
	t.Run("Dsyrk", func(t *testing.T) { testblas.DsyrkTest(t, p) })
	t.Run("Dtrsm", func(t *testing.T) { testblas.DtrsmTest(t, p) })
}
