package quality

import (
	"cmp"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/message"
	"github.com/rffgo/rff/internal/ridge"
)

// RidgeDimensions say how many directions of a kernel a ridge regression uses, and how
// many features the theory asks for.
type RidgeDimensions struct {
	Rows   int
	Lambda float64 // per row, as in krr.Settings
	// Effective is d_K^λ = tr K(K + nλI)⁻¹, the effective degrees of freedom.
	Effective float64
	// Surrogate is D_K^λ = tr[(YYᵀ + nI)K]/(n²λ) ≥ d_K^λ (Liu et al., Eq. 10). It is at least
	// 1/λ if k(x, x) = 1.
	Surrogate float64
	// Sufficient is the number of frequencies, two CosSin columns each, that Theorem 1 of Liu et
	// al. asks for: 5⅓·D_K^λ·ln(16·d_K^λ/δ) at δ = 0.05. With so many frequencies drawn from the
	// surrogate density q̃, ridge regression on them loses no more than a small multiple of λ
	// against the exact kernel, with a probability of at least 1−δ. This is
	// D(1/ε² + 2/(3ε))·ln(16d/δ) of the proof (Eq. 17) at ε = ½. The theorem itself prints
	// 5·D·log(16·d)/δ. Since D_K^λ ≥ 1/λ for kernels with k(x, x) = 1, far fewer features are
	// enough in practice: bench/RESULTS-reproduce.md compares the number with the one that test
	// errors ask for.
	//
	// F. Liu, X. Huang, Y. Chen, J. Yang, J. Suykens, "Random Fourier features via fast surrogate
	// leverage weighted sampling", AAAI 2020.
	Sufficient float64
}

// MeasureRidge measures the dimensions of ridge regression with kernel k on the rows of x
// with targets y, n×t, at λ, from the exact kernel matrix. It takes O(n²(d+n)) time and 3n²
// float64 of memory, so take a sample of at most a few thousand rows. Targets are taken as
// they are: centre them if the fit does.
//
// The error is a *rff.ShapeError, a *rff.ValueError, a *rff.ParameterError or, if there are
// no rows, λ is too small for K + nλI to be factored or squares of targets overflow, a
// *rff.DegenerateDataError.
func MeasureRidge(k rff.Kernel, x, y mat.Matrix, lambda float64) (RidgeDimensions, error) {
	n, t, err := paired(x, y)
	if err != nil {
		return RidgeDimensions{}, err
	}
	if k == nil {
		return RidgeDimensions{}, &rff.ParameterError{Name: "kernel", Need: "must be given"}
	}
	if err := inside.CheckPositive("lambda", lambda); err != nil {
		return RidgeDimensions{}, err
	}
	const what = "the dimensions of a ridge regression"
	if n == 0 {
		return RidgeDimensions{}, &rff.DegenerateDataError{What: what, Why: "there are no rows"}
	}
	if err := cmp.Or(finite("input", x), finite("target", y)); err != nil {
		return RidgeDimensions{}, err
	}
	a := dense.Of(KernelMatrix(k, x))
	targets := dense.Of(mat.DenseCopyOf(y))
	ky := blas.NewGeneral[float64](n, t)
	blas.Gemm(blas.Engine{}, false, false, 1, a, targets, 0, ky)
	var trace, aligned float64
	ridged := float64(float64(n) * lambda)
	for i := range n {
		trace += a.Row(i)[i]
		for j, v := range ky.Row(i) {
			aligned += float64(v * targets.Row(i)[j])
		}
		a.Row(i)[i] += ridged
	}
	if !(ridged <= math.MaxFloat64 && trace/ridged <= math.MaxFloat64) {
		return RidgeDimensions{}, &rff.ParameterError{Name: "lambda", Value: lambda, Need: fmt.Sprintf("must be nearer to 1: with %s, float64 does not hold the dimensions", message.Count(n, "row"))}
	}
	out := RidgeDimensions{Rows: n, Lambda: lambda}
	out.Surrogate = (aligned/float64(n) + trace) / ridged
	if !(out.Surrogate <= math.MaxFloat64) {
		return RidgeDimensions{}, &rff.DegenerateDataError{What: what, Why: "squares of the targets overflow: rescale the targets"}
	}
	if err := blas.Cholesky(blas.Engine{}, a); err != nil {
		return RidgeDimensions{}, &rff.DegenerateDataError{What: what, Why: "λ is too small for this kernel matrix: " + err.Error()}
	}
	inverse := make([]float64, n)
	dense.InverseDiagonal(blas.Engine{}, inverse, a)
	for _, v := range inverse {
		out.Effective += math.Max(0, 1-float64(ridged*v))
	}
	out.Sufficient = ridge.Sufficient(out.Surrogate, out.Effective, 0.05)
	return out, nil
}
