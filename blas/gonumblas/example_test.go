package gonumblas_test

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff/blas/gonumblas"
)

// A gonum program takes rff's Level 3 kernels by its own hand.
func ExampleNative() {
	old := blas64.Implementation()
	blas64.Use(gonumblas.Native{})
	defer blas64.Use(old)

	a := mat.NewDense(100, 100, nil)
	for i := range 100 {
		a.Set(i, i, 2)
	}
	var b mat.Dense
	b.Mul(a, a)
	fmt.Println(b.At(7, 7), b.At(7, 8))
	// Output: 4 0
}
