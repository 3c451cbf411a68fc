// Package rff turns kernels into explicit random features: a feature map
// z: Rᵈ → Rˢ with k(x, y) ≈ z(x)ᵀz(y), so that a linear method on z is a kernel
// method at the cost of a linear one.
//
// The package has
//
//   - kernels: Gaussian, Laplacian, exponential power, Cauchy, Matérn, arc-cosine and linear,
//     by constructors (NewGaussian) or from text (ParseKernel), and their spectral measures
//     (Spectrum);
//   - feature maps (Map): random ones (New), those of given frequencies
//     (FromFrequencies), and their evaluation (Map.Transform);
//   - streams of rows (Source): matrices (FromMatrix) and iterators (FromRows), and what
//     their columns are (Schema, WithSchema);
//   - rules for a bandwidth: MedianDistance, NeighbourDistance;
//   - the errors that the packages above it share.
//
// Package sampling chooses features in many other ways, package krr fits ridge
// regression on features, package dataset reads files.
//
// The packages blas and asm may change with any version. The changelog lists every change
// of what this package, sampling, krr, dataset and quality export.
package rff

import (
	"context"
	"iter"
	"math/rand/v2"

	"github.com/rffgo/rff/blas"
)

// A Kernel is a positive definite function on Rᵈ. Those of this package print as ParseKernel
// reads them.
type Kernel interface {
	// Eval returns k(x, y). It panics if the lengths differ.
	Eval(x, y []float64) float64
}

// A Stationary kernel depends on x − y only. It is the Fourier transform of a
// probability measure, its spectral measure (Bochner's theorem).
//
// A kernel that is a function of a distance other than the Euclidean may have two more
// methods, for the rules that find a bandwidth: Distance(x, y []float64) float64, and
// FromEuclidean(r float64, dim int) float64, the distance that is typical for points of
// R^dim at the Euclidean distance r.
type Stationary interface {
	Kernel
	// Spectrum returns the spectral measure on R^dim. The error says which
	// parameter does not fit dim.
	Spectrum(dim int) (Spectrum, error)
}

// A Spectrum turns uniform numbers into frequencies. The numbers come from a random generator,
// or are the coordinates of Halton and Sobol points. Its results have the same bits on every
// platform.
type Spectrum interface {
	// Uniforms returns how many uniform numbers one frequency takes: d, d+1 for a scale
	// mixture of Gaussians, or two for each number of a stable distribution.
	Uniforms() int
	// Quantile writes the frequency of u ∈ (0,1)^Uniforms to w, of length d, in
	// radians per unit of x.
	Quantile(w, u []float64)
}

// An Isotropic spectrum has no preferred direction: apart from factors per dimension, a
// frequency is a radius times a direction that is uniform on the sphere.
type Isotropic interface {
	Spectrum
	// Scale returns the per-dimension factors s with ω = s∘(radius·direction).
	Scale() []float64
	// Radius returns the radius of u ∈ (0,1)^Uniforms.
	Radius(u []float64) float64
	// Extend returns the spectrum of the same kernel on R^dim for dim ≥ d, with scale
	// 1 in the dimensions added. Structured projections need it: they pad inputs with
	// zeros.
	Extend(dim int) Isotropic
}

// Batch is a block of rows of a Source. Its memory may be reused for the next one.
type Batch struct {
	First  int64     // index of the first row in the stream
	X      Matrix    // n×d
	Y      Matrix    // n×targets
	Weight []float64 // n, or nil for ones
	Group  []uint64  // n, or nil: rows of one group share a fold of a cross-validation
}

// Matrix is a row-major matrix of Rows×Cols: element (i, j) is Data[i·Stride+j]. Row(i)
// and RowRange(from, to) share its memory. These fields and methods will stay, although
// the type is one of package blas, which may change.
type Matrix = blas.General[float64]

// Source is a stream of rows that can be read more than once: every reading yields the
// same rows in the same order. Most fits read it once for the scaling, the bandwidth or
// the features, if these are chosen, and once for the sums; conjugate gradients,
// leave-one-out errors, probabilities, rules of weights and checkpoints read it again. It
// is an error if a reading yields another number of rows than the one before, for instance
// because the rows can be read only once.
type Source interface {
	// Schema says what the columns are.
	Schema() Schema
	// Batches yields the rows in order. After an error it stops.
	Batches(ctx context.Context) iter.Seq2[Batch, error]
}

// Request is what a Sampler is asked for.
type Request struct {
	// Kernel that the features are to approximate. A sampler whose features have a kernel of
	// their own, such as the sampler "arccos", takes nil as well.
	Kernel Kernel
	// Dim is the number of inputs.
	Dim int
	// Features is the number of columns of the map.
	Features int
	// Data has the rows to choose features by. Samplers that do not look at rows take nil.
	Data Source
	// Rand is where all randomness comes from.
	Rand rand.Source
	// Engine does the work, and evaluates the map.
	Engine Engine
}

// Sampler chooses the features of a map; package sampling has the samplers. krr.Auto counts
// drawing with a program's own sampler as no work, unless it has the method
// Work(rows, inputs, targets, features int) float64, which returns its multiply-adds.
type Sampler interface {
	// Sample returns a map of exactly the inputs and columns that r asks for. The same
	// request gives the same map.
	Sample(ctx context.Context, r Request) (*Map, error)
}
