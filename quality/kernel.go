package quality

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/eigen"
	"github.com/rffgo/rff/internal/inside"
)

// Measures are relative distances of K̃ = ZZᵀ from the exact kernel matrix K of the
// same rows.
type Measures struct {
	Rows      int
	Spectral  float64 // ‖K̃−K‖₂/‖K‖₂
	Frobenius float64 // ‖K̃−K‖_F/‖K‖_F
	Max       float64 // max|K̃−K|/max|K|
	Alignment float64 // ⟨K̃, K⟩_F/(‖K̃‖_F·‖K‖_F), 1 at best
}

// MeasureKernel compares m with the kernel that it approximates on the rows of x. It takes
// O(n²(d+s)) time and 4n² float64 of memory, so take a sample of a few hundred to a few
// thousand rows. The numbers have the same bits everywhere, except those of ArcCosine, whose
// exact values take the platform's arc tangent.
//
// The error is a *rff.ShapeError, a *rff.ValueError, a *rff.ParameterError if m approximates no
// kernel, or a *rff.DegenerateDataError if the kernel is 0 between all rows. Maps that were
// trained or made from frequencies approximate none.
func MeasureKernel(m *rff.Map, x mat.Matrix) (Measures, error) {
	if m.Kernel() == nil {
		return Measures{}, &rff.ParameterError{Name: "map", Value: m.Fingerprint(), Need: "approximates no known kernel, so there is nothing to compare it with"}
	}
	var z mat.Dense
	if err := m.Transform(&z, x); err != nil {
		return Measures{}, err
	}
	n, _ := x.Dims()
	if n == 0 {
		return Measures{}, &rff.DegenerateDataError{What: "the kernel error", Why: "there are no rows"}
	}
	approx := blas.NewGeneral[float64](n, n)
	zg := dense.Of(&z)
	blas.Gemm(inside.Engine(m), false, true, 1, zg, zg, 0, approx)
	exact := KernelMatrix(m.Kernel(), x)

	var e Measures
	e.Rows = n
	var kk, aa, ka, ee, maxK, maxE float64
	diff := blas.NewGeneral[float64](n, n)
	for i := range n {
		for j := range n {
			// K̃ is symmetric up to rounding, so its upper half is used for both.
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
	if maxK == 0 {
		return Measures{}, &rff.DegenerateDataError{What: "the kernel error", Why: "the kernel is 0 between all rows: give rows that are not all 0"}
	}
	e.Frobenius = math.Sqrt(ee / kk)
	e.Max = maxE / maxK
	e.Alignment = ka / math.Sqrt(kk*aa)
	off, err := eigen.Norm(inside.Engine(m), diff)
	if err != nil {
		return Measures{}, &rff.DegenerateDataError{What: "the kernel error", Why: err.Error()}
	}
	norm, err := eigen.Norm(inside.Engine(m), dense.Of(exact))
	if err != nil {
		return Measures{}, &rff.DegenerateDataError{What: "the kernel error", Why: err.Error()}
	}
	e.Spectral = off / norm
	return e, nil
}

// KernelMatrix returns the n×n matrix of k between the rows of x.
func KernelMatrix(k rff.Kernel, x mat.Matrix) *mat.Dense {
	n, _ := x.Dims()
	rows := dense.Of(x)
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
// columns, ‖ZᵀY‖²_F/(‖ZᵀZ‖_F·‖YᵀY‖_F), between 0 and 1. A larger value says that the
// kernel suits the targets better; no model is fitted for it.
//
// The error is a *rff.ParameterError for nil, a *rff.ShapeError, a *rff.ValueError or, if targets or
// features are constant, a *rff.DegenerateDataError.
func TargetAlignment(m *rff.Map, x, y mat.Matrix) (float64, error) {
	n, _, err := paired(x, y)
	if err != nil {
		return 0, err
	}
	if err := finite("target", y); err != nil {
		return 0, err
	}
	var targets mat.Dense
	if n > 0 {
		targets.CloneFrom(y)
	}
	var z mat.Dense
	if err := m.Transform(&z, x); err != nil {
		return 0, err
	}
	if n == 0 {
		return 0, &rff.DegenerateDataError{What: "the alignment", Why: "there are no rows"}
	}
	centre(&z)
	centre(&targets)
	product := func(a, b *mat.Dense) float64 {
		_, p := a.Dims()
		_, q := b.Dims()
		c := blas.NewGeneral[float64](p, q)
		blas.Gemm(inside.Engine(m), true, false, 1, dense.Of(a), dense.Of(b), 0, c)
		return dense.SumSquares(c.Data)
	}
	zz, yy := product(&z, &z), product(&targets, &targets)
	if zz == 0 || yy == 0 {
		return 0, &rff.DegenerateDataError{What: "the alignment", Why: "the targets or the features are constant"}
	}
	return product(&z, &targets) / math.Sqrt(zz*yy), nil
}

// paired returns the number of rows and of targets, or an error unless every row of x has some in y.
func paired(x, y mat.Matrix) (n, t int, err error) {
	for i, m := range []mat.Matrix{x, y} {
		if dense.Missing(m) {
			return 0, 0, &rff.ParameterError{Name: []string{"x", "y"}[i], Need: "must be given"}
		}
	}
	n, _ = x.Dims()
	r, t := y.Dims()
	if r != n || t < 1 {
		err = &rff.ShapeError{Name: "y", Rows: r, Cols: t, WantRows: n, WantCols: max(t, 1)}
	}
	return n, t, err
}

// finite returns an error that names the first number of a which is not finite.
func finite(name string, a mat.Matrix) error {
	if n, _ := a.Dims(); n == 0 {
		return nil
	}
	return inside.CheckFinite(name, dense.Of(a), 0)
}

// centre subtracts the mean of each column. It subtracts the first row before, so that a constant
// column becomes exactly 0, and divides by the largest size, so that fourth powers stay finite. It
// takes halves, whose differences are finite.
func centre(a *mat.Dense) {
	n, c := a.Dims()
	var largest float64
	for j := range c {
		first, s := float64(a.At(0, j)/2), 0.0
		for i := range n {
			a.Set(i, j, float64(a.At(i, j)/2)-first)
			s += a.At(i, j) / float64(n)
		}
		for i := range n {
			a.Set(i, j, a.At(i, j)-s)
			largest = math.Max(largest, math.Abs(a.At(i, j)))
		}
	}
	if largest > 0 {
		a.Apply(func(_, _ int, v float64) float64 { return v / largest }, a)
	}
}
