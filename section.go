package rff

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/basis"
	"github.com/rffgo/rff/internal/limit"
)

// Nystrom returns the features of k on landmark rows c₁ … c_m, the rows of landmarks
// (Williams and Seeger, "Using the Nyström method to speed up kernel machines", NIPS
// 2000): with K the kernel matrix of the landmarks and K + ε·I = LLᵀ,
//
//	z(x) = L⁻¹(k(x, c₁), …, k(x, c_m))ᵀ,  so z(x)ᵀz(y) = k(x, ·)(K + εI)⁻¹k(·, y),
//
// which is k on the landmarks themselves. Ridge regression on z has the penalty
// βᵀKβ of the functions Σβⱼk(·, cⱼ).
//
// ε is 10⁻¹² unless K is so near singular that the rounding errors of sums over n rows would
// count: L⁻¹ makes them some n·√m·2⁻⁵²/ε. Then ε is 2⁻²⁴·m^¾, with which this error is about as
// large as the effect of a ridge of λ = 10⁻⁹ per row, and so is the error that ε itself makes.
// ε is doubled until the factor L exists.
//
// k is a Gaussian or Matérn kernel, whose sections are functions of the Euclidean distance; or a
// Laplacian or exponential power kernel, a function of a sum of absolute differences or of their
// powers; or, in one dimension, a Cauchy kernel.
// Errors: *ParameterError, *ValueError.
func Nystrom(k Kernel, landmarks mat.Matrix) (*Map, error) {
	if err := given("kernel", k == nil); err != nil {
		return nil, err
	}
	if err := checkMatrix("landmarks", landmarks); err != nil {
		return nil, err
	}
	m, d := landmarks.Dims()
	if m < 1 || !limit.Fits(m, d) || !limit.Fits(m, m) {
		return nil, &ParameterError{Name: "landmarks", Value: m, Need: "must be at least one row, and no more than a 16 GiB matrix of their kernel has"}
	}
	if err := checkFinite(landmarks); err != nil {
		return nil, err
	}
	c := blas.NewGeneral[float64](m, d)
	copyRows(c, landmarks, 0)
	return nystrom(k, c)
}

// nystrom is Nystrom of landmarks that become part of the map.
func nystrom(k Kernel, c blas.General[float64]) (*Map, error) {
	m, err := sections(k, c)
	if err != nil {
		return nil, err
	}
	if m.change.Factor() != nil {
		return nil, &ParameterError{Name: "landmarks", Value: c.Rows, Need: fmt.Sprintf("have a kernel matrix that has no factor with less than 1 added to its diagonal: scale the columns, or use a larger bandwidth than %v", k)}
	}
	return m, nil
}

// sections is nystrom with a factor that is made when it is needed.
func sections(k Kernel, c blas.General[float64]) (*Map, error) {
	s, err := sectionSpec(k, c)
	if err != nil {
		return nil, err
	}
	m, err := fromSpec(s, k)
	if err != nil {
		return nil, err
	}
	change, err := basis.Later(c.Rows, func(e blas.Engine, of blas.General[float64]) { m.features64().Transform(e, of, c) })
	if err != nil {
		return nil, err
	}
	return &Map{kernel: k, packed: changed(m.packed, change)}, nil
}

// sectionSpec returns the specification of the sections of k at landmarks.
func sectionSpec(k Kernel, c blas.General[float64]) (*blas.Spec, error) {
	of, ok := k.(scalable)
	if !ok {
		return nil, &ParameterError{Name: "kernel", Value: k, Need: "has no sections here: use gaussian, laplacian, exponential-power or matern"}
	}
	f, err := of.section(c.Cols)
	if err != nil {
		return nil, err
	}
	scales, err := checkScales(f.name, of.bandwidth(), c.Cols)
	if err != nil {
		return nil, err
	}
	s := &blas.Spec{Dim: c.Cols, W: c, Func: f.fn, Terms: f.terms, Weight: slices.Repeat([]float64{1}, c.Rows), Shift: make([]float64, c.Cols), Scale: make([]float64, c.Cols)}
	for j := range s.Scale {
		s.Scale[j] = f.unit / scales[j]
		for i := range c.Rows {
			s.Shift[j] += (c.Row(i)[j] - s.Shift[j]) / float64(i+1)
		}
	}
	return s, nil
}

// section is a kernel as a function fn of the sum of the squares of differences times unit over the
// bandwidths, or of other terms of these. name is the kernel's parameter for bandwidths.
type section struct {
	name string
	unit float64
	fn   asm.Func
	// terms are Terms of blas.Spec.
	terms asm.Terms
	// slope and power are Slope and Power of hook.Family.
	slope func(r float64) float64
	power float64
}
