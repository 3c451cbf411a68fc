package krr

import (
	"errors"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/eigen"
)

// eigen returns A = V·diag(d)·Vᵀ with negative d, which are rounding, set to 0.
func (s *system) eigen(e blas.Engine) (v blas.General[float64], d []float64, err error) {
	s.restore()
	if !finite(s.a) {
		return v, nil, errors.New("the sums are not finite")
	}
	v, d, err = eigen.Symmetric(e, s.a)
	for i := range d {
		d[i] = max(d[i], 0)
	}
	return v, d, err
}
