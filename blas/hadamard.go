package blas

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
