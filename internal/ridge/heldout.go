package ridge

import "github.com/rffgo/rff/blas"

// HeldOut returns Σw(y − b − zᵀβ)² per target over the rows of h, for β and b
// trained on the rows of s: all from sums. coef has len(s.Y) columns per λ.
// scratch is s×(columns of coef).
func (s *System) HeldOut(e blas.Engine, h *blas.Sums, coef, scratch blas.General[float64]) []float64 {
	// Centred about the training means, so that large means do not cancel:
	// Σw(y'−z'ᵀβ)² = Σwy'² − 2βᵀΣwz'y' + βᵀ(Σwz'z'ᵀ)β.
	targets := len(s.Y)
	out := make([]float64, coef.Cols)
	// G is its upper triangle U with zeros below: βᵀGβ = 2βᵀUᵀβ − Σ gᵢᵢβᵢ².
	blas.Gemm(e, true, false, 1, h.G, coef, 0, scratch)
	for c := range out {
		t := c % targets
		yb := s.Y[t]
		yy := h.YY[t] - float64(2*yb*h.Y[t]) + float64(h.W*yb*yb)
		// u = z̄ᵀβ, v = Σwzᵀβ
		var quad, lin, u, v float64
		for i := range coef.Rows {
			b := coef.Data[i*coef.Stride+c]
			quad += float64(b * (2*scratch.Data[i*scratch.Stride+c] - float64(h.G.Data[i*h.G.Stride+i]*b)))
			lin += float64(b * (h.ZY.Data[i*h.ZY.Stride+t] - float64(h.Z[i]*yb)))
			u += float64(b * s.Z[i])
			v += float64(b * h.Z[i])
		}
		lin -= float64(u * (h.Y[t] - float64(h.W*yb)))
		quad += float64(u * (float64(h.W*u) - 2*v))
		out[c] = max(0, yy-2*lin+quad)
	}
	return out
}
