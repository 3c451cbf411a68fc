package blas

import "github.com/rffgo/rff/internal/schedule"

// Hadamard replaces each row of x, of a power-of-two length, by its
// unnormalised Walsh–Hadamard transform.
func Hadamard[T Float](e Engine, x General[T]) {
	x.check()
	if x.Cols&(x.Cols-1) != 0 {
		panic(errPowerOfTwo)
	}
	if x.Cols == 0 {
		return
	}
	operationsOf[T](e).hadamard(e, x)
}

func (o nativeOperations[T]) hadamard(e Engine, x General[T]) {
	const rows = 8
	schedule.Tasks(e.workersFor(4*float64(x.Rows)*float64(x.Cols), ceil(x.Rows, rows)), ceil(x.Rows, rows), func(_, task int) {
		for i := task * rows; i < min(x.Rows, (task+1)*rows); i++ {
			o.kern.Hadamard(x.Row(i), nil, x.Cols)
		}
	})
}
