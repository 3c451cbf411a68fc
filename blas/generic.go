package blas

import (
	"fmt"
	"math"

	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/internal/schedule"
)

// genericOperations runs the operations of the package on the Products of a backend other
// than the native one. It has the same row blocks and workers as the native one, but calls
// single-threaded products on row-major blocks and not micro-kernels on panels.
type genericOperations[T Float] struct {
	name     string
	products Products[T]
}

// gemm makes one product, or one for each tile of c.
func (o genericOperations[T]) gemm(e Engine, transA, transB bool, alpha T, a, b General[T], beta T, c General[T]) {
	_, k := a.op(transA)
	if k == 0 || alpha == 0 || len(c.Data) == 0 { // BLAS differ in what they allow of an empty operand
		scale(full, beta, c)
		return
	}
	work := float64(c.Rows) * float64(c.Cols) * float64(k)
	if e.workersFor(work, 2) == 1 {
		o.products.Gemm(transA, transB, alpha, a, b, beta, c)
		return
	}
	across := ceil(c.Cols, genericTile)
	tasks := ceil(c.Rows, genericTile) * across
	schedule.Tasks(e.workersFor(work, tasks), tasks, func(_, task int) {
		i0, j0 := task/across*genericTile, task%across*genericTile
		i1, j1 := min(i0+genericTile, c.Rows), min(j0+genericTile, c.Cols)
		o.products.Gemm(transA, transB, alpha, opRows(a, transA, i0, i1), opRows(b, !transB, j0, j1), beta, c.view(i0, i1, j0, j1))
	})
}

// opRows returns the part of m that gives rows [i0, i1) of op(m).
func opRows[T Float](m General[T], trans bool, i0, i1 int) General[T] {
	if trans {
		return m.view(0, m.Rows, i0, i1)
	}
	return m.view(i0, i1, 0, m.Cols)
}

// syrk makes a product for each tile of c in its triangle.
func (o genericOperations[T]) syrk(e Engine, upper, trans bool, alpha T, a General[T], beta T, c General[T]) {
	n, k := a.op(trans)
	if k == 0 || alpha == 0 || n == 0 {
		scale(triangleOf(upper), beta, c)
		return
	}
	side := ceil(n, genericTile)
	schedule.Tasks(e.workersFor(float64(n)*float64(n)*float64(k)/2, side*(side+1)/2), side*side, func(_, task int) {
		i, j := task/side, task%side
		if (upper && i > j) || (!upper && i < j) {
			return
		}
		i0, j0 := i*genericTile, j*genericTile
		i1, j1 := min(i0+genericTile, n), min(j0+genericTile, n)
		if i == j {
			o.products.Syrk(upper, trans, alpha, opRows(a, trans, i0, i1), beta, c.view(i0, i1, i0, i1))
			return
		}
		o.products.Gemm(trans, !trans, alpha, opRows(a, trans, i0, i1), opRows(a, trans, j0, j1), beta, c.view(i0, i1, j0, j1))
	})
}

// trsm solves for chunks of right-hand sides.
func (o genericOperations[T]) trsm(e Engine, trans bool, u, b General[T]) {
	if u.Rows == 0 || b.Cols == 0 {
		return
	}
	workers := e.workersFor(float64(u.Rows)*float64(u.Rows)*float64(b.Cols)/2, b.Cols)
	chunk := max(1, min(genericTile, ceil(b.Cols, workers)))
	schedule.Tasks(workers, ceil(b.Cols, chunk), func(_, task int) {
		o.products.TrsmUpper(trans, u, b.view(0, b.Rows, task*chunk, min((task+1)*chunk, b.Cols)))
	})
}

func (o genericOperations[T]) choleskySolve(e Engine, u, b General[T]) {
	o.trsm(e, true, u, b)
	o.trsm(e, false, u, b)
}

func (o genericOperations[T]) inverse(e Engine, dst, u General[T]) { o.trsm(e, false, u, dst) }

// cholesky factors block by block and updates the rest of the matrix after each block
// (right-looking). It factors diagonal blocks by factorPlain.
func (o genericOperations[T]) cholesky(e Engine, a General[T]) error {
	n := a.Rows
	for k0 := 0; k0 < n; k0 += genericBlock {
		k1 := min(k0+genericBlock, n)
		d := a.view(k0, k1, k0, k1)
		if p, v := factorPlain(d); p >= 0 {
			return &NotPositiveDefiniteError{Pivot: k0 + p, Value: v}
		}
		if k1 == n {
			break
		}
		right := a.view(k0, k1, k1, n)
		o.trsm(e, true, d, right)
		o.syrk(e, true, true, -1, right, 1, a.view(k1, n, k1, n))
	}
	return nil
}

// factorPlain replaces the upper triangle of a by its Cholesky factor. It
// returns the row and value of a pivot that is not positive, or −1.
func factorPlain[T Float](a General[T]) (int, float64) {
	n := a.Rows
	for l := range n {
		p := float64(a.Data[l*a.Stride+l])
		if !(p > 0) || math.IsInf(p, 1) {
			return l, p
		}
		p = math.Sqrt(p)
		row := a.Row(l)
		row[l] = T(p)
		for j := l + 1; j < n; j++ {
			row[j] = T(float64(row[j]) / p)
		}
		for i := l + 1; i < n; i++ {
			v := row[i]
			to := a.Row(i)
			for j := i; j < n; j++ {
				to[j] -= T(v * row[j])
			}
		}
	}
	return -1, 0
}

func (o genericOperations[T]) describe() []Operation {
	own := asm.Native[T]()
	rows := fmt.Sprintf("row blocks of %d", RowBlock)
	tiles := fmt.Sprintf("one call per %d×%d tile and worker", genericTile, genericTile)
	cosine := own.ISA + " cosine"
	if _, ok := o.products.(Elementwise[T]); ok {
		cosine = "cosine of its own"
	}
	return []Operation{
		{"features", o.name + " products, " + cosine, rows},
		{"gram", o.name + " products", rows + ", " + tiles},
		{"gemm", o.name, tiles},
		{"syrk", o.name, tiles},
		{"trsm", o.name, "chunks of right-hand sides"},
		{"cholesky", o.name + " products", "right-looking"},
		{"hadamard", own.ISA, "whole rows"},
	}
}
