// Package basis describes feature maps z that are another map, the base b, in other coordinates:
// z = Pᵀb with an upper triangle P. Fits add the rows of b to their sums, and package ridge applies
// P to the sums once. To multiply every row by P would take twice the work of ZᵀZ.
package basis

import (
	"errors"
	"math"
	"sync"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
)

// Change has P and, if it is known, K = (PPᵀ)⁻¹. A ridge on the coefficients of z is the penalty
// βᵀKβ on those of b. A nil *Change is that of a map without a base, for which P is the identity. A
// Change is safe for concurrent use.
type Change struct {
	native blas.Engine                   // its bits are the same everywhere
	kernel func(k blas.General[float64]) // writes K without ε; nil if K is not known
	jitter float64                       // ε

	onceNorm sync.Once
	norm     float64

	onceFactor sync.Once
	err        error // why there is no factor

	mu     sync.Mutex
	n      int
	m      blas.General[float64] // P, or the factor U of K and K itself below the diagonal
	factor bool                  // m is U and K
}

// ErrNoFactor says that a matrix has no factor with less than 1 added to its diagonal.
var ErrNoFactor = errors.New("basis: the matrix has no factor")

// firstJitter is the least ε.
const firstJitter = 1e-12

// Later returns the change with P = U⁻¹, where K + εI = UᵀU. kernel writes K, n×n with ones on its
// diagonal up to rounding errors, to its argument. The change calls kernel again when it needs K. ε
// is 10⁻¹², or 2⁻²⁴·n^¾ if K is so near singular that the rounding errors of sums, which ‖P‖²
// enlarges, would matter. ε is doubled for as long as no factor exists. The factor and P are made
// when they are first asked for: fits by the kernel matrix do without both, and fits of few λ without
// P. The error is one of blas.Lookup.
func Later(n int, kernel func(e blas.Engine, k blas.General[float64])) (*Change, error) {
	native, err := blas.Lookup("native")
	if err != nil {
		return nil, err
	}
	e := blas.Engine{Backend: native}
	return &Change{native: e, kernel: func(k blas.General[float64]) { kernel(e, k) }, n: n}, nil
}

// Factor makes the factor. The error is ErrNoFactor.
func (c *Change) Factor() error {
	c.onceFactor.Do(c.find)
	return c.err
}

// made makes the factor where there must be one.
func (c *Change) made() {
	if c.kernel != nil && c.Factor() != nil {
		panic(noFactor)
	}
}

const noFactor = "basis: the factor was not made before it was asked for, and there is none"

func (c *Change) find() {
	// This is the only n×n matrix, so that there is room for tens of thousands of features.
	c.m, c.factor = blas.NewGeneral[float64](c.n, c.n), true
	least := 0x1p-24 * math.Sqrt(float64(c.n)) * math.Sqrt(math.Sqrt(float64(c.n)))
	for c.jitter = firstJitter; c.jitter < 1; c.jitter *= 2 {
		c.write(c.m)
		enough := blas.Cholesky(c.native, c.m) == nil
		if enough && c.jitter < least {
			smallest := math.Inf(1)
			for i := range c.n {
				smallest = min(smallest, c.m.Row(i)[i])
			}
			enough = float64(smallest*smallest) >= least // it bounds 1/‖P‖² from above
		}
		if enough {
			if c.norm = dense.InverseNormSquared(c.m); c.jitter >= least || 1/c.norm >= least {
				c.onceNorm.Do(func() {})
				return
			}
		}
		// An ε below least is too small. The loop doubles this ε, so the next one is at least least.
		c.jitter = max(c.jitter, least/2)
	}
	c.m, c.err = blas.General[float64]{}, ErrNoFactor
}

// Of returns the change of a matrix P that is given, for example by the file of a map. It returns nil
// if p is no upper triangle with an inverse. It keeps p.
func Of(p blas.General[float64]) *Change {
	if p.Rows != p.Cols {
		return nil
	}
	for i := range p.Rows {
		row := p.Row(i)
		for _, v := range row[:i] {
			if v != 0 {
				return nil
			}
		}
		if row[i] == 0 {
			return nil
		}
	}
	return &Change{n: p.Rows, m: p}
}

// write writes K + εI, both triangles, from the upper triangle of what kernel writes.
func (c *Change) write(k blas.General[float64]) {
	c.kernel(k)
	for i := range k.Rows {
		k.Row(i)[i] = 1 + c.jitter // the distance of a row to itself would be a rounding error
	}
	dense.Mirror(k)
}

// P returns the upper triangle P, with zeros below, which must not be modified. It is
// empty for nil.
func (c *Change) P() blas.General[float64] {
	if c == nil {
		return blas.General[float64]{}
	}
	c.made()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.factor {
		dense.InvertUpper(c.native, c.m)
		c.factor = false
	}
	return c.m
}

// Norm returns an estimate of ‖P‖², the largest eigenvalue of K⁻¹. It is the factor by which rounding
// errors of sums of b grow in sums of z.
func (c *Change) Norm() float64 {
	c.made()
	c.onceNorm.Do(func() { c.norm = dense.NormSquared(c.m) })
	return c.norm
}

// Jitter returns ε. It is 0 for a nil change and for one by Of, which does not know it.
func (c *Change) Jitter() float64 {
	if c == nil {
		return 0
	}
	c.made()
	return c.jitter
}

// Penalty returns K + εI as a new matrix. ok is false for a nil change and for one by Of, which does
// not know K.
func (c *Change) Penalty() (k blas.General[float64], ok bool) {
	if c == nil || c.kernel == nil {
		return k, false
	}
	c.made()
	c.mu.Lock()
	defer c.mu.Unlock()
	k = blas.NewGeneral[float64](c.m.Rows, c.m.Rows)
	if !c.factor {
		c.write(k)
		return k, true
	}
	for i := range k.Rows {
		copy(k.Row(i)[:i], c.m.Row(i))
		k.Row(i)[i] = 1 + c.jitter
	}
	dense.MirrorUp(k)
	return k, true
}

// Bytes returns the memory that P takes, 0 for nil.
func (c *Change) Bytes() int64 {
	if c == nil {
		return 0
	}
	return int64(c.n) * int64(c.n) * 8
}

// Base returns Pβ, the coefficients of b that predict the same as the coefficients β of z. For a nil
// change these are β itself.
func (c *Change) Base(e blas.Engine, coef blas.General[float64]) blas.General[float64] {
	if c == nil {
		return coef
	}
	return dense.MulUpper(e, false, c.P(), coef)
}

// Transposed returns Pᵀv, which turns sums of b into those of z. For a nil change it returns v itself.
func (c *Change) Transposed(e blas.Engine, v blas.General[float64]) blas.General[float64] {
	if c == nil {
		return v
	}
	return dense.MulUpper(e, true, c.P(), v)
}
