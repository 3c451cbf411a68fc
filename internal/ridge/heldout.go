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
	// Row after row, as the columns of many targets and λ are far apart in memory.
	// u = z̄ᵀβ, v = Σwzᵀβ
	type sum struct{ quad, lin, u, v float64 }
	sums := make([]sum, len(out))
	for i := range coef.Rows {
		row, half, zy := coef.Row(i), scratch.Row(i), h.ZY.Row(i)
		diag, z, mean := h.G.Row(i)[i], h.Z[i], s.Z[i]
		for c := range sums {
			to, b, t := &sums[c], row[c], c%targets
			to.quad += float64(b * (2*half[c] - float64(diag*b)))
			to.lin += float64(b * (zy[t] - float64(z*s.Y[t])))
			to.u += float64(b * mean)
			to.v += float64(b * z)
		}
	}
	for c, of := range sums {
		t := c % targets
		yb := s.Y[t]
		yy := h.YY[t] - float64(2*yb*h.Y[t]) + float64(h.W*yb*yb)
		of.lin -= float64(of.u * (h.Y[t] - float64(h.W*yb)))
		of.quad += float64(of.u * (float64(h.W*of.u) - 2*of.v))
		out[c] = max(0, yy-2*of.lin+of.quad)
	}
	return out
}
