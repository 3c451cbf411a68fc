package rff

import "math"

// Gaussian is the kernel k(x, y) = exp(−Σⱼ (xⱼ−yⱼ)²/(2σⱼ²)).
type Gaussian struct {
	// Sigma has one bandwidth for all dimensions, or one per dimension.
	Sigma []float64
}

// Eval returns k(x, y).
func (g Gaussian) Eval(x, y []float64) float64 {
	var s float64
	for j := range x {
		d := (x[j] - y[j]) / g.Sigma[min(j, len(g.Sigma)-1)]
		s += d * d
	}
	return math.Exp(-s / 2)
}

// Spectrum returns N(0, diag(1/σⱼ²)).
func (g Gaussian) Spectrum(dim int) (Spectrum, error) {
	for _, s := range g.Sigma {
		if !(s > 0) || math.IsInf(s, 0) {
			return nil, &ParameterError{"sigma", s, "must be positive and finite"}
		}
	}
	if len(g.Sigma) != 1 && len(g.Sigma) != dim {
		return nil, &ParameterError{"sigma", len(g.Sigma), "one bandwidth, or one per dimension"}
	}
	return gaussianSpectrum{g.Sigma, dim}, nil
}

type gaussianSpectrum struct {
	sigma []float64
	dim   int
}

func (s gaussianSpectrum) Uniforms() int { return s.dim }

func (s gaussianSpectrum) Quantile(w, u []float64) {
	for j := range w {
		w[j] = math.Sqrt2 * math.Erfinv(2*u[j]-1) / s.sigma[min(j, len(s.sigma)-1)]
	}
}
