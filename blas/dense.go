package blas

import (
	"math"

	"github.com/rffgo/rff/asm"
)

// Gemm computes C = α·op(A)·op(B) + β·C, where op is the transpose if asked for.
// With β = 0 C is overwritten, whatever it held.
func Gemm[T Float](e Engine, transA, transB bool, alpha T, a, b General[T], beta T, c General[T]) {
	at := func(m General[T], trans bool, i, j int) T {
		if trans {
			i, j = j, i
		}
		return m.Data[i*m.Stride+j]
	}
	k := a.Cols
	if transA {
		k = a.Rows
	}
	for i := range c.Rows {
		for j := range c.Cols {
			var s float64
			for l := range k {
				s = math.FMA(float64(at(a, transA, i, l)), float64(at(b, transB, l, j)), s)
			}
			p := &c.Data[i*c.Stride+j]
			if beta == 0 {
				*p = alpha * T(s)
			} else {
				*p = T(math.FMA(float64(alpha), s, float64(beta*(*p))))
			}
		}
	}
}

// Cholesky replaces the upper triangle of the symmetric matrix a by its factor
// U, a = UᵀU, reading only that triangle. The error is a
// *NotPositiveDefiniteError; a is then partly overwritten.
func Cholesky[T Float](e Engine, a General[T]) error {
	for i := range a.Rows {
		for j := i; j < a.Cols; j++ {
			s := float64(a.Data[i*a.Stride+j])
			for k := range i {
				s = math.FMA(-float64(a.Data[k*a.Stride+i]), float64(a.Data[k*a.Stride+j]), s)
			}
			if i == j {
				if !(s > 0) {
					return &NotPositiveDefiniteError{Pivot: i, Value: s}
				}
				a.Data[i*a.Stride+i] = T(math.Sqrt(s))
			} else {
				a.Data[i*a.Stride+j] = T(s) / a.Data[i*a.Stride+i]
			}
		}
	}
	return nil
}

// CholeskySolve replaces b by the solution of UᵀU·x = b for the factor U of Cholesky.
func CholeskySolve[T Float](e Engine, u, b General[T]) {
	TrsmUpper(e, true, u, b)
	TrsmUpper(e, false, u, b)
}

// TrsmUpper replaces b by op(U)⁻¹·b for the upper triangle U of u.
func TrsmUpper[T Float](e Engine, trans bool, u, b General[T]) {
	n := u.Rows
	for step := range n {
		i := n - 1 - step
		if trans {
			i = step
		}
		for c := range b.Cols {
			s := float64(b.Data[i*b.Stride+c])
			for k := range n {
				if trans && k < i {
					s = math.FMA(-float64(u.Data[k*u.Stride+i]), float64(b.Data[k*b.Stride+c]), s)
				} else if !trans && k > i {
					s = math.FMA(-float64(u.Data[i*u.Stride+k]), float64(b.Data[k*b.Stride+c]), s)
				}
			}
			b.Data[i*b.Stride+c] = T(s) / u.Data[i*u.Stride+i]
		}
	}
}

// Hadamard replaces each row of x, of a power-of-two length, by its
// unnormalised Walsh–Hadamard transform.
func Hadamard[T Float](e Engine, x General[T]) {
	k := asm.Generic[T]()
	for i := range x.Rows {
		k.Hadamard(x.Row(i))
	}
}
