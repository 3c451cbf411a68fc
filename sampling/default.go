package sampling

import "github.com/rffgo/rff"

// Default returns the sampler to use for k if nothing else is known: ORF, which has a lower
// variance, if k's spectral measure on R^dim is isotropic, and MonteCarlo otherwise.
// Neither needs data.
func Default(k rff.Stationary, dim int) rff.Sampler {
	if s, err := k.Spectrum(dim); err == nil {
		if _, ok := s.(rff.Isotropic); ok {
			return ORF{}
		}
	}
	return MonteCarlo{}
}
