package sampling

import (
	"context"
	"math/rand/v2"

	"github.com/rffgo/rff"
)

// points is a sequence of points in (0, 1)^Dim, for one goroutine.
type points interface {
	// Dim returns the number of coordinates.
	Dim() int
	// Next writes the next point to u, of length Dim.
	Next(u []float64)
	// Skip passes over n points in O(Dim) time.
	Skip(n uint64)
}

// clipLow and clipHigh keep coordinates 2⁻⁵³ away from 0 and 1, where quantile
// functions are infinite.
const clipLow, clipHigh = 0x1p-53, 1 - 0x1p-53

// Halton draws frequencies from a Halton sequence through the quantile functions
// of the kernel's spectral measure: H. Avron, V. Sindhwani, J. Yang and M. W.
// Mahoney, "Quasi-Monte Carlo feature maps for shift-invariant kernels", JMLR 17
// (2016). By default its digits are permuted at random (Owen 2017), so that each
// frequency alone is distributed as in MonteCarlo. It suits low dimensions; from
// about 50 on prefer Sobol.
//
// It takes every stationary kernel. CosBias phases are one coordinate more.
type Halton struct {
	Form rff.Form // CosSin by default
	// Published takes the deterministic sequence that Avron et al. and Liu et al.
	// use: below 126 coordinates only.
	Published bool
}

// Sample implements rff.Sampler; data is not used, nor src when Published.
func (s Halton) Sample(ctx context.Context, k rff.Kernel, dim, features int, _ rff.Source, src rand.Source) (*rff.Map, error) {
	d, err := begin(ctx, "Halton", s.Form, k, dim, features)
	if err != nil {
		return nil, err
	}
	if s.Published {
		p, err := newPublishedHalton(d.coordinates())
		if err != nil {
			return nil, err
		}
		return d.fromPoints(ctx, p)
	}
	if err := seeded(src); err != nil {
		return nil, err
	}
	return d.fromPoints(ctx, newHalton(d.coordinates(), src))
}

// Sobol draws frequencies from a scrambled Sobol sequence (Joe and Kuo 2008, Matoušek 1998) through the
// quantile functions of the kernel's spectral measure: J. Yang, V. Sindhwani,
// H. Avron and M. W. Mahoney, "Quasi-Monte Carlo feature maps for
// shift-invariant kernels", ICML 2014. Each frequency alone is distributed as in
// MonteCarlo. It reaches 21201 coordinates.
//
// It takes every stationary kernel. CosBias phases are one coordinate more.
type Sobol struct {
	Form rff.Form // CosSin by default
}

// Sample implements rff.Sampler; data is not used.
func (s Sobol) Sample(ctx context.Context, k rff.Kernel, dim, features int, _ rff.Source, src rand.Source) (*rff.Map, error) {
	d, err := begin(ctx, "Sobol", s.Form, k, dim, features)
	if err != nil {
		return nil, err
	}
	p, err := newScrambledSobol(d.coordinates(), src)
	if err != nil {
		return nil, err
	}
	return d.fromPoints(ctx, p)
}

// coordinates returns how many uniform numbers a frequency and its phase take.
func (d *draft) coordinates() int {
	n := d.spectrum.Uniforms()
	if d.form == rff.CosBias {
		n++
	}
	return n
}

// fromPoints returns the map of the first points of p, one per frequency.
func (d *draft) fromPoints(ctx context.Context, p points) (*rff.Map, error) {
	spec, err := d.dense()
	if err != nil {
		return nil, err
	}
	if d.form == rff.CosBias {
		spec.Phase = make([]float64, d.f)
	}
	u, n := make([]float64, p.Dim()), d.spectrum.Uniforms()
	often := max(1, 1<<16/len(u)) // a coordinate takes tens of nanoseconds
	for i := range d.f {
		if i%often == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		p.Next(u)
		for j, v := range u {
			u[j] = min(max(v, clipLow), clipHigh)
		}
		d.spectrum.Quantile(spec.W.Row(i), u[:n])
		if spec.Phase != nil {
			spec.Phase[i] = phase(u[n])
		}
	}
	return rff.FromSpec(spec, d.kernel)
}
