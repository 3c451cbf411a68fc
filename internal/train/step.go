package train

import (
	"cmp"
	"math"

	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
)

// Adam has the settings of a step of Adam (Kingma and Ba, 2015) on the gradient Scale·∂x + Decay·x.
// For frequencies, the rate is in angles.
type Adam struct {
	Rate  float64
	Scale float64 // such as 1/n for a mean over the n rows of a batch; 0: 1
	Decay float64 // such as 2λ for a penalty λ·x²; 0: none
}

// The constants of Adam are those of its paper.
const (
	adamBeta1   = 0.9
	adamBeta2   = 0.999
	adamEpsilon = 1e-8
)

// Step takes a step with the derivatives of the last Gradient. Frequencies and coefficients have
// settings of their own.
//
// It equals asm.Kernels.Adam on every element, with Rate/(1 − 0.9ᵗ) and
// 1/√(1 − 0.999ᵗ) for step t from 1, powers by repeated multiplication. For
// frequencies in turns, rate and decay are 1/2π and 2π of those given.
func (t *Map[T]) Step(frequencies, coefficients Adam) {
	t.steps++
	t.power1, t.power2 = float64(t.power1*adamBeta1), float64(t.power2*adamBeta2)
	turn := 2 * math.Pi
	width, own := t.kern.Width, &t.step // a literal would be moved to the heap at every call
	*own = t.adam(frequencies)
	own.Rate, own.Decay = own.Rate/turn, float64(own.Decay*turn)
	own.Run, own.GStride = width, t.padded
	for q := range t.tiles {
		i0, i1 := q*t.dim*width, (q+1)*t.dim*width
		own.X, own.M, own.V, own.G = t.w.x[i0:i1], t.w.m[i0:i1], t.w.v[i0:i1], t.gradW[q*width:]
		t.kern.Adam(own)
	}
	*own = t.adam(coefficients)
	own.X, own.M, own.V, own.G, own.Run = t.coef.x, t.coef.m, t.coef.v, t.gradCoef, len(t.coef.x)
	t.kern.Adam(own)
}

// adam returns a step that lacks only its operands.
func (t *Map[T]) adam(a Adam) asm.Adam[T] {
	a.Scale = cmp.Or(a.Scale, 1)
	return asm.Adam[T]{Scale: a.Scale, Decay: a.Decay, Beta1: adamBeta1, Beta2: adamBeta2,
		Rate: a.Rate / (1 - t.power1), Root: 1 / math.Sqrt(1-t.power2), Epsilon: adamEpsilon}
}

// A State has everything that a Map has learned, as matrices, which are the same on every
// instruction set. A Map to which it is restored goes on with the bits of the Map that it was saved
// from.
type State[T asm.Float] struct {
	W, W1, W2          blas.General[T] // frequencies in turns, F×d, and their moments
	Coef, Coef1, Coef2 blas.General[T] // coefficients, 2F×t, and their moments
	Steps              int             // that were taken
}

// NewState returns a state with room for a map of these sizes.
func NewState[T asm.Float](dim, frequencies, targets int) *State[T] {
	w := func() blas.General[T] { return blas.NewGeneral[T](frequencies, dim) }
	c := func() blas.General[T] { return blas.NewGeneral[T](2*frequencies, targets) }
	return &State[T]{W: w(), W1: w(), W2: w(), Coef: c(), Coef1: c(), Coef2: c()}
}

// parts pairs the matrices of s with the slices of t.
func (t *Map[T]) parts(s *State[T]) []packing[T] {
	return []packing[T]{t.frequencies(t.w.x, s.W), t.frequencies(t.w.m, s.W1), t.frequencies(t.w.v, s.W2),
		t.coefficients(t.coef.x, s.Coef), t.coefficients(t.coef.m, s.Coef1), t.coefficients(t.coef.v, s.Coef2)}
}

// Save copies t's state to s, which has its sizes.
func (t *Map[T]) Save(s *State[T]) {
	for _, p := range t.parts(s) {
		p.unpack()
	}
	s.Steps = t.steps
}

// Restore copies s, which has t's sizes, to t.
func (t *Map[T]) Restore(s *State[T]) {
	for _, p := range t.parts(s) {
		p.pack()
	}
	t.steps, t.power1, t.power2 = s.Steps, 1, 1
	for range s.Steps {
		t.power1, t.power2 = float64(t.power1*adamBeta1), float64(t.power2*adamBeta2)
	}
}
