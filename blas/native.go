package blas

import (
	"fmt"
	"unsafe"

	"github.com/rffgo/rff/asm"
)

// nativeBackend is the engine of this package on one pair of kernel tables.
type nativeBackend struct {
	f64 *asm.Kernels[float64]
	f32 *asm.Kernels[float32]
}

// The native backend runs on the best kernels of this processor.
var _ = builtIn("native", &nativeBackend{asm.Native[float64](), asm.Native[float32]()})

// Each instruction set of this processor is a backend of its own, for tests and
// measurements.
func init() {
	f32 := asm.All[float32]()
	for i, k := range asm.All[float64]() {
		builtIn("native:"+k.ISA, &nativeBackend{k, f32[i]})
	}
}

func (*nativeBackend) Name() string { return "native" }
func (*nativeBackend) Exact() bool  { return true }

// Packages of this module that run on micro-kernels take them from Kernels64 and Kernels32.
func (b *nativeBackend) Kernels64() *asm.Kernels[float64] { return b.f64 }
func (b *nativeBackend) Kernels32() *asm.Kernels[float32] { return b.f32 }

func (b *nativeBackend) Float64() Products[float64] { return nativeOperations[float64]{b.f64} }
func (b *nativeBackend) Float32() Products[float32] { return nativeOperations[float32]{b.f32} }

// nativeOperations runs the operations of the package on micro-kernels.
type nativeOperations[T Float] struct{ kern *asm.Kernels[T] }

func (o nativeOperations[T]) gemm(e Engine, transA, transB bool, alpha T, a, b General[T], beta T, c General[T]) {
	m, k := a.op(transA)
	workers := e.workersFor(float64(m)*float64(c.Cols)*float64(k), m*c.Cols)
	gemm(o.kern, workers, full, transA, transB, alpha, a, b, beta, c)
}

func (o nativeOperations[T]) syrk(e Engine, upper, trans bool, alpha T, a General[T], beta T, c General[T]) {
	n, k := a.op(trans)
	workers := e.workersFor(float64(n)*float64(n)*float64(k)/2, n*n)
	gemm(o.kern, workers, triangleOf(upper), trans, !trans, alpha, a, a, beta, c)
}

func (o nativeOperations[T]) trsm(e Engine, trans bool, u, b General[T]) {
	trsm(o.kern, e.workersFor(float64(u.Rows)*float64(u.Rows)*float64(b.Cols)/2, b.Cols), trans, u, b)
}

func (o nativeOperations[T]) choleskySolve(e Engine, u, b General[T]) {
	choleskySolve(o.kern, e.workersFor(float64(u.Rows)*float64(u.Rows)*float64(b.Cols)/2, b.Cols), u, b)
}

func (o nativeOperations[T]) inverse(e Engine, dst, u General[T]) {
	n := float64(u.Rows)
	s := trsmState[T]{kern: o.kern, u: u, b: dst, upper: true}
	s.run(e.workersFor(n*n*n/6, dst.Cols))
}

func (o nativeOperations[T]) cholesky(e Engine, a General[T]) error {
	n := float64(a.Rows)
	return cholesky(o.kern, e.workersFor(n*n*n/6, a.Rows), a)
}

// Gemm, Syrk and TrsmUpper are Products, on one worker.
func (o nativeOperations[T]) Gemm(transA, transB bool, alpha T, a, b General[T], beta T, c General[T]) {
	gemm(o.kern, 1, full, transA, transB, alpha, a, b, beta, c)
}

func (o nativeOperations[T]) Syrk(upper, trans bool, alpha T, a General[T], beta T, c General[T]) {
	gemm(o.kern, 1, triangleOf(upper), trans, !trans, alpha, a, a, beta, c)
}

func (o nativeOperations[T]) TrsmUpper(trans bool, u, b General[T]) { trsm(o.kern, 1, trans, u, b) }

func (o nativeOperations[T]) describe() []Operation {
	k := o.kern
	size := int(unsafe.Sizeof(*new(T)))
	feature := fmt.Sprintf("%s, strips of %d rows × %d columns", k.ISA, k.Strip, k.Width)
	tile := fmt.Sprintf("%s, %d×%d tile", k.ISA, k.MR, k.Width)
	group := gramTiles(k, RowBlock) * k.Width
	return []Operation{
		{"features", feature, fmt.Sprintf("%d KiB of frequencies at a time", k.GroupBytes()>>10)},
		{"gram", feature + "; " + tile, fmt.Sprintf("chains of %d rows (defines bits), groups of up to %d columns (%d KiB)",
			RowBlock, group, group*RowBlock*size>>10)},
		{"scores", feature, fmt.Sprintf("chains of %d rows (defines bits)", RowBlock)},
		{"predict", feature + "; dot product over 32 lanes", "one row, or chunks of rows"},
		{"gemm", tile, fmt.Sprintf("chains of %d (defines bits), %d×%d packed", BlockK, maxBlockM/k.MR*k.MR, maxBlockN/k.Width*k.Width)},
		{"syrk", tile, "those of gemm"},
		{"trsm", tile, fmt.Sprintf("blocks of %d, inverses of %d (define bits)", blockTri, blockInv)},
		{"cholesky", tile, "those of trsm"},
		{"hadamard", k.ISA, "whole rows"},
	}
}
