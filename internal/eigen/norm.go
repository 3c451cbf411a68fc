package eigen

import (
	"math"
	"math/rand/v2"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
)

// The process stops after lanczosSteps steps. Extreme eigenvalues of the matrices that occur here
// have converged long before, to about 1e-8 relative.
const lanczosSteps = 80

// Norm returns the spectral norm, the largest |eigenvalue|, of a symmetric a in full storage. It
// runs the Lanczos process with full reorthogonalisation, which needs 80 products with a vector.
// The error is ErrNoConvergence.
func Norm(e blas.Engine, a blas.General[float64]) (float64, error) {
	n := a.Rows
	work, exp := scaled(a)
	// The start has no symmetry, so that it is not orthogonal to an eigenvector of interest by
	// accident.
	rng := rand.New(rand.NewPCG(1, 0x1a2c05))
	v := make([]float64, n)
	for i := range v {
		v[i] = float64(rng.Float64()) - 0.5
	}
	normalise(v)
	var basis [][]float64
	var diag, beside []float64
	var most float64
	for {
		basis = append(basis, v)
		w := make([]float64, n)
		multiply(e, w, work, v)
		diag = append(diag, dot(w, v))
		for range 2 {
			for _, b := range basis {
				dense.AddTimes(w, -dot(w, b), b)
			}
		}
		length := normalise(w)
		most = max(most, math.Abs(diag[len(diag)-1])+length)
		if len(basis) == min(n, lanczosSteps) || length <= 1e-14*most {
			break
		}
		beside = append(beside, length)
		v = w
	}
	if err := ql(diag, append(beside, 0), nil); err != nil {
		return 0, err
	}
	var norm float64
	for _, v := range diag {
		norm = max(norm, math.Abs(v))
	}
	return math.Ldexp(norm, exp), nil
}

// normalise divides x by its length, which it returns, unless that is 0.
func normalise(x []float64) float64 {
	length := math.Sqrt(dot(x, x))
	if length > 0 {
		for i := range x {
			x[i] /= length
		}
	}
	return length
}
