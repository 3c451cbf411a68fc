package rff

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/eigen"
)

// KernelError says how far K̃ = ZZᵀ is from the exact kernel matrix K on the
// same rows, in relative norms.
type KernelError struct {
	Rows      int
	Spectral  float64 // ‖K̃−K‖₂/‖K‖₂
	Frobenius float64 // ‖K̃−K‖_F/‖K‖_F
	Max       float64 // max|K̃−K|/max|K|
	Alignment float64 // ⟨K̃, K⟩_F/(‖K̃‖_F·‖K‖_F), 1 at best
}

// MeasureKernel compares m with the kernel it approximates on the rows of x, in
// O(n²(d+s)) time and 4n² float64 of memory: take a sample of a few hundred to a
// few thousand rows (SampleRows). The numbers have the same bits everywhere, but
// for ArcCosine, whose exact values take the platform's arc tangent.
//
// Errors: *ShapeError, *NotFiniteError; *ParameterError if m approximates no
// kernel, as maps that were made from frequencies or trained do.
func MeasureKernel(m *Map, x mat.Matrix) (KernelError, error) {
	if m.kernel == nil {
		return KernelError{}, &ParameterError{"map", m.Fingerprint(), "approximates no known kernel, so there is nothing to compare it with"}
	}
	var z mat.Dense
	if err := m.Transform(&z, x); err != nil {
		return KernelError{}, err
	}
	n, d := x.Dims()
	if n == 0 {
		return KernelError{}, &DegenerateDataError{"the kernel error", "there are no rows"}
	}
	rows := blas.NewGeneral[float64](n, d)
	copyRows(rows, x, 0)
	approx := blas.NewGeneral[float64](n, n)
	zg := general(z.RawMatrix())
	blas.Gemm(m.engine, false, true, 1, zg, zg, 0, approx)
	exact := KernelMatrix(m.kernel, mat.NewDense(n, d, rows.Data))

	var e KernelError
	e.Rows = n
	var kk, aa, ka, ee, maxK, maxE float64
	diff := blas.NewGeneral[float64](n, n)
	for i := range n {
		for j := range n {
			// K̃ is symmetric up to rounding; one half of it serves both.
			k, a := exact.At(i, j), approx.Data[min(i, j)*n+max(i, j)]
			kk += float64(k * k)
			aa += float64(a * a)
			ka += float64(k * a)
			ee += float64((a - k) * (a - k))
			maxK = math.Max(maxK, math.Abs(k))
			maxE = math.Max(maxE, math.Abs(a-k))
			diff.Data[i*n+j] = a - k
		}
	}
	e.Frobenius = math.Sqrt(ee / kk)
	e.Max = maxE / maxK
	e.Alignment = ka / math.Sqrt(kk*aa)
	off, err := eigen.Norm(m.engine, diff)
	if err != nil {
		return KernelError{}, &DegenerateDataError{"the kernel error", err.Error()}
	}
	norm, err := eigen.Norm(m.engine, general(exact.RawMatrix()))
	if err != nil {
		return KernelError{}, &DegenerateDataError{"the kernel error", err.Error()}
	}
	e.Spectral = off / norm
	return e, nil
}

// KernelMatrix returns the n×n matrix of k between the rows of x.
func KernelMatrix(k Kernel, x mat.Matrix) *mat.Dense {
	n, d := x.Dims()
	rows, ok := rowsOf(x)
	if !ok {
		rows = blas.NewGeneral[float64](n, d)
		copyRows(rows, x, 0)
	}
	out := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range i + 1 {
			v := k.Eval(rows.Row(i), rows.Row(j))
			out.Set(i, j, v)
			out.Set(j, i, v)
		}
	}
	return out
}

// TargetAlignment returns the centred alignment of the map's kernel with the
// targets y, n×t (Cortes, Mohri and Rostamizadeh, JMLR 13, 2012): with centred
// columns, ‖ZᵀY‖²_F/(‖ZᵀZ‖_F·‖YᵀY‖_F), between 0 and 1. It needs no labels'
// model: a larger value says that the kernel suits the targets better.
//
// Errors: *ShapeError, *NotFiniteError, *DegenerateDataError for constant
// targets or features.
func TargetAlignment(m *Map, x, y mat.Matrix) (float64, error) {
	n, _ := x.Dims()
	r, t := y.Dims()
	if r != n || t < 1 {
		return 0, &ShapeError{Name: "y", Rows: r, Cols: t, WantRows: n, WantCols: max(t, 1)}
	}
	if err := checkFiniteMatrix(y); err != nil {
		return 0, err
	}
	var z mat.Dense
	if err := m.Transform(&z, x); err != nil {
		return 0, err
	}
	if n == 0 {
		return 0, &DegenerateDataError{"the alignment", "there are no rows"}
	}
	targets := mat.DenseCopyOf(y)
	centre(&z)
	centre(targets)
	product := func(a, b *mat.Dense) float64 {
		_, p := a.Dims()
		_, q := b.Dims()
		c := blas.NewGeneral[float64](p, q)
		blas.Gemm(m.engine, true, false, 1, general(a.RawMatrix()), general(b.RawMatrix()), 0, c)
		var s float64
		for _, v := range c.Data {
			s += float64(v * v)
		}
		return s
	}
	zz, yy := product(&z, &z), product(targets, targets)
	if zz == 0 || yy == 0 {
		return 0, &DegenerateDataError{"the alignment", "the targets or the features are constant"}
	}
	return product(&z, targets) / math.Sqrt(zz*yy), nil
}

// centre subtracts the mean of each column.
func centre(a *mat.Dense) {
	n, c := a.Dims()
	for j := range c {
		var s float64
		for i := range n {
			s += a.At(i, j)
		}
		s /= float64(n)
		for i := range n {
			a.Set(i, j, a.At(i, j)-s)
		}
	}
}
