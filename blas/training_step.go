package blas

import (
	"math"

	"github.com/rffgo/rff/asm"
)

// Adam is the settings of a step of Adam (Kingma and Ba, 2015) on the gradient
// Scale·∂x + Decay·x. A rate is one of angles for frequencies.
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

// Step takes a step with the derivatives of the last Gradient: of the frequencies
// and of the coefficients, each with their settings.
//
// It equals asm.Kernels.Adam on every element, with Rate/(1 − 0.9ᵗ) and
// 1/√(1 − 0.999ᵗ) for step t from 1, powers by repeated multiplication. For
// frequencies in turns, rate and decay are 1/2π and 2π of those given.
func (t *Training[T]) Step(frequencies, coefficients Adam) {
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

// adam returns a step but for its numbers.
func (t *Training[T]) adam(a Adam) asm.Adam[T] {
	if a.Scale == 0 {
		a.Scale = 1
	}
	return asm.Adam[T]{Scale: a.Scale, Decay: a.Decay, Beta1: adamBeta1, Beta2: adamBeta2,
		Rate: a.Rate / (1 - t.power1), Root: 1 / math.Sqrt(1-t.power2), Epsilon: adamEpsilon}
}

// A TrainingState is all that a Training has learned, in the order of matrices:
// the same on every instruction set. A Training that it is restored to goes on with
// the bits of the one that it was saved from.
type TrainingState[T Float] struct {
	W, W1, W2          General[T] // frequencies in turns, F×d, and their moments
	Coef, Coef1, Coef2 General[T] // coefficients, 2F×t, and their moments
	Steps              int        // that were taken
}

// NewTrainingState returns a state with room for a training of these sizes.
func NewTrainingState[T Float](dim, frequencies, targets int) *TrainingState[T] {
	w := func() General[T] { return NewGeneral[T](frequencies, dim) }
	c := func() General[T] { return NewGeneral[T](2*frequencies, targets) }
	return &TrainingState[T]{W: w(), W1: w(), W2: w(), Coef: c(), Coef1: c(), Coef2: c()}
}

// parts pairs the matrices of s with the slices of t.
func (t *Training[T]) parts(s *TrainingState[T]) (w, coef []statePart[T]) {
	w = []statePart[T]{{s.W, t.w.x}, {s.W1, t.w.m}, {s.W2, t.w.v}}
	coef = []statePart[T]{{s.Coef, t.coef.x}, {s.Coef1, t.coef.m}, {s.Coef2, t.coef.v}}
	for _, p := range w {
		p.matrix.check()
		if p.matrix.Rows != t.freqs || p.matrix.Cols != t.dim {
			panic(errShape)
		}
	}
	for _, p := range coef {
		t.checkCoef(p.matrix)
	}
	return w, coef
}

type statePart[T Float] struct {
	matrix General[T]
	packed []T
}

// Save copies t's state to s, which has its sizes.
func (t *Training[T]) Save(s *TrainingState[T]) {
	w, coef := t.parts(s)
	for _, p := range w {
		for j := range t.freqs {
			row := p.matrix.Row(j)
			for k := range row {
				row[k] = p.packed[t.atW(j, k)]
			}
		}
	}
	for _, p := range coef {
		t.unpackCoef(p.matrix, p.packed)
	}
	s.Steps = t.steps
}

// Restore copies s, which has t's sizes, to t.
func (t *Training[T]) Restore(s *TrainingState[T]) {
	w, coef := t.parts(s)
	for _, p := range w {
		for j := range t.freqs {
			for k, v := range p.matrix.Row(j) {
				p.packed[t.atW(j, k)] = v
			}
		}
	}
	for _, p := range coef {
		t.packCoef(p.packed, p.matrix)
	}
	t.steps, t.power1, t.power2 = s.Steps, 1, 1
	for range s.Steps {
		t.power1, t.power2 = float64(t.power1*adamBeta1), float64(t.power2*adamBeta2)
	}
}
