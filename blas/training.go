package blas

import (
	"math"

	"github.com/rffgo/rff/asm"
)

// A Training is a map of cosine and sine pairs whose frequencies and coefficients
// are being learned together by the ridge loss ½·Σ R² on batches of rows:
//
//	P = X·W;  c = cos P;  n = sin P;  R = c·a + n·b − Y
//	∂a = cᵀR;  ∂b = nᵀR;  D = c∘(R·bᵀ) − n∘(R·aᵀ);  ∂W = XᵀD
//
// for X n×d, W d×F and a, b F×t. Features are not normalised. Gradient forms the
// derivatives, Step takes a step of Adam with them. Both work on W and a, b as the
// micro-kernels want them, so that nothing is packed between steps.
//
// It always runs on the native micro-kernels, those of the engine's backend if it
// has any. Results do not depend on the instruction set or the number of workers.
// A Training serves one goroutine at a time.
type Training[T Float] struct {
	e                     Engine
	kern                  *asm.Kernels[T]
	dim, freqs, targets   int
	panels, tiles, padded int // of the frequencies

	// The frequencies, in turns, are packed in tiles, the coefficients in panels,
	// those of the cosines before those of the sines; moments lie as what they
	// belong to. The derivatives by W are d×padded, row-major.
	w, coef         learned[T]
	gradW, gradCoef []T
	phase           []T // zeros
	steps           int
	power1, power2  float64 // Beta1 and Beta2 to the number of steps
	residuals       []T     // rows × targets of the last batch
	batch           batch[T]
	step            asm.Adam[T]         // arguments of a kernel
	tasksOf         func(stage int) int // methods bound once: a closure a call would be allocated
	runTask         func(worker, stage, task int)
}

// learned is numbers in training with the moments of Adam.
type learned[T Float] struct{ x, m, v []T }

func newLearned[T Float](n int) learned[T] {
	return learned[T]{make([]T, n), make([]T, n), make([]T, n)}
}

// NewTraining returns a training of that many frequencies on rows of dim inputs
// and of targets, all at least 1. Frequencies and coefficients are zero.
func NewTraining[T Float](e Engine, dim, frequencies, targets int) *Training[T] {
	if dim < 1 || frequencies < 1 || targets < 1 {
		panic(errShape)
	}
	kern := operationsOf[T](e).kernels()
	t := &Training[T]{e: e, kern: kern, dim: dim, freqs: frequencies, targets: targets, tiles: ceil(frequencies, kern.Width)}
	t.padded = t.tiles * kern.Width
	t.panels = t.padded / kern.Panel
	t.w, t.gradW = newLearned[T](t.padded*dim), make([]T, t.padded*dim)
	t.coef, t.gradCoef = newLearned[T](2*t.padded*targets), make([]T, 2*t.padded*targets)
	t.phase = make([]T, t.padded)
	t.power1, t.power2 = 1, 1
	t.padCoefficients()
	t.tasksOf, t.runTask = t.batchTasks, t.runBatch
	return t
}

// Dims returns the numbers of inputs, frequencies and targets.
func (t *Training[T]) Dims() (dim, frequencies, targets int) { return t.dim, t.freqs, t.targets }

// padCoefficients gives the columns of padding, whose features are finite, the
// coefficient −0: then no residual sees them, whatever a panel's width is.
func (t *Training[T]) padCoefficients() {
	for j := t.freqs; j < t.padded; j++ {
		for h := range 2 {
			for i := range t.targets {
				t.coef.x[t.atCoef(h, j, i)] = T(math.Copysign(0, -1))
			}
		}
	}
}

// atW is the place of input k of frequency j in w.
func (t *Training[T]) atW(j, k int) int {
	width := t.kern.Width
	return (j/width*t.dim+k)*width + j%width
}

// atCoef is the place of the coefficient of target i on the cosine (half 0) or the
// sine (half 1) of frequency j.
func (t *Training[T]) atCoef(half, j, i int) int {
	panel := t.kern.Panel
	return (half*t.panels+j/panel)*t.targets*panel + i*panel + j%panel
}

// SetFrequencies sets W from F×d angles, one frequency a row, and forgets all moments.
func (t *Training[T]) SetFrequencies(w General[float64]) {
	w.check()
	if w.Rows != t.freqs || w.Cols != t.dim {
		panic(errShape)
	}
	for j := range w.Rows {
		for k, v := range w.Row(j) {
			t.w.x[t.atW(j, k)] = T(v * (1 / (2 * math.Pi)))
		}
	}
	t.forget()
}

// SetCoefficients sets a and b from 2F×t: those of the cosines, then those of the
// sines. It forgets all moments.
func (t *Training[T]) SetCoefficients(coef General[T]) {
	t.checkCoef(coef)
	t.packCoef(t.coef.x, coef)
	t.forget()
}

func (t *Training[T]) packCoef(to []T, coef General[T]) {
	for j := range t.freqs {
		for h := range 2 {
			for i, v := range coef.Row(h*t.freqs + j) {
				to[t.atCoef(h, j, i)] = v
			}
		}
	}
}

func (t *Training[T]) checkCoef(coef General[T]) {
	coef.check()
	if coef.Rows != 2*t.freqs || coef.Cols != t.targets {
		panic(errShape)
	}
}

func (t *Training[T]) forget() {
	for _, v := range [][]T{t.w.m, t.w.v, t.coef.m, t.coef.v} {
		clear(v)
	}
	t.steps, t.power1, t.power2 = 0, 1, 1
}

// Frequencies writes W to dst, F×d angles. Save and Restore keep W to the bit.
func (t *Training[T]) Frequencies(dst General[float64]) {
	dst.check()
	if dst.Rows != t.freqs || dst.Cols != t.dim {
		panic(errShape)
	}
	for j := range dst.Rows {
		for k := range t.dim {
			dst.Row(j)[k] = float64(t.w.x[t.atW(j, k)]) * (2 * math.Pi)
		}
	}
}

// Coefficients writes a and b to dst, 2F×t.
func (t *Training[T]) Coefficients(dst General[T]) { t.unpackCoef(dst, t.coef.x) }

// FrequencyGradient writes ∂W of the last Gradient to dst, F×d, one frequency a row.
func (t *Training[T]) FrequencyGradient(dst General[T]) {
	dst.check()
	if dst.Rows != t.freqs || dst.Cols != t.dim {
		panic(errShape)
	}
	for j := range dst.Rows {
		for k := range t.dim {
			dst.Row(j)[k] = t.gradW[k*t.padded+j]
		}
	}
}

// CoefficientGradient writes ∂a and ∂b of the last Gradient to dst, 2F×t.
func (t *Training[T]) CoefficientGradient(dst General[T]) { t.unpackCoef(dst, t.gradCoef) }

func (t *Training[T]) unpackCoef(dst General[T], from []T) {
	t.checkCoef(dst)
	for j := range t.freqs {
		for h := range 2 {
			row := dst.Row(h*t.freqs + j)
			for i := range row {
				row[i] = from[t.atCoef(h, j, i)]
			}
		}
	}
}

// Residuals returns R of the last Gradient, n×t, valid until the next one.
func (t *Training[T]) Residuals() General[T] {
	n := t.batch.x.Rows
	return General[T]{Rows: n, Cols: t.targets, Stride: t.targets, Data: t.residuals[:n*t.targets]}
}
