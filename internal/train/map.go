package train

import (
	"math"

	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
)

// This is a panic, because only a programmer can cause it.
const errShape = "train: matrix sizes do not agree"

// A Map has cosine and sine pairs whose frequencies and coefficients are learned together, by the
// ridge loss ½·Σ R² on batches of rows:
//
//	P = X·W;  c = cos P;  n = sin P;  R = c·a + n·b − Y
//	∂a = cᵀR;  ∂b = nᵀR;  D = c∘(R·bᵀ) − n∘(R·aᵀ);  ∂W = XᵀD
//
// for X n×d, W d×F and a, b F×t. Features are not normalised. Gradient forms the derivatives, and
// Step takes a step of Adam with them. Both work on W, a and b in the layout of the micro-kernels,
// so that nothing is packed between steps.
//
// A Map always runs on native micro-kernels, those of the engine's backend if it has any. Results
// do not depend on the instruction set or the number of workers. A Map serves one goroutine at a
// time.
type Map[T asm.Float] struct {
	workers               int  // asked for
	eager                 bool // wake them for any amount of work: for tests
	kern                  *asm.Kernels[T]
	dim, freqs, targets   int
	panels, tiles, padded int // of the frequencies

	// The frequencies, in turns, are packed in tiles. The coefficients are packed in panels, those
	// of the cosines before those of the sines. Moments have the layout of the numbers that they
	// belong to. The derivatives by W are d×padded, row-major.
	w, coef         learned[T]
	gradW, gradCoef []T
	phase           []T // zeros
	steps           int
	power1, power2  float64 // Beta1 and Beta2 to the number of steps
	residuals       []T     // rows × targets of the last batch
	batch           batch[T]
	step            asm.Adam[T]         // arguments of a kernel
	tasksOf         func(stage int) int // methods that are bound once, because a closure per call would be allocated
	runTask         func(worker, stage, task int)
}

// learned is numbers in training with the moments of Adam.
type learned[T asm.Float] struct{ x, m, v []T }

func newLearned[T asm.Float](n int) learned[T] {
	return learned[T]{make([]T, n), make([]T, n), make([]T, n)}
}

