package sampling

import (
	"context"
	"math/rand/v2"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/limit"
	"github.com/rffgo/rff/internal/portable"
)

// draft holds what every sampler of a stationary kernel starts from: the checked
// arguments of Sample, and the kernel's spectrum.
type draft struct {
	*request
	kernel   rff.Stationary
	spectrum rff.Spectrum
	form     rff.Form
	f        int // frequencies
}

// begin checks the arguments of Sample and returns a draft.
func begin(ctx context.Context, sampler string, form rff.Form, r rff.Request) (*draft, error) {
	if err := alive(ctx); err != nil {
		return nil, err
	}
	st, ok := r.Kernel.(rff.Stationary)
	if !ok {
		return nil, kernelError(sampler, r.Kernel, "it draws frequencies from a spectral measure, which only kernels of x−y have")
	}
	sp, err := st.Spectrum(r.Dim)
	if err != nil {
		return nil, err
	}
	f, err := inside.Frequencies(form, r.Features)
	if err != nil {
		return nil, err
	}
	q, err := onEngine(sampler, r)
	if err != nil {
		return nil, err
	}
	return &draft{request: q, kernel: st, spectrum: sp, form: form, f: f}, nil
}

// beginIsotropic is begin for samplers that draw directions apart from lengths.
func beginIsotropic(ctx context.Context, sampler string, form rff.Form, r rff.Request) (*draft, rff.Isotropic, error) {
	d, err := begin(ctx, sampler, form, r)
	if err != nil {
		return nil, nil, err
	}
	if iso, ok := d.spectrum.(rff.Isotropic); ok {
		return d, iso, seeded(r.Rand)
	}
	return nil, nil, kernelError(sampler, d.kernel, "its orthogonal directions need a spectral measure that is the same in all directions; the frequencies of a product kernel lie mostly along the axes: use rff, halton or sobol")
}

// affordable returns an error for a rows×cols matrix of what that is too large, before
// memory is allocated for it.
func affordable(features, rows, cols int, what string) error {
	if limit.Fits(rows, cols) {
		return nil
	}
	return &rff.ParameterError{Name: "features", Value: features, Need: "asks for more than 16 GiB of " + what + ": use fewer"}
}

// spec returns a specification in d's form with equal weights, still without
// frequencies.
func (d *draft) spec() *blas.Spec {
	s := &blas.Spec{Dim: d.Dim, Func: asm.CosSin}
	if d.form == rff.CosBias {
		s.Func = asm.Cos
	}
	return s
}

// dense returns spec with a matrix for the frequencies.
func (d *draft) dense() (*blas.Spec, error) {
	if err := affordable(d.f, d.f, d.Dim, "frequencies, which sorf and fastfood do not store"); err != nil {
		return nil, err
	}
	s := d.spec()
	s.W = blas.NewGeneral[float64](d.f, d.Dim)
	return s, nil
}

// phases draws the phases of s, if d's form has any.
func (d *draft) phases(s *blas.Spec) {
	if d.form != rff.CosBias {
		return
	}
	s.Phase = make([]float64, d.f)
	for i := range s.Phase {
		s.Phase[i] = phase(portable.Uniform(d.Rand))
	}
}

// phase turns a uniform into an angle in (0, 2π).
func phase(u float64) float64 { return 0x1.921fb54442d18p+2 * u }

// normal draws from N(0, 1), with the same bits on every platform.
func normal(src rand.Source) float64 { return portable.NormalQuantile(portable.Uniform(src)) }

func normals(dst []float64, src rand.Source) {
	for i := range dst {
		dst[i] = normal(src)
	}
}

// sign draws ±1 from the top bit of the next 64.
func sign(src rand.Source) float64 {
	if src.Uint64()>>63 != 0 {
		return -1
	}
	return 1
}

// radius draws a radius of s; u has room for its uniform numbers.
func radius(s rff.Isotropic, u []float64, src rand.Source) float64 {
	for i := range u {
		u[i] = portable.Uniform(src)
	}
	return s.Radius(u)
}
