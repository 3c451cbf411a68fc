package blas

import (
	"unsafe"

	"github.com/rffgo/rff/asm"
)

// operations has the operations of a backend on elements of type T. The native backend runs
// them on micro-kernels (nativeOperations), and all others run them by their Products
// (genericOperations). The callers have checked sizes.
type operations[T Float] interface {
	gemm(e Engine, transA, transB bool, alpha T, a, b General[T], beta T, c General[T])
	syrk(e Engine, upper, trans bool, alpha T, a General[T], beta T, c General[T])
	trsm(e Engine, trans bool, u, b General[T])
	// choleskySolve is trsm with trans and without.
	choleskySolve(e Engine, u, b General[T])
	// inverse is trsm without trans on the identity in dst.
	inverse(e Engine, dst, u General[T])
	cholesky(e Engine, a General[T]) error

	transform(e Engine, m *Features[T], dst, x General[T])
	// predict is Features.Predict, but its coefficients are t×s.
	predict(e Engine, m *Features[T], dst, x, coef General[T], intercept []T)
	// add adds rows, the last block of which may be short, to G, ZY and Z of sums.
	add(e Engine, sums *Sums, m *Features[T], x, y General[T], weight []T)

	describe() []Operation
}

// reducer is implemented by operations too. It gives a Trailing its operations.
type reducer[T Float] interface {
	trailing(t *Trailing[T]) trailingOperations[T]
}

// operationsOf returns the operations of e's backend. A package that imports this one compiles
// once more the generic functions that it calls, all functions that these mention, and the
// methods of each generic type that they mention. So the interface mentions only matrices and
// Features. Only the two functions below, which are not generic, name its implementations.
func operationsOf[T Float](e Engine) operations[T] {
	if single[T]() {
		o := operations32(e.backend())
		return *(*operations[T])(unsafe.Pointer(&o)) // this is the same type, because T is float32
	}
	o := operations64(e.backend())
	return *(*operations[T])(unsafe.Pointer(&o))
}

//go:noinline
func operations64(b Backend) operations[float64] { return operationsOn[float64](b) }

//go:noinline
func operations32(b Backend) operations[float32] { return operationsOn[float32](b) }

// operationsOn returns the operations of a backend. It is the only place that tells the
// kinds of backend apart.
func operationsOn[T Float](b Backend) operations[T] {
	if own, ok := b.(*nativeBackend); ok {
		return nativeOperations[T]{ofType[T, *asm.Kernels[T]](own.f64, own.f32)}
	}
	return genericOperations[T]{b.Name(), ofType[T, Products[T]](b.Float64(), b.Float32())}
}

// Describe returns how the operations of element type T run on e, for people
// and reports.
func Describe[T Float](e Engine) []Operation { return operationsOf[T](e).describe() }
