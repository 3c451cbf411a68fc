package sampling

import "github.com/rffgo/rff"

// Default returns the sampler for a kernel of which nothing else is known:
// orthogonal frequencies, which have a lower variance, where k's spectral measure
// on R^dim allows them, and independent ones otherwise. It depends on no data.
func Default(k rff.Stationary, dim int) rff.Sampler {
	if s, err := k.Spectrum(dim); err == nil {
		if _, ok := s.(rff.Isotropic); ok {
			return ORF{}
		}
	}
	return MonteCarlo{}
}
