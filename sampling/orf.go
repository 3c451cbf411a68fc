package sampling

import (
	"context"
	"math/rand/v2"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
)

// ORF draws orthogonal random features in blocks of dim frequencies. The directions of a
// block are the rows of a random orthogonal matrix (Haar), and the lengths are independent
// draws from the kernel's radial law. So each single frequency has the same distribution as
// in MonteCarlo. Blocks are independent; a last, partial block has the first rows of such a
// matrix. F. X. Yu et al., "Orthogonal random features", NIPS 2016, section 3.
//
// It needs an isotropic spectrum up to per-dimension scales: Gaussian, Matérn.
type ORF struct {
	Form rff.Form // CosSin by default
}

// Sample implements rff.Sampler; data is not used.
func (s ORF) Sample(ctx context.Context, r rff.Request) (*rff.Map, error) {
	d, iso, err := beginIsotropic(ctx, "ORF", s.Form, r)
	if err != nil {
		return nil, err
	}
	spec, err := d.dense()
	if err != nil {
		return nil, err
	}
	scales := iso.Scale()
	u := make([]float64, iso.Uniforms())
	for first := 0; first < d.f; first += d.Dim {
		block := spec.W.RowRange(first, min(first+d.Dim, d.f))
		if err := haarRows(ctx, d.engine, block, d.Rand); err != nil {
			return nil, err
		}
		for i := range block.Rows {
			r := radius(iso, u, d.Rand)
			row := block.Row(i)
			for j := range row {
				row[j] *= r * scales[j]
			}
		}
	}
	d.phases(spec)
	return d.made(spec, d.kernel)
}

// haarRows fills q, which has at most as many rows as columns, with the first rows of a
// random orthogonal matrix. It is Gram–Schmidt on Gaussian rows, which is the QR
// decomposition whose R has a positive diagonal; therefore the matrix is Haar (F. Mezzadri,
// "How to generate random matrices from the classical compact groups", Notices AMS 54,
// 2007).
func haarRows(ctx context.Context, e blas.Engine, q blas.General[float64], src rand.Source) error {
	for {
		for i := range q.Rows {
			if err := ctx.Err(); err != nil {
				return err
			}
			normals(q.Row(i), src)
		}
		// Dependent rows have probability zero; draw again in that case.
		if basis, err := orthonormalize(ctx, e, q); err != nil || basis.Rows == q.Rows {
			return err
		}
	}
}
