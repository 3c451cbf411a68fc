package rff

import (
	"math"
	"math/rand/v2"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff/blas"
)

// Form is the way a stationary kernel's frequencies become columns.
type Form uint8

const (
	// CosSin has two columns per frequency, (1/√F)[cos ωᵢᵀx …, sin ωᵢᵀx …]: the
	// default, with a lower variance than CosBias at the same number of columns.
	CosSin Form = iota
	// CosBias has one column per frequency, √(2/F)·cos(ωᵢᵀx + bᵢ), b uniform on [0, 2π).
	CosBias
)

// Map is a feature map z: Rᵈ → Rˢ. It is immutable and safe for concurrent use.
type Map struct {
	kernel Kernel
	engine blas.Engine
	*packed
}

// packed is what maps that differ only in their engine share.
type packed struct {
	spec   *blas.Spec
	once64 sync.Once
	f64    *blas.Features[float64]
	once32 sync.Once
	f32    *blas.Features[float32]
}

// FromSpec returns the map of a specification that must not be modified
// afterwards. kernel is the kernel the map approximates, or nil.
func FromSpec(s *blas.Spec, kernel Kernel) (*Map, error) {
	return &Map{kernel: kernel, packed: &packed{spec: s}}, nil
}

// On returns the same map evaluated on engine e; the packed frequencies are shared.
func (m *Map) On(e blas.Engine) *Map { return &Map{kernel: m.kernel, engine: e, packed: m.packed} }

// Dims returns the number of inputs d and of feature columns s.
func (m *Map) Dims() (in, out int) { return m.spec.Dim, m.spec.Outputs() }

// Kernel returns the kernel the map approximates, or nil for none.
func (m *Map) Kernel() Kernel { return m.kernel }

// Spec returns the map's specification. It must not be modified.
func (m *Map) Spec() *blas.Spec { return m.spec }

// Engine returns where the map is evaluated.
func (m *Map) Engine() blas.Engine { return m.engine }

// Features64 returns the map packed for float64.
func (m *Map) Features64() *blas.Features[float64] {
	m.once64.Do(func() { m.f64 = blas.Pack[float64](m.spec) })
	return m.f64
}

// Features32 returns the map packed for float32.
func (m *Map) Features32() *blas.Features[float32] {
	m.once32.Do(func() { m.f32 = blas.Pack[float32](m.spec) })
	return m.f32
}

// Transform writes the features of the rows of x, n×d, to dst, n×s. An empty
// dst is sized. Errors: *ShapeError, *NotFiniteError.
func (m *Map) Transform(dst *mat.Dense, x mat.Matrix) error {
	n, d := x.Dims()
	in, out := m.Dims()
	if d != in {
		return &ShapeError{Name: "x", Rows: n, Cols: d, WantRows: -1, WantCols: in}
	}
	if dst.IsEmpty() {
		dst.ReuseAs(n, out)
	}
	if r, c := dst.Dims(); r != n || c != out {
		return &ShapeError{Name: "dst", Rows: r, Cols: c, WantRows: n, WantCols: out}
	}
	raw, ok := x.(mat.RawMatrixer)
	if !ok {
		raw = mat.DenseCopyOf(x)
	}
	xr, dr := raw.RawMatrix(), dst.RawMatrix()
	m.Features64().Transform(m.engine,
		blas.General[float64]{Rows: n, Cols: out, Stride: dr.Stride, Data: dr.Data},
		blas.General[float64]{Rows: n, Cols: d, Stride: xr.Stride, Data: xr.Data})
	return nil
}

// New returns Monte Carlo random features of k (Rahimi and Recht, "Random
// features for large-scale kernel machines", NIPS 2007): exactly features
// columns in the CosSin form, whose frequencies are drawn from k's spectral
// measure with uniforms from src.
func New(k Stationary, dim, features int, src rand.Source) (*Map, error) {
	if dim < 1 {
		return nil, &ParameterError{"dim", dim, "must be at least 1"}
	}
	if features < 2 || features%2 != 0 {
		return nil, &ParameterError{"features", features, "the CosSin form has a cosine and a sine column per frequency: must be even and at least 2"}
	}
	sp, err := k.Spectrum(dim)
	if err != nil {
		return nil, err
	}
	f := features / 2
	w := blas.NewGeneral[float64](f, dim)
	u := make([]float64, sp.Uniforms())
	for i := range f {
		for j := range u {
			u[j] = Uniform(src)
		}
		sp.Quantile(w.Row(i), u)
	}
	weight := make([]float64, features)
	for i := range weight {
		weight[i] = 1 / math.Sqrt(float64(f))
	}
	return FromSpec(&blas.Spec{Dim: dim, W: w, Func: blas.CosSin, Weight: weight}, k)
}

// Uniform returns a uniform draw in (0, 1): (⌊x/2¹¹⌋ + ½)·2⁻⁵³ for the next 64 bits x.
func Uniform(src rand.Source) float64 { return (float64(src.Uint64()>>11) + 0.5) * 0x1p-53 }
