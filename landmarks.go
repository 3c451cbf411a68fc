package rff

import (
	"fmt"
	"math"
	"sync"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
)

// landmarks is the kernel K of the landmarks of a map, K + εI = UᵀU. Its inverse
// factor, which fits of few λ do without, is made when it is first asked for.
type landmarks struct {
	plain  *packed     // the sections
	native blas.Engine // whose bits are the same everywhere
	jitter float64     // ε
	norm   float64     // an estimate of ‖U⁻¹‖²

	mu sync.Mutex
	u  blas.General[float64] // U, and K below the diagonal; with full U⁻¹
	// full is the specification of the sections with U⁻¹ as product.
	full *blas.Spec
}

// Sections returns, of a map that Nystrom made, the map of the sections k alone, and of
// any other map itself and false.
func (m *Map) Sections() (plain *Map, landmarks bool) {
	if l := m.made().landmarks; l != nil {
		return &Map{kernel: m.kernel, engine: m.engine, packed: l.plain}, true
	}
	if !m.spec.Func.Section() || m.spec.Product.Data == nil {
		return m, false
	}
	spec := *m.spec // of a file
	spec.Product = blas.General[float64]{}
	return &Map{kernel: m.kernel, engine: m.engine, packed: &packed{spec: &spec}}, true
}

// Factored returns Sections and the upper triangle P = L⁻ᵀ, which must not be modified:
// the features of m are Pᵀk. Of any map that Nystrom did not make it returns the map
// itself and an empty matrix.
func (m *Map) Factored() (*Map, blas.General[float64]) {
	plain, ok := m.Sections()
	if !ok {
		return m, blas.General[float64]{}
	}
	return plain, m.full().Product
}

// FactorNorm returns an estimate of ‖P‖², the largest eigenvalue of PPᵀ = (K + εI)⁻¹, for
// the P of Factored, and 0 if there is none. Rounding errors of sums of sections come
// out so many times as large in sums of features.
func (m *Map) FactorNorm() float64 {
	if l := m.made().landmarks; l != nil {
		return l.norm
	}
	_, p := m.Factored()
	if p.Data == nil {
		return 0
	}
	m.onceNorm.Do(func() { m.norm = dense.NormSquared(p) })
	return m.norm
}

// Jitter returns ε of Nystrom, what was added to the diagonal of the landmarks' kernel
// matrix; 0 for other maps and those read from a file.
func (m *Map) Jitter() float64 {
	if l := m.made().landmarks; l != nil {
		return l.jitter
	}
	return 0
}

// LandmarkKernel returns K + εI of the landmarks, a matrix of the caller's own. It has no
// elements where Jitter is 0.
func (m *Map) LandmarkKernel() blas.General[float64] {
	l := m.made().landmarks
	if l == nil {
		return blas.General[float64]{}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	n := l.u.Rows
	k := blas.NewGeneral[float64](n, n)
	if l.full != nil {
		plain := &Map{packed: l.plain}
		plain.Features64().Transform(l.native, k, l.plain.spec.W)
		dense.Mirror(k) // the upper triangle is what was factored
	} else {
		for i := range n {
			copy(k.Row(i)[:i], l.u.Row(i))
		}
		dense.MirrorUp(k)
	}
	for i := range n {
		k.Row(i)[i] = 1 + l.jitter // distances to itself are rounding errors
	}
	return k
}

// full returns the specification of m, with the factor of landmarks.
func (m *Map) full() *blas.Spec {
	l := m.made().landmarks
	if l == nil {
		return m.spec
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.full == nil {
		dense.InvertUpper(l.native, l.u)
		spec := *m.spec
		spec.Product = l.u
		l.full = &spec
	}
	return l.full
}

// firstJitter is the least ε of Nystrom.
const firstJitter = 1e-12

// factorLandmarks factors the kernel of the landmarks of a map of sections.
func factorLandmarks(m *Map) (*landmarks, error) {
	native, err := blas.Lookup("native")
	if err != nil {
		return nil, err
	}
	n := m.spec.W.Rows
	l := &landmarks{plain: m.packed, native: blas.Engine{Backend: native}, u: blas.NewGeneral[float64](n, n)} // the only matrix of its size, for landmarks by the ten thousand
	least := 0x1p-24 * math.Sqrt(float64(n)) * math.Sqrt(math.Sqrt(float64(n)))
	for l.jitter = firstJitter; l.jitter < 1; l.jitter *= 2 {
		m.Features64().Transform(l.native, l.u, m.spec.W)
		for i := range n {
			l.u.Row(i)[i] = 1 + l.jitter // distances to itself are rounding errors
		}
		dense.Mirror(l.u)
		enough := blas.Cholesky(l.native, l.u) == nil
		if enough && l.jitter < least {
			smallest := math.Inf(1)
			for i := range n {
				smallest = min(smallest, l.u.Row(i)[i])
			}
			enough = float64(smallest*smallest) >= least // it bounds 1/‖L⁻¹‖² from above
		}
		if enough {
			if l.norm = dense.InverseNormSquared(l.u); l.jitter >= least || 1/l.norm >= least {
				return l, nil
			}
		}
		// Half of what gives a factor is about what K lacks: less than least will not do.
		l.jitter = max(l.jitter, least/2)
	}
	return nil, &ParameterError{Name: "landmarks", Value: n, Need: fmt.Sprintf("have a kernel matrix that has no factor with less than 1 added to its diagonal: scale the columns, or use a larger bandwidth than %v", m.kernel)}
}
