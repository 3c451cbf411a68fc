package roofline

import (
	"math"
	"math/rand/v2"

	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
)

// Residuals compare with the definition in plain Go, on a fixed sample of rows
// or elements where all would take longer than the operation.

const sample = 64

// reference is the native backend on the Go kernels, which have the bits of all.
func reference() blas.Engine {
	b, err := blas.Lookup("native:go")
	if err != nil {
		panic(err) // every build has the reference kernels
	}
	return blas.Engine{Backend: b, Workers: 1}
}

// featureError is the largest difference from the reference kernels' features.
func featureError[T blas.Float](m *blas.Features[T], z, x blas.General[T]) float64 {
	n := min(x.Rows, 16)
	want := blas.NewGeneral[T](n, z.Cols)
	m.Transform(reference(), want, x.RowRange(0, n))
	var worst float64
	for i := range n {
		for j, v := range want.Row(i) {
			worst = max(worst, math.Abs(float64(z.Row(i)[j]-v)))
		}
	}
	return worst
}

// columns returns features of all rows, made by the native backend, which
// featureError checks against the reference kernels.
func columns[T blas.Float](m *blas.Features[T], x blas.General[T]) blas.General[T] {
	b, err := blas.Lookup("native")
	if err != nil {
		panic(err)
	}
	_, s := m.Dims()
	z := blas.NewGeneral[T](x.Rows, s)
	m.Transform(blas.Engine{Backend: b}, z, x)
	return z
}

// gramError is the largest difference from Σ z·z in float64, relative to Σ|z·z|.
func gramError[T blas.Float](m *blas.Features[T], a *blas.Accumulator[T], x blas.General[T]) float64 {
	z := columns(m, x)
	r := rand.New(rand.NewPCG(5, 6))
	var worst float64
	for range sample {
		i := r.IntN(z.Cols)
		j := i + r.IntN(z.Cols-i)
		worst = max(worst, dotError(z.Rows, a.G.Row(i)[j], func(l int) (float64, float64) { return float64(z.Row(l)[i]), float64(z.Row(l)[j]) }))
	}
	return worst
}

// targetError is gramError for Σ z·y.
func targetError[T blas.Float](m *blas.Features[T], a *blas.Accumulator[T], x, y blas.General[T]) float64 {
	z := columns(m, x)
	var worst float64
	for j := range min(sample, z.Cols) {
		worst = max(worst, dotError(z.Rows, a.ZY.Row(j)[0], func(l int) (float64, float64) { return float64(z.Row(l)[j]), float64(y.Row(l)[0]) }))
	}
	return worst
}

// dotError is |got − Σ u·v| / Σ|u·v|.
func dotError(n int, got float64, at func(int) (u, v float64)) float64 {
	var sum, size float64
	for l := range n {
		u, v := at(l)
		sum = math.FMA(u, v, sum)
		size += math.Abs(u * v)
	}
	if size == 0 {
		return math.Abs(got)
	}
	return math.Abs(got-sum) / size
}

// productError is dotError over elements of c = op(a)·b, of the upper triangle
// alone where that is what c holds.
func productError[T blas.Float](a blas.General[T], transA bool, b, c blas.General[T], upper bool) float64 {
	r := rand.New(rand.NewPCG(7, 8))
	var worst float64
	for range sample {
		i, j := r.IntN(c.Rows), r.IntN(c.Cols)
		if upper && i > j {
			i, j = j, i
		}
		worst = max(worst, dotError(b.Rows, float64(c.Row(i)[j]), func(l int) (float64, float64) {
			if transA {
				return float64(a.Row(l)[i]), float64(b.Row(l)[j])
			}
			return float64(a.Row(i)[l]), float64(b.Row(l)[j])
		}))
	}
	return worst
}

// factorError is the largest |a − uᵀu| of a sample, relative to the diagonal.
func factorError[T blas.Float](a, u blas.General[T]) float64 {
	r := rand.New(rand.NewPCG(9, 10))
	var worst float64
	for range sample {
		i := r.IntN(a.Rows)
		j := i + r.IntN(a.Rows-i)
		var sum float64
		for l := range i + 1 {
			sum = math.FMA(float64(u.Row(l)[i]), float64(u.Row(l)[j]), sum)
		}
		worst = max(worst, math.Abs(float64(a.Row(i)[j])-sum)/math.Sqrt(float64(a.Row(i)[i])*float64(a.Row(j)[j])))
	}
	return worst
}

// solutionError is ‖(G+μI)β − b‖∞ over the largest row sum of G times ‖β‖∞.
func solutionError(g, b, beta blas.General[float64], mu float64) float64 {
	var worst, norm, size float64
	for i := range g.Rows {
		sum, row := mu*beta.Data[i]-b.Data[i], mu
		for j := range g.Cols {
			v := g.Row(min(i, j))[max(i, j)]
			sum += v * beta.Data[j]
			row += math.Abs(v)
		}
		worst, norm, size = max(worst, math.Abs(sum)), max(norm, row), max(size, math.Abs(beta.Data[i]))
	}
	return worst / (norm * size)
}

// predictionError is dotError over a sample of rows.
func predictionError[T blas.Float](m *blas.Features[T], coef blas.General[T], intercept float64, dst, x blas.General[T]) float64 {
	n := min(x.Rows, sample)
	z := columns(m, x.RowRange(0, n))
	var worst float64
	for i := range n {
		worst = max(worst, dotError(z.Cols, float64(dst.Row(i)[0])-intercept, func(l int) (float64, float64) { return float64(z.Row(i)[l]), float64(coef.Row(l)[0]) }))
	}
	return worst
}

// hadamardError is how far two transforms are from s times the row, relative to
// its largest element.
func hadamardError[T blas.Float](e blas.Engine, x blas.General[T]) float64 {
	row := blas.General[T]{Rows: 1, Cols: x.Cols, Stride: x.Cols, Data: append([]T(nil), x.Row(0)...)}
	want := append([]T(nil), row.Data...)
	hadamard(e, row)
	hadamard(e, row)
	var worst, size float64
	for i, v := range want {
		worst, size = max(worst, math.Abs(float64(row.Data[i])/float64(x.Cols)-float64(v))), max(size, math.Abs(float64(v)))
	}
	return worst / size
}

// hadamard replaces each row of x by its Walsh–Hadamard transform, on e's workers.
func hadamard[T blas.Float](e blas.Engine, x blas.General[T]) {
	const rows = 8 // of a task
	kern := asm.Native[T]()
	e.Each((x.Rows+rows-1)/rows, func(_ blas.Engine, task int) {
		for i := task * rows; i < min(x.Rows, (task+1)*rows); i++ {
			kern.Hadamard(x.Row(i), nil, x.Cols)
		}
	})
}