// New returns a map of that many frequencies for rows of dim inputs and of targets, all at least 1. Frequencies and coefficients are zero.
func New[T asm.Float](e blas.Engine, dim, frequencies, targets int) *Map[T] {
	if dim < 1 || frequencies < 1 || targets < 1 {
		panic(errShape)
	}
	kern := kernelsOf[T](e)
	t := &Map[T]{workers: e.Workers, kern: kern, dim: dim, freqs: frequencies, targets: targets, tiles: ceil(frequencies, kern.Width)}
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

// kernelsOf returns the micro-kernels of e's backend, or the fastest ones if it has
// none.
func kernelsOf[T asm.Float](e blas.Engine) *asm.Kernels[T] {
	b := e.Backend
	if b == nil {
		b, _ = blas.Lookup("") // after an error, the kernels without the word that caused it
	}
	own, ok := b.(interface {
		Kernels64() *asm.Kernels[float64]
		Kernels32() *asm.Kernels[float32]
	})
	if !ok {
		return asm.Native[T]()
	}
	if k, ok := any(own.Kernels64()).(*asm.Kernels[T]); ok {
		return k
	}
	return any(own.Kernels32()).(*asm.Kernels[T])
}

// check panics unless m is a rows×cols matrix.
func check[T blas.Float](m blas.General[T], rows, cols int) {
	if m.Rows != rows || m.Cols != cols || !blas.Holds(m) {
		panic(errShape)
	}
}

// Dims returns the numbers of inputs, frequencies and targets.
func (t *Map[T]) Dims() (dim, frequencies, targets int) { return t.dim, t.freqs, t.targets }

// padCoefficients gives the columns of padding, whose features are finite, the coefficient −0. Then
// they change no residual, whatever the width of a panel.
func (t *Map[T]) padCoefficients() {
	for j := t.freqs; j < t.padded; j++ {
		for h := range 2 {
			for i := range t.targets {
				t.coef.x[t.atCoef(h, j, i)] = T(math.Copysign(0, -1))
			}
		}
	}
}

// atW is the place of input k of frequency j in w.
func (t *Map[T]) atW(j, k int) int {
	width := t.kern.Width
	return (j/width*t.dim+k)*width + j%width
}

// atCoef is the place of the coefficient of target i on the cosine (half 0) or the
// sine (half 1) of frequency j.
func (t *Map[T]) atCoef(half, j, i int) int {
	panel := t.kern.Panel
	return (half*t.panels+j/panel)*t.targets*panel + i*panel + j%panel
}

// packing is a matrix and the numbers of a Map that it has in another order: element (i, j) is the
// one at that place.
type packing[T asm.Float] struct {
	packed []T
	matrix blas.General[T]
	at     func(i, j int) int
}

// frequencies pairs numbers in the order of w with a matrix of one frequency a row.
func (t *Map[T]) frequencies(packed []T, m blas.General[T]) packing[T] {
	check(m, t.freqs, t.dim)
	return packing[T]{packed, m, t.atW}
}

// coefficients pairs numbers in the order of coef with a matrix of the rows of the cosines, then
// those of the sines.
func (t *Map[T]) coefficients(packed []T, m blas.General[T]) packing[T] {
	check(m, 2*t.freqs, t.targets)
	return packing[T]{packed, m, func(i, j int) int { return t.atCoef(i/t.freqs, i%t.freqs, j) }}
}

func (p packing[T]) pack() {
	for i := range p.matrix.Rows {
		for j, v := range p.matrix.Row(i) {
			p.packed[p.at(i, j)] = v
		}
	}
}

func (p packing[T]) unpack() {
	for i := range p.matrix.Rows {
		row := p.matrix.Row(i)
		for j := range row {
			row[j] = p.packed[p.at(i, j)]
		}
	}
}

// SetFrequencies sets W from F×d angles, one frequency a row, and forgets all moments.
func (t *Map[T]) SetFrequencies(w blas.General[float64]) {
	check(w, t.freqs, t.dim)
	for j := range w.Rows {
		for k, v := range w.Row(j) {
			t.w.x[t.atW(j, k)] = T(v * (1 / (2 * math.Pi)))
		}
	}
	t.forget()
}

// SetCoefficients sets a and b from 2F×t: those of the cosines, then those of the
// sines. It forgets all moments.
func (t *Map[T]) SetCoefficients(coef blas.General[T]) {
	t.coefficients(t.coef.x, coef).pack()
	t.forget()
}

func (t *Map[T]) forget() {
	for _, v := range [][]T{t.w.m, t.w.v, t.coef.m, t.coef.v} {
		clear(v)
	}
	t.steps, t.power1, t.power2 = 0, 1, 1
}

// Frequencies writes W to dst, F×d angles. Save and Restore keep W to the bit.
func (t *Map[T]) Frequencies(dst blas.General[float64]) {
	check(dst, t.freqs, t.dim)
	for j := range dst.Rows {
		for k := range t.dim {
			dst.Row(j)[k] = float64(t.w.x[t.atW(j, k)]) * (2 * math.Pi)
		}
	}
}

// FrequencyGradient writes ∂W of the last Gradient to dst, F×d, one frequency a row.
func (t *Map[T]) FrequencyGradient(dst blas.General[T]) {
	check(dst, t.freqs, t.dim)
	packing[T]{t.gradW, dst, func(j, k int) int { return k*t.padded + j }}.unpack()
}

// Residuals returns R of the last Gradient, n×t, valid until the next one.
func (t *Map[T]) Residuals() blas.General[T] {
	n := t.batch.x.Rows
	return blas.General[T]{Rows: n, Cols: t.targets, Stride: t.targets, Data: t.residuals[:n*t.targets]}
}
