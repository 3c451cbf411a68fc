package sampling

import (
	"context"
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
)

// SORF draws structured orthogonal random features: blocks of p frequencies
// r∘(H D₁ H D₂ H D₃) with orthonormal Walsh–Hadamard matrices H of order p, random signs D
// and inputs padded with zeros. p is the smallest power of two that is at least dim. Fast
// transforms evaluate a block in O(p log p) per row and never form it as a matrix. F. X. Yu
// et al., "Orthogonal random features", NIPS 2016, section 4.
//
// In the paper all frequencies have the length √p. This causes a bias that more features do
// not reduce, and that is large for small p. Unless Published is set, the lengths r are
// drawn from the kernel's radial law on R^p, as in ORF, and p is at least 32 (1 for dim 1),
// because three random-sign diagonals are biased at smaller orders.
//
// It needs an isotropic spectrum up to per-dimension scales: Gaussian, Matérn.
type SORF struct {
	Form rff.Form // CosSin by default
	// Published gives all frequencies the length √p, as in the paper, for any p. It takes
	// the Gaussian kernel only.
	Published bool
}

// Sample implements rff.Sampler; data is not used.
func (s SORF) Sample(ctx context.Context, r rff.Request) (*rff.Map, error) {
	d, iso, err := beginIsotropic(ctx, "SORF", s.Form, r)
	if err != nil {
		return nil, err
	}
	if s.Published && inside.FamilyOf(r.Kernel, d.Dim).Name != "gaussian" {
		return nil, kernelError("published SORF", r.Kernel, "a constant radius √p stands for the Gaussian kernel only")
	}
	return d.structured(ctx, iso, sorfSize(d.Dim, s.Published), func(b *blas.Block, iso rff.Isotropic, u []float64) {
		p := float64(b.Size)
		b.D = [][]float64{signs(b.Size, d.Rand), signs(b.Size, d.Rand), signs(b.Size, d.Rand)}
		for i := range b.Scale {
			length := math.Sqrt(p)
			if !s.Published {
				length = radius(iso, u, d.Rand)
			}
			b.Scale[i] = length / (p * math.Sqrt(p)) // three unnormalised transforms
		}
	})
}

// Fastfood draws blocks of frequencies r∘(H G Π H B)/(√p·‖G‖), where B has a random sign
// per input, Π is a permutation, G is Gaussian, H is an unnormalised Walsh–Hadamard matrix
// of order p, the smallest power of two that is at least dim, and the lengths r follow the
// kernel's radial law on R^p. Each single frequency has the same distribution as in
// MonteCarlo; the frequencies of a block are dependent. Q. Le, T. Sarlós and A. Smola,
// "Fastfood — approximating kernel expansions in loglinear time", ICML 2013, Eq. 7 to 9.
//
// It needs an isotropic spectrum up to per-dimension scales: Gaussian, Matérn.
type Fastfood struct {
	Form rff.Form // CosSin by default
}

// Sample implements rff.Sampler; data is not used.
func (s Fastfood) Sample(ctx context.Context, r rff.Request) (*rff.Map, error) {
	d, iso, err := beginIsotropic(ctx, "Fastfood", s.Form, r)
	if err != nil {
		return nil, err
	}
	return d.structured(ctx, iso, powerOfTwo(d.Dim), func(b *blas.Block, iso rff.Isotropic, u []float64) {
		g, norm := make([]float64, b.Size), 0.0
		for norm == 0 {
			normals(g, d.Rand)
			norm = norm2(g)
		}
		b.D = [][]float64{g, signs(b.Size, d.Rand)}
		b.Perm = permutation(b.Size, d.Rand)
		for i := range b.Scale {
			b.Scale[i] = radius(iso, u, d.Rand) / (math.Sqrt(float64(b.Size)) * norm)
		}
	})
}

// structured returns the map of independent blocks of order size. The function block
// fills in D, Perm and Scale of one block.
func (d *draft) structured(ctx context.Context, iso rff.Isotropic, size int, block func(b *blas.Block, iso rff.Isotropic, u []float64)) (*rff.Map, error) {
	if err := affordable(d.f, d.f, 4, "diagonals"); err != nil {
		return nil, err
	}
	spec := d.spec()
	padded := iso.Extend(size)
	scales := iso.Scale()
	u := make([]float64, padded.Uniforms())
	for left := d.f; left > 0; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		b := blas.Block{Size: size, Keep: min(size, left)}
		b.Scale = make([]float64, b.Keep)
		block(&b, padded, u)
		// Per-dimension scales act on the input, so they join the diagonal that
		// is applied first.
		for j, s := range scales {
			b.D[len(b.D)-1][j] *= s
		}
		spec.Blocks = append(spec.Blocks, b)
		left -= b.Keep
	}
	d.phases(spec)
	return d.made(spec, d.kernel)
}

// sorfSize returns the order of SORF's transforms. At small orders, products with
// three random-sign diagonals are far from uniform rotations: the estimate of the
// Gaussian kernel at distance 3σ along a diagonal of the cube is off by 0.40, 0.35,
// 0.17 and 0.024 for p = 2, 4, 8 and 16 in the mean over all signs, and by 0.002 for
// p = 32. More padding costs little, since a block of 32 also gives 32 frequencies.
func sorfSize(dim int, published bool) int {
	p := powerOfTwo(dim)
	if published || dim == 1 {
		return p
	}
	return max(p, 32)
}

// powerOfTwo returns the smallest power of two that is at least n.
func powerOfTwo(n int) int { return 1 << bits.Len(uint(n-1)) }

func signs(n int, src rand.Source) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = sign(src)
	}
	return v
}

// permutation draws a permutation of 0…n−1 by Fisher and Yates' shuffle.
func permutation(n int, src rand.Source) []int {
	p := upTo(n)
	for i := n - 1; i > 0; i-- {
		j := intN(src, i+1)
		p[i], p[j] = p[j], p[i]
	}
	return p
}
